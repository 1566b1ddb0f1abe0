package ratelimit

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// BindFlags adds flags to fs that set c, which keeps its value where none is given:
//
//	-rate-limit-preset      the preset, in place of what c was
//	-rate-limit-base-delay  of the first exponential limiter in it
//	-rate-limit-max-delay   of the same
//	-rate-limit-factor      of the same
//	-rate-limit-jitter      of the same
//	-rate-limit-rate        of the first bucket that all items share; else one is added
//	-rate-limit-burst       of the same
//
// Limiters for classes of errors keep their numbers. The order of the flags does
// not matter, unless c has no exponential limiter, which only a preset before the
// numbers can bring. A number that is impossible by itself is an error of its flag,
// as is what can't be read; call [Config.Validate] for what they are together. With
// pflag, give the set to its AddGoFlagSet.
//
// BindFlags panics with the error of Validate if c is impossible from the start,
// and as fs does if it has one of the flags already.
func (c *Config) BindFlags(fs *flag.FlagSet) {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	f := &flags{config: c, base: *c}
	fs.Func("rate-limit-preset", fmt.Sprintf("What a failing request waits, by its `name`: %s, %s, %s or %s.", Default, InCluster, ExternalAPI, Gentle), f.preset)
	fs.Func("rate-limit-base-delay", "The `delay` after the first failure of a request, such as 1s.", f.duration(&f.each.BaseDelay))
	fs.Func("rate-limit-max-delay", "The longest `delay` after a failure, such as 5m.", f.duration(&f.each.MaxDelay))
	fs.Func("rate-limit-factor", "How many `times` longer each delay is than the one before.", f.number(&f.each.Factor, factor))
	fs.Func("rate-limit-jitter", "The largest `fraction` of a delay that is taken off at random, from 0 to 1.", f.fraction)
	fs.Func("rate-limit-rate", "How many retries `per second` there are, of all requests together.", f.number(&f.all.Rate, positive[float64]))
	fs.Func("rate-limit-burst", "How `many` retries there are at once after a quiet time.", f.integer(&f.all.Burst))
}

// flags are what was given, from which the config is made anew after each.
type flags struct {
	config *Config
	base   Config // that the numbers are put into
	each   ExponentialOptions
	jitter *float64
	all    BucketOptions
}

func (f *flags) preset(text string) error {
	if _, ok := Preset(text).Config(); !ok || text == "" {
		return fmt.Errorf("want %s, %s, %s or %s", Default, InCluster, ExternalAPI, Gentle)
	}
	f.base = Config{Preset: Preset(text)}
	return f.apply()
}

func (f *flags) duration(to *time.Duration) func(string) error {
	return func(text string) error {
		v, err := time.ParseDuration(text)
		return set(f, to, v, err, positive[time.Duration])
	}
}

func (f *flags) number(to *float64, check func(string, float64) *fault) func(string) error {
	return func(text string) error {
		v, err := strconv.ParseFloat(text, 64)
		return set(f, to, v, err, check)
	}
}

func (f *flags) integer(to *int) func(string) error {
	return func(text string) error {
		v, err := strconv.Atoi(text)
		return set(f, to, v, err, atLeastOne)
	}
}

func (f *flags) fraction(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	return set(f, &f.jitter, &v, err, func(field string, v *float64) *fault { return fraction(field, *v) })
}

// set sets *to to v, which was read without err and must pass the check. The
// package flag says which flag and value it was.
func set[N any](f *flags, to *N, v N, err error, check func(string, N) *fault) error {
	if err != nil {
		return err
	}
	if fault := check("it", v); fault != nil {
		return errors.New(strings.TrimPrefix(fault.text, " "))
	}
	*to = v
	return f.apply()
}

// apply makes the config of what was given up to now.
func (f *flags) apply() error {
	c := f.base.clone()
	if f.each != (ExponentialOptions{}) || f.jitter != nil {
		e := c.firstExponential()
		if e == nil {
			return errors.New("no limiter here is exponential")
		}
		f.override(e)
	}
	if f.all != (BucketOptions{}) {
		b := c.sharedBucket()
		if b == nil {
			b = &BucketOptions{}
			c = Config{MaxOf: []Config{c, {Bucket: b}}}
		}
		override(&b.Rate, f.all.Rate)
		override(&b.Burst, f.all.Burst)
	}
	*f.config = c
	return nil
}

func (f *flags) override(e *ExponentialOptions) {
	override(&e.BaseDelay, f.each.BaseDelay)
	override(&e.MaxDelay, f.each.MaxDelay)
	override(&e.Factor, f.each.Factor)
	if f.jitter != nil {
		e.Jitter = *f.jitter
	}
}

// override sets *value to what was given, if it was.
func override[N comparable](value *N, given N) {
	if given != *new(N) {
		*value = given
	}
}

package ratelimit

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"time"
)

// BindFlags adds flags to fs that set c, which keeps its value where none is given:
//
//	-rate-limit-preset      the preset, in place of what c was
//	-rate-limit-base-delay  of the first exponential limiter in it
//	-rate-limit-max-delay   of the same
//	-rate-limit-factor      of the same
//	-rate-limit-jitter      of the same
//	-rate-limit-rate        of the first bucket, which all items share; one is added
//	-rate-limit-burst       of the same
//
// Their order does not matter, unless c has no exponential limiter, which only a preset
// before the numbers can bring. A zero where it is impossible is an error of the flag,
// as is what can't be read; call [Config.Validate] for what the numbers are together.
// With pflag, give the set to its AddGoFlagSet.
func (c *Config) BindFlags(fs *flag.FlagSet) {
	f := &flags{config: c, base: *c}
	fs.Func("rate-limit-preset", fmt.Sprintf("What a failing request waits, by its `name`: %s, %s, %s or %s.", Default, InCluster, ExternalAPI, Gentle), f.preset)
	fs.Func("rate-limit-base-delay", "The `delay` after the first failure of a request, such as 1s.", f.duration(&f.each.BaseDelay))
	fs.Func("rate-limit-max-delay", "The longest `delay` after a failure, such as 5m.", f.duration(&f.each.MaxDelay))
	fs.Func("rate-limit-factor", "How many `times` longer each delay is than the one before.", f.number(&f.each.Factor))
	fs.Func("rate-limit-jitter", "The largest `fraction` of a delay that is taken off at random, from 0 to 1.", f.fraction)
	fs.Func("rate-limit-rate", "How many retries `per second` there are, of all requests together.", f.number(&f.all.Rate))
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

var errZero = errors.New("want more than 0")

func (f *flags) duration(to *time.Duration) func(string) error {
	return func(text string) error {
		v, err := time.ParseDuration(text)
		return set(f, to, v, err)
	}
}

func (f *flags) number(to *float64) func(string) error {
	return func(text string) error {
		v, err := strconv.ParseFloat(text, 64)
		return set(f, to, v, err)
	}
}

func (f *flags) integer(to *int) func(string) error {
	return func(text string) error {
		v, err := strconv.Atoi(text)
		return set(f, to, v, err)
	}
}

// set sets *to to v, which must be more than zero and was read without err.
func set[N int | float64 | time.Duration](f *flags, to *N, v N, err error) error {
	switch {
	case err != nil:
		return err
	case v > 0: // NaN is not.
		*to = v
		return f.apply()
	default:
		return errors.New("want more than 0")
	}
}

func (f *flags) fraction(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return err
	}
	if fault := fraction("jitter", v); fault != nil {
		return errors.New("want a number from 0 to 1")
	}
	f.jitter = &v
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
		b := c.firstBucket()
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

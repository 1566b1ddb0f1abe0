package ratelimit

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// Config is a limiter as data: one from a file or from flags, or a part of a
// configuration of your own. At most one of its fields is set; the zero value is
// the preset Default. [ParseConfig] reads one, [Build] makes the limiter, and
// [NewTunable] one whose numbers can be changed.
//
// In YAML and JSON the names begin with a small letter, durations are texts such as
// "1m30s", and what is left out has its default:
//
//	retryAfter:
//	  limiter:
//	    maxOf:
//	    - exponential: {baseDelay: 750ms, maxDelay: 15m, jitter: 0.2}
//	    - bucket: {rate: 10, burst: 50}
//
// An unknown name is an error, and so is a zero where zero is impossible. A few
// have no default and must be there: the limiter, or default, of what stands around
// one, the delay of constant and the maxDelay of capped. Write {} for the preset
// Default.
//
// A Config is read and not written: json.Marshal and yaml.Marshal give names that
// [ParseConfig] refuses. It must not contain itself.
type Config struct {
	// Preset is the name of a limiter that is ready for use.
	Preset Preset

	// Exponential is [NewExponential].
	Exponential *ExponentialOptions

	// FastSlow is [NewFastSlow].
	FastSlow *FastSlowOptions

	// Constant is [NewConstant].
	Constant *ConstantOptions

	// Bucket is [NewBucket].
	Bucket *BucketOptions

	// PerNamespace is [NewPerGroup] by the item's namespace: a limiter for each.
	// The items need a field Namespace, as reconcile.Request has it.
	PerNamespace *Config

	// MaxOf is [NewMaxOf] of at least one.
	MaxOf []Config

	// Capped is [NewCapped].
	Capped *CappedConfig

	// ByError is [NewByError].
	ByError *ByErrorConfig

	// RetryAfter is [NewRetryAfter].
	RetryAfter *RetryAfterConfig

	// Budget is [NewBudgeted], with a budget of its own.
	Budget *BudgetConfig
}

// CappedConfig is [NewCapped] as data.
type CappedConfig struct {
	// Limiter is whose delays are bounded.
	Limiter Config
	// MaxDelay is the bound, more than zero.
	MaxDelay time.Duration
}

// ByErrorConfig is [ByErrorOptions] as data.
type ByErrorConfig struct {
	// Default is for the classes that Classes does not have.
	Default Config
	// Classes is a limiter for each of some classes of failures.
	Classes map[string]Config
}

// RetryAfterConfig is [RetryAfterOptions] as data.
type RetryAfterConfig struct {
	// Limiter says how long a failure waits at the least of its own.
	Limiter Config
	// MaxDelay bounds what a server can ask for. Zero means 1h.
	MaxDelay time.Duration
	// Jitter is the largest fraction of a server's delay that is added at random.
	Jitter float64
}

// BudgetConfig is [BudgetOptions], with the limiter of [BudgetedOptions], as data.
type BudgetConfig struct {
	BudgetOptions
	// Limiter says how long a failure waits at the least.
	Limiter Config
}

// Validate returns what [Config.Validate] does of a Config with this budget.
func (c BudgetConfig) Validate() error { return Config{Budget: &c}.Validate() }

// Validate returns all faults, each with the path and the value of its field,
// joined.
func (c Config) Validate() error {
	if c.deeper(maxDepth) {
		return fmt.Errorf("ratelimit: the configuration is more than %d limiters deep, want fewer", maxDepth)
	}
	var errs []error
	for _, f := range c.faults("") {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// deeper reports whether more than n limiters are in c, each within another. One that
// contains itself is.
func (c *Config) deeper(n int) bool {
	if n == 0 {
		return true
	}
	for _, inner := range c.inner() {
		if inner.deeper(n - 1) {
			return true
		}
	}
	if c.ByError != nil {
		for _, class := range c.ByError.Classes {
			if class.deeper(n - 1) {
				return true
			}
		}
	}
	return false
}

// faults returns all faults of c, whose path is empty for the whole.
func (c Config) faults(path string) (all faults) {
	kinds := c.kinds()
	for _, kind := range kinds[min(1, len(kinds)):] {
		all = append(all, &fault{field: at(path, kind), text: fmt.Sprintf(" is beside %s, want one of them", kinds[0])})
	}
	for _, kind := range kinds {
		all = append(all, c.faultsOf(kind, at(path, kind))...)
	}
	return all
}

// faultsOf returns the faults of the field of that name, which is set.
func (c Config) faultsOf(kind, path string) faults {
	switch kind {
	case "exponential":
		return within(path, c.Exponential.withDefaults().faults())
	case "fastSlow":
		return within(path, c.FastSlow.withDefaults().faults())
	case "constant":
		return within(path, c.Constant.withDefaults().faults())
	case "bucket":
		return within(path, c.Bucket.withDefaults().faults())
	case "perNamespace":
		return c.PerNamespace.faults(path)
	case "maxOf":
		return faultsOfAll(c.MaxOf, path)
	case "capped":
		return append(within(path, faults{positive("MaxDelay", c.Capped.MaxDelay)}), c.Capped.Limiter.faults(at(path, "limiter"))...)
	case "byError":
		return c.ByError.faults(path)
	case "retryAfter":
		own := faults{atLeastZero("MaxDelay", c.RetryAfter.MaxDelay), fraction("Jitter", c.RetryAfter.Jitter)}
		return append(within(path, own), c.RetryAfter.Limiter.faults(at(path, "limiter"))...)
	case "budget":
		return append(within(path, c.Budget.withDefaults().faults()), c.Budget.Limiter.faults(at(path, "limiter"))...)
	default:
		return c.Preset.faults(path)
	}
}

func faultsOfAll(configs []Config, path string) (all faults) {
	if len(configs) == 0 {
		return faults{{field: path, text: " is empty, want at least one limiter"}}
	}
	for i, c := range configs {
		all = append(all, c.faults(element(path, i))...)
	}
	return all
}

func (c *ByErrorConfig) faults(path string) faults {
	all := c.Default.faults(at(path, "default"))
	for _, class := range slices.Sorted(maps.Keys(c.Classes)) {
		name := key(at(path, "classes"), class)
		if !isFailure(class) {
			all = append(all, &fault{field: name, text: ": want the class of a failure"})
		}
		l := c.Classes[class]
		all = append(all, l.faults(name)...)
	}
	return all
}

// kinds returns the names of the fields that are set.
func (c Config) kinds() (set []string) {
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"preset", c.Preset != ""},
		{"exponential", c.Exponential != nil},
		{"fastSlow", c.FastSlow != nil},
		{"constant", c.Constant != nil},
		{"bucket", c.Bucket != nil},
		{"perNamespace", c.PerNamespace != nil},
		{"maxOf", c.MaxOf != nil},
		{"capped", c.Capped != nil},
		{"byError", c.ByError != nil},
		{"retryAfter", c.RetryAfter != nil},
		{"budget", c.Budget != nil},
	} {
		if field.set {
			set = append(set, field.name)
		}
	}
	return set
}

// longest returns the longest delay that the limiter of c, which is valid, gives.
func (c Config) longest() time.Duration {
	switch {
	case c.Exponential != nil:
		return c.Exponential.withDefaults().MaxDelay
	case c.FastSlow != nil:
		return c.FastSlow.withDefaults().SlowDelay
	case c.Constant != nil:
		return c.Constant.Delay
	case c.Bucket != nil:
		return c.Bucket.withDefaults().MaxDelay
	case c.PerNamespace != nil:
		return c.PerNamespace.longest()
	case c.MaxOf != nil:
		return longestOf(slices.Values(c.MaxOf))
	case c.Capped != nil:
		return min(c.Capped.MaxDelay, c.Capped.Limiter.longest())
	case c.ByError != nil:
		return max(c.ByError.Default.longest(), longestOf(maps.Values(c.ByError.Classes)))
	case c.RetryAfter != nil:
		return max(cmp.Or(c.RetryAfter.MaxDelay, time.Hour), c.RetryAfter.Limiter.longest())
	case c.Budget != nil:
		return max(c.Budget.withDefaults().MaxDelay, c.Budget.Limiter.longest())
	default:
		preset, _ := c.Preset.Config()
		return preset.longest()
	}
}

func longestOf(configs iter.Seq[Config]) (longest time.Duration) {
	for c := range configs {
		longest = max(longest, c.longest())
	}
	return longest
}

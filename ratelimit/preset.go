package ratelimit

import "time"

// Preset is the name of a limiter that is ready for use.
type Preset string

// The presets. Each jitters, and each says what it shares between items.
const (
	// Default is what a loop has without a choice: exponential from 5 ms to 1000 s
	// as controller-runtime's, with a jitter of 0.2. Items share nothing.
	Default Preset = "Default"

	// InCluster is for what fails on the API server or on other objects:
	// exponential from 5 ms to 2 min, jitter 0.2, so that what is mended is seen
	// soon. Items share a budget: one retry for each ten runs and 50 in a second,
	// after 500 at once. While it is overdrawn they wait for it, up to 1000 s.
	InCluster Preset = "InCluster"

	// ExternalAPI is for calls of slow or paid APIs: exponential from 750 ms to 15
	// min, jitter 0.2, and no sooner than the server asks for, up to an hour. Items
	// share a bucket: ten retries in a second, after a hundred at once. They wait
	// in its line up to 1000 s.
	ExternalAPI Preset = "ExternalAPI"

	// Gentle is for what must not be hurried, such as a system that many share:
	// exponential from 5 s to 30 min, jitter 0.5, and no sooner than the server
	// asks for, up to an hour. Items share a bucket: one retry in a second, after
	// ten at once. They wait in its line up to 30 min; what fails when that is as long,
	// as where 2,000 fail at once, comes after 30 min without a turn in it.
	Gentle Preset = "Gentle"
)

// Config returns what the preset stands for, and false if there is none of that
// name. The empty name is Default.
func (p Preset) Config() (Config, bool) {
	switch p {
	case "", Default:
		return Config{Exponential: &ExponentialOptions{Jitter: 0.2}}, true
	case InCluster:
		return Config{Budget: &BudgetConfig{
			BudgetOptions: BudgetOptions{Share: 0.1, MinRate: 50, Burst: 500},
			Limiter:       Config{Exponential: &ExponentialOptions{MaxDelay: 2 * time.Minute, Jitter: 0.2}},
		}}, true
	case ExternalAPI:
		return shared(
			ExponentialOptions{BaseDelay: 750 * time.Millisecond, MaxDelay: 15 * time.Minute, Jitter: 0.2},
			BucketOptions{Rate: 10, Burst: 100}), true
	case Gentle:
		return shared(
			ExponentialOptions{BaseDelay: 5 * time.Second, MaxDelay: 30 * time.Minute, Jitter: 0.5},
			BucketOptions{Rate: 1, Burst: 10, MaxDelay: 30 * time.Minute}), true
	default:
		return Config{}, false
	}
}

func shared(each ExponentialOptions, all BucketOptions) Config {
	return Config{RetryAfter: &RetryAfterConfig{
		Jitter:  each.Jitter, // which is added to what the server asks for
		Limiter: Config{MaxOf: []Config{{Exponential: &each}, {Bucket: &all}}},
	}}
}

func (p Preset) faults(path string) faults {
	if _, ok := p.Config(); !ok {
		return faults{bad(path, quoted(string(p)), "%s, %s, %s or %s", Default, InCluster, ExternalAPI, Gentle)}
	}
	return nil
}

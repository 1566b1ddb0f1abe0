package queue

import (
	"fmt"

	"github.com/trimtab/trimtab/internal/null"
	"github.com/trimtab/trimtab/trigger"
)

// Validate returns an error that names the first impossible field and its value.
func (o Options[T]) Validate() error {
	if o.RateLimiter != nil && null.Is(o.RateLimiter) {
		return fmt.Errorf("queue: RateLimiter (%T)(nil): must point to a limiter", o.RateLimiter)
	}
	if o.Observer != nil && null.Is(o.Observer) {
		return fmt.Errorf("queue: Observer (%T)(nil): must point to an observer", o.Observer)
	}
	if o.MetricsProvider != nil && null.Is(o.MetricsProvider) {
		return fmt.Errorf("queue: MetricsProvider (%T)(nil): must point to a provider", o.MetricsProvider)
	}
	if o.SaturationDepth < 0 {
		return fmt.Errorf("queue: SaturationDepth %d: must not be negative", o.SaturationDepth)
	}
	if o.GiveUp < 0 {
		return fmt.Errorf("queue: GiveUp %d: must not be negative", o.GiveUp)
	}
	if o.OnGiveUp != nil && o.GiveUp == 0 {
		return fmt.Errorf("queue: OnGiveUp %T: needs GiveUp", o.OnGiveUp)
	}
	if err := o.validateIntervals(); err != nil {
		return err
	}
	if err := o.validateHolds(); err != nil {
		return err
	}
	return o.validateOrder()
}

// validateIntervals is Validate for the times between two runs.
func (o Options[T]) validateIntervals() error {
	if o.MaxInterval < 0 {
		return fmt.Errorf("queue: MaxInterval %s: must not be negative", o.MaxInterval)
	}
	if o.MinInterval < 0 {
		return fmt.Errorf("queue: MinInterval %s: must not be negative", o.MinInterval)
	}
	if o.MaxInterval > 0 && o.MinInterval > o.MaxInterval {
		return fmt.Errorf("queue: MinInterval %s: must not be more than MaxInterval, which is %s", o.MinInterval, o.MaxInterval)
	}
	if o.HotLoopDelay < 0 {
		return fmt.Errorf("queue: HotLoopDelay %s: must not be negative", o.HotLoopDelay)
	}
	if o.HotLoopDelay > 0 && o.DisableHotLoop {
		return fmt.Errorf("queue: HotLoopDelay %s: must not be set together with DisableHotLoop", o.HotLoopDelay)
	}
	if o.MaxInterval > 0 && o.HotLoopDelay > o.MaxInterval {
		return fmt.Errorf("queue: HotLoopDelay %s: must not be more than MaxInterval, which is %s", o.HotLoopDelay, o.MaxInterval)
	}
	return nil
}

// validateHolds is Validate for what holds requests back.
func (o Options[T]) validateHolds() error {
	if o.Debounce < 0 {
		return fmt.Errorf("queue: Debounce %s: must not be negative", o.Debounce)
	}
	if o.DebounceMax != 0 && o.Debounce == 0 {
		return fmt.Errorf("queue: DebounceMax %s: needs Debounce", o.DebounceMax)
	}
	if o.DebounceMax != 0 && o.DebounceMax < o.Debounce {
		return fmt.Errorf("queue: DebounceMax %s: must not be less than Debounce, which is %s", o.DebounceMax, o.Debounce)
	}
	if o.HoldBackoff.Has(trigger.Primary) {
		return fmt.Errorf("queue: HoldBackoff %s: must not contain %s", o.HoldBackoff, trigger.Primary)
	}
	if o.HoldBackoff&^trigger.All != 0 {
		return fmt.Errorf("queue: HoldBackoff %#x: must contain sources only", uint8(o.HoldBackoff))
	}
	return nil
}

// validateOrder is Validate for what says who is served when.
func (o Options[T]) validateOrder() error {
	if o.MaxWait < 0 {
		return fmt.Errorf("queue: MaxWait %s: must not be negative", o.MaxWait)
	}
	if o.AgedShare < 0 {
		return fmt.Errorf("queue: AgedShare %d: must not be negative", o.AgedShare)
	}
	if o.DisableAgeing && o.MaxWait != 0 {
		return fmt.Errorf("queue: MaxWait %s: must not be set together with DisableAgeing", o.MaxWait)
	}
	if o.DisableAgeing && o.AgedShare != 0 {
		return fmt.Errorf("queue: AgedShare %d: must not be set together with DisableAgeing", o.AgedShare)
	}
	if o.MaxPerGroup < 0 {
		return fmt.Errorf("queue: MaxPerGroup %d: must not be negative", o.MaxPerGroup)
	}
	if o.MaxPerGroup > 0 && o.Group == nil {
		return fmt.Errorf("queue: MaxPerGroup %d: needs Group", o.MaxPerGroup)
	}
	return nil
}

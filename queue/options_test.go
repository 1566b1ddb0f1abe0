package queue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/trigger"
)

func TestOptions(t *testing.T) {
	require.NoError(t, queue.Options[string]{}.Validate())
	require.NoError(t, queue.Options[string]{SaturationDepth: 1}.Validate())
	bad := queue.Options[string]{SaturationDepth: -1}
	require.EqualError(t, bad.Validate(), "queue: SaturationDepth -1: must not be negative")
	require.PanicsWithError(t, "queue: SaturationDepth -1: must not be negative", func() { queue.New("test", bad) })
	require.EqualError(t, queue.Options[string]{RateLimiter: (*ratelimit.Exponential[string])(nil)}.Validate(),
		"queue: RateLimiter (*ratelimit.Exponential[string])(nil): must point to a limiter")
	require.EqualError(t, queue.Options[string]{Observer: (*nothing)(nil)}.Validate(),
		"queue: Observer (*queue_test.nothing)(nil): must point to an observer")
	require.Equal(t, "test", queue.New("test", queue.Options[string]{}).Name())
}

// Each impossible option is named, with its value.
func TestImpossibleOptions(t *testing.T) {
	group := func(key string) string { return key }
	for want, opts := range map[string]queue.Options[string]{
		"queue: GiveUp -1: must not be negative":                                 {GiveUp: -1},
		"queue: MaxInterval -1ns: must not be negative":                          {MaxInterval: -1},
		"queue: MinInterval -1ns: must not be negative":                          {MinInterval: -1},
		"queue: HotLoopDelay -1s: must not be negative":                          {HotLoopDelay: -time.Second},
		"queue: HotLoopDelay 1s: must not be set together with DisableHotLoop":   {HotLoopDelay: time.Second, DisableHotLoop: true},
		"queue: MaxWait -1ns: must not be negative":                              {MaxWait: -1},
		"queue: AgedShare -2: must not be negative":                              {AgedShare: -2},
		"queue: OnGiveUp func(string, int, error): needs GiveUp":                 {OnGiveUp: func(string, int, error) {}},
		"queue: MinInterval 2s: must not be more than MaxInterval, which is 1s":  {MinInterval: 2 * time.Second, MaxInterval: time.Second},
		"queue: HotLoopDelay 2s: must not be more than MaxInterval, which is 1s": {HotLoopDelay: 2 * time.Second, MaxInterval: time.Second},
		"queue: MaxWait 1s: must not be set together with DisableAgeing":         {DisableAgeing: true, MaxWait: time.Second},
		"queue: AgedShare 3: must not be set together with DisableAgeing":        {DisableAgeing: true, AgedShare: 3},
		"queue: MaxPerGroup -1: must not be negative":                            {MaxPerGroup: -1, Group: group},
		"queue: Debounce -1ns: must not be negative":                             {Debounce: -1},
		"queue: DebounceMax 1s: needs Debounce":                                  {DebounceMax: time.Second},
		"queue: DebounceMax 1s: must not be less than Debounce, which is 1m0s":   {Debounce: time.Minute, DebounceMax: time.Second},
		"queue: DebounceMax -1ns: must not be less than Debounce, which is 1m0s": {Debounce: time.Minute, DebounceMax: -1},
		"queue: HoldBackoff primary+watched: must not contain primary":           {HoldBackoff: trigger.SetOf(trigger.Primary, trigger.Watched)},
		"queue: HoldBackoff 0x42: must contain sources only":                     {HoldBackoff: 0x42},
		"queue: MaxPerGroup 2: needs Group":                                      {MaxPerGroup: 2},
	} {
		require.EqualError(t, opts.Validate(), want)
		require.PanicsWithError(t, want, func() { queue.New("test", opts) })
	}
	require.NoError(t, queue.Options[string]{MinInterval: time.Hour, HotLoopDelay: time.Second}.Validate(), "the longer counts")
	require.NoError(t, queue.Options[string]{
		Group: group, MaxPerGroup: 1, MaxWait: 1, AgedShare: 1, GiveUp: 1, HotLoopDelay: 1, MinInterval: 1, MaxInterval: 1,
		Debounce: 1, DebounceMax: 1, HoldBackoff: trigger.All &^ trigger.SetOf(trigger.Primary),
	}.Validate())
}

// nothing is an Observer of which there is none.
type nothing struct{ queue.Observer }

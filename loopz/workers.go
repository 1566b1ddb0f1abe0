package loopz

import (
	"fmt"
	"math"
	"time"
)

// TargetUtilisation is the share of the workers' time that advice plans with: above
// it, what comes at uneven times begins to queue up.
const TargetUtilisation = 0.8

// Workers returns how many workers, at least 1, are enough for so many runs in a
// second that take so long each, if no more than the share utilisation of their time
// is to be spent: 1 is the bare minimum, TargetUtilisation is calm. A fleet of objects
// that each come back after a period asks for objects / period runs in a second. It
// returns an error for a number that is negative, not a number or, of utilisation, not
// above 0 and at most 1.
func Workers(perSecond float64, run time.Duration, utilisation float64) (int, error) {
	if !(utilisation > 0 && utilisation <= 1) {
		return 0, fmt.Errorf("loopz: utilisation %v: must be more than 0 and at most 1", utilisation)
	}
	busy, err := busyWorkers(perSecond, run)
	if err != nil {
		return 0, err
	}
	needed := math.Ceil(busy/utilisation - 1e-9) // 100/s of 350 ms is 35, whatever the last digit says.
	if needed > math.MaxInt32 {
		return 0, fmt.Errorf("loopz: %v runs a second of %v: no number of workers is enough", perSecond, run)
	}
	return max(1, int(needed)), nil
}

// Utilisation returns which share of their time so many workers spend on so many runs
// in a second that take so long each. More than 1 means that they can't keep up. It
// returns an error unless there is at least one worker, and for what Workers does.
func Utilisation(perSecond float64, run time.Duration, workers int) (float64, error) {
	if workers < 1 {
		return 0, fmt.Errorf("loopz: workers %d: must be at least 1", workers)
	}
	busy, err := busyWorkers(perSecond, run)
	return busy / float64(workers), err
}

// busyWorkers is how many workers are busy on average.
func busyWorkers(perSecond float64, run time.Duration) (float64, error) {
	if !(perSecond >= 0) || math.IsInf(perSecond, 1) {
		return 0, fmt.Errorf("loopz: perSecond %v: must be a number, not negative", perSecond)
	}
	if run < 0 {
		return 0, fmt.Errorf("loopz: run %v: must not be negative", run)
	}
	return perSecond * run.Seconds(), nil
}

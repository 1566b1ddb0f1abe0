// Package topk finds the heaviest of any number of keys in bounded memory.
//
// It is the Space-Saving sketch of Metwally, Agrawal and El Abbadi: k counters,
// the smallest of which passes to a newcomer together with its count. The
// surprise: a count may be too high, by at most Entry.Error, and is never too
// low. Use a plain map where the keys are few.
package topk

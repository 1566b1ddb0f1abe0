// Package keyed is a map whose memory follows the keys that it holds.
//
// A Go map never gives memory back: one burst of a million keys costs its
// peak for the life of the process. Use Map where keys come and go for as long
// as an operator runs; use a plain map where the keys are few or fixed.
package keyed

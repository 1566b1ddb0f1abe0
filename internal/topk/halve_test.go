package topk_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/internal/topk"
)

func TestHalve(t *testing.T) {
	s := topk.New[string](2)
	s.Halve() // of nothing: nothing happens
	s.Add("a", 10)
	s.Add("b", 3)
	s.Add("c", 4) // takes the place of b
	s.Halve()
	require.Equal(t, []topk.Entry[string]{{Key: "a", Count: 5}, {Key: "c", Count: 4, Error: 2}}, s.Top())

	s.Remove("a")
	s.Add("b", 1) // b had 3, which are worth 2 at most
	require.Equal(t, []topk.Entry[string]{{Key: "c", Count: 4, Error: 2}, {Key: "b", Count: 3, Error: 2}}, s.Top())

	for range 64 {
		s.Halve()
	}
	for _, e := range s.Top() {
		require.Zero(t, e.Sure())
		require.Equal(t, uint64(1), e.Count)
	}
}

// What is said of a key that was halved now and then is true of its exact weight.
func TestSketchKeepsItsPromisesWhenHalved(t *testing.T) {
	for _, k := range []int{1, 2, 20} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprintf("k=%d/seed=%d", k, seed), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(seed, uint64(k)))
				zipf := rand.NewZipf(rnd, 1.2, 1, 500)
				s, exact, total := topk.New[int](k), map[int]float64{}, 0.0
				for range 2000 {
					key, weight := int(zipf.Uint64()), rnd.IntN(50)
					switch rnd.IntN(100) {
					case 0:
						s.Remove(key)
						delete(exact, key)
					case 1:
						s.Halve()
						total /= 2
						for key := range exact {
							exact[key] /= 2
						}
					default:
						s.Add(key, uint64(weight))
						exact[key] += float64(weight)
						total += float64(weight)
					}
				}
				in := map[int]bool{}
				for _, e := range s.Top() {
					in[e.Key] = true
					require.GreaterOrEqual(t, float64(e.Count), exact[e.Key])
					require.LessOrEqual(t, float64(e.Sure()), exact[e.Key])
				}
				for key, weight := range exact { // Rounding adds less than 1 to each place, in all.
					require.False(t, weight > total/float64(k)+1 && !in[key], "%d has %v of %v and is not in", key, weight, total)
				}
			})
		}
	}
}

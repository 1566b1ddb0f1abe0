package topk_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/internal/topk"
)

func TestSketch(t *testing.T) {
	s := topk.New[string](2)
	require.Empty(t, s.Top())
	s.Remove("nobody") // nothing there: nothing happens

	s.Add("a", 5)
	s.Add("b", 3)
	s.Add("c", 0) // no weight takes no place
	require.Equal(t, []topk.Entry[string]{{Key: "a", Count: 5}, {Key: "b", Count: 3}}, s.Top())

	s.Add("c", 1) // takes the place of b, and may have had as much as b
	require.Equal(t, []topk.Entry[string]{{Key: "a", Count: 5}, {Key: "c", Count: 4, Error: 3}}, s.Top())
	require.Equal(t, uint64(1), s.Top()[1].Sure())

	s.Remove("a")
	s.Add("b", 1) // b had 3: the free place must not make it forget them
	require.Equal(t, []topk.Entry[string]{{Key: "b", Count: 4, Error: 3}, {Key: "c", Count: 4, Error: 3}}, sorted(s.Top()))

	s.Add("b", 10)
	require.Equal(t, "b", s.Top()[0].Key)
}

func TestTopSortsByWhatIsSure(t *testing.T) {
	s := topk.New[string](2)
	s.Add("a", 2)
	s.Add("b", 3)
	s.Add("c", 2) // evicts a: may have 4, surely has 2
	require.Equal(t, []topk.Entry[string]{{Key: "b", Count: 3}, {Key: "c", Count: 4, Error: 2}}, s.Top())
	s.Add("c", 1) // now surely as much as b, and perhaps more
	require.Equal(t, []topk.Entry[string]{{Key: "c", Count: 5, Error: 2}, {Key: "b", Count: 3}}, s.Top())
}

func TestNewPanicsWithoutAPlace(t *testing.T) {
	require.PanicsWithError(t, "topk: k 0: must be at least 1", func() { topk.New[int](0) })
	require.PanicsWithError(t, "topk: k -3: must be at least 1", func() { topk.New[int](-3) })
}

// model counts exactly, beside a sketch that must keep its promises.
type model struct {
	k      int
	sketch *topk.Sketch[int]
	counts map[int]uint64
	total  uint64
}

func newModel(k int) *model {
	return &model{k: k, sketch: topk.New[int](k), counts: map[int]uint64{}}
}

func (m *model) add(key int, weight uint64) {
	m.sketch.Add(key, weight)
	m.counts[key] += weight
	m.total += weight
}

func (m *model) remove(key int) {
	m.sketch.Remove(key)
	delete(m.counts, key)
}

func (m *model) check(t require.TestingT) {
	top := m.sketch.Top()
	require.LessOrEqual(t, len(top), m.k)
	require.True(t, slices.IsSortedFunc(top, func(a, b topk.Entry[int]) int { return cmp.Compare(b.Sure(), a.Sure()) }), top)

	in := map[int]bool{}
	for _, e := range top {
		require.False(t, in[e.Key], "%d twice", e.Key)
		in[e.Key] = true
		require.GreaterOrEqual(t, e.Count, m.counts[e.Key], "%+v is too low", e)
		require.LessOrEqual(t, e.Error, e.Count)
		require.LessOrEqual(t, e.Sure(), m.counts[e.Key], "%+v is surer than it may be", e)
		require.LessOrEqual(t, e.Error, m.total/uint64(m.k), "%+v is less sure than it must be", e)
	}
	for key, count := range m.counts {
		if count > m.total/uint64(m.k) {
			require.True(t, in[key], "%d has %d of %d and is not in", key, count, m.total)
		}
	}
}

func TestSketchKeepsItsPromises(t *testing.T) {
	for _, k := range []int{1, 2, 3, 20, 100} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprintf("k=%d/seed=%d", k, seed), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(seed, uint64(k)))
				zipf := rand.NewZipf(rnd, 1.2, 1, 500)
				m := newModel(k)
				for range 2000 {
					key := int(zipf.Uint64())
					if rnd.IntN(20) == 0 {
						m.remove(key)
					} else {
						m.add(key, uint64(rnd.IntN(5)))
					}
				}
				m.check(t)
			})
		}
	}
}

// What the sketch is for: 20 hot objects among 100,000 that are requeued now and then.
func TestSketchFindsTheHotOnes(t *testing.T) {
	s := topk.New[string](200) // 125,000/200 is half of what each hot one has
	for i := range 100_000 {
		s.Add("cold/"+strconv.Itoa(i), 1)
		if i%4 == 0 {
			s.Add("hot/"+strconv.Itoa(i/4%20), 1)
		}
	}
	for i, e := range s.Top()[:20] {
		require.Contains(t, e.Key, "hot/", i)
		require.InDelta(t, 1250, e.Sure(), 250, "%+v", e)
	}
	// The others are no hot objects, whatever their Count.
	require.Less(t, s.Top()[20].Sure(), uint64(10))
}

func TestAddAllocatesNothing(t *testing.T) {
	const k = 20
	s := topk.New[string](k)
	keys := make([]string, 10_000)
	for i := range keys {
		keys[i] = "namespace/" + strconv.Itoa(i)
	}
	i := 0
	next := func() {
		s.Add(keys[i%len(keys)], 1)
		if i%7 == 0 {
			s.Remove(keys[i%len(keys)])
		}
		i++
	}
	for range 2 * len(keys) {
		next()
	}
	// Each add meets a new key: the dearest case, and many in one run of the
	// function, since AllocsPerRun rounds down.
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for range len(keys) {
			next()
		}
	}))
}

// RL06, for every store of ours: a million keys cost no more than k.
func TestSketchIsBounded_RL06(t *testing.T) {
	s := topk.New[string](20)
	before := heap()
	for i := range 1_000_000 {
		s.Add(strconv.Itoa(i), 1)
	}
	grown := heap() - before
	runtime.KeepAlive(s)
	require.Len(t, s.Top(), 20)
	require.Less(t, grown, int64(64<<10))
}

func FuzzSketch(f *testing.F) {
	f.Add(uint8(1), []byte{1, 2, 3, 2, 2})
	f.Add(uint8(3), []byte{1, 129, 1, 2, 3, 4, 130, 4, 5, 255, 0, 128})
	f.Fuzz(func(t *testing.T, k uint8, ops []byte) {
		m := newModel(int(k%8) + 1)
		for _, op := range ops {
			key := int(op >> 3 & 15)
			if op&128 != 0 && op&1 == 0 {
				m.remove(key)
			} else {
				m.add(key, uint64(op&7))
			}
			m.check(t)
		}
	})
}

func sorted(top []topk.Entry[string]) []topk.Entry[string] {
	slices.SortFunc(top, func(a, b topk.Entry[string]) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	return top
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

func BenchmarkAdd(b *testing.B) {
	keys := make([]string, 10_000)
	for i := range keys {
		keys[i] = "namespace/" + strconv.Itoa(i)
	}
	for _, k := range []int{20, 100} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			s := topk.New[string](k)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Add(keys[i%len(keys)], 1)
			}
		})
	}
}

func ExampleSketch() {
	s := topk.New[string](2)
	for _, name := range []string{"ghost", "api", "api", "db", "api", "db"} {
		s.Add(name, 1)
	}
	for _, e := range s.Top() {
		fmt.Printf("%s: %d to %d\n", e.Key, e.Sure(), e.Count)
	}
	// Output:
	// api: 3 to 3
	// db: 2 to 3
}

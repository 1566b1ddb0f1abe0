package null_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/internal/null"
)

func TestIs(t *testing.T) {
	for _, none := range []any{nil, (*int)(nil), (func())(nil)} {
		require.True(t, null.Is(none), "%#v", none)
	}
	for _, some := range []any{new(int), func() {}, 0, "", struct{}{}, []int(nil), map[int]int(nil)} {
		require.False(t, null.Is(some), "%#v", some)
	}
}

func TestIsAllocatesNothing(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(100, func() { null.Is(t) }))
}

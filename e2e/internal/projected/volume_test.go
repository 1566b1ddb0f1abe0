package projected_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/projected"
)

func TestVolume(t *testing.T) {
	folder := t.TempDir()
	v := projected.New(folder)
	for _, text := range []string{"one", "two", "three"} {
		require.NoError(t, v.Write(map[string]string{"a": text, "b": "same"}))
		content, err := os.ReadFile(v.Path("a"))
		require.NoError(t, err)
		require.Equal(t, text, string(content))
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Len(t, entries, 4, "a version, ..data, a and b")
	}
	target, err := os.Readlink(v.Path("a"))
	require.NoError(t, err)
	require.Equal(t, "..data/a", target)
	require.ErrorIs(t, projected.New("/nowhere").Write(nil), os.ErrNotExist)
}

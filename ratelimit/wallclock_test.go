package ratelimit_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A jump of the wall clock is of no account but to a date that a server names: nothing
// else asks for the time other than by what has passed since a start in this process,
// which is the monotonic clock's.
func TestOnlyDatesKnowTheWallClock(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	asks := regexp.MustCompile(`time\.(Now|Until|Unix|Date)\(.*|\.(Round|UTC|Local)\(.*`)
	var found []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.SplitSeq(string(text), "\n") {
			if asks.MatchString(line) && !strings.Contains(line, "start: time.Now()") {
				found = append(found, file+": "+strings.TrimSpace(line))
			}
		}
	}
	require.Equal(t, []string{"retryafter.go: return time.Until(at)"}, found)
}

package main

import (
	"bytes"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseDefaults(t *testing.T) {
	o, err := parse([]string{"-operator", os.Args[0], "-stock", os.Args[0], "-manifests", "."}, nil)
	require.NoError(t, err)
	require.Equal(t, time.Minute, o.duration)
	require.Equal(t, 500, o.certificates)
	require.Equal(t, time.Minute, o.lifetime())
	require.Equal(t, 42*time.Second, o.renewBefore())
}

// A shorter demo has certificates that are renewed within it all the same.
func TestLifetimeFitsTheDuration(t *testing.T) {
	o := options{duration: 30 * time.Second}
	require.Equal(t, 30*time.Second, o.lifetime())
	require.Less(t, o.lifetime()-o.renewBefore(), o.duration/2)
}

func TestBadOptionsNameFlagAndValue(t *testing.T) {
	t.Setenv("TRIMTAB_OPERATOR", "")
	t.Setenv("TRIMTAB_STOCK", "")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-duration", "29s"}, "-duration 29s: must be at least 30s"},
		{[]string{"-duration", "soon"}, `invalid value "soon" for flag -duration`},
		{[]string{"-certificates", "0"}, "-certificates 0: must be from 20 to 5000"},
		{[]string{"-certificates", "many"}, `invalid value "many" for flag -certificates`},
		{[]string{"-namespaces", "-1"}, "-namespaces -1: must be"},
		{[]string{"-concurrency", "1001"}, "-concurrency 1001: must be"},
		{[]string{"-seed", "-1"}, `invalid value "-1" for flag -seed`},
		{[]string{"-operator", ""}, `-operator "": must be`},
		{[]string{"-operator", "/no/such/file"}, "-operator /no/such/file: no such program"},
		{[]string{"-operator", os.Args[0]}, `-stock "": must be`},
		{[]string{"-operator", os.Args[0], "-stock", "/none"}, "-stock /none: no such program"},
		{[]string{"-operator", os.Args[0], "-stock", os.Args[0], "-manifests", "/none"}, "-manifests /none: no such folder"},
		{[]string{"-colour"}, "flag provided but not defined: -colour"},
		{[]string{"now"}, `unknown argument "now"`},
	} {
		var stderr bytes.Buffer
		require.Equal(t, exitUsage, command(c.args, &stderr, &stderr))
		require.Contains(t, stderr.String(), c.want)
	}
}

func TestHelpIsNoError(t *testing.T) {
	var stderr bytes.Buffer
	_, err := parse([]string{"-h"}, &stderr)
	require.ErrorIs(t, err, flag.ErrHelp)
	require.Contains(t, stderr.String(), "-certificates")
	require.Zero(t, command([]string{"-h"}, &stderr, &stderr))
}

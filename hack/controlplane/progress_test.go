package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func testRelease() release {
	return release{component{name: "etcd", main: "example.com/etcd"}, "v3.2.1"}
}

func TestProgressStages(t *testing.T) {
	p := &progress{release: testRelease()}
	require.Equal(t, "reading its modules", p.stage())

	fmt.Fprint(p, "go: downloading example.com/a v1.0.0\ngo: downloading exam")
	require.Equal(t, "downloading its modules, 1 so far", p.stage())
	fmt.Fprint(p, "ple.com/b v1.0.0\n")
	require.Equal(t, "downloading its modules, 2 so far", p.stage())

	p.expect(3)
	fmt.Fprint(p, "example.com/a\nexample.com/b\n")
	require.Equal(t, "compiled 2 of 3 packages", p.stage())

	fmt.Fprint(p, "example.com/etcd\n")
	require.Equal(t, "linking", p.stage())
	require.Empty(t, p.complaints())
}

func TestProgressKeepsTheLastComplaints(t *testing.T) {
	p := &progress{release: testRelease()}
	for i := range 50 {
		fmt.Fprintf(p, "complaint %d\n", i)
	}
	fmt.Fprint(p, "unfinished")
	lines := strings.Split(p.complaints(), "\n")
	require.Len(t, lines, 1+complaintsMax+1)
	require.Equal(t, []string{"", "complaint 30"}, lines[:2])
	require.Equal(t, "unfinished", lines[len(lines)-1])
}

func TestProgressShowsEveryFewSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown bytes.Buffer
		p := newProgress(testRelease(), &shown)
		time.Sleep(10 * time.Second)
		p.end()
		var want strings.Builder
		for _, elapsed := range []string{"0s", "3s", "6s", "9s"} {
			fmt.Fprintf(&want, "controlplane: etcd v3.2.1, %s: reading its modules\n", elapsed)
		}
		require.Equal(t, want.String(), shown.String())
	})
}

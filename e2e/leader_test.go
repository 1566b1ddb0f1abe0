package e2e_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/operator"
)

// Of two operators one works and the other waits, until the first is killed.
func TestLeaderElection(t *testing.T) {
	s := newScene(t)
	election := []string{
		"--leader-elect", "--leader-election-namespace=" + cluster.Namespace,
		"--leader-election-lease-duration=6s", "--leader-election-renew-deadline=4s", "--leader-election-retry-period=500ms",
	}
	leader, standby := s.newOperator(t, userA, election...), s.newOperator(t, userB, election...)
	require.NoError(t, leader.Start(t.Context()))
	first := s.createMany(t, 20)
	s.served(t, first...)

	require.NoError(t, standby.Start(t.Context()))
	waitLeading(t, leader, true)
	waitLeading(t, standby, false)
	second := s.create(t, "second")
	s.served(t, second)
	s.requireOnlyWriter(t, userA)
	require.Zero(t, allRuns(t, standby), "the standby ran something")
	requireCalm(t, standby)

	require.NoError(t, leader.Kill())
	third := s.create(t, "third")
	s.served(t, third)
	s.requireOnlyWriter(t, userB)

	require.NoError(t, leader.Start(t.Context()))
	waitLeading(t, leader, false)
	waitLeading(t, standby, true)
	change(t, second, addName)
	s.served(t, second)
	s.served(t, first...)
	s.requireOnlyWriter(t, userB)
	require.Zero(t, allRuns(t, leader), "it came back as if it were the leader still")
}

// A leader that is asked to end hands over at once, long before its Lease ends.
func TestLeaderHandsOver(t *testing.T) {
	s := newScene(t)
	election := []string{
		"--leader-elect", "--leader-election-namespace=" + cluster.Namespace,
		"--leader-election-lease-duration=10m", "--leader-election-renew-deadline=5m", "--leader-election-retry-period=200ms",
	}
	leader, standby := s.newOperator(t, userA, election...), s.newOperator(t, userB, election...)
	require.NoError(t, leader.Start(t.Context()))
	s.served(t, s.create(t, "a"))
	require.NoError(t, standby.Start(t.Context()))
	waitLeading(t, standby, false)

	require.NoError(t, leader.Stop())
	s.served(t, s.create(t, "b")) // within less than the lease duration
}

// waitLeading waits until an operator takes part in the election and is the
// leader, or is not.
func waitLeading(t *testing.T, p *operator.Process, leads bool) {
	t.Helper()
	const status = "leader_election_master_status"
	eventually(t, func() error {
		s := sample(t, p)
		if !s.Has(status) || (s.Sum(status) > 0) != leads {
			return fmt.Errorf("%s is %v, leads should be %t", status, s[status], leads)
		}
		return nil
	})
}

// requireOnlyWriter fails if anybody but user wrote for the certificates since
// the last look.
func (s *scene) requireOnlyWriter(t *testing.T, user string) {
	t.Helper()
	found := 0
	for _, w := range s.writes(t) {
		if w.Namespace != s.namespace || w.User != userA && w.User != userB {
			continue // Leases, and the test itself
		}
		require.Equal(t, user, w.User, "%s", w)
		found++
	}
	require.Positive(t, found, "nobody wrote")
}

// requireCalm fails if an operator that has nothing to do raises an alarm.
func requireCalm(t *testing.T, p *operator.Process) {
	t.Helper()
	during(t, time.Second, func() error {
		s := sample(t, p)
		if oldest := s.Sum("trimtab_queue_oldest_waiting_seconds"); oldest > 0 {
			return fmt.Errorf("a request waits for %.1f s", oldest)
		}
		if s.Sum("trimtab_queue_saturated") > 0 {
			return errors.New("the queue is saturated")
		}
		return nil
	})
}

package kindstest

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/client"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// Paused follows how long the engine pauses a container, which its clock cannot skip. The function that it
// returns tells the sum so far: what happens on the cluster may be that late. It is zero
// unless somebody pauses containers on purpose (.ci/stop-at-random).
func Paused(t *testing.T, c *slurm.Container) func() time.Duration {
	t.Helper()
	docker, err := client.New(client.FromEnv)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() {
		stop()
		_ = docker.Close()
	})
	told := docker.Events(ctx, client.EventsListOptions{Filters: make(client.Filters).Add("container", c.GetContainerID()).
		Add("event", string(events.ActionPause), string(events.ActionUnPause))})
	var mu sync.Mutex
	var sum time.Duration
	go func() {
		began := int64(0)
		for {
			select {
			case m := <-told.Messages:
				mu.Lock()
				switch {
				case m.Action == events.ActionPause:
					began = m.TimeNano
				case began > 0:
					sum += time.Duration(m.TimeNano - began)
				}
				mu.Unlock()
			case <-told.Err: //nolint:errcheck // the end of the events
				return
			}
		}
	}()
	return func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return sum
	}
}

// Same compares what sacct printed, separated by "|" and line ends, with what it should be. Numbers are seconds,
// which may be as much greater as the cluster was paused.
func Same(got, want string, paused time.Duration) bool {
	cells := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == '\n' })
	}
	all, wanted := cells(got), cells(want)
	if len(all) != len(wanted) {
		return false
	}
	for i, cell := range all {
		if cell == wanted[i] {
			continue
		}
		is, err := strconv.Atoi(cell)
		least, wantedErr := strconv.Atoi(wanted[i])
		if err != nil || wantedErr != nil || is < least || float64(is-least) > math.Ceil(paused.Seconds()) {
			return false
		}
	}
	return true
}

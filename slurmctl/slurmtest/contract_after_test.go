package slurmtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// A waiting job with a new dependency on the start of another one keeps its priority, and is free when that one has
// started. A held job is free at the latest when that one has ended. scontrol changes the waiting jobs of a list even
// if it refuses others of it.
func contractAfter(t *testing.T, tg target) {
	all := 16 * cores
	running := tg.submitPlaced(t, 1, 0, 0, 1, "n1")
	tg.untilRunning(t, running)
	first := tg.submit(t, sbatch.Request{Name: "first", Tasks: all, TimeLimit: time.Hour})
	must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(first)))
	tg.until(t, "a waiting job", func() bool { return tg.job(t, first).Reason == "Resources" })
	held := tg.submit(t, sbatch.Request{Name: "held", Tasks: all, TimeLimit: time.Hour})
	waiting := tg.submit(t, sbatch.Request{Name: "waiting", Tasks: all, TimeLimit: time.Hour})
	must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(waiting)))
	priority := tg.job(t, waiting).Priority

	startAfter := func(ids ...int) (err error) {
		for _, command := range slurmctl.StartAfterCommands(ids, []int{first}) {
			err = tg.do(t.Context(), command)
		}
		return err
	}
	must(t, startAfter(held))
	if err := startAfter(running, waiting); err == nil {
		t.Error("a running job can be told to wait")
	}
	must(t, startAfter())
	later, err := tg.client.Submit(t.Context(), sbatch.Request{
		Name: "later", Tasks: all, TimeLimit: time.Hour, After: []int{running, first}, Script: sleeping(long),
	})
	must(t, err)
	want := fmt.Sprintf("after:%d(unfulfilled)", first)
	for _, id := range []int{held, waiting, later} {
		if j := tg.job(t, id); j.Dependency != want {
			t.Errorf("job %s waits for %q, want %q", j.Name, j.Dependency, want)
		}
	}
	tg.until(t, "reason Dependency", func() bool { return tg.job(t, waiting).Reason == "Dependency" })
	if j := tg.job(t, waiting); j.Priority != priority || tg.job(t, held).Priority != 0 {
		t.Errorf("priority %d, was %d", j.Priority, priority)
	}

	must(t, tg.client.Cancel(t.Context(), running))
	tg.untilRunning(t, first)
	tg.until(t, "no dependency", func() bool {
		return tg.job(t, waiting).Dependency == "" && tg.job(t, later).Dependency == ""
	})
	must(t, tg.client.Cancel(t.Context(), first))
	tg.until(t, "no dependency of the held job", func() bool { return tg.job(t, held).Dependency == "" })
}

package slurmtest

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// layout is one case of the placement rule.
type layout struct {
	free          []int
	n, perNode, m int
	gpus          int
	want          []int
}

// The table of the measurements on which the rule rests.
func contractTable(t *testing.T, tg target) {
	tg.layouts(t, []layout{
		{free: []int{4, 12, 12}, n: 16, m: 1, want: []int{4, 11, 1}},
		{free: []int{4, 12, 12}, n: 16, m: 4, want: []int{4, 8, 4}},
		{free: []int{12, 12, 12}, n: 16, m: 5, want: []int{6, 5, 5}},
		{free: []int{12, 12, 12}, n: 16, m: 4, want: []int{8, 4, 4}},
		{free: []int{12, 12, 12}, n: 12, perNode: 4, want: []int{4, 4, 4}},
		{free: []int{12, 12, 12}, n: 30, m: 1, want: []int{12, 12, 6}},
	})
}

func contractGenerated(t *testing.T, tg target) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []layout
	for len(all) < 40 {
		l := layout{free: make([]int, 1+r.IntN(5)), gpus: r.IntN(gpus + 1)}
		k, sum, least := len(l.free), 0, cores
		for i := range l.free {
			l.free[i] = 1 + r.IntN(cores)
			if r.IntN(3) == 0 {
				l.free[i] = cores
			}
			sum += l.free[i]
			least = min(least, l.free[i])
		}
		if r.IntN(4) == 0 {
			l.perNode = 1 + r.IntN(least)
			l.n = l.perNode * k
		} else {
			l.n = k + r.IntN(sum-k+1)
			l.m = 1 + r.IntN(min(least, l.n/k))
		}
		if l.want = place(l.free, l.n, l.perNode, l.m); l.want != nil {
			all = append(all, l)
		}
	}
	tg.layouts(t, all)
}

// layouts runs as many cases at a time as there are nodes for.
func (tg target) layouts(t *testing.T, all []layout) {
	t.Helper()
	nodes, err := tg.client.Nodes(t.Context())
	must(t, err)
	for len(all) > 0 {
		used, ids, batch := 0, []int(nil), all
		var fillers []int
		for i, l := range all {
			if used+len(l.free) > len(nodes) {
				batch = all[:i]
				break
			}
			for j, f := range l.free {
				if f < cores {
					fillers = append(fillers, tg.submitPlaced(t, cores-f, 0, 0, 1, nodeName(used+j)))
				}
			}
			used += len(l.free)
		}
		tg.untilRunning(t, fillers...)
		used = 0
		for _, l := range batch {
			names := make([]string, len(l.free))
			for j := range names {
				names[j] = nodeName(used + j)
			}
			used += len(l.free)
			ids = append(ids, tg.submitPlaced(t, l.n, l.gpus, l.perNode, l.m, names...))
		}
		tg.untilRunning(t, ids...)
		for i, l := range batch {
			d := tg.detail(t, ids[i])
			if got := coresOf(d); !slices.Equal(got, l.want) {
				t.Errorf("free %v, n=%d, %d per node, MinCPUsNode=%d: cores %v, want %v", l.free, l.n, l.perNode, l.m, got, l.want)
			}
			for _, a := range d.Allocations {
				if a.GPUs != l.gpus {
					t.Errorf("%+v: %d GPUs on %s, want %d", l, a.GPUs, a.Node, l.gpus)
				}
			}
		}
		all = all[len(batch):]
		tg.clean(t)
	}
}

func contractOrder(t *testing.T, tg target) {
	// Two jobs that fit together only in one order of cores: the one that is released first takes 11 cores of n1.
	var ids []int
	for range 4 {
		id := tg.submit(t, sbatch.Request{Name: "order", Tasks: 12, TimeLimit: time.Hour})
		ids = append(ids, id)
	}
	for i, nodes := range [][]string{{"n1", "n2"}, {"n1", "n2"}, {"n3", "n4"}, {"n3", "n4"}} {
		tg.place(t, slurmctl.JobUpdate{JobID: ids[i], Nodes: nodes, Tasks: 12, MinCPUsNode: 1})
	}
	for _, i := range []int{1, 0, 2, 3} {
		must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(ids[i])))
	}
	tg.untilRunning(t, ids...)
	for i, want := range [][]int{{1, 11}, {11, 1}, {11, 1}, {1, 11}} {
		if got := coresOf(tg.detail(t, ids[i])); !slices.Equal(got, want) {
			t.Errorf("job %d of 4: cores %v, want %v", i+1, got, want)
		}
	}
}

// Slurm keeps a priority that is set and starts jobs in its order. It refuses one for a held job (update_job in
// src/slurmctld/job_mgr.c: ESLURM_JOB_HELD).
func contractPriority(t *testing.T, tg target) {
	busy := tg.submitPlaced(t, cores, 0, 0, 1, "n5")
	tg.untilRunning(t, busy)
	first, second := tg.submitPlaced(t, cores, 0, 0, 1, "n5"), tg.submitPlaced(t, cores, 0, 0, 1, "n5")
	tg.until(t, "reason Resources", func() bool { return tg.job(t, first).Reason == "Resources" })
	for id, priority := range map[int]int{first: 1 << 31, second: 1<<31 + 1} {
		must(t, tg.do(t.Context(), slurmctl.PriorityCommand(id, priority)))
		if j := tg.job(t, id); j.Priority != priority {
			t.Errorf("priority %d, want %d", j.Priority, priority)
		}
	}
	must(t, tg.client.Cancel(t.Context(), busy))
	tg.untilRunning(t, second)
	if j := tg.job(t, first); j.State != slurmctl.JobPending {
		t.Errorf("%+v, want it behind the other one", j)
	}
	held := tg.submit(t, sbatch.Request{Name: "held", Tasks: 1, TimeLimit: time.Hour})
	wantRefusal(t, tg.do(t.Context(), slurmctl.PriorityCommand(held, 1<<31)), "held state")
}

func contractRehold(t *testing.T, tg target) {
	busy := tg.submitPlaced(t, cores, 0, 0, 1, "n5")
	tg.untilRunning(t, busy)
	id := tg.submitPlaced(t, 16, 0, 0, 4, "n5", "n6")
	tg.until(t, "reason Resources", func() bool { return tg.job(t, id).Reason == "Resources" })
	after := tg.submitPlaced(t, 2, 0, 0, 1, "n7", "n8")
	tg.untilRunning(t, after)
	must(t, tg.do(t.Context(), slurmctl.HoldCommand(id)))
	if j := tg.job(t, id); !j.Held() || j.Reason != slurmctl.ReasonHeldAdmin {
		t.Fatalf("held again: %+v", j)
	}
	// From MinCPUsNode to TasksPerNode, to plain packing: nothing may stay.
	tg.place(t, slurmctl.JobUpdate{JobID: id, Nodes: []string{"n6", "n9", "n10", "n11"}, Tasks: 16, TasksPerNode: 4})
	tg.place(t, slurmctl.JobUpdate{JobID: id, Nodes: []string{"n6", "n11"}, Tasks: 16, TasksPerNode: 8})
	tg.place(t, slurmctl.JobUpdate{JobID: id, Nodes: []string{"n6", "n9", "n11"}, Tasks: 16, MinCPUsNode: 1})
	must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(id)))
	tg.untilRunning(t, id)
	d := tg.detail(t, id)
	if got := coresOf(d); !slices.Equal(got, []int{12, 3, 1}) || d.Tasks != 16 || d.CPUs != 16 {
		t.Errorf("placed again: %+v", d)
	}
}

func contractRunning(t *testing.T, tg target) {
	id := tg.submitPlaced(t, 4, 0, 0, 1, "n1", "n2")
	tg.untilRunning(t, id)
	p := slurmctl.JobUpdate{JobID: id, Nodes: []string{"n1"}, Tasks: 4, MinCPUsNode: 1, GPUsPerNode: 1}
	for _, command := range slurmctl.UpdateCommands(p) {
		wantRefusal(t, tg.do(t.Context(), command), "Job is no longer pending execution for job")
	}
	must(t, tg.do(t.Context(), slurmctl.HoldCommand(id)))
	if j := tg.job(t, id); j.Held() || j.State != slurmctl.JobRunning || j.Priority != 0 {
		t.Errorf("held while running: %+v", j)
	}
	must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(id)))
	if j := tg.job(t, id); j.State != slurmctl.JobRunning || j.Priority == 0 {
		t.Errorf("released while running: %+v", j)
	}
}

func contractBadConstraints(t *testing.T, tg target) {
	id := tg.submitPlaced(t, 30, 0, 0, 1, "n7", "n9")
	tg.until(t, "reason BadConstraints", func() bool {
		j := tg.job(t, id)
		return j.Held() && j.Reason == slurmctl.ReasonBadConstraints
	})
	tg.place(t, slurmctl.JobUpdate{JobID: id, Nodes: []string{"n7", "n9", "n10"}, Tasks: 30, MinCPUsNode: 1})
	must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(id)))
	tg.untilRunning(t, id)
	if got := coresOf(tg.detail(t, id)); !slices.Equal(got, []int{12, 12, 6}) {
		t.Errorf("cores %v", got)
	}
}

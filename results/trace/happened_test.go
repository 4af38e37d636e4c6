package trace

import (
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// A victim is only what Slurm calls NODE_FAIL on a node that an event took down before its end. A node that failed
// without an event is a fault of the run.
func TestVictims(t *testing.T) {
	job := func(id int, state string, finish float64, nodes ...int) FinishedJob {
		return FinishedJob{Job: workloads.Job{ID: id, Arrival: 1000 + id}, State: state, Start: 0, Finish: finish, Allocated: nodes}
	}
	jobs := []FinishedJob{
		job(0, "NODE_FAIL", 500, 0, 3), job(1, "NODE_FAIL", 500, 1), job(2, "COMPLETED", 500, 3), job(3, "NODE_FAIL", 100, 3), job(4, "NODE_FAIL", 900, 4),
	}
	markVictims(jobs, []Happened{
		{Time: 1500, Event: events.Event{Kind: events.Down, Nodes: "n[3-4]"}},
		{Time: 1500, Event: events.Event{Kind: events.Drain, Nodes: "n5"}},
	})
	for i, want := range []bool{true, false, false, false, false} {
		if jobs[i].Victim != want || jobs[i].Lost() == (want || i == 2) || jobs[i].Counted() == want {
			t.Errorf("job %d is %+v, lost %v, counted %v, want a victim: %v", i, jobs[i], jobs[i].Lost(), jobs[i].Counted(), want)
		}
	}
	if v := NewVictims(jobs); v.Count != 1 || v.First[0].ID != 0 {
		t.Errorf("victims %+v", v)
	}
	if f := NewFailedJobs(jobs); f.Count != 3 {
		t.Errorf("failed %+v", f)
	}
}

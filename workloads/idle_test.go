package workloads

import (
	"math"
	"testing"
)

// On machine S with 1024 cores and 256 GPUs.
func TestIdle(t *testing.T) {
	m := machine(t, "S")
	each := func(n, gap int, j Job) []Job {
		var jobs []Job
		for i := range n {
			j.ID, j.Arrival = i+1, 5+gap*i
			jobs = append(jobs, j)
		}
		return jobs
	}
	long := Job{Cores: 1, Runtime: 1_000_000}
	for _, c := range []struct {
		name        string
		jobs        []Job
		utilisation float64
		idle        bool
	}{
		{"one core", []Job{{Cores: 1, Runtime: 60}}, 1.0 / 1024, true},
		{"half of the machine, half of the time", each(1, 0, Job{Cores: 512, Runtime: 60}), 0.5, false},
		{"a job an hour", each(10, 3600, Job{Cores: 512, Runtime: 60}), 0.5 * 600 / (9*3600 + 60), true},
		{"GPUs alone", each(1, 0, Job{Nodes: 64, Cores: 64, GPUsMin: 2, GPUsMax: 2, Runtime: 60}), 0.5, false},
		{"GPUs of as many nodes as the cores need", each(1, 0, Job{Cores: 9, GPUsMin: 2, GPUsMax: 2, Runtime: 60}), 4.0 / 256, true},
		// Most jobs come together and wait for each other, though the machine is idle
		// for days afterwards.
		{"a burst", append(each(100, 0, Job{Cores: 512, Runtime: 60}), long), (100*512*60 + 1e6) / 1024 / 1_000_005, false},
	} {
		got, idle := Idle(m, c.jobs)
		if math.Abs(got-c.utilisation) > 1e-3*c.utilisation || idle != c.idle {
			t.Errorf("%s: got %g, idle %v, want %g, %v", c.name, got, idle, c.utilisation, c.idle)
		}
	}
	m.GPUs = 0
	if got, _ := Idle(m, []Job{{Cores: 512, Runtime: 60}}); got != 0.5 {
		t.Errorf("a machine without GPUs: got %g", got)
	}
}

package plot

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Schedule is the jobs of a workload as one policy placed them on a machine. Every
// picture of this package draws schedules.
type Schedule struct {
	// Name of the schedule in titles and legends: the policy, or what else distinguishes it from the others.
	Name    string
	Machine workloads.Machine
	// Jobs are in any order; times are virtual seconds since the first
	// submission.
	Jobs []trace.FinishedJob
}

// validate lists every fault that would make a picture of s wrong. These are a machine without nodes or cores, times
// that are not numbers or run backwards, and node indices that are not ascending or outside the machine.
func (s Schedule) validate() error {
	var faults []error
	m := s.Machine
	if m.Nodes < 1 || m.Cores < 1 || m.GPUs < 0 {
		faults = append(faults, fmt.Errorf("machine %q: %d nodes of %d cores and %d gpus (want at least 1, 1, 0)",
			m.Name, m.Nodes, m.Cores, m.GPUs))
	}
	seen := make(map[int]bool, len(s.Jobs))
	for _, j := range s.Jobs {
		if seen[j.ID] {
			faults = append(faults, fmt.Errorf("job %d: there twice", j.ID))
		}
		seen[j.ID] = true
		if err := validateJob(j, m.Nodes); err != nil {
			faults = append(faults, fmt.Errorf("job %d: %w", j.ID, err))
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("draw schedule %q: %w", s.Name, errors.Join(faults...))
	}
	return nil
}

// validateAll joins the faults of all schedules and refuses an empty list.
func validateAll(schedules []Schedule) error {
	if len(schedules) == 0 {
		return errors.New("draw schedules: none given")
	}
	var faults []error
	for _, s := range schedules {
		faults = append(faults, s.validate())
	}
	return errors.Join(faults...)
}

func validateJob(j trace.FinishedJob, nodes int) error {
	for _, t := range []float64{j.Submit, j.Start, j.Finish} {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return fmt.Errorf("time %g is not finite", t)
		}
	}
	if j.Started() && j.Start < j.Submit {
		return fmt.Errorf("start %g s is before submission %g s", j.Start, j.Submit)
	}
	if j.Finish < j.Start {
		return fmt.Errorf("finish %g s is before start %g s", j.Finish, j.Start)
	}
	previous := -1
	for _, n := range j.Allocated {
		if n <= previous || n >= nodes {
			return fmt.Errorf("node index %d (want ascending indices below %d)", n, nodes)
		}
		previous = n
	}
	return nil
}

// block is a maximal run of consecutive nodes of one job, first to last
// inclusive. A job has as many blocks as its fragmentation.
type block struct{ first, last int }

// blocks cuts ascending node indices into maximal consecutive runs.
func blocks(nodes []int) []block {
	var out []block
	for _, n := range nodes {
		if len(out) > 0 && out[len(out)-1].last == n-1 {
			out[len(out)-1].last = n
			continue
		}
		out = append(out, block{n, n})
	}
	return out
}

// touch reports whether two ascending lists of blocks share a node or have
// neighbouring nodes.
func touch(a, b []block) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].last+1 < b[0].first:
			a = a[1:]
		case b[0].last+1 < a[0].first:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// end is the last finish of all schedules in seconds, 0 without jobs.
func end(schedules []Schedule) float64 {
	var last float64
	for _, s := range schedules {
		for _, j := range s.Jobs {
			last = math.Max(last, j.Finish)
		}
	}
	return last
}

// policies names all schedules.
func policies(schedules []Schedule) string {
	names := make([]string, len(schedules))
	for i, s := range schedules {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

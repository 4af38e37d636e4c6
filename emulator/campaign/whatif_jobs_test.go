package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// drawDay draws the jobs of a day: some ran before, some waited, some depend on others.
func drawDay(t *rapid.T) []workloads.Job {
	var day []workloads.Job
	for i := range rapid.IntRange(1, 30).Draw(t, "jobs") {
		j := workloads.Job{ID: i + 1, Cores: 1, Class: "c", Runtime: rapid.IntRange(1, 40_000).Draw(t, "runtime")}
		j.Limit = workloads.WholeMinutes(j.Runtime + rapid.IntRange(0, 9000).Draw(t, "over"))
		j.Outcome = rapid.SampledFrom([]workloads.Outcome{workloads.Completed, workloads.Failed, workloads.Timeout, workloads.Cancelled}).Draw(t, "outcome")
		if j.Outcome == workloads.Timeout {
			j.Runtime = j.Limit
		}
		switch rapid.IntRange(0, 3).Draw(t, "past") {
		case 0:
			j.Ran = 5
		case 1:
			j.Arrival, j.Waited = workloads.HeadStart, 7
		default:
			j.Arrival = workloads.HeadStart + rapid.IntRange(1, 200).Draw(t, "arrival")
		}
		day = append(day, j)
	}
	slices.SortStableFunc(day, func(a, b workloads.Job) int { return cmp.Compare(a.Arrival, b.Arrival) })
	for i := range day {
		if i > 0 && day[i].Ran == 0 && rapid.Bool().Draw(t, "depends") {
			before := day[rapid.IntRange(0, i-1).Draw(t, "on")]
			day[i].Dependency = workloads.Dependency{Kind: workloads.AfterAny, Job: before.ID}.String()
		}
	}
	return day
}

// Chains keep the work: the run times of a job's parts add up to the job's, whatever the limit. Each part is within the limit and
// follows the part before it, and the last one ends as the job. Jobs that ran before stay as they are (scontrol(1): a partition's
// MaxTime holds for jobs that start later).
func TestChainKeepsTheWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := drawDay(t)
		longest := rapid.IntRange(2, 300).Draw(t, "minutes")
		l := layout.Layout{
			Groups:     []layout.Group{{Name: "a", Count: 2, Sockets: 1, Cores: 4, Threads: 1, Weight: 1}},
			Partitions: []layout.Partition{{Name: "p", Groups: []string{"a"}, Default: true, MaxTime: longest, PriorityTier: 1, PriorityJobFactor: 1}},
		}
		m, err := workloads.MachineOf("m", l, workloads.Tree{})
		if err != nil {
			t.Fatal(err)
		}
		s := scenario{name: "s", machine: m, overLimit: chain}
		var c counts
		jobs, partOf := s.jobs(day, &c)
		work, last := map[int]int{}, map[int]workloads.Job{}
		ids := map[int]bool{}
		for _, j := range jobs {
			root := cmp.Or(partOf[j.ID], j.ID)
			if ids[j.ID] {
				t.Fatalf("two jobs have the id %d", j.ID)
			}
			ids[j.ID] = true
			if before, there := last[root]; there && j.Dependency != fmt.Sprintf("afterany:%d", before.ID) {
				t.Fatalf("part %d of job %d waits for %q, want %d", j.ID, root, j.Dependency, before.ID)
			}
			work[root] += j.Runtime
			last[root] = j
			if j.Ran == 0 && j.Limit > 60*longest {
				t.Fatalf("job %d has a limit of %d s, allowed are %d", j.ID, j.Limit, 60*longest)
			}
			if errs := j.Validate(m); len(errs) > 0 {
				t.Fatal(errs)
			}
		}
		for _, j := range day {
			if work[j.ID] != j.Runtime || last[j.ID].Outcome != j.Outcome {
				t.Fatalf("job %d runs %d s and ends as %s, want %d s and %s", j.ID, work[j.ID], last[j.ID].Outcome, j.Runtime, j.Outcome)
			}
		}
		if _, err := workloads.ListOf("day", nil, jobs); err != nil {
			t.Fatal(err)
		}
	})
}

// A shake has the same jobs: only arrivals of jobs without a past differ, and by no more than asked for. What a job depends on
// comes first. The same number gives the same shake, another one another.
func TestShakeKeepsTheJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := drawDay(t)
		by := rapid.IntRange(1, 60).Draw(t, "by")
		number := rapid.IntRange(1, 5).Draw(t, "number")
		shaken := shake(day, number, by)
		if !slices.Equal(shaken, shake(day, number, by)) {
			t.Fatal("a shake is another one when it is made again")
		}
		arrived := map[int]int{}
		for i, j := range shaken {
			if i > 0 && shaken[i-1].Arrival > j.Arrival {
				t.Fatalf("job %d arrives before the one ahead of it", j.ID)
			}
			arrived[j.ID] = j.Arrival
			if d, waits := j.Waits(); waits {
				if _, before := arrived[d.Job]; !before {
					t.Fatalf("job %d comes before job %d, for which it waits", j.ID, d.Job)
				}
			}
		}
		if len(arrived) != len(day) {
			t.Fatalf("got %d jobs, want %d", len(arrived), len(day))
		}
		for _, j := range day {
			at, there := arrived[j.ID]
			moved := at - j.Arrival
			if !there || j.Past != (workloads.Past{}) && moved != 0 || moved < -by || j.Dependency == "" && moved > by {
				t.Fatalf("job %d moved from %d s to %d s", j.ID, j.Arrival, at)
			}
			if workloads.BeginsWithState(day) && j.Ran == 0 && at < workloads.HeadStart {
				t.Fatalf("job %d arrives in the head start", j.ID)
			}
		}
		if _, err := workloads.ListOf("day", nil, shaken); err != nil {
			t.Fatal(err)
		}
	})
	// The order within a second is drawn.
	var alike []workloads.Job
	for i := range 40 {
		alike = append(alike, workloads.Job{ID: i + 1, Arrival: 1000, Cores: 1, Class: "c", Runtime: 1, Limit: 60})
	}
	if slices.Equal(shake(alike, 1, 1), shake(alike, 2, 1)) {
		t.Error("two shakes are the same")
	}
}

// A job that can start in several partitions leaves the one that a move names, and keeps the others.
func TestMovesOfSeveralPartitions(t *testing.T) {
	l := layout.Layout{Partitions: []layout.Partition{{Name: "a", Default: true}, {Name: "b"}, {Name: "c"}}}
	for _, c := range []struct{ partition, from, to, want string }{
		{"a&b", "a", "c", "c&b"}, {"a&b", "b", "a", "a"}, {"b&c", "a", "b", ""}, {"a&b", "", "c", "c"}, {"", "a", "b", "b"}, {"", "b", "c", ""},
	} {
		j := workloads.Job{Options: workloads.Options{Partition: c.partition}}
		m := move{partition: c.from, to: c.to}
		switch takes := m.takes(j, l); {
		case takes != (c.want != ""):
			t.Errorf("%+v: takes it %t", c, takes)
		case takes && m.moved(j, l).Partition != c.want:
			t.Errorf("%+v: %s", c, m.moved(j, l).Partition)
		}
	}
}

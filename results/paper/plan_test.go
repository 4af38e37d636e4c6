package paper

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every run that a table needs for one seed. AUCSCHED tables 5 to 7 have 15 workloads under backfill, the paper's
// program and our auction. The variants of table 8 share the backfill and our auction of their workload. AUCSCHED2's
// jobs with GPU ranges are workloads of their own, without backfill.
func TestPlan(t *testing.T) {
	for _, test := range []struct {
		paper  string
		number int
		names  []string
		runs   int
		first  Experiment
	}{
		{"aucsched", 5, nil, 60, Experiment{"S", "I.1", "basic", "auction1"}},
		{"aucsched", 6, nil, 45, Experiment{"M", "I.1", "basic", "auction1"}},
		{"aucsched", 7, []string{"V.1", "V.2"}, 6, Experiment{"L", "V.1", "basic", "auction1"}},
		{"aucsched", 8, nil, 20, Experiment{"L", "V.1", "basic", "auction1-5s-5b-noslurm"}},
		{"aucsched", 8, []string{"V.1", "V.1-largest"}, 4, Experiment{"L", "V.1", "basic", "auction1-5s-5b-noslurm"}},
		{"aucsched2", 3, nil, 30, Experiment{"tsubame", "1.NC.table3", "basic", "backfill-whole-queue"}},
		{"ipsched", 5, []string{"1-SLURM", "2", "3"}, 3, Experiment{"L", "ESP-2.gpu", "basic", "backfill-whole-queue"}},
		{"ipsched", 5, nil, 6, Experiment{"L", "ESP-2.gpu", "basic", "backfill-whole-queue"}},
		{"ipsched", 6, nil, 2, Experiment{"L", "ESP-2.gpu.rand", "multifactor", "backfill-multifactor"}},
	} {
		rows, err := findPaper(t, test.paper).Rows(test.number, test.names...)
		if err != nil {
			t.Fatal(err)
		}
		plan := Plan(rows, 7, 1, false)
		if len(plan) != test.runs || plan[0] != (PlannedRun{test.first, 7}) {
			t.Errorf("%s table %d %v: %d runs, got %+v", test.paper, test.number, test.names, len(plan), plan)
		}
	}
}

// With the tuned backfill each experiment of Slurm's own has one of policy backfill beside it, whatever the priority
// of the row.
func TestPlanOfTheStrongest(t *testing.T) {
	for _, test := range []struct {
		paper  string
		number int
		names  []string
		runs   int
	}{
		{"aucsched", 5, []string{"V.2"}, 5}, {"aucsched", 8, nil, 23}, {"ipsched", 5, nil, 7}, {"ipsched", 5, []string{"2"}, 1},
	} {
		rows, err := findPaper(t, test.paper).Rows(test.number, test.names...)
		if err != nil {
			t.Fatal(err)
		}
		plan := Plan(rows, 1, 1, true)
		if len(plan) != test.runs {
			t.Errorf("%s table %d %v: %d runs, got %+v", test.paper, test.number, test.names, len(plan), plan)
		}
		for _, p := range plan {
			if (p.Policy == "backfill") != (p.Priority == "size-by-time") {
				t.Errorf("got %+v", p)
			}
		}
	}
}

// Of any rows of any table, each run that belongs to a row by a policy that the
// row names is planned once for each seed, and nothing else is; seeds ascend. A
// plan with more replicas begins with the smaller one.
func TestPlanIsWhatTheRowsNeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(Papers()).Draw(t, "paper")
		all, err := p.Rows(rapid.SampledFrom(p.Tables).Draw(t, "table"))
		if err != nil {
			t.Fatal(err)
		}
		var rows []Row
		for i, r := range all {
			if rapid.Bool().Draw(t, fmt.Sprint(i)) {
				rows = append(rows, r)
			}
		}
		first, replicas := rapid.Uint64Range(0, 1000).Draw(t, "first"), rapid.IntRange(1, 5).Draw(t, "replicas")
		plan := Plan(rows, first, replicas, false)
		need := map[string]bool{}
		for _, r := range rows {
			for _, policy := range r.Policies {
				for seed := first; seed < first+uint64(replicas) && !strings.Contains(policy, "*"); seed++ {
					need[fmt.Sprint(r.Machine, r.Workload, policy, seed)] = true
				}
			}
		}
		for i, run := range plan {
			id := fmt.Sprint(run.Machine, run.Workload, run.Policy, run.Seed)
			if !need[id] {
				t.Fatalf("%+v is twice there or not needed", run)
			}
			delete(need, id)
			if i > 0 && run.Seed < plan[i-1].Seed {
				t.Fatalf("%+v is after %+v", run, plan[i-1])
			}
		}
		if len(need) > 0 {
			t.Fatalf("not planned: %v", need)
		}
		if more := Plan(rows, first, replicas+1, false); !slices.Equal(more[:len(plan)], plan) {
			t.Fatalf("got %+v, want first %+v", more, plan)
		}
	})
}

package campaign_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/results/compare"
)

// A campaign looks at the same numbers of seeds whenever it is killed: the next look after any number between two
// looks is the later one.
func TestLooksDoNotDependOnKills(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		listed := rapid.IntRange(1, 40).Draw(t, "listed")
		u := campaign.Until{Most: rapid.IntRange(2, 300).Draw(t, "most")}
		last := max(u.Most, listed)
		for look := u.Look(listed, 0); look < last; {
			next := u.Look(listed, look+1)
			if next <= look || next > last {
				t.Fatalf("after %d seeds of at most %d the next look is after %d", look, last, next)
			}
			for there := look + 1; there <= next; there++ {
				if got := u.Look(listed, there); got != next {
					t.Fatalf("with %d seeds there the look is after %d, want %d", there, got, next)
				}
			}
			look = next
		}
	})
}

func TestAddedSeeds(t *testing.T) {
	plan, err := campaign.Read("x.yaml", []byte("machines: S\nworkloads: V.1\ntheoretical_runtime: 3m\nseeds: [7, 3]\npolicies: [backfill, auction]\nprecision: waiting=2%\n"), real())
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Added([]string{"S-V.1-backfill-seed9", "S-V.1-backfill-seed7", "S-V.9-backfill-seed99", "x", "12"}); got != 2 {
		t.Errorf("got %d added seeds, want 2: 8 and 9", got)
	}
	more, err := plan.WithSeeds(4)
	if err != nil || !slices.Equal(more.Seeds, []uint64{7, 3, 8, 9}) || len(more.Runs) != 8 {
		t.Fatalf("got seeds %v, %d runs, %v", more.Seeds, len(more.Runs), err)
	}
	for i, r := range plan.Runs {
		if more.Runs[i].Dir != r.Dir {
			t.Errorf("run %d is %s, was %s", i, more.Runs[i].Dir, r.Dir)
		}
	}
}

// A campaign file may name the makespan as the papers do.
func TestUntilByThePapersName(t *testing.T) {
	var until []campaign.Until
	for _, metric := range []string{"makespan", "runtime"} {
		plan, err := campaign.Read("x.yaml", []byte("machines: S\nworkloads: V.1\nestimated_runtime: 3m\nseeds: [1, 2]\npolicies: [backfill, auction]\nuntil: "+metric+":2%\n"), real())
		if err != nil {
			t.Fatal(err)
		}
		until = append(until, *plan.Until)
	}
	if until[0].Column != "makespan_h" || until[1].Column != until[0].Column {
		t.Errorf("got %q and %q, want makespan_h", until[0].Column, until[1].Column)
	}
}

// The optional stopping of docs/design/023-campaigns.md. Campaigns that add seeds by the rule of campaign.Until stop
// with an interval that holds the true difference somewhat less often than 95 %, and less often again if they look after
// two seeds already. Waiting differs from seed to seed by a factor (log-normal, sigma 0.5), the policies by a
// tenth and by another factor (sigma 0.1) in each seed.
func TestCoverageOfSequentialCampaigns(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const trials, truth, most = 3000, -0.1, 60
	covered := func(percent float64, look func(there int) int) float64 {
		held := 0
		for range trials {
			var a, b []float64
			r := compare.Relative{}
			for there := 1; r.Interval == nil || 100*r.Half() > percent && len(a) < most; {
				there = look(there)
				for len(a) < there {
					x := math.Exp(0.5 * random.NormFloat64())
					a, b = append(a, x), append(b, (1+truth)*x*math.Exp(0.1*random.NormFloat64()-0.005))
				}
				differences := make([]float64, len(a))
				for i := range a {
					differences[i] = b[i] - a[i]
				}
				r = compare.RelativeOf(a, differences)
				there++
			}
			if r.Interval != nil && r.Interval.Low <= truth && truth <= r.Interval.High {
				held++
			}
		}
		return 100 * float64(held) / trials
	}
	for _, percent := range []float64{2, 5, 8} {
		aim := campaign.Until{Percent: percent, Most: most}
		ours := covered(percent, func(there int) int { return aim.Look(2, there) })
		early := covered(percent, func(there int) int { return max(2, there) })
		t.Logf("± %g %%: %.1f %% of the intervals hold the true difference, %.1f %% with looks from two seeds on", percent, ours, early)
		if ours < 92 || ours > 97 || early > ours {
			t.Errorf("± %g %%: %.1f %% of the intervals hold the true difference, %.1f %% with looks from two seeds on; docs/design/023-campaigns.md says otherwise", percent, ours, early)
		}
	}
}

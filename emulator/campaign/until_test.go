package campaign_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/emulator/campaign"
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
	plan, err := campaign.Read("x.yaml", []byte("machines: S\nworkloads: V.1\nestimated_runtime: 3m\nseeds: [7, 3]\npolicies: [backfill, auction]\nuntil: waiting:2%\n"), real())
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

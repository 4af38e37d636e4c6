package compare

import (
	"fmt"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
)

// TestGroups: policies are compared with the first, and where no run has that, as in a workload from which a campaign excludes it, with the
// first that has runs. Pairs that were asked for stay what they are.
func TestGroups(t *testing.T) {
	const backfill, auction, auction2, fifo = "backfill", "auction", "auction2", "fifo"
	first := [][2]string{{backfill, auction}, {backfill, auction2}, {backfill, fifo}}
	for _, tt := range []struct {
		name     string
		policies []string
		pairs    [][2]string
		want     string
	}{
		{"all", []string{backfill, auction, auction2, fifo}, first, "[backfill auction backfill auction2 backfill fifo]"},
		{"without the first", []string{auction2, auction, fifo}, first, "[auction auction2 auction fifo]"},
		{"one of them", []string{auction2}, first, "[]"},
		{"none", []string{"other"}, first, "[]"},
		{"pairs of one's own", []string{auction, auction2}, [][2]string{{backfill, auction}, {fifo, auction2}}, "[]"},
	} {
		var all []metric.Result
		for _, policy := range tt.policies {
			all = append(all, runs(policy, 1, 2)...)
		}
		groups, err := Groups(all, tt.pairs, func(metric.Result) string { return "V.2" })
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, g := range groups {
			got = slices.Concat(got, []string{g.A, g.B})
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: compared %v, want %s", tt.name, got, tt.want)
		}
	}
}

package packing

import (
	"fmt"
	"math"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
)

// BenchmarkSearch reports what a fixed amount of work is worth.
func BenchmarkSearch(b *testing.B) {
	for _, bids := range []int{5, 50} {
		b.Run(fmt.Sprintf("bids=%d", bids), func(b *testing.B) {
			w := auctiontest.Window{Nodes: 1408, Cores: 12, GPUs: 3, Jobs: 200, Sizes: auctiontest.Medium, Utilisation: 0.9, Seed: 1}
			q := newSubproblem(w.Problem(bids)).reduce(never)
			m := q.model()
			value := 0.0
			for b.Loop() {
				selected, _ := improve(m, m.fitting(), schedule{heat: hot, seed: 1, work: 4_000_000}, math.Inf(1), never)
				value = 0
				for _, i := range selected {
					value += q.objective[i]
				}
			}
			b.ReportMetric(value, "value")
			b.ReportMetric(float64(m.columns()), "columns")
			b.ReportMetric(float64(q.terms()), "terms")
		})
	}
}

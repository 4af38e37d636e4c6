package packing

import (
	"fmt"
	"math"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
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

// BenchmarkIdle makes the models of the programs of idle machines, and their Lagrangean bounds. The time is for all
// together.
func BenchmarkIdle(b *testing.B) {
	states, err := auctiontest.States()
	if err != nil {
		b.Fatal(err)
	}
	var programs []subproblem
	for _, s := range states {
		for _, bids := range []int{15, 50} {
			for _, o := range []auction.Objective{auction.ObjectivePriority, auction.ObjectiveValue} {
				if s.Busy() >= 0.1 {
					continue
				}
				p, err := s.Problem(bids, o)
				if err != nil {
					b.Fatal(err)
				}
				programs = append(programs, newSubproblem(p))
			}
		}
	}
	b.Run("models", func(b *testing.B) {
		for b.Loop() {
			for _, q := range programs {
				q.model()
			}
		}
	})
	var models []*model
	var values []float64
	for _, q := range programs {
		m := q.model()
		selected, _ := improve(m, m.fitting(), schedule{heat: hot, work: QuickLimits().Search}, math.Inf(1), never)
		value := 0.0
		for _, i := range selected {
			value += m.value[i]
		}
		models, values = append(models, m), append(values, value)
	}
	b.Run("bounds", func(b *testing.B) {
		for b.Loop() {
			for k, m := range models {
				subgradient(m, make([]float64, m.rows()), values[k], m.steps(QuickLimits().Steps), never)
			}
		}
	})
}

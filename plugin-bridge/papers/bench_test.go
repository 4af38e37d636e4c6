package papers

import (
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// BenchmarkFormulateIPSCHED writes IPSCHED's program of the paper's machine, 1024 nodes of 8 cores and 2 GPUs, and 200 jobs.
func BenchmarkFormulateIPSCHED(b *testing.B) {
	s := auction.Snapshot{Nodes: idle(1024, 8, 2)}
	for i := range 200 {
		s.Jobs = append(s.Jobs, bidding.Job{ID: i + 1, Priority: float64(200 - i), Cores: 100 + i, GPUs: i % 3})
	}
	for b.Loop() {
		formulateIPSCHED(s, ByPriority, nodeRanges(s))
	}
}

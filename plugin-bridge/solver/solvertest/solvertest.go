package solvertest

import (
	"context"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// Quick is what package solver does without a worker: packing.Quick with its usual
// limits. It ends within milliseconds, and so does not look at the context.
type Quick struct{}

// Solve never fails.
func (Quick) Solve(_ context.Context, p auction.Problem) (auction.Assignment, error) {
	return packing.Quick(p, packing.QuickLimits()), nil
}

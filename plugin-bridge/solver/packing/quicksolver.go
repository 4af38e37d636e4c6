package packing

import (
	"context"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// QuickSolver is what package solver does without a worker: Quick with its usual
// limits. It ends within milliseconds, and so does not look at the context.
type QuickSolver struct{}

// Solve never fails.
func (QuickSolver) Solve(_ context.Context, p auction.Problem) (auction.Assignment, error) {
	return Quick(p, QuickLimits()), nil
}

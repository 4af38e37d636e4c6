//go:build highs && cgo

package highs

import (
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// Plain runs HiGHS with its defaults and without a start, as long as onward says
// so.
func Plain(p auction.Problem, onward func() bool) (packing.Branched, error) {
	return branch(p, nil, packing.BranchLimits{Time: 10 * time.Minute, Nodes: math.MaxInt32}, "choose", func(packing.Branched) bool { return onward() })
}

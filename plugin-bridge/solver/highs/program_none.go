//go:build !highs || !cgo

package highs

import (
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

func runProgram(program.Program, time.Duration, []float64, func([]float64, float64)) (programOutcome, error) {
	return programOutcome{}, ErrNotBuilt
}

//go:build !highs || !cgo

package highs

import (
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

func runProgram(program.Program, time.Duration) (programOutcome, error) {
	return programOutcome{}, ErrNotBuilt
}

//go:build !highs || !cgo

package highs

import "github.com/slurmlab/slurmlab/plugin-bridge/program"

func runProgram(program.Program, ProgramOptions) (programOutcome, error) {
	return programOutcome{}, ErrNotBuilt
}

package main

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/plugin-bridge/highs"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
)

// The commands of the solvers' processes.
const (
	workerCommandName  = "solver-worker"
	programCommandName = "program-worker"
)

// workerCommand is started by run and by nobody else.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    workerCommandName,
		Short:  "Solve auctions: requests on standard input, answers on standard output",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			engine, err := highs.New()
			if err != nil {
				return err
			}
			in, err := polled(os.Stdin)
			if err != nil {
				return err
			}
			return solver.Serve(in, os.Stdout, engine)
		},
	}
}

// programCommand is started by run for each program, and by nobody else.
func programCommand() *cobra.Command {
	return &cobra.Command{
		Use:    programCommandName,
		Short:  "Solve one program: the request on standard input, the answer on standard output",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			in, err := polled(os.Stdin)
			if err != nil {
				return err
			}
			return solver.ServeProgram(in, os.Stdout, func(p program.Program, limit time.Duration, seed uint32) (program.Solution, error) {
				return highs.SolveProgram(p, highs.ProgramOptions{TimeLimit: limit, Seed: seed})
			})
		},
	}
}

// polled makes Go wait for input in its poller. A read that blocks in the kernel
// keeps its processor for a while; the solve that it has just handed over would
// not begin, the cluster look idle and the jump clock jump.
func polled(f *os.File) (*os.File, error) {
	descriptor := f.Fd()
	if err := syscall.SetNonblock(int(descriptor), true); err != nil {
		return nil, fmt.Errorf("prepare %s: %w", f.Name(), err)
	}
	return os.NewFile(descriptor, f.Name()), nil
}

package main

import (
	"fmt"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
)

// workerCommandName is the command of the solver's process.
const workerCommandName = "solver-worker"

// workerCommand is started by newSolver and by nobody else.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    workerCommandName,
		Short:  "Solve programs: requests on standard input, answers on standard output",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, err := polled(os.Stdin)
			if err != nil {
				return err
			}
			return solver.Serve(cmd.Context(), in, os.Stdout)
		},
	}
}

// newSolver starts the solver's process, which is this program again, so that both are of one build. The limit is for
// one solution in real time. used is called with the id and the processor time of each of its processes that has
// ended.
func newSolver(limit time.Duration, used func(pid int, processor time.Duration), log *slog.Logger) (*solver.Solver, error) {
	if _, err := solver.HiGHSVersion(); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find own program: %w", err)
	}
	// All of a cluster shares one core. A real controller does not keep its
	// compute nodes from ending a job, so the solver gives way to them.
	return solver.New(solver.Options{
		Start: solver.Command(used, "nice", "-n", "10", self, workerCommandName), TimeLimit: limit, Log: log,
	})
}

// polled makes Go wait for input in its poller. A read that blocks in the kernel keeps its processor of Go's
// scheduler for some milliseconds, in which the requested solution would not begin. The cluster would look idle, and
// the jump clock would jump.
func polled(f *os.File) (*os.File, error) {
	descriptor := f.Fd()
	if err := syscall.SetNonblock(int(descriptor), true); err != nil {
		return nil, fmt.Errorf("prepare %s: %w", f.Name(), err)
	}
	return os.NewFile(descriptor, f.Name()), nil
}

package main

import (
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/plugin-bridge/highs"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
)

const workerCommandName = "solver-worker"

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

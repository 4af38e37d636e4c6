// Command slurmlabd lives inside a cluster's container: it boots the cluster,
// puts Slurm's clients on its clock, and drives one emulation or schedules the jobs
// of a cluster that is kept. People use slurmlab; slurmlabd speaks JSON lines to it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set by the linker; see the Makefile.
var version = "unbuilt"

func main() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM)
	err := root().ExecuteContext(untilTold(context.Background(), told))
	signal.Stop(told)
	if err != nil {
		fmt.Fprintln(os.Stderr, "slurmlabd:", err)
		os.Exit(1)
	}
}

// untilTold returns a context that ends with the first signal. The cause, which a run takes for its reason, names the
// receiver.
func untilTold(ctx context.Context, told <-chan os.Signal) context.Context {
	ctx, end := context.WithCancelCause(ctx)
	go func() { end(fmt.Errorf("slurmlabd was told to end: %v", <-told)) }()
	return ctx
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "slurmlabd",
		Short:         "Boot and drive one emulated Slurm cluster (used by slurmlab)",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version,
	}
	cmd.AddCommand(bootCommand(), clockCommand(), commandsCommand(), confinedCommand(), djsbCommand(), djsbPayloadCommand(), djsbStreamCommand(), execCommand(), limitsCommand(), runCommand(), runnerCommand(), scheduleCommand(), solveCommand(), statusCommand(), watchCommand(), workerCommand())
	return cmd
}

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Main runs a command, whose context ends at an interrupt, and ends the process if it fails. The status is 3 if the
// error is failed, which says that what was looked at is not as it should be, and 1 for another error.
func Main(cmd *cobra.Command, failed error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err := cmd.ExecuteContext(ctx)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", cmd.Name(), err)
	if failed != nil && errors.Is(err, failed) {
		os.Exit(3)
	}
	os.Exit(1)
}

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
)

// clockCommand is for users in a shell of a cluster under the jump clock. Such a
// cluster is booted with the clock held: between two keystrokes nothing computes, and
// virtual time would jump ahead by hours.
func clockCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "clock", Short: "Look at the jump clock, let it go or hold it"}
	cmd.AddCommand(
		&cobra.Command{
			Use: "status", Short: "Print virtual time, jumps and every wait", Args: cobra.NoArgs,
			RunE: onJumpClock(func(c clock.Clock) error {
				program, err := exec.LookPath("vclockd")
				if err != nil {
					return fmt.Errorf("print clock: %w", err)
				}
				if err := syscall.Exec(program, []string{"vclockd", "--dump", "--page", c.Page}, os.Environ()); err != nil {
					return fmt.Errorf("print clock: %w", err)
				}
				return nil
			}),
		},
		&cobra.Command{
			Use: "go", Short: "Skip the time in which nothing computes", Args: cobra.NoArgs,
			RunE: onJumpClock(func(c clock.Clock) error { c.Go(); return nil }),
		},
		&cobra.Command{
			Use: "hold", Short: "Keep to the speed of real time", Args: cobra.NoArgs,
			RunE: onJumpClock(func(c clock.Clock) error { c.Hold(); return nil }),
		},
	)
	return cmd
}

func onJumpClock(act func(clock.Clock) error) func(*cobra.Command, []string) error {
	return func(*cobra.Command, []string) error {
		state, err := boot.Load(boot.StatePath)
		if err != nil {
			return err
		}
		if state.Clock.Kind != clock.KindJump {
			return errors.New("this cluster is not under the jump clock; start one with: slurmlab up --clock jump")
		}
		return act(state.Clock)
	}
}

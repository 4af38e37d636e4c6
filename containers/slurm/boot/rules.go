package boot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// hasAccounts says that the layout has QOS and accounts to be made. A cluster from a checkpoint has them in its database.
func (c *Daemons) hasAccounts() bool { return !c.restored() && c.State.Spec.Layout.Enforces() }

// makeAccounts makes the QOS and accounts of the layout before the cluster's slurmctld starts. slurmctld dies of a
// partition with an unknown QOS, and associations that it learns of later have no fair share before it recomputes
// priorities (PriorityCalcPeriod). The accounting takes limits on GPUs only after a slurmctld has reported the GPUs,
// so one runs meanwhile.
func (c *Daemons) makeAccounts(ctx context.Context, controller step) error {
	d := &daemon{step: controller}
	if err := c.start(d); err != nil {
		return err
	}
	err := c.until(ctx, d.name, d.rest(), d.ready, d.fault)
	if err == nil {
		err = c.carryOut(ctx, c.State.Spec.Layout.Sacctmgr())
	}
	var used []associationUsage
	if err == nil && c.State.Spec.Layout.HasUsage() {
		used, err = c.usage(ctx)
	}
	_ = d.proc.os.Signal(syscall.SIGTERM)
	select {
	case <-d.proc.ended:
	case <-time.After(shutDownLimit):
		_ = d.proc.os.Kill()
		<-d.proc.ended
	}
	if err == nil && len(used) > 0 {
		err = leaveUsage(filepath.Dir(conf.CompletionLog), used)
	}
	// A daemon that ends holds the clock until it serves again.
	c.State.Clock.Go()
	_ = os.Remove(endPath(filepath.Dir(c.paths.state), d.name))
	return err
}

// makeReservations makes the reservations of the layout, whose starts count from now. A cluster from a checkpoint has them in
// its state.
func (c *Daemons) makeReservations(ctx context.Context) error {
	if c.restored() {
		return nil
	}
	var commands [][]string
	for _, r := range c.State.Spec.Layout.Reservations {
		commands = append(commands, r.Create(c.State.Clock.Now()))
	}
	return c.carryOut(ctx, commands)
}

func (c *Daemons) carryOut(ctx context.Context, commands [][]string) error {
	for _, argv := range commands {
		limited, done := context.WithTimeout(ctx, askLimit)
		out, err := c.command(limited, argv...).CombinedOutput()
		done()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

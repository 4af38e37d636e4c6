package boot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// CheckpointDirs are the directories whose files are the state of a cluster: MariaDB's data,
// StateSaveLocation with the log of completed jobs, and the kept scripts of external jobs.
func CheckpointDirs() []string {
	return []string{dataDir, filepath.Dir(conf.CompletionLog), conf.ScriptDir}
}

// headStart is by how much slurmctld starts earlier than the instant of its checkpoint, so that
// cluster and driver are ready by then. What it could start in that time, it could have started
// before it ended.
const headStart = 2 * time.Second

// ClockLead is by how much the clock of a cluster that is booted from a checkpoint has to start
// earlier than its instant: MariaDB and slurmdbd start first. The rest of it is skipped.
const ClockLead = 10 * time.Second

// restored says that the cluster is booted from a checkpoint.
func (c *Daemons) restored() bool { return !c.State.Spec.From.IsZero() }

// controller is the command of slurmctld. After a checkpoint it also takes nodes and partitions from the saved state
// (-R of slurmctld(8)). Without -R slurm.conf wins, in which external nodes are idle (State=EXTERNAL), and partitions
// as they were at the start of the run.
func (c *Daemons) controller() []string {
	argv := []string{Controller, "-D"}
	if c.restored() {
		argv = append(argv, "-R")
	}
	return argv
}

// approach skips the time up to shortly before the instant of the checkpoint.
func (c *Daemons) approach(ctx context.Context) error {
	c.State.Clock.Go()
	defer c.State.Clock.Hold()
	return c.State.Clock.SleepUntil(ctx, c.State.Spec.From.Add(-headStart))
}

const (
	// shutDownLimit is the real time that a daemon may take to end in good order, shutDownPoll
	// that between two looks.
	shutDownLimit = time.Minute
	shutDownPoll  = 5 * time.Millisecond
)

// ShutDown ends the daemons of the cluster in good order, each after those that need it. They
// stay down.
func (s State) ShutDown(ctx context.Context) error {
	// A daemon may have been started again since.
	now, err := read(StatePath)
	if err != nil {
		return err
	}
	for _, d := range slices.Backward(now.Daemons) {
		if err := d.shutDown(ctx); err != nil {
			return fmt.Errorf("shut %s down: %w", d.Name, err)
		}
	}
	return nil
}

func (d Daemon) shutDown(ctx context.Context) error {
	if err := os.WriteFile(filepath.Join(DownDir, d.Name), nil, 0o600); err != nil {
		return err
	}
	if err := syscall.Kill(d.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, shutDownLimit, fmt.Errorf("it runs %v after its signal to end", shutDownLimit))
	defer cancel()
	for d.Alive() {
		select {
		case <-time.After(shutDownPoll):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

package drive_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
)

// errEndless ends a run that does not end.
var errEndless = errors.New("the run did not end")

// wholeRun plays a run to its end.
func wholeRun(ctx context.Context, s scenario, without map[step]bool, dir string) outcome {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := newCluster(ctx, s, without)
	parameters := policy.DefaultParameters()
	parameters.Interval = s.interval
	scheduler, session := c.newAgent(false)
	client := &slurmctl.Client{Runner: c.nemesis}
	driver := &drive.Driver{
		Client: client, Slurm: client, Clock: c.clock, Out: dir, Scheduler: scheduler, Reconnect: session.reopen,
		Request: drive.Request{Spec: drive.Spec{Machine: s.machine, Jobs: s.jobs, Policy: policy.Policy{Parameters: parameters}}},
		Watch:   func(ctx context.Context, _ func(drive.Outage)) error { <-ctx.Done(); return context.Cause(ctx) },
		Ends: func(ctx context.Context, ended func(int)) error {
			c.follow(ended)
			<-ctx.Done()
			return context.Cause(ctx)
		},
		Running:      c.seem,
		Processes:    func() map[string][]int { return nil },
		Stopped:      func() []string { return nil },
		Uncontrolled: func() bool { return false },
		Emit:         func(drive.Event) error { return nil },
	}
	// Six hours are for the run's own ways of noticing that nothing happens any more.
	endless := time.AfterFunc(s.patience()+6*time.Hour, func() { cancel(errEndless) })
	end := driver.Drive(ctx)
	endless.Stop()
	if errors.Is(context.Cause(ctx), errEndless) {
		c.checker.fault("%v", errEndless)
	}
	c.judge(end, filepath.Join(dir, "sacct.txt"))
	out := c.finish(context.Background())
	out.status = end.Status
	return out
}

// causes are words of which the reason of a run has one that failed after one fault.
var causes = map[fault][]string{
	refused: {"slurm refused"}, unanswered: {"slurm does not answer"},
	timeoutBefore: {"slurm does not answer", "no answer within"}, timeoutAfter: {"slurm does not answer", "no answer within"},
	hangs: {"sbatch has not taken job"}, never: {"reported the end of"},
}

// judge compares the end of a run with what happened.
func (c *cluster) judge(end drive.End, accounting string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case end.Status == trace.StatusComplete:
		c.checker.over(c.jobs, nil)
		c.accounted(accounting)
	case end.Reason == "":
		c.checker.fault("the run is %s without a reason", end.Status)
	case len(c.nemesis.log) == 0 && !c.stuck():
		c.checker.fault("the run is %s without a fault: %s", end.Status, end.Reason)
	case len(c.nemesis.log) == 1 && !c.stuck():
		c.checker.blames(end.Reason, causes[c.nemesis.log[0].fault])
	}
}

// accounted wants each job of the workload once in sacct.txt.
func (c *cluster) accounted(path string) {
	file, err := os.Open(path)
	if err != nil {
		c.checker.fault("the run is complete: %v", err)
		return
	}
	defer func() { _ = file.Close() }()
	rows, err := accounting.ReadSacct(file, "sacct.txt")
	if err != nil {
		c.checker.fault("the run is complete: %v", err)
	}
	found := map[string]int{}
	for _, row := range rows {
		found[row.JobName]++
	}
	for _, job := range c.jobs {
		if found[name(job)] != 1 {
			c.checker.fault("the run is complete, and job %d is in sacct.txt %d times", job.ID, found[name(job)])
		}
	}
	if len(rows) != len(c.jobs) {
		c.checker.fault("the run is complete with %d jobs, and sacct.txt has %d", len(c.jobs), len(rows))
	}
}

// follow tells ended of each end from now on.
func (c *cluster) follow(ended func(int)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = ended
}

// seem are the jobs that seem to run.
func (c *cluster) seem() ([]int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.running), nil
}

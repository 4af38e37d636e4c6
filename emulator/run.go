package emulator

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/faultpoint"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
)

// run is the state of a Driver at work.
type run struct {
	*Driver
	// began is virtual.
	began time.Time
	jobs  *submissions
	// news is for the scheduler's loop, moved rings when jobs has changed.
	news  *news
	moved bell
	// ended are ends of which the scheduler was not told yet.
	ended *ended
	desk  *desk
	// killed rings when slurmctld serves again after it died.
	killed bell
	// leaving are the submitted jobs that will be cancelled, the first one first, known to
	// submit alone; left rings when a job has ended.
	leaving []leaving
	left    bell
	// lag is written by desk alone, recorded, the number of cycles that were
	// emitted, by cycles, standstills, those of the clock, by watchClock, and stops by
	// watchStops.
	lag         time.Duration
	recorded    int
	standstills int
	stops       stops
}

func newRun(d *Driver) *run {
	r := &run{
		Driver: d, began: phase(d.Clock.Now()), jobs: newSubmissions(len(d.Request.Jobs)),
		news: &news{bell: newBell()}, moved: newBell(), ended: &ended{bell: newBell()}, killed: newBell(), left: newBell(),
	}
	r.desk = &desk{run: r, full: fullConfiguration{run: r}}
	return r
}

// phase is the next instant at which a run may begin: a whole second of Slurm's
// records and a half. Slurm starts a job at a whole second, and the job ends a whole
// number of seconds later. Arrivals and cycles are whole seconds after the beginning
// of the run, so none of them falls together with an end; if one did, chance would
// decide which comes first.
func phase(now time.Time) time.Time {
	return now.Truncate(time.Second).Add(time.Second + time.Second/2)
}

func (r *run) lagMax() float64 { return max(0, r.lag.Seconds()) }

// due is the virtual instant of a job's arrival.
func (r *run) due(job workloads.Job) time.Time {
	return r.began.Add(time.Duration(job.Arrival) * time.Second)
}

// accounts makes an account for each user of the workload.
func (d *Driver) accounts(ctx context.Context) error {
	var users []string
	for _, job := range d.Request.Jobs {
		if job.User != "" {
			users = append(users, job.User)
		}
	}
	slices.Sort(users)
	if err := d.Client.AddAccounts(ctx, slices.Compact(users)...); err != nil {
		return fmt.Errorf("make accounts: %w", err)
	}
	return nil
}

// submit hands in every job at its arrival time, and cancels those that their users
// cancel while they wait.
func (r *run) submit(ctx context.Context) error {
	for _, job := range r.Request.Jobs {
		due := r.due(job)
		if err := r.leave(ctx, due); err != nil {
			return err
		}
		if err := r.Clock.SleepUntil(ctx, due); err != nil {
			return err
		}
		faultpoint.At(faultpoint.Submission)
		if err := r.desk.handIn(ctx, job); err != nil {
			return err
		}
		r.willLeave(job)
		r.news.tell(due)
	}
	return r.leave(ctx, time.Time{})
}

// submission is a workload job in Slurm's terms. Its name is the workload's id,
// by which accounting is joined with the workload later.
func submission(job workloads.Job) sbatch.Request {
	return sbatch.Request{
		Name:         strconv.Itoa(job.ID),
		Tasks:        job.Cores,
		Nodes:        job.Nodes,
		NodesMax:     job.NodesMax,
		TasksPerNode: job.CoresPerNode,
		GPUsMin:      job.GPUsMin,
		GPUsMax:      job.GPUsMax,
		Contiguous:   job.Contiguous,
		Account:      job.User,
		TimeLimit:    limit(job),
		Script:       script(job),
	}
}

// limit is a job's time limit in Slurm, which counts whole minutes.
func limit(job workloads.Job) time.Duration {
	return time.Duration(workloads.WholeMinutes(job.Limit)) * time.Second
}

func (r *run) path(name string) string { return filepath.Join(r.Out, name) }

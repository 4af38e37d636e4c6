package drive

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/slurmlab/slurmlab/internal/faultpoint"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
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
	ended     *ended
	submitter *submitter
	// heard is known to those who report, one after the other.
	heard *heard
	// killed rings when slurmctld serves again after it died.
	killed bell
	// leaving are the submitted jobs that will be cancelled, the first one first, known to
	// submit alone; left rings when a job has ended.
	leaving []leaving
	left    bell
	// carried counts the events that were carried out.
	carried atomic.Int64
	// revived says that a daemon died and serves again.
	revived atomic.Bool
	// impose is what is left to do to a cluster that began without limits, known to submit alone.
	impose layout.Imposed
	// stop is when the run stops for a checkpoint, zero for never; paused is closed then.
	stop   time.Time
	paused chan struct{}
	// Each of these has one writer: submitter writes lag, and watchStops writes stops. cycles writes recorded, the
	// number of emitted cycles, and nextCycle, the instant of the next one. watchClock writes standstills, the
	// clock's, and keepStatistics writes statistics, the outputs of sdiag before midnights.
	lag         time.Duration
	recorded    int
	nextCycle   time.Time
	standstills int
	statistics  []byte
	stops       stops
	late        late
}

func newRun(d *Driver) *run {
	r := &run{
		Driver: d, began: phase(d.Clock.Now()), jobs: newSubmissions(len(d.Request.Jobs)),
		news: &news{bell: newBell()}, moved: newBell(), ended: &ended{bell: newBell()}, killed: newBell(), left: newBell(),
		paused: make(chan struct{}),
	}
	r.heard = &heard{run: r}
	r.submitter = &submitter{run: r, full: fullConfiguration{run: r}}
	r.impose = r.toImpose()
	if d.Request.From != nil {
		r.restore(*d.Request.From)
	} else {
		r.nextCycle = r.firstCycle()
	}
	if d.Request.StopAt > 0 {
		r.stop = r.began.Add(time.Duration(d.Request.StopAt) * time.Second)
	}
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

// inPhase is the first instant from at on that is a whole number of seconds after the
// beginning of the run, as arrivals and cycles are (see phase).
func (r *run) inPhase(at time.Time) time.Time {
	whole := at.Sub(r.began).Truncate(time.Second)
	if rounded := r.began.Add(whole); !rounded.Before(at) {
		return rounded
	}
	return r.began.Add(whole + time.Second)
}

func (r *run) lagMax() float64 { return max(0, r.lag.Seconds()) }

// due is the virtual instant of a job's arrival.
func (r *run) due(job workloads.Job) time.Time {
	return r.began.Add(time.Duration(job.Arrival) * time.Second)
}

// submit hands in every job at its arrival time, and does what is to be done between arrivals, as far as that is
// before the run stops.
func (r *run) submit(ctx context.Context) error {
	for _, job := range r.Request.Jobs {
		if r.jobs.has(job.ID) {
			// By the run before the checkpoint.
			continue
		}
		due := r.due(job)
		if r.stopsBefore(due) {
			break
		}
		if err := r.between(ctx, due); err != nil {
			return err
		}
		if err := r.Clock.SleepUntil(ctx, due); err != nil {
			return err
		}
		faultpoint.At(faultpoint.Submission)
		if err := r.submitter.handIn(ctx, job); err != nil {
			return err
		}
		r.willLeave(job)
		r.news.tell(due)
	}
	return r.between(ctx, r.stop)
}

// terms adds to a request what depends on the run: the earliest start and the job that this one waits for. Times of
// Slurm's are whole seconds, so the earliest start counts from the second of the arrival.
//
// The jobs of a workload depend on those that were submitted before (workloads.Earlier). One that has ended is not
// waited for, as Slurm forgets jobs some time after their end.
func (r *run) terms(job workloads.Job, request *sbatch.Request) {
	if job.BeginAfter > 0 {
		request.Begin = r.begin(job)
	}
	if d, ok := job.Waits(); ok {
		if id, waits := r.jobs.id(d.Job); waits {
			request.Dependency = fmt.Sprintf("%s:%d", d.Kind, id)
		}
	}
}

// begin is the earliest start of a job.
func (r *run) begin(job workloads.Job) time.Time {
	return r.due(job).Truncate(time.Second).Add(time.Duration(job.BeginAfter) * time.Second)
}

// submission is a workload job in Slurm's terms, without terms of a run. Its name is the workload's id, by which
// accounting is joined with the workload later.
func submission(m workloads.Machine, job workloads.Job) sbatch.Request {
	request := sbatch.Request{
		Name:         strconv.Itoa(job.ID),
		Tasks:        job.Cores,
		Nodes:        job.Nodes,
		NodesMax:     job.NodesMax,
		TasksPerNode: job.CoresPerNode,
		GPUsMin:      job.GPUsMin,
		GPUsMax:      job.GPUsMax,
		Contiguous:   job.Contiguous,
		Options:      job.Options,
		Terms:        job.Terms,
		User:         m.Submitter(job),
		TimeLimit:    limit(job),
		Script:       script(job),
	}
	request.Account, request.Licenses = m.Charged(job), job.AllLicenses()
	// terms sets these; AllLicenses has what an array becomes.
	request.BeginAfter, request.Dependency, request.Array = 0, "", ""
	return request
}

// limit is a job's time limit in Slurm, which counts whole minutes.
func limit(job workloads.Job) time.Duration {
	return time.Duration(workloads.WholeMinutes(job.Limit)) * time.Second
}

func (r *run) path(name string) string { return filepath.Join(r.Out, name) }

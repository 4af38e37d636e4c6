package drive

import (
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
)

// Heard is a start or an end of a job by Slurm's id, see trace.Seen. Ended is zero for a
// start.
type Heard struct {
	ID             int
	State          string
	Started, Ended time.Time
	Nodes          string
	Cores, GPUs    int
}

// heard tells slurmlab of starts and ends for those who look at the run. It is no part of
// what drives the run, which a fault in it does not end.
type heard struct {
	*run
	// early is news of jobs whose ids sbatch has not told yet, or that are of others.
	early []Heard
	// lastLine is when the last line was written, in seconds of the run.
	lastLine float64
	failed   bool
}

// hundredth is by how much time has to grow for a line without news. So the picture of a run is known up to its last
// hundredth, and a run of a day has a thousand such lines.
const hundredth = 1.01

// tell emits what has become known since the last call.
func (h *heard) tell() error {
	if h.Heard == nil || h.failed {
		return nil
	}
	news, err := h.Heard()
	if err != nil {
		h.Log.Error("starts and ends are not told any more", "error", err)
		h.failed = true
		return nil
	}
	line := trace.Progress{Time: max(0, h.since(h.Clock.Now()))}
	news = append(h.early, news...)
	h.early = nil
	for _, n := range news {
		job, own := h.jobs.job(n.ID)
		if !own {
			h.early = append(h.early, n)
			continue
		}
		seen := trace.Seen{Job: job, Slurm: n.ID, State: n.State, Nodes: n.Nodes, Cores: n.Cores, GPUs: n.GPUs}
		if !n.Started.IsZero() {
			seen.Start = h.since(n.Started)
		}
		if !n.Ended.IsZero() {
			seen.End = h.since(n.Ended)
		}
		line.Jobs = append(line.Jobs, seen)
	}
	if line.Jobs == nil && line.Time <= h.lastLine*hundredth {
		return nil
	}
	h.lastLine = line.Time
	return h.Emit(Event{Heard: &line})
}

// since counts from the second in which the run begins: Slurm's records are in whole
// seconds, and so is the accounting, in which the first job was submitted at one.
func (h *heard) since(t time.Time) float64 {
	return t.Sub(h.began.Truncate(time.Second)).Seconds()
}

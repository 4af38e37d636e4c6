package emulator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
)

const (
	// stopPoll is the real time between two looks for stopped processes.
	stopPoll = time.Second
	// lateLimit is by how much more than stopPoll a look may be late on a busy machine.
	lateLimit = 2 * time.Second
)

// watchStops records which processes of the cluster were stopped, by a signal or
// together with the whole container. Virtual time goes on without them, and the run may
// be complete all the same.
func (r *run) watchStops(ctx context.Context) error {
	last := time.Now()
	for {
		if err := sleep(ctx, stopPoll); err != nil {
			return err
		}
		now := time.Now()
		r.stops.look(r.Stopped(), now.Sub(last))
		last = now
	}
}

// stops adds up for how long processes were stopped.
type stops struct {
	seconds map[string]float64
}

// look is told which processes are stopped now and how long ago the last look was.
func (s *stops) look(stopped []string, since time.Duration) {
	if late := since - stopPoll; late > lateLimit {
		s.add("slurmlabd", late)
	}
	for _, name := range stopped {
		s.add(name, min(since, stopPoll))
	}
}

func (s *stops) add(name string, d time.Duration) {
	if s.seconds == nil {
		s.seconds = map[string]float64{}
	}
	s.seconds[name] += d.Seconds()
}

// record lists the stops, nil if there were none.
func (s *stops) record() []trace.Stop {
	var all []trace.Stop
	for name, seconds := range s.seconds {
		all = append(all, trace.Stop{Process: name, Seconds: seconds})
	}
	slices.SortFunc(all, func(a, b trace.Stop) int { return strings.Compare(a.Process, b.Process) })
	return all
}

// blame adds to the reason of a run that broke which processes are stopped: one that is
// does not answer, and cannot say why.
func (d *Driver) blame(err error) error {
	stopped := d.Stopped()
	if err == nil || len(stopped) == 0 {
		return err
	}
	return fmt.Errorf("%w; stopped by a signal: %s", err, strings.Join(stopped, ", "))
}

package drive

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
	// stopLimit is the real time for which a process may be stopped. After a longer stop the run passes at the speed
	// of real time.
	stopLimit = time.Minute
)

// whileRunning records which processes of the cluster are stopped, by a signal or together
// with the whole container, until the function that it returns is called, which looks once
// more. Virtual time goes on without them, and the run may be complete all the same, unless
// one is stopped for longer than stopLimit, which ends the context.
func (r *run) whileRunning(ctx context.Context) (context.Context, func()) {
	ctx, stop := context.WithCancelCause(ctx)
	over, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for last := time.Now(); ; {
			ending := false
			select {
			case <-time.After(stopPoll):
			case <-over:
				ending = true
			}
			now := time.Now()
			if err := r.stops.look(r.Stopped(), now.Sub(last)); err != nil {
				stop(err)
			}
			if ending {
				return
			}
			last = now
		}
	}()
	return ctx, func() {
		close(over)
		<-watched
	}
}

// stops adds up for how long processes were stopped.
type stops struct {
	seconds map[string]float64
	// looks counts the last looks at which the same process was stopped.
	looks map[string]int
}

// look takes which processes are stopped now and how long ago the last look was. The error names one that is stopped
// for good.
func (s *stops) look(stopped []string, since time.Duration) error {
	if late := since - stopPoll; late > lateLimit {
		s.add("slurmlabd", late)
	}
	for _, name := range stopped {
		s.add(name, min(since, stopPoll))
	}
	before := s.looks
	s.looks = map[string]int{}
	for _, name := range stopped {
		s.looks[name] = before[name] + 1
		if stop := time.Duration(s.looks[name]) * stopPoll; stop >= stopLimit {
			return fmt.Errorf("%s did not run for %v of real time", name, stop)
		}
	}
	return nil
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

package drive

import (
	"context"
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
)

const (
	// clockLimit is the real time without a jump after which the run warns. A cluster that computes does not jump
	// either; clockLimit is longer than what computes in one go on a quiet core.
	clockLimit = 20 * time.Second
	// clockPoll is the real time between two looks.
	clockPoll = 2 * time.Second
)

// watchClock tells when a jump clock has stopped jumping although the cluster does not
// compute: the run then goes on at the speed of real time. It fails when the clock has no
// slots left.
func (r *run) watchClock(ctx context.Context) error {
	if r.Clock.Kind != clock.KindJump {
		return nil
	}
	var still standstill
	first := r.Clock.Stats()
	for {
		if err := sleep(ctx, clockPoll); err != nil {
			return err
		}
		computed, err := r.Computed()
		if err != nil {
			return err
		}
		now := r.Clock.Stats()
		if err = now.Since(first).Fault(); err != nil {
			return err
		}
		text := still.look(now.Jumps, computed)
		if text == "" {
			continue
		}
		r.standstills++
		r.Log.Warn(text)
		if err = r.Emit(Event{Warning: text}); err != nil {
			return err
		}
	}
}

// standstill is for how long a clock has not jumped.
type standstill struct {
	jumps uint64
	// looks counts the looks since the first one with this number of jumps. They are
	// counted, and not the time, because a cluster that was paused did not look.
	looks int
	// computed is the processor time at the first of them.
	computed time.Duration
	told     bool
}

// look takes the counters at every clockPoll and returns what is to be told, once for
// each standstill.
func (s *standstill) look(jumps uint64, computed time.Duration) string {
	s.looks++
	if s.looks == 1 || jumps != s.jumps {
		*s = standstill{jumps: jumps, looks: 1, computed: computed}
		return ""
	}
	stood, busy := time.Duration(s.looks-1)*clockPoll, computed-s.computed
	if s.told || stood < clockLimit || 2*busy > stood {
		return ""
	}
	s.told = true
	return fmt.Sprintf("the clock has not jumped for %v of real time, of which the cluster computed %v; until it jumps, the run goes on at the speed of real time",
		stood, busy.Round(time.Second/10))
}

package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/results/trace"
)

// watch follows a job through the cycles of a run.
type watch struct {
	in          Input
	job         int
	obstacles   []obstacle
	explanation *Explanation
	// rivals counts, for each of them, the cycles of the last stretch.
	rivals map[int]int
}

// obstacle is one that was recorded in a cycle; its reason is empty when it is
// gone.
type obstacle struct {
	cycle  trace.Cycle
	reason string
}

func obstacles(cycles []trace.Cycle, job int) []obstacle {
	var all []obstacle
	for _, c := range cycles {
		for _, u := range c.Unplaced {
			if u.Job == job {
				all = append(all, obstacle{c, u.Reason})
			}
		}
	}
	return all
}

// endOfTime is after all cycles.
const endOfTime = math.MaxInt

// obstructed adds stretches for the obstacles that came before a cycle. Cycles
// without a change of them are not counted.
func (w *watch) obstructed(before int) {
	for len(w.obstacles) > 0 && w.obstacles[0].cycle.Cycle < before {
		o := w.obstacles[0]
		w.obstacles = w.obstacles[1:]
		if o.reason == "" {
			continue
		}
		s := CycleSpan{
			First: o.cycle.Cycle, Last: o.cycle.Cycle, From: o.cycle.Time, To: o.cycle.Time, Cycles: 1,
			Outcome: Obstructed, Reason: o.reason, key: string(Obstructed),
		}
		last := w.in.Cycles[len(w.in.Cycles)-1]
		if len(w.obstacles) > 0 {
			last = w.obstacles[0].cycle
		}
		s.Last, s.To, s.Cycles = last.Cycle, last.Time, last.Cycle-s.First+1
		w.explanation.Stretches = append(w.explanation.Stretches, s)
	}
}

// see adds a cycle to the stretches.
func (w *watch) see(entry journal.Entry) error {
	w.obstructed(entry.Cycle)
	x, waited, err := newScene(entry, w.recordOf(entry.Cycle), w.job)
	if err != nil || !waited {
		return err
	}
	c, all := x.cycle, w.explanation.Stretches
	if len(all) == 0 || all[len(all)-1].key != c.key() {
		all = append(all, CycleSpan{
			First: c.Cycle, From: c.Time, Outcome: c.Outcome, Reason: c.Reason, key: c.key(),
		})
		w.rivals = make(map[int]int)
	}
	s := &all[len(all)-1]
	s.Last, s.To = c.Cycle, c.Time
	s.Cycles++
	for _, job := range c.rivals() {
		if w.rivals[job]++; w.rivals[job] == 1 {
			s.Rivals = append(s.Rivals, Rival{Job: job})
		}
	}
	for i := range s.Rivals {
		s.Rivals[i].Cycles = w.rivals[s.Rivals[i].Job]
	}
	slices.SortStableFunc(s.Rivals, func(a, b Rival) int { return b.Cycles - a.Cycles })
	w.explanation.Stretches = all
	return nil
}

// recordOf returns the cycle's line of cycles.jsonl, which may lack the last one.
func (w *watch) recordOf(cycle int) trace.Cycle {
	at, found := slices.BinarySearchFunc(w.in.Cycles, cycle, func(c trace.Cycle, n int) int { return c.Cycle - n })
	if !found {
		return trace.Cycle{Cycle: cycle, Gap: -1}
	}
	return w.in.Cycles[at]
}

// show explains one cycle in full.
func (w *watch) show(cycle int) error {
	found := false
	_, err := w.in.Journal(func(entry journal.Entry) error {
		if entry.Cycle != cycle {
			return nil
		}
		x, waited, err := newScene(entry, w.recordOf(cycle), w.job)
		if err != nil || !waited {
			return err
		}
		found = true
		x.detail()
		w.explanation.Cycle = &x.cycle
		return nil
	})
	if err == nil && !found {
		err = fmt.Errorf("cycle %d: %w: %s", cycle, ErrUnknown, w.cycles())
	}
	return err
}

// cycles lists the cycles that can be shown.
func (w *watch) cycles() string {
	var all []string
	for _, s := range w.explanation.Stretches {
		switch {
		case s.Outcome == Obstructed:
		case s.First == s.Last:
			all = append(all, fmt.Sprint(s.First))
		default:
			all = append(all, fmt.Sprintf("%d-%d", s.First, s.Last))
		}
	}
	if len(all) == 0 {
		return fmt.Sprintf("job %d waited for no auction", w.job)
	}
	return fmt.Sprintf("job %d waited for an auction in cycles %s", w.job, strings.Join(all, ", "))
}

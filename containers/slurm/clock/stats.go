package clock

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Stats are the counters of a jump clock since its start; all are zero for
// other clocks.
type Stats struct {
	Jumps uint64
	// Skipped is the virtual time that jumps skipped.
	Skipped time.Duration
	// IdleTests counts how often the core seemed idle; CaughtRunning and
	// CaughtBlocked how often a look at the threads refuted it, because one was
	// runnable or waited for a disk.
	IdleTests     uint64
	CaughtRunning uint64
	CaughtBlocked uint64
	// LongestBusy is the longest real time without an idle moment since
	// ResetLongest, and LongestBusyAt the virtual time at its end; zero if there
	// was none.
	LongestBusy   time.Duration
	LongestBusyAt time.Time
	// Restarts counts controllers that died or were ended, and were replaced.
	Restarts uint64
	// Slotless counts the waits of all programs for which the page had no slot left.
	// They end late: virtual time jumps over them.
	Slotless uint64
	// Rounded are the threads whose waits end at a multiple of a time.
	Rounded map[string]time.Duration
	// Sources are the waits at which jumps ended, most frequent first.
	Sources []Source
}

// Source is one kind of wait.
type Source struct {
	// Thread is the name of the waiting thread, Kind what it waits in.
	Thread string
	Kind   string
	Jumps  uint64
}

// Stats reads the counters. Each is exact, but they are not of one instant
// unless the clock is held.
func (c Clock) Stats() Stats {
	if c.Kind != KindJump {
		return Stats{}
	}
	p := c.shared.page
	s := Stats{
		Jumps:         p.jumps.Load(),
		Skipped:       time.Duration(p.jumped.Load()),
		IdleTests:     p.tests.Load(),
		CaughtRunning: p.caughtRunning.Load(),
		CaughtBlocked: p.caughtBlocked.Load(),
		LongestBusy:   time.Duration(p.longestNs.Load()),
		Restarts:      p.takeovers.Load(),
		Slotless:      p.slotless.Load(),
		Rounded:       map[string]time.Duration{},
	}
	if at := p.longestAt.Load(); at != 0 {
		s.LongestBusyAt = p.wallTime(at)
	}
	for i := range p.round {
		if name := threadName(&p.round[i].thread); name != "" {
			s.Rounded[name] = time.Duration(p.round[i].grain)
		}
	}
	for i := range p.source {
		src := &p.source[i]
		// vclockd writes the count last, so a line that has a count is complete.
		if jumps := src.jumps.Load(); jumps > 0 {
			s.Sources = append(s.Sources, Source{threadName(&src.thread), kindNames[src.kind], jumps})
		}
	}
	sortSources(s.Sources)
	return s
}

// Since returns what was counted between an earlier reading and this one.
// LongestBusy and Rounded are those of this one.
func (s Stats) Since(earlier Stats) Stats {
	s.Jumps -= earlier.Jumps
	s.Skipped -= earlier.Skipped
	s.IdleTests -= earlier.IdleTests
	s.CaughtRunning -= earlier.CaughtRunning
	s.CaughtBlocked -= earlier.CaughtBlocked
	s.Restarts -= earlier.Restarts
	s.Slotless -= earlier.Slotless
	type wait struct{ thread, kind string }
	before := map[wait]uint64{}
	for _, src := range earlier.Sources {
		before[wait{src.Thread, src.Kind}] = src.Jumps
	}
	var sources []Source
	for _, src := range s.Sources {
		if src.Jumps -= before[wait{src.Thread, src.Kind}]; src.Jumps > 0 {
			sources = append(sources, src)
		}
	}
	sortSources(sources)
	s.Sources = sources
	return s
}

// Fault says why virtual time cannot be trusted any more, nil if it can.
func (s Stats) Fault() error {
	if s.Slotless == 0 {
		return nil
	}
	return fmt.Errorf("%w (%d waits had none)", ErrNoSlot, s.Slotless)
}

// ResetLongest starts a new measurement of LongestBusy.
func (c Clock) ResetLongest() {
	if c.Kind == KindJump {
		c.shared.longestNs.Store(0)
		c.shared.longestAt.Store(0)
	}
}

func sortSources(sources []Source) {
	slices.SortFunc(sources, func(a, b Source) int {
		return cmp.Or(cmp.Compare(b.Jumps, a.Jumps), cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Kind, b.Kind))
	})
}

func threadName(raw *[pageName]byte) string {
	name, _, _ := bytes.Cut(raw[:], []byte{0})
	return string(name)
}

// Controller is the process id of vclockd, 0 for other clocks and while there
// is none.
func (c Clock) Controller() int {
	if c.Kind != KindJump {
		return 0
	}
	return int(c.shared.controller)
}

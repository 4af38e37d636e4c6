package fidelity

import (
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Other is the name of all processes without one in BusySeconds.
const Other = "other"

// Meter is a measurement under way.
type Meter struct {
	clock     clock.Clock
	began     time.Time
	processes func() map[string][]int
	sources   sources
	first     reading
}

// reading is one look at all counters.
type reading struct {
	real, virtual time.Time
	jumps         clock.Stats
	total         time.Duration
	// named holds the processor time of each process by its id.
	named map[int]time.Duration
	core  coreTime
}

// Start begins to measure. Times of the jump clock are counted from the virtual
// instant began; processes returns the ids of those with a name.
func Start(c clock.Clock, began time.Time, processes func() map[string][]int) (*Meter, error) {
	return start(c, began, processes, system())
}

func start(c clock.Clock, began time.Time, processes func() map[string][]int, s sources) (*Meter, error) {
	m := &Meter{clock: c, began: began, processes: processes, sources: s}
	c.ResetLongest()
	var err error
	m.first, _, err = m.read()
	return m, err
}

// Stop ends the measurement.
func (m *Meter) Stop() (*trace.Fidelity, error) {
	last, processes, err := m.read()
	if err != nil {
		return nil, err
	}
	total := last.total - m.first.total
	f := &trace.Fidelity{
		RealSeconds:    last.real.Sub(m.first.real).Seconds(),
		VirtualSeconds: last.virtual.Sub(m.first.virtual).Seconds(),
		BusySeconds:    map[string]float64{},
		ForeignSeconds: max(0, last.core.busy-m.first.core.busy-total).Seconds(),
		StolenSeconds:  (last.core.stolen - m.first.core.stolen).Seconds(),
	}
	if !m.sources.alone {
		f.ForeignSeconds = 0
	}
	rest := total
	for name, pids := range processes {
		var own time.Duration
		for _, pid := range pids {
			// A process that started after Start has used all its time in this run.
			if used, alive := last.named[pid]; alive {
				own += used - m.first.named[pid]
			}
		}
		f.BusySeconds[name] = own.Seconds()
		rest -= own
	}
	f.BusySeconds[Other] = max(0, rest).Seconds()
	if m.clock.Kind == clock.KindJump {
		f.Jump = m.jump(last.jumps.Since(m.first.jumps))
	}
	return f, nil
}

func (m *Meter) read() (reading, map[string][]int, error) {
	r := reading{
		real: time.Now(), virtual: m.clock.Now(), jumps: m.clock.Stats(),
		named: map[int]time.Duration{},
	}
	processes := m.processes()
	for _, pids := range processes {
		for _, pid := range pids {
			if used, alive := processTime(pid); alive {
				r.named[pid] = used
			}
		}
	}
	var err error
	if r.total, err = m.sources.total(); err != nil {
		return r, nil, fmt.Errorf("measure fidelity: %w", err)
	}
	if m.sources.alone {
		if r.core, err = m.sources.coreTime(); err != nil {
			return r, nil, fmt.Errorf("measure fidelity: %w", err)
		}
	}
	return r, processes, nil
}

func (m *Meter) jump(s clock.Stats) *trace.JumpFidelity {
	j := &trace.JumpFidelity{
		Jumps: s.Jumps, SkippedSeconds: s.Skipped.Seconds(),
		IdleTests: s.IdleTests, CaughtRunning: s.CaughtRunning, CaughtBlocked: s.CaughtBlocked,
		LongestBusySeconds: s.LongestBusy.Seconds(),
		Restarts:           int(s.Restarts),
		Rounded:            map[string]float64{},
	}
	if !s.LongestBusyAt.IsZero() {
		j.LongestBusyAt = s.LongestBusyAt.Sub(m.began).Seconds()
	}
	for thread, grain := range s.Rounded {
		j.Rounded[thread] = grain.Seconds()
	}
	for _, source := range s.Sources {
		j.Sources = append(j.Sources, trace.JumpSource{Thread: source.Thread, Kind: source.Kind, Jumps: source.Jumps})
	}
	return j
}

package drive

import (
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/results/trace"
)

// otherProcesses is the name of all processes without one in BusySeconds.
const otherProcesses = "other"

// meter is a measurement under way.
type meter struct {
	clock     clock.Clock
	began     time.Time
	processes func() map[string][]int
	ended     func() []EndedProcess
	sources   sources
	first     counters
}

// EndedProcess is a process with a name that has ended, and the processor time of its life.
type EndedProcess struct {
	Name string
	ID   int
	Used time.Duration
}

// counters is one look at all counters.
type counters struct {
	real, virtual time.Time
	jumps         clock.Stats
	total         time.Duration
	// named holds the processor time of each process by its id, ended those that are no
	// more.
	named map[int]time.Duration
	ended []EndedProcess
	core  coreTime
}

// startMeter begins to measure. Times of the jump clock are counted from the virtual instant began. processes returns
// the ids of processes with a name. ended, which may be nil, returns the ids of those that have ended, in the order
// of their ends.
func startMeter(c clock.Clock, began time.Time, processes func() map[string][]int, ended func() []EndedProcess) (*meter, error) {
	return newMeter(c, began, processes, ended, system())
}

func newMeter(c clock.Clock, began time.Time, processes func() map[string][]int, ended func() []EndedProcess, s sources) (*meter, error) {
	m := &meter{clock: c, began: began, processes: processes, ended: ended, sources: s}
	c.ResetLongest()
	var err error
	m.first, _, err = m.read()
	return m, err
}

// Stop ends the measurement.
func (m *meter) Stop() (*trace.Fidelity, error) {
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
	parts := map[string]time.Duration{}
	for name, pids := range processes {
		parts[name] = 0
		for _, pid := range pids {
			// A process that started after Start has used all its time in this run.
			if used, alive := last.named[pid]; alive {
				parts[name] += used - m.first.named[pid]
			}
		}
	}
	for _, p := range last.ended[len(m.first.ended):] {
		parts[p.Name] += max(0, p.Used-m.first.named[p.ID])
	}
	rest := total
	for name, own := range parts {
		f.BusySeconds[name] = own.Seconds()
		rest -= own
	}
	f.BusySeconds[otherProcesses] = max(0, rest).Seconds()
	if m.clock.Kind == clock.KindJump {
		f.Jump = m.jump(last.jumps.Since(m.first.jumps))
	}
	return f, nil
}

func (m *meter) read() (counters, map[string][]int, error) {
	r := counters{
		real: time.Now(), virtual: m.clock.Now(), jumps: m.clock.Stats(),
		named: map[int]time.Duration{},
	}
	if m.ended != nil {
		r.ended = m.ended()
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

func (m *meter) jump(s clock.Stats) *trace.JumpFidelity {
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

package benchmark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// Machine is a scheduler and its clock, for jobs whose scripts are of MachineScript. It has one node, as
// all nodes of a job go equally fast, and another one for those that are kept free.
type Machine struct {
	model Contention
	node  Node
	// atOnce is the number of jobs that run at a time, delay what each waits at least.
	atOnce int
	delay  time.Duration

	now  time.Time
	jobs []*job
	// live are those that have not ended, rates their speeds.
	live  []*job
	rates []float64
}

// NewMachine returns a machine without jobs. It runs atOnce of them at a time; each waits for delay
// at least.
func NewMachine(model Contention, node Node, atOnce int, delay time.Duration) *Machine {
	return &Machine{model: model, node: node, atOnce: atOnce, delay: delay, now: time.Unix(0, 0)}
}

type job struct {
	Status
	load Load
	// left is the work to be done, in seconds alone.
	left float64
}

// work is what stands in the script of a job.
type work struct {
	Seconds float64 `json:"seconds"`
	Load    Load    `json:"load"`
}

// MachineScript is the text by which a machine knows what an application computes.
func MachineScript(part Part, a djsbconfig.Application, scenario djsbconfig.Scenario) string {
	node := "n1"
	if part == Analysis && scenario == djsbconfig.ScenarioKeptFree {
		node = "n2"
	}
	text, err := json.Marshal(work{a.ExecTime.Seconds(), Load{
		Nodes: []string{node}, Threads: a.CPUsPerNode(), Memory: int64(a.MemoryPerNode()),
		Lends: part == Simulation && scenario == djsbconfig.ScenarioCooperative,
	}})
	if err != nil {
		// Numbers and words have a JSON form.
		panic(err)
	}
	return string(text)
}

// Now implements Clock.
func (m *Machine) Now() time.Time { return m.now }

// Sleep implements Clock: it is what makes time pass.
func (m *Machine) Sleep(ctx context.Context, d time.Duration) error {
	until := m.now.Add(d)
	for m.now.Before(until) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m.advance(until)
	}
	return nil
}

// Wait implements Clock; nobody wakes.
func (m *Machine) Wait(ctx context.Context, until time.Time, _ <-chan struct{}) (bool, error) {
	return false, m.Sleep(ctx, until.Sub(m.now))
}

// advance lets time pass until the next start or end of a job, and no longer than until.
func (m *Machine) advance(until time.Time) {
	next := until
	earlier := func(at time.Time) {
		if at.Before(next) && at.After(m.now) {
			next = at
		}
	}
	for i, j := range m.live {
		switch {
		case j.State == Pending:
			earlier(j.Submit.Add(m.delay))
		case m.rates[i] > 0:
			// At least a microsecond, or time would stand.
			earlier(m.now.Add(max(1, time.Duration(math.Round(j.left/m.rates[i]*1e6))) * time.Microsecond))
		}
	}
	passed := next.Sub(m.now).Seconds()
	m.now = next
	changed := false
	for i, j := range m.live {
		j.left -= m.rates[i] * passed
		// Less than a microsecond is lost in arithmetic.
		if j.State == Running && j.left < 1e-6 {
			j.State, j.End = Completed, m.now
			changed = true
		}
		changed = changed || j.State == Pending && !m.now.Before(j.Submit.Add(m.delay))
	}
	if changed {
		m.settle()
	}
}

// settle starts what can start and computes the speeds.
func (m *Machine) settle() {
	var live []*job
	running := 0
	for _, j := range m.jobs {
		if !j.State.Ended() {
			live = append(live, j)
		}
		if j.State == Running {
			running++
		}
	}
	m.live, m.rates = live, make([]float64, len(live))
	var loads []Load
	var there []int
	for i, j := range live {
		if j.State == Pending && running < m.atOnce && !m.now.Before(j.Submit.Add(m.delay)) {
			j.State, j.Start = Running, m.now
			running++
		}
		if j.State == Pending {
			continue
		}
		j.load.Suspended = j.State == Suspended
		loads, there = append(loads, j.load), append(there, i)
	}
	for k, rate := range m.model.Rates(m.node, loads) {
		m.rates[there[k]] = rate
	}
}

// Submit implements jobs.Scheduler.
func (m *Machine) Submit(_ context.Context, r JobRequest) (string, error) {
	var w work
	if err := json.NewDecoder(strings.NewReader(r.Script)).Decode(&w); err != nil {
		return "", fmt.Errorf("submit job %s: %w", r.Name, err)
	}
	m.jobs = append(m.jobs, &job{Status: Status{State: Pending, Submit: m.now}, load: w.Load, left: w.Seconds})
	m.settle()
	return strconv.Itoa(len(m.jobs)), nil
}

func (m *Machine) find(id string) (*job, error) {
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(m.jobs) {
		return nil, fmt.Errorf("no job %q was submitted", id)
	}
	return m.jobs[n-1], nil
}

// Poll implements jobs.Scheduler.
func (m *Machine) Poll(_ context.Context, id string) (Status, error) {
	j, err := m.find(id)
	if err != nil {
		return Status{}, fmt.Errorf("poll: %w", err)
	}
	return j.Status, nil
}

// Suspend implements jobs.Scheduler.
func (m *Machine) Suspend(_ context.Context, id string) error {
	return m.turn("suspend", id, Running, Suspended)
}

// Resume implements jobs.Scheduler.
func (m *Machine) Resume(_ context.Context, id string) error {
	return m.turn("resume", id, Suspended, Running)
}

func (m *Machine) turn(verb, id string, from, to State) error {
	j, err := m.find(id)
	if err == nil && j.State != from {
		err = errors.New("it is " + string(j.State))
	}
	if err != nil {
		return fmt.Errorf("%s job %s: %w", verb, id, err)
	}
	j.State = to
	m.settle()
	return nil
}

// Cancel implements jobs.Scheduler.
func (m *Machine) Cancel(_ context.Context, id string) error {
	j, err := m.find(id)
	if err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	if !j.State.Ended() {
		j.State, j.End, j.Reason = Failed, m.now, "it was cancelled"
		m.settle()
	}
	return nil
}

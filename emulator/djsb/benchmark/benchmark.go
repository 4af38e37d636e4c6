package benchmark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// Clock is the time that jobs run in.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
	// Wait waits until a time, or until wake delivers.
	Wait(ctx context.Context, until time.Time, wake <-chan struct{}) (woken bool, err error)
}

// Benchmark is a configuration with what runs it.
type Benchmark struct {
	Config    djsbconfig.DJSB
	Scheduler Scheduler
	Clock     Clock
	// Script makes the batch script of an application in a scenario.
	Script func(Part, djsbconfig.Application, djsbconfig.Scenario) string
	// Partition is where an application is submitted to in a scenario; nil for the default one.
	Partition func(Part, djsbconfig.Scenario) string
	// Seed of the sleeps.
	Seed uint64
	// Poll is the time between two questions for an analytics, and SlowPoll for a
	// simulation, whose end nothing waits for but the next sample.
	Poll, SlowPoll time.Duration
	// Ended delivers when a job may have ended. With it nobody asks before but every SlowPoll,
	// which saves most questions; nil for nobody who knows.
	Ended <-chan struct{}
	// Changes returns what the jobs computed with since it was asked last; nil if nobody
	// watches them.
	Changes func() []Change
	// WholeSeconds says that the scheduler counts in whole seconds while applications take as long as they compute. Changes
	// and Clock then place each submission, start and end inside its second: see exactly.
	WholeSeconds bool
	// Output says where the output of a job is; nil if it is kept nowhere.
	Output func(id string) string
	// Emit is called with each result at once.
	Emit func(djsb.Event) error
}

// Request is the input of a benchmark inside a cluster.
type Request struct {
	Config djsbconfig.DJSB `json:"config"`
	// Policy is that of package policy which schedules the cluster, Slurm's own if it is
	// empty. The benchmark need not know it.
	Policy json.RawMessage `json:"policy,omitempty"`
	Model  Contention      `json:"model"`
	Seed   uint64          `json:"seed"`
	// Real runs applications that compute, for which there is no model.
	Real bool `json:"real,omitempty"`
}

// Placed is an application as a scenario has it, with the time that it takes alone on the nodes
// that it has there.
func Placed(c djsbconfig.DJSB, m Contention, part Part, a djsbconfig.Application) djsbconfig.Application {
	configured := c.Simulation
	if part == Analysis {
		configured = c.Analysis.Application
	}
	node := Node{Cores: c.Machine.Cores}
	speed := func(a djsbconfig.Application) float64 { return m.Speed(node, a.Nodes(), a.CPUsPerNode()) }
	a.ExecTime.Duration = time.Duration(float64(a.ExecTime.Duration) * (speed(configured) / speed(a)))
	return a
}

// Line is a line of what such a benchmark prints: a result, what people should know, or a sign of life.
type Line struct {
	djsb.Event
	Warning string `json:"warning,omitempty"`
	Alive   bool   `json:"alive,omitempty"`
}

// Part is one of the two applications.
type Part string

// The applications of the benchmark.
const (
	Simulation Part = "simulation"
	Analysis   Part = "analysis"
)

// limitFactor is how many times its time alone a job may take, and limitRest what it has in any case. So a job that
// hangs ends, and no scenario of the paper slows one down as much.
const (
	limitFactor = 20
	limitRest   = 5 * time.Minute
)

// Run runs both stages. It ends early when the reference stage fails, when Emit fails or when
// ctx ends.
func (b *Benchmark) Run(ctx context.Context) error {
	reference, err := b.reference(ctx)
	if err != nil {
		return fmt.Errorf("reference stage: %w", err)
	}
	if err := b.Emit(djsb.Event{Reference: &reference}); err != nil {
		return err
	}
	for _, scenario := range b.Config.Scenarios {
		for _, n := range b.Config.NumOfDynAnalysis {
			for number := 1; number <= b.Config.NumOfSamples; number++ {
				sample, err := b.sample(ctx, scenario, n, number)
				if ctx.Err() != nil {
					err = errors.Join(context.Cause(ctx), err)
				}
				if err != nil {
					return err
				}
				trial := djsb.Trial{Scenario: scenario, NumOfDynAnalysis: n, Number: number, Sample: sample}
				if err := b.Emit(djsb.Event{Trial: &trial}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// reference runs each application alone: "This reference time is computed as the average of
// the several executions performed at the reference stage" (section 2.4).
func (b *Benchmark) reference(ctx context.Context) (djsb.Reference, error) {
	var ref djsb.Reference
	runs := b.Config.NumOfSamples
	for range runs {
		seconds, err := b.alone(ctx, Simulation)
		if err != nil {
			return ref, err
		}
		ref.Simulation += seconds / float64(runs)
		for range b.Config.NumOfRefAnalysis {
			if seconds, err = b.alone(ctx, Analysis); err != nil {
				return ref, err
			}
			ref.Analysis += seconds / float64(runs*b.Config.NumOfRefAnalysis)
		}
	}
	// Every sample is compared with these times: none would count.
	if ref.Simulation <= 0 || ref.Analysis <= 0 {
		return ref, fmt.Errorf("the simulation took %g s and the analytics %g s by the scheduler's clock: allowed are applications that take longer, "+
			"more than a second where the clock has whole seconds", ref.Simulation, ref.Analysis)
	}
	return ref, nil
}

// alone returns the execution time of an application that nothing disturbs, in seconds.
func (b *Benchmark) alone(ctx context.Context, part Part) (seconds float64, err error) {
	s := session{Benchmark: b, scenario: djsbconfig.ScenarioQueue}
	defer func() { err = errors.Join(err, s.clear(ctx)) }()
	id, err := s.submit(ctx, part, nil)
	if err != nil {
		return 0, err
	}
	status, err := s.ended(ctx, id, b.poll(part))
	if err == nil {
		status, err = s.exactly(ctx, id, status)
	}
	if err != nil {
		return 0, err
	}
	return status.End.Sub(status.Start).Seconds(), nil
}

func (b *Benchmark) poll(part Part) time.Duration {
	if part == Simulation {
		return b.SlowPoll
	}
	return b.Poll
}

// sample runs a simulation with n analytics. What fails in it fails the sample; an error is that
// of jobs which may be left over.
func (b *Benchmark) sample(ctx context.Context, scenario djsbconfig.Scenario, n, number int) (djsb.Sample, error) {
	s := session{Benchmark: b, scenario: scenario}
	sleeps := rand.New(rand.NewPCG(b.Seed, uint64(n)<<32|uint64(number)))
	sample, err := s.run(ctx, n, func() time.Duration {
		low, high := int64(b.Config.SleepMinTime.Seconds()), int64(b.Config.SleepMaxTime.Seconds())
		return time.Duration(low+sleeps.Int64N(high-low+1)) * time.Second
	})
	if err != nil {
		sample.Failed = err.Error()
	}
	sample.Phases = s.phases()
	return sample, s.clear(ctx)
}

// session is the jobs of one sample.
type session struct {
	*Benchmark
	scenario djsbconfig.Scenario
	// ids has the simulation, and then the analytics in the order of submission. The first of
	// all was submitted at origin.
	ids    []string
	origin time.Time
	// submitted is when each job was about to be submitted, by its id.
	submitted map[string]time.Time
	// changes are those that Changes has returned so far.
	changes []Change
}

// phases are what the jobs of the session computed with.
func (s *session) phases() []djsb.Phase {
	if s.Changes == nil || s.origin.IsZero() {
		return nil
	}
	var out []djsb.Phase
	s.collect()
	for _, c := range s.changes {
		// What is left of jobs before it is none of this session.
		if i := slices.Index(s.ids, c.ID); i >= 0 {
			out = append(out, djsb.Phase{At: c.At.Sub(s.origin).Seconds(), Analysis: i, Cores: c.Cores, Rate: c.Rate})
		}
	}
	return out
}

// run runs the jobs of a sample. Times count from the first submission.
func (s *session) run(ctx context.Context, n int, sleep func() time.Duration) (djsb.Sample, error) {
	var sample djsb.Sample
	come := s.during
	if s.scenario == djsbconfig.ScenarioWaiting {
		come = s.behind
	}
	if err := come(ctx, n, sleep); err != nil {
		return sample, err
	}
	simulation, analyses := s.ids[0], s.ids[1:]
	last, err := s.ended(ctx, simulation, s.SlowPoll)
	if err == nil {
		last, err = s.exactly(ctx, simulation, last)
	}
	if err != nil {
		return sample, fmt.Errorf("simulation: %w", err)
	}
	times := func(j Status) djsb.Times {
		since := func(t time.Time) float64 { return t.Sub(s.origin).Seconds() }
		return djsb.Times{Submit: since(j.Submit), Start: since(j.Start), End: since(j.End), Suspended: j.Suspended.Seconds(), Lost: j.Lost.Seconds()}
	}
	sample.Simulation = times(last)
	for i, id := range analyses {
		a, err := s.ended(ctx, id, s.Poll)
		if err == nil {
			a, err = s.exactly(ctx, id, a)
		}
		if err != nil {
			return sample, fmt.Errorf("analytics %d of %d: %w", i+1, n, err)
		}
		if !a.Submit.Before(last.End) {
			return sample, fmt.Errorf("analytics %d of %d came %s after the simulation's end: allowed are shorter sleeps, or fewer analytics",
				i+1, n, a.Submit.Sub(last.End))
		}
		if s.together() && !a.Start.Before(last.End) {
			return sample, fmt.Errorf("analytics %d of %d waited until the simulation had ended: %s needs a system that starts it before", i+1, n, s.scenario)
		}
		sample.Analyses = append(sample.Analyses, times(a))
	}
	return sample, nil
}

// together says that an analytics of the scenario starts at once, beside the simulation.
func (s *session) together() bool {
	switch s.scenario {
	case djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioStopContinue, djsbconfig.ScenarioCooperative, djsbconfig.ScenarioKeptFree:
		return true
	default:
		return false
	}
}

// during submits the simulation, and while it runs the analytics, a sleep before each.
func (s *session) during(ctx context.Context, n int, sleep func() time.Duration) error {
	if err := s.first(ctx, Simulation, nil); err != nil {
		return err
	}
	for i := range n {
		if err := s.Clock.Sleep(ctx, sleep()); err != nil {
			return err
		}
		if err := s.analysis(ctx); err != nil {
			return fmt.Errorf("analytics %d of %d: %w", i+1, n, err)
		}
	}
	return nil
}

// behind submits an analytics, while it runs the simulation, and right behind it the other
// analytics: whether they pass it is for the scheduler to say. There is no sleep.
func (s *session) behind(ctx context.Context, n int, _ func() time.Duration) error {
	if n == 0 {
		return s.first(ctx, Simulation, nil)
	}
	if err := s.first(ctx, Analysis, s.sameNodes()); err != nil {
		return err
	}
	if _, err := s.submit(ctx, Simulation, nil); err != nil {
		return err
	}
	for i := range n - 1 {
		if _, err := s.submit(ctx, Analysis, s.sameNodes()); err != nil {
			return fmt.Errorf("analytics %d of %d: %w", i+2, n, err)
		}
	}
	return nil
}

// first submits the first application of a sample and waits until it runs.
func (s *session) first(ctx context.Context, part Part, nodes []string) error {
	id, err := s.submit(ctx, part, nodes)
	if err != nil {
		return err
	}
	status, err := s.wait(ctx, id, s.Poll, func(j Status) bool { return j.State == Running || j.State.Ended() })
	if err != nil {
		return fmt.Errorf("%s: %w", part, err)
	}
	s.origin = s.submission(id, status)
	return nil
}

// analysis submits an analytics and does what the scenario does with it.
func (s *session) analysis(ctx context.Context) error {
	id, err := s.submit(ctx, Analysis, s.sameNodes())
	if err != nil || s.scenario == djsbconfig.ScenarioQueue {
		return err
	}
	if s.scenario == djsbconfig.ScenarioStopContinue {
		if err := s.Scheduler.Suspend(ctx, s.ids[0]); err != nil {
			return err
		}
	}
	if _, err := s.ended(ctx, id, s.Poll); err != nil {
		return err
	}
	if s.scenario == djsbconfig.ScenarioStopContinue {
		return s.Scheduler.Resume(ctx, s.ids[0])
	}
	return nil
}

// application is the application of a part as the scenario has it.
func (s *session) application(part Part) djsbconfig.Application {
	simulation, analysis := s.Config.Applications(s.scenario)
	if part == Simulation {
		return simulation
	}
	return analysis
}

// sameNodes are those that an analytics asks for where it names none itself.
func (s *session) sameNodes() []string {
	if s.Config.Analysis.SameNodesAsSim {
		return s.Config.Simulation.NodeHostNames
	}
	return nil
}

// submit submits an application; nodes are used where it names none itself.
func (s *session) submit(ctx context.Context, part Part, nodes []string) (string, error) {
	a := s.application(part)
	if len(a.NodeHostNames) > 0 {
		nodes = a.NodeHostNames
	}
	partition := ""
	if s.Partition != nil {
		partition = s.Partition(part, s.scenario)
	}
	limit := limitRest + limitFactor*a.ExecTime.Duration
	// A submission that is under way is not broken off: nobody would know the job's id.
	patient, done := lasting(ctx, submitLimit)
	defer done()
	before := s.Clock.Now()
	id, err := s.Scheduler.Submit(patient, JobRequest{
		Name: "djsb." + string(part), Tasks: a.TotalTasks, TasksPerNode: a.TasksPerNode, CPUsPerTask: a.CPUsPerTask, Partition: partition, Nodes: nodes,
		TimeLimit: limit.Truncate(time.Minute) + time.Minute, Script: s.Script(part, a, s.scenario),
	})
	if err != nil {
		return "", err
	}
	if s.submitted == nil {
		s.submitted = map[string]time.Time{}
	}
	s.submitted[id] = before
	if part == Simulation {
		s.ids = slices.Insert(s.ids, 0, id)
	} else {
		s.ids = append(s.ids, id)
	}
	return id, nil
}

// submitLimit is for how long a submission may go on after an interrupt.
const submitLimit = 30 * time.Second

// lasting returns a context that ends so long after ctx.
func lasting(ctx context.Context, after time.Duration) (context.Context, func()) {
	lasts, end := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(after, func() { end(context.Cause(ctx)) }) })
	return lasts, func() {
		stop()
		end(nil)
	}
}

// ended waits until a job has completed; one that failed is an error.
func (s *session) ended(ctx context.Context, id string, poll time.Duration) (Status, error) {
	if s.Ended != nil {
		poll = s.SlowPoll
	}
	status, err := s.wait(ctx, id, poll, func(j Status) bool { return j.State.Ended() })
	if err == nil && status.State == Failed {
		err = fmt.Errorf("job %s failed: %s", id, status.Reason)
		if s.Output != nil {
			err = fmt.Errorf("%w; it printed %s", err, s.Output(id))
		}
	}
	return status, err
}

// settling is how long after the news of an end the scheduler may still be ending the job: it
// tells of it first.
const settling = 3 * time.Second

func (s *session) wait(ctx context.Context, id string, poll time.Duration, good func(Status) bool) (Status, error) {
	var settled time.Time
	for {
		status, err := s.Scheduler.Poll(ctx, id)
		if err != nil && ctx.Err() != nil {
			// Whether the end of ctx meets a question or the pause before it is chance.
			return status, context.Cause(ctx)
		}
		if err != nil || good(status) {
			return status, err
		}
		now, pause := s.Clock.Now(), poll
		if now.Before(settled) {
			pause = min(poll, s.Poll)
		}
		woken, err := s.Clock.Wait(ctx, now.Add(pause), s.Ended)
		if err != nil {
			return status, err
		}
		if woken {
			settled = s.Clock.Now().Add(settling)
		}
	}
}

// clearLimit is the real time in which jobs that are left over must be gone, cancelTries how
// often each is cancelled.
const (
	clearLimit  = time.Minute
	cancelTries = 3
)

// clear cancels the jobs that have not ended, also when ctx has. Its error names jobs that may be
// left over.
func (s *session) clear(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), clearLimit, errors.New("jobs that were cancelled did not end"))
	defer cancel()
	var left []error
	for _, id := range s.ids {
		err := s.cancel(ctx, id)
		// A scheduler that does not answer may do so soon, and may have carried out the command.
		for again := 1; err != nil && again < cancelTries && s.Clock.Sleep(ctx, s.Poll) == nil; again++ {
			err = s.cancel(ctx, id)
		}
		if err != nil {
			left = append(left, fmt.Errorf("job %s may be left over: %w", id, err))
		}
	}
	return errors.Join(left...)
}

// cancel ends a job, and returns when it has ended.
func (s *session) cancel(ctx context.Context, id string) error {
	status, err := s.Scheduler.Poll(ctx, id)
	if err == nil && status.State.Ended() {
		return nil
	}
	if err = s.Scheduler.Cancel(ctx, id); err != nil {
		return err
	}
	_, err = s.wait(ctx, id, s.Poll, func(j Status) bool { return j.State.Ended() })
	return err
}

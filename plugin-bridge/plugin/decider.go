package plugin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// How the question of a cycle ended, as statuses of the cycle's solution.
const (
	StatusAnswered program.Status = "answered"
	// StatusWaited: the program was not asked, since it wanted to wait.
	StatusWaited program.Status = "waited"
	// StatusNoAnswer: there was none that can be read.
	StatusNoAnswer program.Status = "no_answer"
	// StatusInOrder: the jobs started in the order of the queue, without the program.
	StatusInOrder program.Status = "in_order"
)

const (
	// mostInRow and mostFailures bound how often a program may fail to answer, in a row and
	// in all, before it is given up. Each failure costs a cycle, up to its limit.
	mostInRow, mostFailures = 5, 20
	// idleLimit is the virtual time for which the whole machine may stand idle while jobs
	// wait. A run in which nothing happens for an hour fails.
	idleLimit = 10 * time.Minute
)

// DeciderOptions are the parameters of a Decider.
type DeciderOptions struct {
	Program Program
	// Limit is the real time of one answer.
	Limit time.Duration
	// Clock reads a monotonic clock. With nil no time ever passes.
	Clock func() time.Duration
	// Hold has virtual time pass until the function that it returns is called; nil where it
	// passes anyway.
	Hold func() (release func())
	// Log gets the name of the program and its faults; nil for nothing.
	Log func(text string)
}

// Decider decides by a program. It is not safe for concurrent use.
type Decider struct {
	options DeciderOptions
	history History
	// alive says that the program runs and has said hello.
	alive           bool
	inRow, failures int
	starts          int
	givenUp         bool
	free            [][2]int
	// until is when the program wants to be asked, nothing changing before; 0 for then only.
	until time.Duration
	// idleSince is when the machine fell idle, negative while it is not.
	idleSince time.Duration
	faults    []Fault
	reserved  []Reserve
}

// NewDecider starts the program and hears its hello. An error says why it cannot be used.
func NewDecider(ctx context.Context, o DeciderOptions) (*Decider, error) {
	if o.Clock == nil {
		o.Clock = func() time.Duration { return 0 }
	}
	if o.Hold == nil {
		o.Hold = func() func() { return func() {} }
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	d := &Decider{options: o, idleSince: -1}
	if fault := d.open(ctx); fault != nil {
		o.Program.End()
		return nil, errors.New(fault.Text)
	}
	return d, nil
}

// open starts the program and exchanges hellos.
func (d *Decider) open(ctx context.Context) *Fault {
	d.starts++
	welcome, fault := Greet(ctx, d.options.Program, d.options.Limit)
	if fault != nil {
		return fault
	}
	d.options.Log(fmt.Sprintf("hello, version %d, %q", welcome.Version, welcome.Name))
	d.alive = true
	return nil
}

// Choices has the numbers of nodes and GPUs: the program gets ranges.
func (*Decider) Choices() bidding.Choices { return bidding.Choices{Nodes: true, GPUs: true} }

// Obstacle refuses what the protocol has no field for.
func (*Decider) Obstacle(j bidding.Job, _ []machine.Node) string {
	switch o := j.Options; {
	case o.Exclusive:
		return "it wants its nodes for itself, which the protocol of programs has no field for"
	case o.MemoryPerNode+o.MemoryPerCore > 0:
		return "it asks for memory, which the protocol of programs has no field for"
	case len(o.Licences) > 0:
		return "it asks for licences, which the protocol of programs has no field for"
	}
	return ""
}

// Decide asks the program. It fails only when ctx ends.
func (d *Decider) Decide(ctx context.Context, s auction.Snapshot, _ int) (auction.Result, error) {
	d.faults, d.reserved = nil, nil
	began := d.options.Clock()
	status, bids, again := d.decide(ctx, s)
	if err := context.Cause(ctx); err != nil {
		return auction.Result{}, fmt.Errorf("ask the program: %w", err)
	}
	for _, f := range d.faults {
		d.options.Log(f.String())
	}
	r := auction.Result{Ordered: bids, Assignment: auction.Assignment{Status: status}}
	if again {
		// The next cycle may decide otherwise, although nothing has changed.
		r.Assignment.Bound = math.Inf(1)
	}
	r.Phases.Solve = d.options.Clock() - began
	return r, nil
}

// decide also says whether another cycle may decide otherwise on the same cluster.
func (d *Decider) decide(ctx context.Context, s auction.Snapshot) (status program.Status, bids []bidding.Bid, again bool) {
	if d.givenUp {
		return StatusInOrder, inOrder(s), false
	}
	question := d.history.Question(s)
	quiet := question.Changed.none() && len(question.Results) == 0 && d.sameFree(s)
	if quiet && s.Now < d.until {
		if d.idle(s, nil) {
			return StatusInOrder, inOrder(s), true
		}
		return StatusWaited, nil, true
	}
	answer, fault := d.ask(ctx, question)
	if ctx.Err() != nil {
		return StatusNoAnswer, nil, true
	}
	d.until = 0
	status = StatusNoAnswer
	if fault != nil {
		d.failed(*fault)
		if d.givenUp {
			return StatusInOrder, inOrder(s), false
		}
	} else {
		status, d.inRow = StatusAnswered, 0
		bids, d.faults = Judge(s, answer)
		d.history.Refuse(d.faults)
		d.plan(s.Now, answer)
	}
	if d.idle(s, bids) {
		return StatusInOrder, inOrder(s), true
	}
	return status, bids, fault != nil || len(d.faults) > 0 || d.until > s.Now || d.idleSince >= 0
}

// sameFree reports whether all nodes have free what they had at the last question.
func (d *Decider) sameFree(s auction.Snapshot) bool {
	if len(d.free) != len(s.Nodes) {
		return false
	}
	for i, n := range s.Nodes {
		if d.free[i] != [2]int{n.FreeCores, n.FreeGPUs} {
			return false
		}
	}
	return true
}

// ask starts the program again if it is not alive, and asks it.
func (d *Decider) ask(ctx context.Context, question Snapshot) (Answer, *Fault) {
	defer d.options.Hold()()
	if !d.alive {
		if fault := d.open(ctx); fault != nil {
			return Answer{}, fault
		}
		question = Forget(question)
	}
	d.history.Telling(question)
	d.free = d.free[:0]
	for _, n := range question.Nodes {
		d.free = append(d.free, [2]int{n.FreeCores, n.FreeGPUs})
	}
	return Put(ctx, d.options.Program, question, d.options.Limit)
}

// failed ends a program that gave no answer, so that the next question has a new one, or
// gives it up.
func (d *Decider) failed(f Fault) {
	d.options.Program.End()
	d.alive = false
	d.inRow++
	d.failures++
	d.faults = append(d.faults, f)
	if d.inRow >= mostInRow || d.failures >= mostFailures {
		d.givenUp = true
		d.faults = append(d.faults, *faultf(KindGivenUp, 0,
			"the program failed %d times, %d of them in a row; from here on the jobs start in the order of the queue", d.failures, d.inRow))
	}
}

// plan takes over until when the program wants to wait.
func (d *Decider) plan(now time.Duration, a Answer) {
	sooner := func(at float64) {
		due := time.Duration(at * float64(time.Second))
		if due > now && (d.until == 0 || due < d.until) {
			d.until = due
		}
	}
	sooner(a.WaitUntilS)
	for _, r := range a.Reserve {
		sooner(r.StartS)
	}
	d.reserved = a.Reserve
}

// idle reports whether the machine has stood idle for too long, and nothing starts now.
func (d *Decider) idle(s auction.Snapshot, bids []bidding.Bid) bool {
	for _, n := range s.Nodes {
		if len(bids) > 0 || !n.WhollyFree() {
			d.idleSince = -1
			return false
		}
	}
	if d.idleSince < 0 {
		d.idleSince = s.Now
	}
	if s.Now-d.idleSince < idleLimit {
		return false
	}
	d.faults = append(d.faults, *faultf(KindIdle, 0, "the machine stood idle for %v while jobs waited; jobs were started in the order of the queue", idleLimit))
	d.idleSince = -1
	return true
}

// Close ends the program.
func (d *Decider) Close() { d.options.Program.End() }

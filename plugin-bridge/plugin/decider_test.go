package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/results/trace"
)

// fake is a program that is a function; it says hello by itself.
type fake struct {
	answer         func(plugin.Snapshot) (string, error)
	asked          []plugin.Snapshot
	starts, living int
}

func (f *fake) Start() error {
	f.starts++
	f.living++
	return nil
}

func (f *fake) End() { f.living = 0 }

func (f *fake) Ask(_ context.Context, question []byte) ([]byte, error) {
	if f.living != 1 {
		return nil, fmt.Errorf("%d programs live", f.living)
	}
	if strings.Contains(string(question), `"hello"`) {
		return []byte(`{"type":"hello","version":1}`), nil
	}
	var s plugin.Snapshot
	if err := json.Unmarshal(question, &s); err != nil {
		return nil, err
	}
	f.asked = append(f.asked, s)
	text, err := f.answer(s)
	return []byte(text), err
}

func newDecider(t *testing.T, f *fake) *plugin.Decider {
	t.Helper()
	d, err := plugin.NewDecider(t.Context(), plugin.DeciderOptions{Program: f, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// decide fails if the decider does.
func decide(t *testing.T, d *plugin.Decider, s auction.Snapshot) (auction.Result, trace.Program) {
	t.Helper()
	r, err := d.Decide(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, s, r.Ordered)
	var record trace.Cycle
	d.Note(&record)
	return r, *record.Program
}

func kinds(p trace.Program) (all []string) {
	for _, f := range p.Faults {
		all = append(all, f.Kind)
	}
	return all
}

// startOn answers with one start.
func startOn(job int, nodes ...string) func(plugin.Snapshot) (string, error) {
	return func(s plugin.Snapshot) (string, error) {
		text, err := json.Marshal(plugin.Answer{Type: "answer", Number: s.Number, Start: []plugin.Start{{Job: job, Nodes: nodes}}})
		return string(text), err
	}
}

func nothing(s plugin.Snapshot) (string, error) {
	return fmt.Sprintf(`{"type":"answer","number":%d}`, s.Number), nil
}

// The program gets what changed and what became of its starts.
func TestQuestions(t *testing.T) {
	f := &fake{answer: startOn(1, "n2")}
	d := newDecider(t, f)
	s := small()
	r, _ := decide(t, d, s)
	if len(r.Ordered) != 1 || r.Assignment.Status != plugin.StatusAnswered || r.Assignment.Gap() != 0 {
		t.Fatalf("%+v", r)
	}
	f.answer = nothing
	s.Jobs = s.Jobs[1:]
	s.Running = append(s.Running[:0:0], machine.Holding{Job: 1, Allocation: machine.Allocation{Nodes: []int{1}, Cores: []int{8}}, End: 2 * time.Minute})
	d.Told(agent.Outcomes{Started: []int{1}, Refused: []trace.Refusal{{Job: 2, Reason: "Requested node configuration is not available"}}})
	decide(t, d, s)
	first, second := f.asked[0], f.asked[1]
	if !slices.Equal(first.Changed.Submitted, []int{1, 2, 3, 4, 5}) || !slices.Equal(first.Changed.Started, []int{9}) || len(first.Results) != 0 {
		t.Errorf("first question: %+v, %+v", first.Changed, first.Results)
	}
	if c := second.Changed; len(c.Submitted) != 0 || !slices.Equal(c.Started, []int{1}) || !slices.Equal(c.Ended, []int{9}) {
		t.Errorf("second question: %+v", c)
	}
	want := []plugin.Result{{Job: 1, Outcome: plugin.Started}, {Job: 2, Outcome: plugin.Refused, Reason: "Requested node configuration is not available"}}
	if !slices.Equal(second.Results, want) || second.Number != 2 {
		t.Errorf("results %+v of snapshot %d", second.Results, second.Number)
	}
	j := second.Queue[2]
	if j.Job != 4 || !slices.Equal(j.RequiredNodes, []string{"n4"}) || !slices.Equal(j.ForbiddenNodes, []string{"n2"}) || j.Cores != 11 {
		t.Errorf("job 4 is told as %+v", j)
	}
}

// A wrong start is left out and told in the next question; the others count.
func TestWrongStartsAreToldOfAndTheOthersCount(t *testing.T) {
	f := &fake{answer: func(s plugin.Snapshot) (string, error) {
		return fmt.Sprintf(`{"type":"answer","number":%d,"start":[{"job":77,"nodes":["n1"]},{"job":1,"nodes":["n1"]},{"job":1,"nodes":["n2"]}]}`, s.Number), nil
	}}
	d := newDecider(t, f)
	r, p := decide(t, d, small())
	if len(r.Ordered) != 1 || !slices.Equal(kinds(p), []string{"unknown_job", "oversold"}) || p.Starts != 1 {
		t.Errorf("%v, %+v", r.Ordered, p)
	}
	decide(t, d, small())
	if got := f.asked[1].Results; len(got) != 2 || got[0].Outcome != plugin.Refused || got[1].Reason != "its nodes have 4 free cores of 8 needed" {
		t.Errorf("%+v", got)
	}
}

// Without an answer a cycle starts nothing, the next one has a new program, and after five
// failures in a row the jobs start in the order of the queue.
func TestProgramsThatFail(t *testing.T) {
	for _, tt := range []struct {
		kind   string
		answer func(plugin.Snapshot) (string, error)
	}{
		{"late", func(plugin.Snapshot) (string, error) { return "", plugin.ErrLate }},
		{"ended", func(plugin.Snapshot) (string, error) { return "", errors.New("it ended: exit status 1") }},
		{"unreadable", func(plugin.Snapshot) (string, error) { return "Traceback (most recent call last):", nil }},
		{"unreadable", func(plugin.Snapshot) (string, error) { return `{"type":"answer","number":99}`, nil }},
	} {
		f := &fake{answer: tt.answer}
		d := newDecider(t, f)
		for i := range 4 {
			r, p := decide(t, d, small())
			if len(r.Ordered) != 0 || r.Assignment.Status != plugin.StatusNoAnswer || !slices.Equal(kinds(p), []string{tt.kind}) || p.Starts != i+1 || r.Assignment.Gap() == 0 {
				t.Fatalf("%s, cycle %d: %+v, %+v", tt.kind, i, r, p)
			}
		}
		r, p := decide(t, d, small())
		if !slices.Equal(kinds(p), []string{tt.kind, "given_up"}) || r.Assignment.Status != plugin.StatusInOrder || len(r.Ordered) == 0 || f.living != 0 {
			t.Fatalf("%s: %+v, %+v", tt.kind, r, p)
		}
		if r, p = decide(t, d, small()); len(p.Faults) != 0 || len(r.Ordered) == 0 || len(f.asked) != 5 {
			t.Errorf("%s: asked %d times, %+v", tt.kind, len(f.asked), r)
		}
	}
}

// A program that fails every second time is also given up after 20 failures.
func TestFailuresAreBounded(t *testing.T) {
	n := 0
	f := &fake{answer: func(s plugin.Snapshot) (string, error) {
		if n++; n%2 == 0 {
			return "", plugin.ErrLate
		}
		return nothing(s)
	}}
	d := newDecider(t, f)
	for range 100 {
		decide(t, d, small())
	}
	if f.starts != 20 {
		t.Errorf("started %d times, want 20", f.starts)
	}
}

// A program that wants to wait is asked again when something changes, or at its time.
func TestWaitUntil(t *testing.T) {
	f := &fake{answer: func(s plugin.Snapshot) (string, error) {
		return fmt.Sprintf(`{"type":"answer","number":%d,"wait_until_s":90,"reserve":[{"job":1,"start_s":200,"nodes":["n1","n2"]}]}`, s.Number), nil
	}}
	d := newDecider(t, f)
	s := small()
	r, p := decide(t, d, s)
	if r.Assignment.Gap() == 0 || len(p.Reserved) != 1 || p.Reserved[0].Nodes != "n[1-2]" {
		t.Fatalf("%+v, %+v: the agent would leave out the cycle at 90 s", r.Assignment, p)
	}
	s.Now = 80 * time.Second
	if r, _ = decide(t, d, s); r.Assignment.Status != plugin.StatusWaited || len(f.asked) != 1 {
		t.Errorf("asked %d times before its time, %v", len(f.asked), r.Assignment)
	}
	s.Now = 90 * time.Second
	if decide(t, d, s); len(f.asked) != 2 {
		t.Errorf("asked %d times, want 2 at its time", len(f.asked))
	}
	f.answer = func(s plugin.Snapshot) (string, error) {
		return fmt.Sprintf(`{"type":"answer","number":%d,"wait_until_s":9000}`, s.Number), nil
	}
	s.Now = 100 * time.Second
	decide(t, d, s)
	s.Nodes = slices.Clone(s.Nodes)
	s.Nodes[0].FreeCores = 8
	if decide(t, d, s); len(f.asked) != 3 {
		t.Errorf("asked %d times, want 3 after cores became free", len(f.asked))
	}
}

// A program that starts nothing on an idle machine does not hold the jobs up without end.
func TestIdle(t *testing.T) {
	f := &fake{answer: nothing}
	d := newDecider(t, f)
	s := small()
	s.Nodes = machine.IdleNodes(4, 8, 2)
	var statuses []program.Status
	for s.Now = 0; s.Now <= 10*time.Minute; s.Now += 5 * time.Minute {
		r, _ := decide(t, d, s)
		statuses = append(statuses, r.Assignment.Status)
		if r.Assignment.Gap() == 0 {
			t.Error("the agent would leave out the next cycle")
		}
	}
	if !slices.Equal(statuses, []program.Status{plugin.StatusAnswered, plugin.StatusAnswered, plugin.StatusInOrder}) {
		t.Errorf("%v", statuses)
	}
}

// A program that does not say hello cannot be used at all.
func TestHelloFails(t *testing.T) {
	_, err := plugin.NewDecider(t.Context(), plugin.DeciderOptions{Program: silent{}, Limit: time.Minute})
	if err == nil || err.Error() != "hello: it did not answer within its limit; a program must flush its output after each line" {
		t.Errorf("%v", err)
	}
}

// A program loads its interpreter and its libraries before its hello, which is given longer than an answer.
func TestHelloHasLonger(t *testing.T) {
	p := &patient{fake: fake{answer: nothing}}
	const limit = time.Second
	d, err := plugin.NewDecider(t.Context(), plugin.DeciderOptions{Program: p, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decide(t.Context(), small(), 1); err != nil {
		t.Fatal(err)
	}
	if len(p.limits) != 2 || p.limits[0] <= 30*limit || p.limits[1] > limit {
		t.Errorf("the hello and an answer have %v, want about a minute and at most %v", p.limits, limit)
	}
}

// patient notes how long each of its lines may take.
type patient struct {
	fake
	limits []time.Duration
}

func (p *patient) Ask(ctx context.Context, question []byte) ([]byte, error) {
	deadline, _ := ctx.Deadline()
	p.limits = append(p.limits, time.Until(deadline))
	return p.fake.Ask(ctx, question)
}

type silent struct{}

func (silent) Start() error                                { return nil }
func (silent) End()                                        {}
func (silent) Ask(context.Context, []byte) ([]byte, error) { return nil, plugin.ErrLate }

// The clock is held for as long as a question is open, and not longer.
func TestHold(t *testing.T) {
	held, most := 0, 0
	f := &fake{}
	f.answer = func(plugin.Snapshot) (string, error) {
		most = max(most, held)
		return "", plugin.ErrLate
	}
	d, err := plugin.NewDecider(t.Context(), plugin.DeciderOptions{Program: f, Limit: time.Minute, Hold: func() func() {
		held++
		return func() { held-- }
	}})
	if err != nil {
		t.Fatal(err)
	}
	decide(t, d, small())
	if held != 0 || most != 1 {
		t.Errorf("held %d, while asked %d", held, most)
	}
}

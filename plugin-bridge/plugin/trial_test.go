package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
)

// The examples answer every snapshot in time, and nothing is wrong with what they start.
func TestExamples(t *testing.T) {
	first := filepath.Join(t.TempDir(), "firstfit")
	if out, err := exec.Command("go", "build", "-o", first, "../../examples/plugins/firstfit").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	modules, env, err := plugin.PythonEnviron()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(modules) }()
	for _, name := range []string{first, "../../examples/plugins/easy.py", "../../examples/plugins/bestfit.py"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			if filepath.Ext(name) == ".py" {
				hosttest.Program(t, "python3")
			}
			file, err := filepath.Abs(name)
			if err != nil {
				t.Fatal(err)
			}
			p := plugin.NewProcess(plugin.Command{Argv: []string{file}, Env: env, Stderr: os.Stderr})
			v, err := plugin.Trial(t.Context(), p, hosttest.Hang)
			p.End()
			if err != nil || len(v.Faults) != 0 || v.Answers != v.Snapshots || v.Starts == 0 {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

// The recorded snapshots are a busy machine, and one with room.
func TestSnapshots(t *testing.T) {
	all, err := plugin.TrialSnapshots()
	if err != nil || len(all) < 20 {
		t.Fatalf("%d snapshots, %v", len(all), err)
	}
	queued, running := 0, 0
	for _, s := range all {
		if err = s.Validate(); err != nil {
			t.Error(err)
		}
		queued, running = max(queued, len(s.Jobs)), max(running, len(s.Running))
	}
	if queued < 100 || running < 20 {
		t.Errorf("at most %d jobs wait and %d run", queued, running)
	}
}

// follower is a program that believes only the changes and results that it gets. It starts the first job that fits on
// one node, and one that is not there.
type follower struct {
	t              *testing.T
	queue, running map[int]bool
	released       int
	outcomes       map[plugin.Outcome]int
	asked, fails   int
}

func (f *follower) Start() error {
	f.queue, f.running, f.released = map[int]bool{}, map[int]bool{}, 0
	return nil
}

func (*follower) End() {}

func (f *follower) Ask(_ context.Context, question []byte) ([]byte, error) {
	if bytes.Contains(question, []byte(`"hello"`)) {
		return []byte(`{"type":"hello","version":1}`), nil
	}
	var s plugin.Snapshot
	if err := json.Unmarshal(question, &s); err != nil {
		return nil, err
	}
	f.asked++
	f.follow(s)
	if f.asked == f.fails {
		return nil, plugin.ErrLate
	}
	answer := plugin.Answer{Type: "answer", Number: s.Number, Start: []plugin.Start{{Job: 99999, Nodes: []string{s.Nodes[0].Name}}}}
	for _, j := range s.Queue {
		at := slices.IndexFunc(s.Nodes, func(n plugin.Node) bool { return n.FreeCores >= j.Cores && n.FreeGPUs >= j.GPUsPerNode })
		if j.Nodes <= 1 && at >= 0 {
			f.released = j.Job
			answer.Start = append(answer.Start, plugin.Start{Job: j.Job, Nodes: []string{s.Nodes[at].Name}})
			break
		}
	}
	return json.Marshal(answer)
}

// follow compares what the changes add up to with the snapshot.
func (f *follower) follow(s plugin.Snapshot) {
	for _, id := range s.Changed.Submitted {
		f.queue[id] = true
	}
	for _, id := range s.Changed.Started {
		f.running[id] = true
	}
	for _, id := range s.Changed.Ended {
		if !f.running[id] {
			f.t.Errorf("snapshot %d: job %d ended and did not run", s.Number, id)
		}
		delete(f.running, id)
	}
	queue, running := map[int]bool{}, map[int]bool{}
	for _, j := range s.Queue {
		queue[j.Job] = true
	}
	for _, r := range s.Running {
		running[r.Job] = true
	}
	for _, r := range s.Results {
		f.outcomes[r.Outcome]++
		switch {
		case r.Outcome == plugin.Refused && r.Reason == "":
			f.t.Errorf("snapshot %d: refused without a reason: %+v", s.Number, r)
		case r.Outcome == plugin.Returned && (r.Job != f.released || !queue[r.Job]), r.Outcome == plugin.Started && (r.Job != f.released || queue[r.Job]):
			f.t.Errorf("snapshot %d: %+v, released was %d", s.Number, r, f.released)
		}
	}
	// Jobs that leave the queue are not told one by one: they are among those that run, or gone.
	maps.DeleteFunc(f.queue, func(id int, _ bool) bool { return !queue[id] })
	if !maps.Equal(f.queue, queue) || !maps.Equal(f.running, running) {
		f.t.Errorf("snapshot %d: %d jobs wait and %d run, by the changes %d and %d", s.Number, len(queue), len(running), len(f.queue), len(f.running))
	}
}

// A program gets the same changes and results as in a run, all three outcomes among them, and the whole state after a
// restart.
func TestToldAsInARun(t *testing.T) {
	f := &follower{t: t, outcomes: map[plugin.Outcome]int{}, fails: 20}
	v, err := plugin.Trial(t.Context(), f, time.Minute)
	if err != nil || f.asked != v.Snapshots || v.Answers != f.asked-1 {
		t.Fatalf("%+v, %v", v, err)
	}
	if len(f.running) == 0 {
		t.Error("no job is known to run in the end")
	}
	for _, o := range []plugin.Outcome{plugin.Started, plugin.Refused, plugin.Returned} {
		if f.outcomes[o] == 0 {
			t.Errorf("no start was %s: %v", o, f.outcomes)
		}
	}
}

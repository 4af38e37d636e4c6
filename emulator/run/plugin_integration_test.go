//go:build integration

package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

const examples = "../../examples/plugins"

// misbehaves does in turn what a program can do wrong: it writes garbage, dies, hangs, starts
// unknown jobs and oversells. Turns are numbers of questions: time passes while a busy machine starts it again.
const misbehaves = `#!/usr/bin/env python3
import json, os, sys, time

for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print(json.dumps({"type": "hello", "version": 1}), flush=True)
        continue
    names = [n["name"] for n in m["nodes"]]
    start = [{"job": 99999, "nodes": names[:1]}]
    start += [{"job": j["job"], "nodes": names[:j["nodes"] or 1]} for j in m["queue"]]
    turn = m["number"] % 7
    if turn == 0:
        print("looking at the queue", flush=True)
    elif turn == 2:
        os._exit(7)
    elif turn == 4:
        time.sleep(600)
    else:
        print(json.dumps({"type": "answer", "number": m["number"], "start": start}), flush=True)
`

// faultsOf counts the faults of a run's program by kind.
func faultsOf(cycles []trace.Cycle) map[string]int {
	kinds := map[string]int{}
	for _, c := range cycles {
		if c.Program != nil {
			for _, f := range c.Program.Faults {
				kinds[f.Kind]++
			}
		}
	}
	return kinds
}

// Each of the examples schedules the real Slurm without a fault, in the cluster, and one of them also on this
// machine. "make test" has a program of Python on this machine and one of Go in the cluster. The first cycle, which sees all jobs on the idle machine, starts the jobs that the program starts in
// memory, on the same nodes and cores.
func TestPlugin(t *testing.T) {
	t.Parallel()
	first := filepath.Join(t.TempDir(), "firstfit")
	build := exec.Command("go", "build", "-o", first, examples+"/firstfit")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, tt := range []struct {
		name, program string
		long          bool
	}{
		{"exec:easy.py", examples + "/easy.py", true},
		{"host:easy.py", examples + "/easy.py", false},
		{"exec:bestfit.py", examples + "/bestfit.py", true},
		{"exec:firstfit", first, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.long {
				hosttest.Long(t, "runs the other examples of plug-ins")
			}
			testPlugin(t, tt.name, tt.program)
		})
	}
}

func testPlugin(t *testing.T, name, programFile string) {
	c := config(t, backendtest.Quick(), file(t, "small.yaml", "name: small\nnodes: 8\ncores: 8\ngpus: 2\n"), file(t, "mixed.txt", mixed), name, 0)
	decidedBy(t, &c, programFile)
	data, m := complete(t, c)
	if m.Completed != len(c.Jobs) || m.Placement == nil || m.Placement.Exact != len(c.Jobs) {
		t.Errorf("%d of %d jobs completed, placement %+v", m.Completed, len(c.Jobs), m.Placement)
	}
	if faults := faultsOf(data.Cycles); len(faults) > 0 {
		t.Errorf("faults %v", faults)
	}
	if f := data.Run.Fidelity; f != nil && len(f.Stops) > 0 {
		t.Errorf("the resting program counts as stopped: %+v", f.Stops)
	}
	s := auction.Snapshot{Nodes: machine.IdleNodes(8, 8, 2)}
	for i, j := range c.Jobs {
		s.Jobs = append(s.Jobs, bidding.Job{
			ID: j.ID, Priority: float64(len(c.Jobs) - i), Cores: j.Cores, Nodes: j.Nodes, CoresPerNode: j.CoresPerNode,
			GPUs: j.GPUsMin, Contiguous: j.Contiguous, TimeLimit: time.Duration(j.Limit) * time.Second,
		})
	}
	path, err := filepath.Abs(programFile)
	if err != nil {
		t.Fatal(err)
	}
	modules, env, err := plugin.PythonEnviron()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(modules) }()
	program := plugin.NewProcess(plugin.Command{Argv: []string{path}, Env: env, Stderr: os.Stderr})
	d, err := plugin.NewDecider(t.Context(), plugin.DeciderOptions{Program: program, Limit: hosttest.Hang})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r, err := d.Decide(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	var memory, real []string
	for _, b := range r.Ordered {
		memory = append(memory, values.CompressHosts(machine.Names(s.Nodes, b.Nodes))+" "+machine.RunLength(b.Cores))
	}
	first := slices.IndexFunc(data.Cycles, func(c trace.Cycle) bool { return len(c.Released) > 0 })
	for _, started := range data.Cycles[first].Released {
		real = append(real, started.Nodes+" "+started.Cores)
	}
	if len(memory) == 0 || !slices.Equal(memory, real) {
		t.Errorf("in memory %s\non Slurm %s", strings.Join(memory, "; "), strings.Join(real, "; "))
	}
}

// A program that misbehaves costs no job, and every kind of its faults is counted.
func TestPluginThatMisbehaves(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"exec:misbehaves.py", "host:misbehaves.py"} {
		t.Run(name, func(t *testing.T) { testPluginThatMisbehaves(t, name) })
	}
}

func testPluginThatMisbehaves(t *testing.T, name string) {
	script := file(t, "misbehaves.py", misbehaves)
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	c := config(t, backendtest.Quick(), file(t, "small.yaml", "name: small\nnodes: 8\ncores: 8\ngpus: 2\n"), file(t, "mixed.txt", mixed), name, 0)
	decidedBy(t, &c, script)
	c.Policy.Parameters.SolveLimit = time.Second
	// The clock cannot jump while a program is started or hangs, which takes long on a busy machine.
	warn := c.Warn
	c.Warn = func(text string) {
		if strings.HasPrefix(text, standstill) {
			t.Log(text)
			return
		}
		warn(text)
	}
	data, m := complete(t, c)
	if m.Completed != len(c.Jobs) || m.Placement == nil || m.Placement.Exact != len(c.Jobs) {
		t.Errorf("%d of %d jobs completed, placement %+v", m.Completed, len(c.Jobs), m.Placement)
	}
	faults := faultsOf(data.Cycles)
	for _, kind := range []plugin.Kind{plugin.KindUnreadable, plugin.KindEnded, plugin.KindLate, plugin.KindUnknownJob, plugin.KindOversold} {
		if faults[string(kind)] == 0 {
			t.Errorf("no fault %s among %v", kind, faults)
		}
	}
}

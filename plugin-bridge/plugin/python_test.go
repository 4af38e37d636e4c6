package plugin_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
)

// runPython runs a program of Python's that imports the modules, and returns what it prints.
func runPython(t *testing.T, program string) []byte {
	t.Helper()
	python3 := hosttest.Program(t, "python3")
	modules, env, err := plugin.PythonEnviron()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(modules) }()
	cmd := exec.Command(python3, "-W", "error", "-c", program)
	cmd.Env, cmd.Stderr = append(env, "PYTHONDONTWRITEBYTECODE=1"), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// The dictionaries of the module have the fields of the protocol, no more and no fewer.
func TestPythonFields(t *testing.T) {
	const program = `
import json, slurmlab
names = ["Node", "Job", "Running", "Changed", "Result", "Snapshot"]
print(json.dumps({"version": slurmlab.VERSION, "fields": {n.lower(): sorted(getattr(slurmlab, n).__annotations__) for n in names}}))`
	var module struct {
		Version int
		Fields  map[string][]string
	}
	if err := json.Unmarshal(runPython(t, program), &module); err != nil {
		t.Fatal(err)
	}
	text, err := plugin.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	if err = json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if module.Version != plugin.Version || len(module.Fields) == 0 {
		t.Errorf("%+v, want version %d", module, plugin.Version)
	}
	for name, fields := range module.Fields {
		if want := slices.Sorted(maps.Keys(schema.Defs[name].Properties)); !slices.Equal(fields, want) {
			t.Errorf("%s has %q, want %q", name, fields, want)
		}
	}
}

// The places of a job are those that it asks for, and what is taken is gone.
func TestPythonRoom(t *testing.T) {
	runPython(t, `
import slurmlab

def node(name, cores, gpus=0):
    return {"name": name, "cores": 8, "gpus": 2, "free_cores": cores, "free_gpus": gpus}

def job(cores, **more):
    return {"job": 1, "cores": cores, "nodes": 0, "cores_per_node": 0, "gpus_per_node": 0, "contiguous": False, **more}

room = slurmlab.Room({"nodes": [node("a", 3), node("b", 8, 1), node("c", 8, 2), node("d", 4)]})
first = room.first
assert first(job(8)) == (["b"], 8, 0), first(job(8))
assert first(job(12)) == (["b", "c"], 6, 0), first(job(12))
assert first(job(2, gpus_per_node=2)) == (["c"], 2, 2)
assert first(job(4, nodes=2)) == (["a", "b"], 2, 0)
assert first(job(7, nodes=2)) == (["b", "c"], 4, 0), "4 cores on one of them"
assert first(job(6, nodes=2, cores_per_node=3)) == (["a", "b"], 3, 0)
assert first(job(6, cores_per_node=3)) == (["a", "b"], 3, 0)
assert first(job(20)) is None, "on no number of nodes with equal shares"
assert first(job(9, nodes=3, contiguous=True)) == (["a", "b", "c"], 3, 0)
assert first(job(12, nodes=3, contiguous=True)) == (["b", "c", "d"], 4, 0)
assert first(job(4, forbidden_nodes=["b"])) == (["c"], 4, 0)
assert first(job(4, nodes=2, required_nodes=["d"], forbidden_nodes=["a"])) == (["d", "b"], 2, 0)
assert [p.nodes for p in room.places(job(2, nodes=2, contiguous=True))] == [["a", "b"], ["b", "c"], ["c", "d"]]
assert room.first(job(33)) is None
assert next(room.places(job(3), order=lambda n: room.free[n][0])).nodes == ["a"]
copy, place = room.copy(), first(job(12))
assert room.fits(place)
room.take(place)
assert room.free["b"] == [2, 1] and copy.free["b"] == [8, 1] and not room.fits(place)
room.give(place)
assert room.free == copy.free
`)
}

// A scheduler hears hello and snapshots and answers them, and ends with its input.
func TestPythonServe(t *testing.T) {
	runPython(t, `
import io, json, slurmlab

source = io.StringIO('{"type":"hello","version":1,"limit_s":5}\n{"type":"snapshot","number":7,"queue":[{"job":4}]}\n')
sink = io.StringIO()
for snapshot, answer in slurmlab.snapshots("mine", source, sink):
    a = slurmlab.Answer(wait_until_s=9)
    a.start(snapshot["queue"][0], slurmlab.Place(["n1"], 1, 0))
    a.reserve({"job": 5}, 60.5, slurmlab.Place(["n2"], 1, 0))
    a.start_on(6, ["n3", "n4"], cores=[2, 1], gpus_per_node=1)
    answer(a)
said = [json.loads(line) for line in sink.getvalue().splitlines()]
assert said == [
    {"type": "hello", "version": 1, "name": "mine"},
    {"type": "answer", "number": 7, "wait_until_s": 9, "reserve": [{"job": 5, "start_s": 60.5, "nodes": ["n2"]}],
     "start": [{"job": 4, "nodes": ["n1"]}, {"job": 6, "nodes": ["n3", "n4"], "cores": [2, 1], "gpus_per_node": 1}]},
], said
for wrong in ['{"type":"hello","version":2,"limit_s":5}', '{"type":"goodbye"}']:
    try:
        list(slurmlab.snapshots("mine", io.StringIO(wrong), io.StringIO()))
    except slurmlab.ProtocolError as e:
        assert "2" in str(e) or "goodbye" in str(e), e
    else:
        raise AssertionError(wrong)

import sys
sys.stdin = io.StringIO('{"type":"snapshot","number":7,"queue":[]}\n')
try:
    slurmlab.serve("mine", lambda snapshot: [])
except TypeError as e:
    assert "returned [], want a slurmlab.Answer" in str(e), e
else:
    raise AssertionError("a list was an answer")
`)
}

// What an environment makes of snapshots, without a run: observations are in their space,
// and the reward is what jobs have waited.
func TestPythonGym(t *testing.T) {
	runPython(t, `
import slurmlab_gym as gym

def job(number, waited, cores):
    return {"job": number, "waited_s": waited, "limit_s": 600, "cores": cores, "nodes": 0, "cores_per_node": 0,
            "gpus_per_node": 0, "contiguous": False}

nodes = [{"name": "n1", "cores": 8, "gpus": 0, "free_cores": 8, "free_gpus": 0}]
before = {"time_s": 0, "nodes": nodes, "running": [], "queue": [job(1, 0, 8), job(2, 10, 4), job(3, 20, 2)]}
after = {"time_s": 60, "nodes": nodes, "running": [], "queue": [job(2, 70, 4), job(4, 30, 2)]}
env = gym.QueueEnv()
assert env.observation_space.contains(env.observe(before)) and env.observation_space.contains(env.observe(after))
assert env.reward(before, after) == -(60 * 4 + 30 * 2) / 3600 / 8
assert [s["job"] for s in env.act(before, 0).starts] == [3, 2], "the order of the queue: 3 has waited longest"
assert [s["job"] for s in env.act(before, 2).starts] == [1], "the widest first"
assert env.action_space.contains(2) and not env.action_space.contains(3)
drawn = []
for _ in range(2):
    env.action_space.seed(7)
    drawn.append([env.action_space.sample() for _ in range(20)])
assert drawn[0] == drawn[1] and set(drawn[0]) == {0, 1, 2}, drawn
assert not env.observation_space.contains(env.observe(before)[:3])
try:
    env.step(0)
except RuntimeError as e:
    assert "reset" in str(e)
env.program = "/not/there"
import tempfile
env.directory = gym.pathlib.Path(tempfile.mkdtemp())
try:
    env.reset(seed=1)
except FileNotFoundError:
    pass
env.program = "false"
try:
    env.reset(seed=1)
except gym.RunFailed as e:
    assert "exit code 1" in str(e), e
else:
    raise AssertionError("a run that failed began")
`)
}

// What the adapter tells a scheduler of Batsim's, and what it makes of its answers: without
// ZeroMQ, which a test on a real cluster has.
func TestPythonBatsim(t *testing.T) {
	runPython(t, `
import slurmlab_batsim as batsim

assert batsim.interval_set([5, 0, 1, 2]) == "0-2 5" and batsim.interval_set([]) == ""
assert batsim.numbers_of("0-2 5") == batsim.numbers_of("0-2,5") == [0, 1, 2, 5]

told, replies, warned = [], [], []
def talk(now, events):
    told.extend((e["type"], e["data"].get("job_id")) for e in events)
    assert all(e["timestamp"] == now for e in events)
    return replies.pop(0)

def execute(job, alloc):
    return {"timestamp": 0, "type": "EXECUTE_JOB", "data": {"job_id": job, "alloc": alloc}}

def job(number, cores, nodes=0, limit=600):
    return {"job": number, "waited_s": 1, "limit_s": limit, "cores": cores, "nodes": nodes, "cores_per_node": 0, "gpus_per_node": 0}

def snapshot(time, queue, running=(), free=8):
    return {"time_s": time, "queue": queue, "running": [{"job": r} for r in running],
            "nodes": [{"name": f"n{i}", "cores": 8, "gpus": 0, "free_cores": free, "free_gpus": 0} for i in range(4)]}

adapter = batsim.Adapter(talk, warned.append)

# Jobs are told in the order of the queue, and what is executed starts.
replies += [[], [execute("slurm!1", "1-2"), {"type": "CALL_ME_LATER", "data": {"timestamp": 90}}, {"type": "REJECT_JOB", "data": {"job_id": "slurm!3"}}]]
answer = adapter.decide(snapshot(0, [job(1, 16), job(2, 8, nodes=2), job(3, 64), job(4, 1, limit=0)]))
assert told == [("SIMULATION_BEGINS", None), ("JOB_SUBMITTED", "slurm!1"), ("JOB_SUBMITTED", "slurm!2"), ("JOB_SUBMITTED", "slurm!3")], told
assert answer.starts == [{"job": 1, "nodes": ["n1", "n2"]}] and answer.wait_until_s == 90
assert len(warned) == 2 and "without a time limit" in warned[0] and "rejects job 3" in warned[1], warned

# A start that Slurm refused is made again, without a word to the scheduler; not while there is no room.
told.clear()
assert adapter.decide(snapshot(5, [job(1, 16), job(2, 8, nodes=2)])).starts == [{"job": 1, "nodes": ["n1", "n2"]}]
assert adapter.decide(snapshot(5, [job(1, 16), job(2, 8, nodes=2)], free=7)).starts == [] and told == []

# A call that is due, and an event that means nothing here, which is told once.
replies += [[{"type": "SET_RESOURCE_STATE", "data": {}}, {"type": "SET_RESOURCE_STATE", "data": {}}]]
assert adapter.decide(snapshot(90, [job(2, 8, nodes=2)], running=[1])).wait_until_s is None
assert told == [("REQUESTED_CALL", None)] and len(warned) == 3 and "SET_RESOURCE_STATE" in warned[2], (told, warned)

# The end of a job comes before new jobs.
told.clear()
replies += [[execute("slurm!2", "0,3")]]
assert adapter.decide(snapshot(100, [job(2, 8, nodes=2), job(5, 8)])).starts == [{"job": 2, "nodes": ["n0", "n3"]}]
assert told == [("JOB_COMPLETED", "slurm!1"), ("JOB_SUBMITTED", "slurm!5")], told

# A job that was cancelled while it waited ends when the scheduler executes it.
told.clear()
replies += [[execute("slurm!5", "1")], []]
adapter.decide(snapshot(110, [job(6, 8)], running=[2]))
assert adapter.decide(snapshot(120, [job(6, 8)], running=[2])).starts == []
assert told == [("JOB_SUBMITTED", "slurm!6"), ("JOB_COMPLETED", "slurm!5")], told
told.clear()
replies += [[]]
adapter.end()
assert told == [("SIMULATION_ENDS", None)] and replies == []
`)
}

// WritePython makes files that Python and people can use.
func TestWritePython(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "modules")
	files, err := plugin.WritePython(dir)
	if err != nil || !slices.Equal(files, []string{filepath.Join(dir, plugin.PythonClientFile), filepath.Join(dir, plugin.PythonGymFile), filepath.Join(dir, plugin.PythonBatsimFile)}) {
		t.Fatalf("%q, %v", files, err)
	}
	if info, statErr := os.Stat(files[1]); statErr != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%v, %v: the environment runs it", info, statErr)
	}
	if _, err = plugin.WritePython(files[0]); err == nil {
		t.Error("a file is no directory")
	}
}

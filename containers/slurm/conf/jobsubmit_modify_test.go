package conf

import (
	"strings"
	"testing"

	interpreter "github.com/yuin/gopher-lua"
)

// Codes of slurm_errno.h.
const (
	notAvailable     = 2014
	heldForScheduler = 2042
)

// Slurm reports to the owner of a job that is not held at once that no node can run it. Of a held job it would never
// say so (test of 4 nodes with 8 cores and 2 GPUs each).
func TestImpossibleJobIsRefused(t *testing.T) {
	for _, c := range []struct {
		sbatch string
		asked  desc
		told   string
	}{
		{"-N 4 -n 32 --gres=gpu:2", desc{"min_nodes": 4, "max_nodes": 4, "num_tasks": 32, "min_cpus": 32, "tres_per_node": "gres/gpu:2"}, ""},
		{"-N 5", desc{"min_nodes": 5, "max_nodes": 5, "min_cpus": 5}, "it wants 5 nodes, and the machine has 4"},
		{"-n 33", desc{"num_tasks": 33, "min_cpus": 33}, "it wants 33 cores, and the machine has 32"},
		{"--ntasks-per-node=9", desc{"ntasks_per_node": 9}, "it wants 9 cores on a node, and a node has 8"},
		{"--gres=gpu:3", desc{"tres_per_node": "gres/gpu:3"}, "it wants 3 GPUs on a node, and a node has 2"},
		{"--gres=gpu:3-4", desc{"tres_per_node": "gres/gpu:3-4"}, "it wants 3 GPUs on a node"},
		{"--gres=gpu:1-4", desc{"tres_per_node": "gres/gpu:1-4"}, ""},
		{"-n 33, or 8", desc{"num_tasks": 33, "min_cpus": 33, "comment": "slurmlab alt: -n 8"}, ""},
	} {
		code, _, told := submit(t, true, c.asked)
		if (code == notAvailable) != (c.told != "") || (code == 0) != (c.told == "") || !strings.Contains(told, c.told) {
			t.Errorf("sbatch %s: code %d, told %q, want %q", c.sbatch, code, told, c.told)
		}
		if code, _, told = submit(t, false, c.asked); code != 0 || told != "" {
			t.Errorf("sbatch %s without an agent: code %d, told %q", c.sbatch, code, told)
		}
	}
}

const (
	never = "4102444800" // 2100-01-01
	byHim = "slurmlab: held by its owner: scontrol release lets it wait for the agent again"
)

// A job that its owner holds is told apart from those that wait for the agent, at its
// submission and later; --begin is kept for its release.
func TestHoldOfTheOwner(t *testing.T) {
	code, after, _ := submit(t, true, desc{"priority": 0, "begin_time": 1893456000})
	if code != 0 || after["extra"] != byHim || after["begin_time"] != never || !strings.HasSuffix(after["admin_comment"], " begin=1893456000") {
		t.Errorf("sbatch --hold --begin: code %d, %v", code, after)
	}
	if code, after, _ = submit(t, true, desc{"begin_time": 1893456000}); code != 0 || after["extra"] != "" || after["begin_time"] != "1893456000" {
		t.Errorf("sbatch --begin: code %d, %v", code, after)
	}
	waits := desc{"job_id": 7, "job_state": 0, "priority": 0, "admin_comment": "slurmlab tasks=1"}
	held := desc{"job_id": 7, "job_state": 0, "priority": 0, "extra": byHim, "admin_comment": "slurmlab tasks=1 begin=1893456000"}
	ready := desc{"job_id": 7, "job_state": 0, "priority": 5}
	runs := desc{"job_id": 7, "job_state": 1, "priority": 5}
	for _, c := range []struct {
		name  string
		job   desc
		asked desc
		code  int
		// The fields afterwards; "" for unchanged.
		priority, begin, extra string
	}{
		{"hold of a waiting job", waits, desc{"priority": 0}, 0, "0", never, byHim},
		{"hold of a released job", ready, desc{"priority": 0}, 0, "0", never, byHim},
		{"hold of a running job", runs, desc{"priority": 0}, 0, "0", "0", ""},
		{"release of a held job", held, desc{"priority": infinite}, 0, "4294967294", "1893456000",
			"slurmlab: released by its owner"},
		{"release of a waiting job", waits, desc{"priority": infinite}, heldForScheduler, "4294967294", "0", ""},
		{"release of a released job", ready, desc{"priority": infinite}, 0, "4294967294", "0", ""},
	} {
		for _, uid := range []int{0, 1000} {
			p := load(t, true)
			code, after, _ := p.call("slurm_job_modify", update(c.asked), p.table(c.job), p.state.NewTable(), interpreter.LNumber(uid))
			if code != c.code || after["priority"] != c.priority || after["begin_time"] != c.begin || after["extra"] != c.extra {
				t.Errorf("%s by %d: code %d, %v", c.name, uid, code, after)
			}
		}
	}
}

// The agent is the same user as everybody in a cluster's container. What it announces passes
// once; the same from anybody else is kept from Slurm.
func TestOnlyTheAgentReleases(t *testing.T) {
	onlyTheAgentReleases(t, 0)
	// A container of one user, as under a runtime without privileges.
	onlyTheAgentReleases(t, 64030)
}

func onlyTheAgentReleases(t *testing.T, agent int) {
	t.Helper()
	p := loadScript(t, jobSubmit(submitOptions{Hold: true, Agent: agent}, fourNodes()))
	modify := func(job, uid int, asked desc) (int, map[string]string) {
		code, after, _ := p.call("slurm_job_modify", update(asked),
			p.table(desc{"job_id": job, "job_state": 0, "priority": 0}), p.state.NewTable(), interpreter.LNumber(uid))
		return code, after
	}
	release := desc{"priority": infinite}
	place := desc{"bitflags": 0x200000, "min_nodes": 2, "max_nodes": 2, "req_nodes": "n[1-2]"}
	if code, _ := modify(7, 1000, place); code == 0 {
		t.Error("an owner's update passed for the agent's")
	}
	if code, after := modify(7, agent, place); code != 0 || after["req_nodes"] != "n[1-2]" {
		t.Errorf("the agent's update: code %d, %v", code, after)
	}
	if code, _ := modify(8, agent, release); code != heldForScheduler {
		t.Errorf("release of a job that was not announced: code %d", code)
	}
	if code, after := modify(7, agent, release); code != 0 || after["priority"] != "4294967295" {
		t.Errorf("the agent's release: code %d, %v", code, after)
	}
	if code, _ := modify(7, agent, release); code != heldForScheduler {
		t.Errorf("a second release: code %d", code)
	}
	if code, _ := modify(9, agent, desc{"bitflags": 0x200000}); code != 0 {
		t.Errorf("announced hold: code %d", code)
	}
	if code, after := modify(9, agent, desc{"priority": 0}); code != 0 || after["extra"] != "" || after["begin_time"] != "0" {
		t.Errorf("the agent's hold: code %d, %v", code, after)
	}
}

// The request of a job is the one of its submission. What an update would change without effect, or to the harm of
// others, is refused.
func TestUpdates(t *testing.T) {
	for _, c := range []struct {
		scontrol string
		asked    desc
		uid      int
		told     string
	}{
		{"TimeLimit=5", desc{"time_limit": 5}, 1000, ""},
		{"Name=other", desc{"name": "other"}, 1000, ""},
		{"Comment=other", desc{"comment": "other"}, 1000, ""},
		{"Dependency=afterany:3", desc{"dependency": "afterany:3"}, 0, ""},
		{"Extra=why", desc{"extra": "why"}, 0, ""},
		{"AdminComment=ask-Anna", desc{"admin_comment": "ask-Anna"}, 0, ""},
		{"Extra=why", desc{"extra": "why"}, 1000, "Extra why a job waits"},
		{"Requeue=1", desc{"requeue": 1}, 1000, "Requeue cannot be changed"},
		{"NumNodes=3", desc{"min_nodes": 3, "max_nodes": 3}, 1000, "NumNodes cannot be changed"},
		{"NumNodes=3", desc{"min_nodes": 3, "max_nodes": 3}, 0, "NumNodes cannot be changed"},
		{"NodeList=n1", desc{"req_nodes": "n1"}, 0, "NodeList cannot be changed"},
		{"NodeList=", desc{"req_nodes": ""}, 0, "NodeList cannot be changed"},
		{"TresPerNode=gres/gpu:2", desc{"tres_per_node": "gres/gpu:2"}, 0, "TresPerNode cannot be changed"},
		{"OverSubscribe=NO", desc{"shared": 0}, 0, "OverSubscribe cannot be changed"},
		{"OverSubscribe=YES", desc{"shared": 1}, 0, "OverSubscribe cannot be changed"},
		{"Partition=other", desc{"partition": "other"}, 1000, "Partition cannot be changed"},
		{"StartTime=now", desc{"begin_time": 1893456000}, 1000, "StartTime cannot be changed"},
		// Under priority/basic Slurm takes it off the priority 0, and starts the job.
		{"Nice=10", desc{"nice": 0x80000000 + 10}, 1000, "Nice cannot be changed"},
		{"Priority=100", desc{"priority": 100}, 0, "its priority cannot be changed"},
		{`Name="a\nb"`, desc{"name": "a\nb"}, 1000, "control character"},
		{`Comment="a\x1fb"`, desc{"comment": "a\x1fb"}, 1000, "control character"},
		{`Comment="slurmlab alt: -n 2"`, desc{"comment": "slurmlab alt: -n 2"}, 1000, "alternatives cannot be changed"},
	} {
		p := load(t, true)
		code, _, told := p.call("slurm_job_modify", update(c.asked),
			p.table(desc{"job_id": 7, "job_state": 0, "priority": 0}), p.state.NewTable(), interpreter.LNumber(c.uid))
		if (code == 0) != (c.told == "") || !strings.Contains(told, c.told) {
			t.Errorf("scontrol update %s by %d: code %d, told %q, want %q", c.scontrol, c.uid, code, told, c.told)
		}
		p = load(t, false)
		code, _, told = p.call("slurm_job_modify", update(c.asked), p.table(nil), p.state.NewTable(), interpreter.LNumber(c.uid))
		if code != 0 || told != "" {
			t.Errorf("scontrol update %s without an agent: code %d, told %q", c.scontrol, code, told)
		}
	}
}

// A reason that the agent writes must not undo the hold of an owner that came between.
func TestHoldOutlivesTheAgentsReason(t *testing.T) {
	p := load(t, true)
	code, after, _ := p.call("slurm_job_modify", update(desc{"extra": "slurmlab: cannot be scheduled: why"}),
		p.table(desc{"job_id": 7, "job_state": 0, "priority": 0, "extra": byHim}), p.state.NewTable(), interpreter.LNumber(0))
	if code != 0 || after["extra"] != byHim {
		t.Errorf("code %d, extra %q", code, after["extra"])
	}
}

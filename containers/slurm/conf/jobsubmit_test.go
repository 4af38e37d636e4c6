package conf

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	interpreter "github.com/yuin/gopher-lua"
)

// Slurm's words for "not asked for" (slurm.h).
const (
	noVal   = 0xfffffffe
	noVal16 = 0xfffe

	infinite = 0xffffffff
)

// desc is a job_desc: the fields that sbatch set. Slurm shows all numbers that
// it did not set as NO_VAL or NO_VAL16.
type desc map[string]any

// submission is a job_desc as a bare "sbatch --wrap true" makes it, and update one as
// "scontrol update" makes it, with what was asked for beyond that.
func submission(asked desc) desc {
	all := desc{"min_nodes": noVal, "max_nodes": noVal, "num_tasks": noVal, "ntasks_per_node": noVal16, "ntasks_per_core": noVal16,
		"ntasks_per_socket": noVal16, "ntasks_per_tres": noVal16, "cpus_per_task": noVal16, "min_cpus": 1, "pn_min_cpus": noVal16,
		"pn_min_tmp_disk": noVal, "sockets_per_node": noVal16, "cores_per_socket": noVal16, "threads_per_core": noVal16,
		"bitflags": 0x1e000000, "req_switch": noVal, "begin_time": 0, "nice": noVal, "priority": noVal, "time_limit": noVal, "requeue": noVal16,
		"shared": noVal16, "reboot": noVal16}
	maps.Copy(all, asked)
	return all
}

func update(asked desc) desc {
	all := submission(desc{"min_cpus": noVal, "max_cpus": noVal, "bitflags": 0})
	maps.Copy(all, asked)
	return all
}

// plugin is the script in an interpreter of Lua 5.1; Slurm has Lua 5.4, of which the
// script uses nothing that 5.1 lacks. Like Slurm it keeps the script's variables from
// call to call.
type plugin struct {
	t     *testing.T
	state *interpreter.LState
	told  string
}

func load(t *testing.T, hold bool) *plugin {
	t.Helper()
	return loadScript(t, jobSubmit(submitOptions{Hold: hold}, fourNodes()))
}

func loadScript(t *testing.T, script string) *plugin {
	t.Helper()
	p := &plugin{t: t, state: interpreter.NewState()}
	t.Cleanup(p.state.Close)
	slurm := p.state.NewTable()
	for name, value := range map[string]float64{"NO_VAL": noVal, "NO_VAL16": noVal16, "INFINITE": infinite, "SUCCESS": 0, "ERROR": -1} {
		slurm.RawSetString(name, interpreter.LNumber(value))
	}
	slurm.RawSetString("log_user", p.state.NewFunction(func(s *interpreter.LState) int {
		format := s.GetField(s.GetGlobal("string"), "format")
		if err := s.CallByParam(interpreter.P{Fn: format, NRet: 1}, arguments(s)...); err != nil {
			t.Error(err)
		}
		p.told += s.ToString(-1)
		return 0
	}))
	p.state.SetGlobal("slurm", slurm)
	if err := p.state.DoString(script); err != nil {
		t.Fatal(err)
	}
	return p
}

// call calls a function of the script with a job_desc. It returns the code, the fields
// afterwards and what the script told the user.
func (p *plugin) call(function string, given desc, rest ...interpreter.LValue) (code int, after map[string]string, told string) {
	p.t.Helper()
	table := p.table(given)
	call := interpreter.P{Fn: p.state.GetGlobal(function), NRet: 1, Protect: true}
	p.told = ""
	if err := p.state.CallByParam(call, append([]interpreter.LValue{table}, rest...)...); err != nil {
		p.t.Fatal(err)
	}
	code = int(p.state.ToNumber(-1))
	p.state.Pop(1)
	after = map[string]string{}
	table.ForEach(func(name, value interpreter.LValue) { after[name.String()] = value.String() })
	return code, after, p.told
}

func (p *plugin) table(given desc) *interpreter.LTable {
	table := p.state.NewTable()
	for name, value := range given {
		switch v := value.(type) {
		case int:
			table.RawSetString(name, interpreter.LNumber(v))
		case string:
			table.RawSetString(name, interpreter.LString(v))
		case desc:
			table.RawSetString(name, p.table(v))
		case []string:
			// Slurm counts the arguments from 0.
			list := p.state.NewTable()
			for i, text := range v {
				list.RawSetInt(i, interpreter.LString(text))
			}
			table.RawSetString(name, list)
		}
	}
	return table
}

// submit calls slurm_job_submit.
func submit(t *testing.T, hold bool, asked desc) (code int, after map[string]string, told string) {
	t.Helper()
	p := load(t, hold)
	return p.call("slurm_job_submit", submission(asked), p.state.NewTable(), interpreter.LNumber(0))
}

func arguments(s *interpreter.LState) []interpreter.LValue {
	all := make([]interpreter.LValue, s.GetTop())
	for i := range all {
		all[i] = s.Get(i + 1)
	}
	return all
}

// What sbatch 24.11.5 makes of each command line was read from job_desc on a
// cluster. A request that the agent would change is refused in words; IPSCHED's
// equation (5) has ranges of nodes, which no bid and no program has yet.
func TestWhatTheAgentCannotHonourIsRefused(t *testing.T) {
	for _, c := range []struct {
		sbatch string
		asked  desc
		// note is the AdminComment; refused is part of the message that the user gets.
		note, refused string
	}{
		{"", desc{}, "slurmlab tasks=0 nodes=0 tasks_per_node=0", ""},
		{"-n 2", desc{"num_tasks": 2, "min_cpus": 2}, "slurmlab tasks=2 nodes=0 tasks_per_node=0", ""},
		{"-N 4", desc{"min_nodes": 4, "max_nodes": 4, "min_cpus": 4}, "slurmlab tasks=0 nodes=4 tasks_per_node=0", ""},
		{"-N 4-4", desc{"min_nodes": 4, "max_nodes": 4, "min_cpus": 4}, "slurmlab tasks=0 nodes=4 tasks_per_node=0", ""},
		{"-N 2-4", desc{"min_nodes": 2, "max_nodes": 4}, "slurmlab tasks=0 nodes=2 tasks_per_node=0 max_nodes=4", ""},
		// sbatch lowers the most to the number of tasks.
		{"-N 1-4 -n 2", desc{"min_nodes": 1, "max_nodes": 2, "num_tasks": 2, "min_cpus": 2}, "slurmlab tasks=2 nodes=1 tasks_per_node=0 max_nodes=2", ""},
		{"-N 2-4 --ntasks-per-node=2", desc{"min_nodes": 2, "max_nodes": 4, "ntasks_per_node": 2}, "", "2 to 4 nodes and --ntasks-per-node"},
		{"-n 8 --ntasks-per-node=2", desc{"min_nodes": 4, "num_tasks": 8, "min_cpus": 8, "ntasks_per_node": 2},
			"slurmlab tasks=8 nodes=0 tasks_per_node=2", ""},
		{"-w n[1-2]", desc{"min_nodes": 2, "min_cpus": 2, "req_nodes": "n[1-2]"}, "slurmlab tasks=0 nodes=0 tasks_per_node=0 nodelist=n[1-2]", ""},
		{"-n 2 -c 1", desc{"num_tasks": 2, "cpus_per_task": 1, "min_cpus": 2, "pn_min_cpus": 1, "tres_per_task": "cpu=1"},
			"slurmlab tasks=2 nodes=0 tasks_per_node=0 cpus_per_task=1", ""},
		// The agent says in the job's Extra why it does not schedule this one.
		{"-n 2 -c 2", desc{"num_tasks": 2, "cpus_per_task": 2, "min_cpus": 4, "pn_min_cpus": 2, "tres_per_task": "cpu=2"},
			"slurmlab tasks=2 nodes=0 tasks_per_node=0 cpus_per_task=2", ""},
		{"--mincpus=3", desc{"pn_min_cpus": 3}, "", "--mincpus=3"},
		{"--gres=gpu:2", desc{"tres_per_node": "gres/gpu:2"}, "slurmlab tasks=0 nodes=0 tasks_per_node=0", ""},
		{"--gres=gpu:1-2", desc{"tres_per_node": "gres/gpu:1-2"}, "slurmlab tasks=0 nodes=0 tasks_per_node=0 gpus=1-2", ""},
		{"--gres=gpu", desc{"tres_per_node": "gres/gpu"}, "slurmlab tasks=0 nodes=0 tasks_per_node=0", ""},
		{"--gres=gpu:a100:2", desc{"tres_per_node": "gres/gpu:a100:2"}, "slurmlab tasks=0 nodes=0 tasks_per_node=0 gpu_type=a100", ""},
		{"--gres=gpu:a100", desc{"tres_per_node": "gres/gpu:a100"}, "slurmlab tasks=0 nodes=0 tasks_per_node=0 gpu_type=a100", ""},
		{"--gres=gpu:a100:1-2", desc{"tres_per_node": "gres/gpu:a100:1-2"}, "", "gres/gpu:a100:1-2 per node: ask for --gres=gpu"},
		{`--gres=gpu:a100:1 --comment="slurmlab alt: -n 8"`, desc{"tres_per_node": "gres/gpu:a100:1", "comment": "slurmlab alt: -n 8"},
			"", "gres/gpu:a100:1 per node beside other requests"},
		{"--gres=gpu:a:1,gpu:b:1", desc{"tres_per_node": "gres/gpu:a:1,gres/gpu:b:1"}, "", "per node: ask for --gres=gpu"},
		{"--gpus=2", desc{"tres_per_job": "gres/gpu:2"}, "", "--gpus, --gpus-per-task"},
		{"-n 2 --gpus-per-task=1", desc{"num_tasks": 2, "min_cpus": 2, "tres_per_task": "gres/gpu=1"}, "", "--gpus, --gpus-per-task"},
		{"-n 2 -c 1 --gpus-per-task=1", desc{"num_tasks": 2, "min_cpus": 2, "tres_per_task": "cpu=1,gres/gpu=1"}, "", "--gpus, --gpus-per-task"},
		{"--gpus-per-socket=1", desc{"tres_per_socket": "gres/gpu:1"}, "", "--gpus-per-socket"},
		{"--gres=gpu:2 --cpus-per-gpu=3", desc{"tres_per_node": "gres/gpu:2", "cpus_per_tres": "gres/gpu:3", "min_cpus": 6}, "", "--cpus-per-gpu"},
		{"--gres=gpu:2 --mem-per-gpu=3", desc{"tres_per_node": "gres/gpu:2", "mem_per_tres": "gres/gpu:3"}, "", "--mem-per-gpu"},
		{"--gres=gpu:2 --ntasks-per-gpu=1", desc{"tres_per_node": "gres/gpu:2", "num_tasks": 2, "ntasks_per_tres": 1}, "", "--ntasks-per-gpu"},
		{"-n 4 --overcommit", desc{"num_tasks": 4}, "", "--overcommit"},
		{"--ntasks-per-socket=1", desc{"ntasks_per_socket": 1}, "", "sockets, cores per socket or threads"},
		{"--ntasks-per-core=1", desc{"ntasks_per_core": 1}, "slurmlab tasks=0 nodes=0 tasks_per_node=0", ""},
		{"--hint=nomultithread", desc{"threads_per_core": 1}, "slurmlab tasks=0 nodes=0 tasks_per_node=0", ""},
		{"-B 1:2:1", desc{"num_tasks": 2, "min_cpus": 2, "sockets_per_node": 1, "cores_per_socket": 2, "threads_per_core": 1}, "", "sockets, cores per socket or threads"},
		{"--tmp=5", desc{"pn_min_tmp_disk": 5}, "", "--tmp"},
		{"--reservation=x", desc{"reservation": "x"}, "slurmlab tasks=0 nodes=0 tasks_per_node=0 reservation=x", ""},
		{"--reservation=x,y", desc{"reservation": "x,y"}, "", "--reservation: the agent knows one"},
		{"--spread-job", desc{"bitflags": 0x1e000100}, "", "--spread-job"},
		{"--use-min-nodes", desc{"bitflags": 0x1e000200}, "slurmlab tasks=0 nodes=0 tasks_per_node=0", ""},
		{"-w 'n1 n2'", desc{"min_nodes": 2, "min_cpus": 2, "req_nodes": "n1 n2"}, "slurmlab tasks=0 nodes=0 tasks_per_node=0 nodelist=n1,n2", ""},
		// No list of nodes can write a word of the note.
		{"-x 'n1\ttasks=9 %'", desc{"exc_nodes": "n1\ttasks=9 %"}, "slurmlab tasks=0 nodes=0 tasks_per_node=0 exclude=n1,tasks%3D9,%25", ""},
		{"--exclusive", desc{"shared": 0}, "slurmlab tasks=0 nodes=0 tasks_per_node=0 exclusive=1", ""},
		{"--reboot", desc{"reboot": 1}, "slurmlab tasks=0 nodes=0 tasks_per_node=0 exclusive=1", ""},
		{"--oversubscribe", desc{"shared": 1}, "slurmlab tasks=0 nodes=0 tasks_per_node=0", ""},
		{"--exclusive=user", desc{"shared": 2}, "", "--exclusive=user"},
		{"--exclusive=topo", desc{"shared": 4}, "", "--exclusive=user, mcs and topo"},
		{"--prefer=fast", desc{"prefer": "fast"}, "", "--prefer"},
		{"-t 365-0", desc{"time_limit": 525600}, "slurmlab tasks=0 nodes=0 tasks_per_node=0", ""},
		{"-t 999-0", desc{"time_limit": 1438560}, "", "--time: more than 365 days"},
		{"-t 0", desc{"time_limit": infinite}, "slurmlab tasks=0 nodes=0 tasks_per_node=0", ""},
		{"--requeue", desc{"requeue": 1}, "", "--requeue"},
		{"--no-requeue", desc{"requeue": 0}, "slurmlab tasks=0 nodes=0 tasks_per_node=0", ""},
		{"--extra=mine", desc{"extra": "mine"}, "", "--extra"},
		{`-J "a\nb"`, desc{"name": "a\nb"}, "", "control character"},
		{"--mem=100", desc{"pn_min_memory": 100, "min_mem_per_node": 100}, "slurmlab tasks=0 nodes=0 tasks_per_node=0 mem_per_node=100", ""},
		{`-N 4 --gres=gpu:2 --comment="slurmlab alt: -n 8"`, desc{"min_nodes": 4, "max_nodes": 4, "min_cpus": 4, "tres_per_node": "gres/gpu:2",
			"comment": "slurmlab alt: -n 8"}, "slurmlab tasks=0 nodes=4 tasks_per_node=0 gpus=2-2", ""},
		{"--array=1-3", desc{"array_inx": "1-3"}, "", "an auction has no job arrays"},
	} {
		code, after, told := submit(t, true, c.asked)
		accepted := code == 0
		if accepted != (c.refused == "") || c.refused == "" != (told == "") || !strings.Contains(told, c.refused) {
			t.Errorf("sbatch %s: accepted %v, told %q, want %q", c.sbatch, accepted, told, c.refused)
		}
		if accepted && (after["admin_comment"] != c.note || after["priority"] != "0") {
			t.Errorf("sbatch %s: note %q and priority %s, want %q and 0", c.sbatch, after["admin_comment"], after["priority"], c.note)
		}
		// Under Slurm's own schedulers nothing changes but ranges of GPUs.
		code, after, told = submit(t, false, c.asked)
		if code != 0 || told != "" || after["admin_comment"] != "" || after["priority"] != fmt.Sprint(noVal) {
			t.Errorf("sbatch %s without an agent: code %d, told %q, %v", c.sbatch, code, told, after)
		}
		for field, value := range c.asked {
			if field != "tres_per_node" && after[field] != fmt.Sprint(value) {
				t.Errorf("sbatch %s without an agent: %s became %s", c.sbatch, field, after[field])
			}
		}
	}
}

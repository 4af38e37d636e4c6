package check_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/internal/faultpoint"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
	"github.com/slurmlab/slurmlab/workloads"
)

const (
	workload = `job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class
1,0,60,120,2,8,4,1,1,0,a
2,0,30,120,1,4,4,0,0,0,a
`
	accounting = `JobID|JobName|User|Partition|State|ExitCode|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NNodes|NCPUS|ReqTRES|AllocTRES|NodeList
11|1|root|main|COMPLETED|0:0|2025-01-01T00:00:03|2025-01-01T00:00:03|2025-01-01T00:00:03|2025-01-01T00:01:03|60|2|2|8|billing=8,cpu=8,gres/gpu=2,node=2|billing=8,cpu=8,gres/gpu=2,node=2|n[1-2]
12|2|root|main|COMPLETED|0:0|2025-01-01T00:00:03|2025-01-01T00:00:03|2025-01-01T00:01:03|2025-01-01T00:01:33|30|2|1|4|billing=4,cpu=4,node=1|billing=4,cpu=4,node=1|n1
`
	ctldLog = `[2025-01-01T00:00:03.000] sched: Allocate JobId=11 NodeList=n[1-2] #CPUs=8 Partition=main
[2025-01-01T00:01:03.000] sched/backfill: _start_job: HETJOB: Started JobId=12 in main on n1
`
)

// played is a cell's directory in which no invariant is broken.
type played struct {
	t     *testing.T
	dir   string
	facts check.Facts
	run   trace.Run
}

func play(t *testing.T, c check.Cell) *played {
	t.Helper()
	p := &played{t: t, dir: t.TempDir(), facts: check.Facts{Cell: c, TookSeconds: 3, BoundSeconds: 300, Status: trace.StatusComplete}}
	p.run = trace.Run{
		SchemaVersion: trace.SchemaVersion, ID: "run", Status: trace.StatusComplete, Jobs: 2, Submitted: 2,
		Settings: trace.Settings{
			Machine: workloads.Machine{Name: "two", Nodes: 2, Cores: 4, GPUs: 2}, Workload: "w",
			Policy: policy.Backfill, Clock: trace.ClockJump, TimeScale: 1, ThinkScale: 1,
		},
	}
	for _, name := range []string{check.RunName, check.FreshName} {
		p.write(name+"/workload.csv", workload)
		p.write(name+"/sacct.txt", accounting)
		p.write(name+"/logs/slurmctld.log", ctldLog)
		p.record(name, p.run)
	}
	p.write(check.OutputName, "")
	p.rebuild()
	return p
}

func (p *played) path(name string) string { return filepath.Join(p.dir, name) }

func (p *played) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// replace changes a file.
func (p *played) replace(name, old, by string) {
	p.t.Helper()
	text, err := os.ReadFile(p.path(name))
	if err != nil || !strings.Contains(string(text), old) {
		p.t.Fatalf("%s has no %q: %v", name, old, err)
	}
	p.write(name, strings.Replace(string(text), old, by, 1))
}

func (p *played) record(name string, run trace.Run) {
	p.t.Helper()
	dir, err := trace.Open(p.path(name))
	if err != nil {
		p.write(name+"/run.json", "")
		if dir, err = trace.Open(p.path(name)); err != nil {
			p.t.Fatal(err)
		}
	}
	if err = dir.WriteRun(run); err != nil {
		p.t.Fatal(err)
	}
}

// rebuild writes the metrics of the run's files as they are.
func (p *played) rebuild() {
	p.t.Helper()
	dir, err := trace.Open(p.path(check.RunName))
	if err != nil {
		p.t.Fatal(err)
	}
	data, err := dir.Load()
	if err != nil {
		p.t.Fatal(err)
	}
	m, err := metric.Compute(data.Run, data.Jobs, data.Cycles, data.Sdiag)
	if err != nil {
		p.t.Fatal(err)
	}
	for path, write := range map[string]func(io.Writer) error{
		dir.MetricsFile(): func(w io.Writer) error { return metric.Write(w, m) },
		dir.SeriesFile(): func(w io.Writer) error {
			return metric.WriteSeries(w, metric.NewSeries(data.Run.Machine, data.Jobs))
		},
		dir.JobsFile(): func(w io.Writer) error {
			return trace.WriteJobsCSV(w, "w", metric.Records(data.Run.Machine, data.Jobs))
		},
	} {
		if err = trace.WriteAtomic(path, write); err != nil {
			p.t.Fatal(err)
		}
	}
}

// fail makes a failed run of it, without metrics.
func (p *played) fail(reason string) {
	p.facts.Status, p.facts.Reason, p.facts.Exit = trace.StatusFailed, reason, 1
	p.run.Status, p.run.Reason = trace.StatusFailed, reason
	p.record(check.RunName, p.run)
	for _, name := range []string{"metrics.json", "series.csv", "jobs.csv"} {
		if err := os.Remove(p.path(check.RunName + "/" + name)); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *played) judge() []check.Broken {
	p.t.Helper()
	data, err := json.Marshal(p.facts)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(check.FactsName, string(data))
	v, err := check.Judge(p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	return v.Broken
}

func killed(v check.Victim) check.Cell {
	return check.Cell{Action: check.Kill, Victim: v, Point: faultpoint.End, Policy: policy.Backfill, Slurm: check.Of(backend.External)}
}

func exhausted(v check.Victim) check.Cell {
	return check.Cell{Action: check.Exhaust, Victim: v, Point: faultpoint.End, Policy: policy.Backfill, Slurm: check.Of(backend.External)}
}

func pausedAt(v check.Victim, point string) check.Cell {
	return check.Cell{Action: check.Pause, Victim: v, Point: point, Policy: policy.Backfill, Slurm: check.Of(backend.External)}
}

func misbehaved(a check.Action) check.Cell {
	return check.Cell{Action: a, Victim: check.Plugin, Point: faultpoint.Release, Policy: check.Program, Slurm: check.Of(backend.External)}
}

// "Invariants, checked by one checker separate from the nemesis" (issue 16): each one
// is found when it is broken, and no other is blamed for it.
func TestJudgeFindsWhatIsBroken(t *testing.T) {
	container := check.LeftContainer{ID: "0123456789abcdef", State: "exited"}
	paused := killed(check.Slurmctld)
	paused.Action = check.Pause
	tests := []struct {
		name   string
		cell   check.Cell
		change func(*played)
		want   []int
	}{
		{"nothing", killed(check.Slurmctld), func(*played) {}, nil},
		{"a failed run that names its cause", killed(check.Slurmctld), func(p *played) { p.fail("slurmctld died") }, nil},
		{"the fault was not done", killed(check.Slurmctld), func(p *played) { p.facts.Undone = "no such process" }, []int{0}},
		{"no end", killed(check.Slurmctld), func(p *played) { p.facts.Endless = true }, []int{1}},
		{"a late end", killed(check.Slurmctld), func(p *played) { p.facts.TookSeconds = 301 }, []int{1}},
		{"a job twice in sacct", killed(check.Slurmctld), func(p *played) {
			p.replace("run/sacct.txt", "\n12|2|", "\n11|1|root|main|COMPLETED|0:0|2025-01-01T00:00:03|2025-01-01T00:00:03|2025-01-01T00:01:33|2025-01-01T00:02:33|60|2|2|8|cpu=8|cpu=8|n[1-2]\n12|2|")
		}, []int{2, 3, 6}},
		{"a job not in sacct", killed(check.Slurmctld), func(p *played) {
			p.write("run/sacct.txt", accounting[:strings.Index(accounting, "12|2|")])
		}, []int{2, 6}},
		{"a job of somebody else in sacct", killed(check.Slurmctld), func(p *played) { p.replace("run/sacct.txt", "12|2|", "12|3|") }, []int{2, 2, 6}},
		{"a job started twice", killed(check.Slurmctld), func(p *played) {
			p.write("run/logs/slurmctld.log", ctldLog+"[2025-01-01T00:01:10.000] sched: Allocate JobId=12 NodeList=n1 #CPUs=4 Partition=main\n")
		}, []int{3}},
		{"a job started again after its end", killed(check.Slurmctld), func(p *played) {
			p.write("run/logs/slurmctld.log", ctldLog+"[2025-01-01T00:01:03.000] _job_complete: JobId=11 done\n"+
				"[2025-01-01T00:01:04.000] slurmctld version 26.05.5 started on cluster lab\n"+
				"[2025-01-01T00:01:10.000] sched: Allocate JobId=11 NodeList=n[1-2] #CPUs=8 Partition=main\n")
		}, []int{3}},
		{"a job that slurmd runs twice", killed(check.Slurmctld), func(p *played) {
			p.write("run/logs/slurmd.log", "[2025-01-01T00:00:03.000] Launching batch job 11 for UID 0\n[2025-01-01T00:01:10.000] Launching batch job 11 for UID 0\n")
		}, []int{3}},
		{"a job that two of the nodes run", killed(check.Slurmctld), func(p *played) {
			p.write("run/logs/slurmd-n1.log", "[2025-01-01T00:00:03.000] Launching batch JobId=11 SLUID=sDZ9P61H9TX800 for UID 0\n")
			p.write("run/logs/slurmd-n2.log", "[2025-01-01T00:01:10.000] Launching batch JobId=11 SLUID=sDZ9P61H9TX800 for UID 0\n")
		}, []int{3}},
		{"a stopped slurmstepd that nobody names", check.Cell{Action: check.Stop, Victim: check.Slurmstep, Point: faultpoint.End, Policy: policy.Backfill, Slurm: check.Of(backend.FrontEnd)},
			func(p *played) { p.fail("1 of 2 jobs did not end as planned: job 1 TIMEOUT") }, []int{7}},
		{"a stopped slurmstepd", check.Cell{Action: check.Stop, Victim: check.Slurmstep, Point: faultpoint.End, Policy: policy.Backfill, Slurm: check.Of(backend.FrontEnd)},
			func(p *played) { p.fail("slurmstepd did not run for 1m0s of real time") }, nil},
		{"a killed slurmstepd", check.Cell{Action: check.Kill, Victim: check.Slurmstep, Point: faultpoint.End, Policy: policy.Backfill, Slurm: check.Of(backend.FrontEnd)},
			func(p *played) { p.fail("1 of 2 jobs did not end as planned: job 1 FAILED") }, nil},
		{"jobs that slurmd runs once", killed(check.Slurmctld), func(p *played) {
			p.write("run/logs/slurmd.log", "[2025-01-01T00:00:03.000] Launching batch job 11 for UID 0\n[2025-01-01T00:01:10.000] Launching batch job 12 for UID 0\n")
		}, nil},
		{"two runs of a job of a failed run", killed(check.Slurmctld), func(p *played) {
			p.replace("run/sacct.txt", "\n12|2|", "\n13|1|root|main|FAILED|0:0|2025-01-01T00:01:33|2025-01-01T00:01:33|2025-01-01T00:01:33|2025-01-01T00:02:33|60|2|2|8|cpu=8|cpu=8|n[1-2]\n12|2|")
			p.fail("slurmctld died")
		}, []int{3}},
		{"a job that the agent sees start twice", killed(check.Slurmctld), func(p *played) {
			p.write("run/cycles.jsonl", `{"checked":[{"job":1,"exact":true}]}`+"\n"+`{"checked":[{"job":2,"exact":true},{"job":1,"exact":false}]}`+"\n")
			p.fail("slurmctld died")
		}, []int{3}},
		{"jobs that the agent sees start again, as slurmctld forgot a start", killed(check.Slurmctld), func(p *played) {
			p.write("run/cycles.jsonl", `{"checked":[{"job":2,"exact":true}]}`+"\n"+`{"checked":[{"job":2,"exact":true}]}`+"\n")
			p.write("run/logs/slurmctld.log", "[2025-01-01T00:00:01.000] slurmctld version 26.05.5 started on cluster lab\n"+ctldLog+
				"[2025-01-01T00:01:04.000] slurmctld version 26.05.5 started on cluster lab\n")
			p.fail("slurmctld died")
		}, nil},
		{"a start that slurmctld forgot", killed(check.Slurmctld), func(p *played) {
			p.write("run/logs/slurmctld.log", ctldLog+"[2025-01-01T00:01:04.000] slurmctld version 26.05.5 started on cluster lab\n"+
				"[2025-01-01T00:01:10.000] sched: Allocate JobId=12 NodeList=n1 #CPUs=4 Partition=main\n")
		}, nil},
		{"cores of the machine oversold", killed(check.Slurmctld), func(p *played) {
			p.replace("run/sacct.txt", "|2025-01-01T00:01:03|2025-01-01T00:01:33|", "|2025-01-01T00:00:33|2025-01-01T00:01:03|")
		}, []int{4, 6}},
		{"GPUs of a node oversold", killed(check.Slurmctld), func(p *played) {
			p.replace("run/workload.csv", "1,0,60,120,2,8,4,1,1,0,a", "1,0,60,120,1,4,4,2,2,0,a")
			p.replace("run/workload.csv", "2,0,30,120,1,4,4,0,0,0,a", "2,0,30,120,1,4,4,1,1,0,a")
			p.replace("run/sacct.txt", "|2|2|8|billing=8,cpu=8,gres/gpu=2,node=2|billing=8,cpu=8,gres/gpu=2,node=2|n[1-2]", "|2|1|4|cpu=4,gres/gpu=2|cpu=4,gres/gpu=2|n1")
			p.replace("run/sacct.txt", "|2025-01-01T00:01:03|2025-01-01T00:01:33|30|2|1|4|billing=4,cpu=4,node=1|billing=4,cpu=4,node=1|n1", "|2025-01-01T00:00:33|2025-01-01T00:01:03|30|2|1|4|cpu=4,gres/gpu=1|cpu=4,gres/gpu=1|n1")
		}, []int{4, 6}},
		{"a changed duration without a word", killed(check.Slurmctld), func(p *played) {
			p.replace("run/sacct.txt", "2025-01-01T00:01:33|30", "2025-01-01T00:01:43|40")
			p.rebuild()
		}, []int{5}},
		{"a changed duration that is told", killed(check.Slurmctld), func(p *played) {
			p.replace("run/sacct.txt", "2025-01-01T00:01:33|30", "2025-01-01T00:01:43|40")
			p.rebuild()
			p.write(check.OutputName, "warning: run: 1 of 9 ends of jobs (completed) were off by more than 1 s of virtual time\n")
		}, nil},
		{"a changed state without a word", killed(check.Slurmctld), func(p *played) {
			p.replace("run/sacct.txt", "12|2|root|main|COMPLETED", "12|2|root|main|NODE_FAIL")
			p.rebuild()
		}, []int{5}},
		{"metrics of a failed run", killed(check.Slurmctld), func(p *played) {
			p.fail("slurmctld died")
			p.write("run/metrics.json", "{}")
		}, []int{6}},
		{"other metrics than can be rebuilt", killed(check.Slurmctld), func(p *played) { p.replace("run/metrics.json", "1", "2") }, []int{6}},
		{"no metrics of a complete run", killed(check.Slurmctld), func(p *played) { _ = os.Remove(p.path("run/jobs.csv")) }, []int{6}},
		{"a reason that names something else", killed(check.Slurmctld), func(p *played) { p.fail("sbatch: exit status 1") }, []int{7}},
		{"a reason that has the name in a log alone", killed(check.Slurmctld), func(p *played) {
			p.fail("mariadbd died; its last log lines:\n  slurmctld died")
		}, []int{7}},
		{"a reason with a name that only begins like it", killed(check.Slurmd), func(p *played) { p.fail("slurmdbd died") }, []int{7}},
		{"a reason that does not say what happened", killed(check.Slurmctld), func(p *played) { p.fail("slurmctld is not to be reached") }, []int{7}},
		{"a container that is not named", killed(check.Container), func(p *played) {
			p.fail("slurmlabd was killed (exit code 137) before the run ended; it printed no error")
		}, []int{7}},
		{"a container that ended", killed(check.Container), func(p *played) {
			p.fail("the cluster's container ended before the run did, with exit code 137 (killed)")
		}, nil},
		{"a limit that is not named", exhausted(check.Memory), func(p *played) { p.fail("slurmctld was killed") }, []int{7}},
		{"a limit that is named", exhausted(check.Memory), func(p *played) { p.fail("out of memory: the container is at its limit") }, nil},
		{"processes that could not be started", exhausted(check.Processes), func(p *played) {
			p.fail("run sacct: fork/exec /usr/bin/sacct: resource temporarily unavailable")
		}, []int{7}},
		{"a disk that is named on the terminal alone", exhausted(check.Disk), func(p *played) {
			p.fail("slurmlab ended before it had fetched the files of the run")
			p.write(check.OutputName, "slurmlab: write run.json: no space left on device\n")
		}, nil},
		{"a full disk that nobody names", exhausted(check.Disk), func(p *played) { p.fail("slurmlab ended before it had fetched the files of the run") }, []int{7}},
		{"no run.json", killed(check.Slurmctld), func(p *played) { _ = os.Remove(p.path("run/run.json")) }, []int{7}},
		{"a container that nobody names", killed(check.Slurmctld), func(p *played) { p.facts.AtOnce.Containers = []check.LeftContainer{container} }, []int{8}},
		{"a container that is named", killed(check.Slurmctld), func(p *played) {
			p.facts.AtOnce.Containers = []check.LeftContainer{container}
			p.write(check.OutputName, "warning: remove it with: docker rm -f 0123456789ab\n")
		}, nil},
		{"a container of a killed slurmlab", killed(check.CLI), func(p *played) { p.facts.AtOnce.Containers = []check.LeftContainer{container} }, nil},
		{"a running container of a killed slurmlab", killed(check.CLI), func(p *played) {
			p.facts.AtOnce.Containers = []check.LeftContainer{{ID: "0123456789abcdef", State: "running"}}
		}, []int{8}},
		{"a container that stays", killed(check.CLI), func(p *played) { p.facts.Afterwards.Containers = []check.LeftContainer{container} }, []int{8}},
		{"a lock", killed(check.CLI), func(p *played) { p.facts.AtOnce.Locks = []string{"1: FLOCK"} }, []int{8}},
		{"a process", killed(check.CLI), func(p *played) { p.facts.AtOnce.Processes = []string{"slurmctld -D"} }, []int{8}},
		{"a temporary file", killed(check.Slurmctld), func(p *played) { p.facts.AtOnce.Files = []string{".run.json.1"} }, []int{8}},
		{"a temporary file that stays", killed(check.CLI), func(p *played) { p.facts.Afterwards.Files = []string{".run.json.1"} }, []int{8}},
		{"no fresh run", killed(check.Slurmctld), func(p *played) { _ = os.Remove(p.path("fresh/run.json")) }, []int{9}},
		{"a fresh run that fails", killed(check.Slurmctld), func(p *played) { p.facts.Fresh = 1 }, []int{9}},
		{"a run that cannot be finished", killed(check.Slurmctld), func(p *played) {
			p.fail("slurmctld died")
			p.facts.Finish = new(int)
			*p.facts.Finish = 1
		}, []int{9}},
		{"a harmless fault that ends the run", paused, func(p *played) { p.fail("slurmctld did not run for 1m0s of real time") }, []int{10}},
		{"a harmless fault without a word", paused, func(*played) {}, []int{10}},
		{"another process was stopped", paused, func(p *played) { p.write(check.OutputName, "warning: slurmdbd was stopped for 5 s\n") }, []int{10}},
		{"a connection that hung, not told", pausedAt(check.Engine, faultpoint.Drain), func(*played) {}, []int{10}},
		{"a connection that hung", pausedAt(check.Engine, faultpoint.Copy), func(p *played) {
			p.write(check.OutputName, "warning: Docker did not answer for 5 s of real time\n")
		}, nil},
		{"a daemon stopped after the last end, not told", pausedAt(check.Slurmdbd, faultpoint.Drain), func(*played) {}, []int{10}},
		{"a solver that died, not told", killed(check.Worker), func(*played) {}, []int{10}},
		{"a solver that died", killed(check.Worker), func(p *played) {
			p.write(check.OutputName, "warning: the solver's process ended: signal: killed\n")
		}, nil},
		{"a plug-in that hung, not told", misbehaved(check.Hang), func(*played) {}, []int{10}},
		{"a plug-in of which another fault is told", misbehaved(check.Hang), func(p *played) {
			p.write(check.OutputName, "warning: The program that schedules was at fault: ended 3.\n")
		}, []int{10}},
		{"a plug-in that hung", misbehaved(check.Hang), func(p *played) {
			p.write(check.OutputName, "warning: The program that schedules was at fault: given_up 1, late 5.\n")
		}, nil},
		{"a plug-in that ends the run", misbehaved(check.Oversell), func(p *played) { p.fail("sbatch: exit status 1") }, []int{7, 10}},
		{"a daemon stopped when the run is over", pausedAt(check.Slurmdbd, faultpoint.Copy), func(*played) {}, nil},
		{"a harmless fault that is told", paused, func(p *played) { p.write(check.OutputName, "warning: slurmctld was stopped for 5 s\n") }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := play(t, tt.cell)
			tt.change(p)
			broken := p.judge()
			var got []int
			for _, b := range broken {
				got = append(got, b.Invariant)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("broken: %v, want invariants %v", broken, tt.want)
			}
		})
	}
}

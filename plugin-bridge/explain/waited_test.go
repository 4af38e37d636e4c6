package explain_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/explain"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// campus has two nodes without GPUs and two with four, and a QOS whose jobs may have four of these.
func campus(t *testing.T) workloads.Machine {
	t.Helper()
	m, err := workloads.MachineOf("campus", layout.Layout{
		Groups: []layout.Group{
			{Name: "cn", Count: 2, Sockets: 1, Cores: 8, Threads: 1, Weight: 1},
			{Name: "ga", Count: 2, Sockets: 1, Cores: 8, Threads: 1, Weight: 1, GPUs: []layout.GPU{{Type: "a100", Count: 4}}},
		},
		Partitions: []layout.Partition{
			{Name: "batch", Groups: []string{"cn"}, Default: true, PriorityTier: 1, PriorityJobFactor: 1},
			{Name: "gpu", Groups: []string{"ga"}, PriorityTier: 1, PriorityJobFactor: 1},
		},
		QOS: []layout.QOS{{Name: "normal"}, {Name: "low", Limits: layout.Limits{GrpTRES: layout.TRES{"gres/gpu": 4}}}},
	}, workloads.Tree{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// On a machine with groups of nodes the schedule says what was not free. The rules are Slurm's: a job starts on nodes of its
// partition that have what it asks for (sbatch(1)), within GrpTRES of its QOS (sacctmgr(1)), and not before it is eligible.
func TestWaitsByTheSchedule(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(int64(1_000_000+seconds), 0).UTC() }
	row := func(id int, partition, qos string, submit, start, end, cores int, gpus string, nodes ...int) accounting.Row {
		takes := map[string]string{"cpu": "8", "node": "1"}
		if gpus != "" {
			takes["gres/gpu"], takes["gres/gpu:a100"] = gpus, gpus
		}
		return accounting.Row{
			JobID: id, JobName: string(rune('0' + id)), State: "COMPLETED", Partition: partition, QOS: qos, Account: "root", User: "root", NodeList: nodes,
			Submit: at(submit), Eligible: at(submit), Start: at(start), End: at(end), Cores: cores, AllocTRES: takes,
		}
	}
	job := func(id, arrival, nodes, cores, gpus int, partition, qos string) workloads.Job {
		j := workloads.Job{ID: id, Arrival: arrival, Runtime: 100, Limit: 600, Nodes: nodes, Cores: cores, GPUsMin: gpus, GPUsMax: gpus}
		j.Partition, j.QOS = partition, qos
		return j
	}
	in := explain.Input{
		Workload: []workloads.Job{
			job(1, 0, 1, 8, 4, "gpu", "normal"), job(2, 10, 2, 16, 4, "gpu", "normal"), job(3, 20, 1, 8, 4, "gpu", "normal"),
			job(4, 150, 1, 8, 4, "gpu", "low"), job(5, 210, 1, 1, 1, "gpu", "low"), job(6, 210, 1, 1, 0, "batch", "normal"), job(7, 400, 1, 8, 0, "", "normal"),
		},
		Sacct: []accounting.Row{
			row(1, "gpu", "normal", 0, 0, 100, 8, "4", 2), row(2, "gpu", "normal", 10, 100, 200, 16, "8", 2, 3), row(3, "gpu", "normal", 20, 200, 300, 8, "4", 2),
			row(4, "gpu", "low", 150, 200, 400, 8, "4", 3), row(5, "gpu", "low", 210, 400, 500, 1, "1", 2), row(6, "batch", "normal", 210, 250, 300, 1, "", 0),
			row(7, "batch", "normal", 400, 460, 500, 8, "", 1),
		},
	}
	in.Sacct[1].AllocTRES["cpu"], in.Sacct[4].AllocTRES["cpu"], in.Sacct[5].AllocTRES["cpu"] = "16", "1", "1"
	in.Sacct[5].Eligible = at(250)
	in.Workload[5].BeginAfter = 40
	in.Run = trace.Run{Settings: trace.Settings{Policy: "site", SchedulerType: "sched/backfill", Machine: campus(t)}}
	in.Run.Happened = []trace.Happened{
		{Event: events.Event{At: 390, Kind: events.Drain, Nodes: "n[1-2]"}, Time: 390}, {Event: events.Event{At: 460, Kind: events.Resume, Nodes: "n[1-2]"}, Time: 460},
	}
	for _, tt := range []struct {
		job  int
		want []string
	}{
		{1, []string{"It did not wait."}},
		{2, []string{"10s 1m40s 2 nodes of ga (partition gpu) with 8 cores, 4 GPUs each: at most 1 had them free; held by job 1"}},
		{3, []string{
			"20s 1m40s 1 node of ga (partition gpu) with 8 cores, 4 GPUs were free: kept for jobs before it, or not looked at yet; started on them first: job 2",
			"1m40s 3m20s 1 node of ga (partition gpu) with 8 cores, 4 GPUs: none had them free; held by job 2",
		}},
		{5, []string{"3m30s 6m40s limit GrpTRES of QOS low gres/gpu: 4 of 4 in use, it asks for 1; held by job 4"}},
		{6, []string{"3m30s 4m10s not eligible: it waits for its begin time (--begin)"}},
		{7, []string{"6m40s 7m40s 1 node of cn (partition batch) with 8 cores: none had them free, 2 out of service"}},
	} {
		e, err := explain.Explain(in, tt.job, 0)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := explain.WriteText(&text, e); err != nil {
			t.Fatal(err)
		}
		lines := "\n"
		for line := range strings.Lines(text.String()) {
			lines += strings.Join(strings.Fields(line), " ") + "\n"
		}
		for _, want := range tt.want {
			if !strings.Contains(lines, "\n"+want+"\n") {
				t.Errorf("job %d: got %s\nwant a line %s", tt.job, lines, want)
			}
		}
		if len(tt.want) != max(1, len(e.WaitedFor)) || strings.Contains(lines, "unevenly") {
			t.Errorf("job %d: got %d parts: %s", tt.job, len(e.WaitedFor), lines)
		}
	}
	// Ten seconds in which the nodes of job 1 go on to job 2 are no time in which job 3 was free to start on them.
	in.Sacct[1].Start = at(110)
	if e, err := explain.Explain(in, 2, 0); err != nil || len(e.WaitedFor) != 2 {
		t.Errorf("got %+v, %v, want nodes and then ten seconds", e.WaitedFor, err)
	}
	in.Workload[3].Arrival, in.Sacct[3].Submit, in.Sacct[3].Eligible = 90, at(90), at(90)
	in.Sacct[0].NodeList, in.Sacct[0].AllocTRES = []int{2, 3}, in.Sacct[1].AllocTRES
	if e, err := explain.Explain(in, 4, 0); err != nil || len(e.WaitedFor) != 1 || !slices.Equal(e.WaitedFor[0].Holders, []int{2, 1}) {
		t.Errorf("got %+v, %v, want one part, held by job 2 and then by job 1", e.WaitedFor, err)
	}
	// Where job 4 started beside a job that seems to have both nodes, the record does not fit the arithmetic. The text says so.
	in.Sacct[2].NodeList, in.Sacct[2].AllocTRES = []int{2, 3}, in.Sacct[1].AllocTRES
	e, err := explain.Explain(in, 4, 0)
	var text strings.Builder
	if err == nil {
		err = explain.WriteText(&text, e)
	}
	if err != nil || !strings.Contains(text.String(), "jobs lay unevenly") {
		t.Errorf("%v: %s", err, text.String())
	}
}

package slurmtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// target is the Slurm that the contract is checked on: 16 or more nodes of 12
// cores and 3 GPUs, idle, priority/basic, sched/builtin, batch_sched_delay=0.
type target struct {
	client *slurmctl.Client
	do     func(ctx context.Context, command string) error
	// pass lets a little of the cluster's time go by.
	pass func()
	// now is the cluster's time.
	now func() time.Time
	// passes is how often pass may be needed for anything to happen.
	passes int
	// external says that the nodes are external.
	external bool
	// patient says that a job of more nodes or cores than the partition has may wait, as
	// under Slurm 26.05.
	patient bool
}

// flags are those of every node.
func (tg target) flags() []string {
	if tg.external {
		return []string{"EXTERNAL"}
	}
	return nil
}

const (
	cores = 12
	gpus  = 3
)

func TestContractInMemory(t *testing.T) {
	cluster := New(Config{Nodes: 16, Cores: cores, GPUs: gpus, Completing: time.Second})
	contract(t, target{
		client: &slurmctl.Client{Runner: cluster},
		do:     cluster.Do,
		pass:   func() { cluster.Advance(time.Second) },
		now:    cluster.Now,
		passes: 30,
	})
}

func contract(t *testing.T, tg target) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, target)
	}{
		{"both daemons answer", contractPing},
		{"a held job keeps its request", contractHeld},
		{"an impossible submission is refused unless held", contractSubmitRefused},
		{"a begin time delays a job", contractBegin},
		{"the placement table of the notes", contractTable},
		{"generated placements", contractGenerated},
		{"released jobs start in the order of their release", contractOrder},
		{"a job on busy nodes waits, blocks nobody and can be placed again", contractRehold},
		{"a running job cannot be placed", contractRunning},
		{"an impossible placement is held", contractBadConstraints},
		{"the number of GPUs is chosen at release", contractGPUs},
		{"a priority that is set", contractPriority},
		{"an update of TRES lowers an unchanged NumCPUs", contractTRESQuirk},
		{"refusals name their reason", contractRefusals},
		{"nodes count what jobs hold", contractNodes},
		{"accounting has one row for a job", contractAccounting},
		{"a job starts after another one", contractAfter},
		{"cancelled jobs end", contractCancel},
		{"accounts are added once", contractAccounts},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer tg.clean(t)
			c.run(t, tg)
		})
	}
}

// sacctmgr fails where it has nothing to do, and makes what is missing of a list.
func contractAccounts(t *testing.T, tg target) {
	for _, step := range []struct {
		names []string
		fails bool
	}{{[]string{"zoe"}, false}, {[]string{"zoe"}, true}, {[]string{"root"}, true}, {[]string{"zoe", "zora"}, false}} {
		if err := tg.client.AddAccounts(t.Context(), step.names...); (err != nil) != step.fails {
			t.Errorf("adding %q: %v, want an error: %t", step.names, err, step.fails)
		}
	}
	if err := tg.client.AddAccount(t.Context(), "zora"); err == nil {
		t.Error("no error for an account that is there")
	}
	must(t, tg.client.AddAccount(t.Context(), "zula"))
}

func contractPing(t *testing.T, tg target) {
	must(t, tg.client.Ping(t.Context()))
	out, err := tg.client.Diag(t.Context())
	must(t, err)
	if stats, err := accounting.ReadSdiag(bytes.NewReader(out), "sdiag"); err != nil || stats.Cycles != 0 {
		t.Errorf("%+v, %v, want no cycle of backfill: the scheduler is sched/builtin", stats, err)
	}
}

func contractHeld(t *testing.T, tg target) {
	id := tg.submit(t, sbatch.Request{Name: "held.1", Tasks: 12, Nodes: 3, TasksPerNode: 4,
		GPUsMin: 2, GPUsMax: 2, Contiguous: true, TimeLimit: 26 * time.Hour})
	got := tg.job(t, id)
	if got.Submit.IsZero() {
		t.Error("no submit time")
	}
	if note := got.AdminComment; tg.external != strings.HasPrefix(note, "slurmlab script=") {
		t.Errorf("admin comment %q", note)
	}
	want := slurmctl.QueuedJob{AdminComment: got.AdminComment, ID: id, Name: "held.1", State: slurmctl.JobPending, Reason: slurmctl.ReasonHeldUser,
		Submit: got.Submit, Tasks: 12, Nodes: 3, CPUs: 12, TasksPerNode: 4, MinCPUsNode: 4, GPUsPerNode: 2,
		Contiguous: true, TimeLimit: 26 * time.Hour, Partition: "main"}
	if got != want || !got.Held() {
		t.Errorf("queue: %+v, want %+v", got, want)
	}
	if d := tg.detail(t, id); d.QueuedJob != want || d.RequiredNodes != "" || d.Allocations != nil {
		t.Errorf("details: %+v, want %+v", d, want)
	}
	// Without -N the least number of nodes is 1, whatever Slurm estimates.
	id = tg.submit(t, sbatch.Request{Name: "held.2", Tasks: 30, TimeLimit: time.Minute})
	if j := tg.job(t, id); j.Nodes != 1 || j.MinCPUsNode != 1 || j.GPUsPerNode != 0 || j.TimeLimit != time.Minute {
		t.Errorf("queue: %+v", j)
	}
	must(t, tg.do(t.Context(), fmt.Sprintf("update JobId=%d AdminComment=gpu:1-3", id)))
	if j, d := tg.job(t, id), tg.detail(t, id); j.AdminComment != "gpu:1-3" || d.QueuedJob != j {
		t.Errorf("queue: %+v, details: %+v", j, d)
	}
}

func contractSubmitRefused(t *testing.T, tg target) {
	nodes, err := tg.client.Nodes(t.Context())
	must(t, err)
	for _, c := range []struct {
		request        sbatch.Request
		reason         string
		releaseRefused string
		// waits says that a patient Slurm lets the job wait.
		waits bool
	}{
		{sbatch.Request{Tasks: len(nodes) + 1, Nodes: len(nodes) + 1}, "PartitionNodeLimit", "", true},
		{sbatch.Request{Tasks: cores*len(nodes) + 1}, "PartitionConfig", "Requested partition configuration not available now", true},
		{sbatch.Request{Tasks: 1, GPUsMin: gpus + 1, GPUsMax: gpus + 1}, slurmctl.ReasonBadConstraints, "", false},
		{sbatch.Request{Tasks: 2 * (cores + 1), Nodes: 2, TasksPerNode: cores + 1}, slurmctl.ReasonBadConstraints, "", false},
	} {
		r := c.request
		r.Name, r.Script, r.TimeLimit = "big", sleeping(long), time.Hour
		waiting, submitErr := tg.client.Submit(t.Context(), r)
		if tg.patient && c.waits {
			must(t, submitErr)
			tg.until(t, "reason "+c.reason, func() bool { return tg.job(t, waiting).Reason == c.reason })
		} else {
			wantRefusal(t, submitErr, "Batch job submission failed: Requested node configuration is not available")
		}
		// A held job is not examined before its release.
		id := tg.submit(t, r)
		err = tg.do(t.Context(), slurmctl.ReleaseCommand(id))
		if c.releaseRefused != "" {
			wantRefusal(t, err, c.releaseRefused)
		} else {
			must(t, err)
		}
		tg.until(t, "reason "+c.reason, func() bool { return tg.job(t, id).Reason == c.reason })
		if j := tg.job(t, id); j.Held() != (c.reason == slurmctl.ReasonBadConstraints) {
			t.Errorf("%+v", j)
		}
	}
	// job_submit.lua makes a range its least number.
	id := tg.submit(t, sbatch.Request{Name: "range", Tasks: 1, GPUsMin: 1, GPUsMax: 3, TimeLimit: time.Hour})
	if j := tg.job(t, id); j.GPUsPerNode != 1 {
		t.Errorf("%+v, want 1 GPU per node of the range 1-3", j)
	}
}

func contractBegin(t *testing.T, tg target) {
	begin := time.Date(2037, 1, 2, 3, 4, 5, 0, time.UTC)
	id, err := tg.client.Submit(t.Context(), sbatch.Request{Name: "later", Tasks: 1, TimeLimit: time.Hour,
		Begin: begin, Script: sleeping(long)})
	must(t, err)
	tg.until(t, "reason BeginTime", func() bool { return tg.job(t, id).Reason == "BeginTime" })
	if j := tg.job(t, id); j.Held() || !j.Start.Equal(begin) || tg.detail(t, id).QueuedJob != j {
		t.Errorf("%+v", j)
	}
}

func contractGPUs(t *testing.T, tg target) {
	id := tg.submit(t, sbatch.Request{Name: "range", Tasks: 24, GPUsMin: 1, GPUsMax: 1, TimeLimit: time.Hour})
	for _, z := range []int{3, 1, 2} {
		tg.place(t, slurmctl.JobUpdate{JobID: id, Nodes: []string{"n2", "n4"}, Tasks: 24, MinCPUsNode: 1, GPUsPerNode: z})
		if j := tg.job(t, id); j.GPUsPerNode != z || j.CPUs != 24 || j.Tasks != 24 || j.Nodes != 2 {
			t.Errorf("%d GPUs: %+v", z, j)
		}
	}
	must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(id)))
	tg.untilRunning(t, id)
	want := []slurmctl.Allocation{{Node: "n2", Cores: 12, GPUs: 2}, {Node: "n4", Cores: 12, GPUs: 2}}
	if d := tg.detail(t, id); !slices.Equal(d.Allocations, want) {
		t.Errorf("%+v, want %+v", d.Allocations, want)
	}
}

// The reason why UpdateCommands sends TresPerNode by itself.
func contractTRESQuirk(t *testing.T, tg target) {
	id := tg.submit(t, sbatch.Request{Name: "quirk", Tasks: 24, GPUsMin: 1, GPUsMax: 1, TimeLimit: time.Hour})
	p := slurmctl.JobUpdate{JobID: id, Nodes: []string{"n5", "n6"}, Tasks: 24, MinCPUsNode: 1}
	must(t, tg.do(t.Context(), slurmctl.UpdateCommands(p)[0]+" TresPerNode=gres/gpu:2"))
	if j := tg.job(t, id); j.CPUs != 2 || j.Tasks != 24 {
		t.Errorf("%+v: want CPUs lowered to MinCPUsNode*NumNodes = 2", j)
	}
}

func contractRefusals(t *testing.T, tg target) {
	id := tg.submit(t, sbatch.Request{Name: "refused", Tasks: 1, TimeLimit: time.Hour})
	ended := tg.submit(t, sbatch.Request{Name: "ended", Tasks: 1, TimeLimit: time.Hour})
	must(t, tg.client.Cancel(t.Context(), ended))
	for _, c := range []struct{ command, want string }{
		{"release 999999", "Invalid job id specified for job 999999; slurm_suspend error:"},
		{"hold 999999", "Invalid job id specified for job 999999"},
		{"update JobId=999999 NumTasks=1", "Invalid job id specified for job 999999"},
		{"update JobId=999999 NumNodes=1-1", "Could not load state information for job 999999: Invalid job id specified"},
		{fmt.Sprintf("release %d", ended), "Job has already finished for job"},
		{fmt.Sprintf("hold %d", ended), "Job has already finished for job"},
		{fmt.Sprintf("update JobId=%d NumTasks=1", ended), "Job has already finished for job"},
		{fmt.Sprintf("update JobId=%d NodeList=n99999 NumNodes=1-1", id), "Invalid node name specified for job"},
		{fmt.Sprintf("update JobId=%d Nonsense=1", id), "Update of this parameter is not supported: Nonsense=1; Request aborted"},
	} {
		for _, do := range []func(context.Context, string) error{tg.do, tg.client.Do} {
			err := do(t.Context(), c.command)
			wantRefusal(t, err, c.want)
			var refused *slurmctl.RefusedError
			if errors.As(err, &refused) && refused.Command != c.command {
				t.Errorf("command %q, want %q", refused.Command, c.command)
			}
		}
	}
	_, err := tg.client.JobDetails(t.Context(), 999999)
	wantRefusal(t, err, "Invalid job id specified")
}

func contractNodes(t *testing.T, tg target) {
	id := tg.submitPlaced(t, 17, 2, 0, 1, "n3", "n5")
	tg.untilRunning(t, id)
	nodes, err := tg.client.Nodes(t.Context())
	must(t, err)
	idle := slurmctl.NodeRecord{Name: "n1", State: slurmctl.NodeIdle, CPUs: cores, GPUs: gpus}
	full := slurmctl.NodeRecord{Name: "n3", State: slurmctl.NodeAllocated, CPUs: cores, AllocCPUs: 12, GPUs: gpus, AllocGPUs: 2}
	if all, err := tg.client.Reservations(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("reservations %+v, %v, want none", all, err)
	}
	mixed := slurmctl.NodeRecord{Name: "n5", State: slurmctl.NodeMixed, CPUs: cores, AllocCPUs: 5, GPUs: gpus, AllocGPUs: 2}
	for i, want := range map[int]slurmctl.NodeRecord{0: idle, 2: full, 4: mixed} {
		want.Memory, want.Weight, want.Partitions, want.Flags = 1, 1, []string{"main"}, tg.flags()
		if got := nodes[i]; fmt.Sprint(got) != fmt.Sprint(want) || !got.Available() {
			t.Errorf("node %d: %+v, want %+v", i+1, got, want)
		}
	}
	must(t, tg.client.Cancel(t.Context(), id))
	tg.until(t, "nodes idle again", func() bool {
		nodes, err := tg.client.Nodes(t.Context())
		must(t, err)
		// COMPLETING may be too short to be seen.
		if n := nodes[2]; !slices.Equal(n.Flags, tg.flags()) && (n.Available() || !slices.Equal(n.Flags, []string{"COMPLETING"})) {
			t.Errorf("%+v", n)
		}
		return nodes[2].Available() && nodes[2].State == slurmctl.NodeIdle
	})
	// The cores of an ended job stay on record, its GPUs only as a sum.
	want := []slurmctl.Allocation{{Node: "n3", Cores: 12}, {Node: "n5", Cores: 5}}
	if d := tg.detail(t, id); !slices.Equal(d.Allocations, want) || d.AllocGPUs != 4 {
		t.Errorf("%+v, want %+v", d.Allocations, want)
	}
}

func contractAccounting(t *testing.T, tg target) {
	held := tg.submit(t, sbatch.Request{Name: "never", Tasks: 1, TimeLimit: time.Hour})
	id, err := tg.client.Submit(t.Context(), sbatch.Request{Name: "short", Tasks: 3, GPUsMin: 1, GPUsMax: 1,
		TimeLimit: time.Hour, Hold: true, Script: sleeping(2)})
	must(t, err)
	busy := tg.submitPlaced(t, cores, 0, 0, 1, "n1")
	tg.untilRunning(t, busy)
	tg.place(t, slurmctl.JobUpdate{JobID: id, Nodes: []string{"n1"}, Tasks: 3, MinCPUsNode: 1})
	must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(id)))
	tg.until(t, "reason Resources", func() bool { return tg.job(t, id).Reason == "Resources" })
	must(t, tg.do(t.Context(), slurmctl.HoldCommand(id)))
	tg.place(t, slurmctl.JobUpdate{JobID: id, Nodes: []string{"n2", "n4"}, Tasks: 3, MinCPUsNode: 1})
	released := tg.now()
	must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(id)))
	tg.untilRunning(t, id)
	submitted := tg.job(t, id).Submit
	var row []string
	tg.until(t, "a completed row", func() bool {
		out, queryErr := tg.client.Accounting(t.Context(), submitted, nil)
		must(t, queryErr)
		rows := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		if rows[0] != strings.Join(accounting.SacctFields(), "|") {
			t.Fatalf("header %q", rows[0])
		}
		row = nil
		for _, r := range rows[1:] {
			switch cells := strings.Split(r, "|"); cells[0] {
			case fmt.Sprint(held):
				t.Errorf("a held job has a row: %q", r)
			case fmt.Sprint(id):
				if row != nil {
					t.Errorf("second row %q", r)
				}
				row = cells
			}
		}
		return row != nil && row[4] == "COMPLETED"
	})
	// ReqTRES, row[14], mixes the submission with later updates.
	got := strings.Join(slices.Concat(row[1:6], row[11:14], row[15:]), "|")
	want := "short|root|main|COMPLETED|0:0|60|2|3|billing=3,cpu=3,gres/gpu=2,node=2|n[2,4]"
	if got != want {
		t.Errorf("row %q, want %q", got, want)
	}
	// A busy machine is late with a job's end, but no later than it was seen. Slurm's times are whole seconds.
	most := tg.now().Sub(released) + time.Second
	rows, err := accounting.ReadSacct(strings.NewReader(strings.Join(accounting.SacctFields(), "|")+"\n"+strings.Join(row, "|")+"\n"), "sacct")
	must(t, err)
	r := rows[0]
	if elapsed := time.Duration(r.Elapsed) * time.Second; elapsed < 2*time.Second || elapsed > most || elapsed != r.End.Sub(r.Start) {
		t.Errorf("elapsed %v from %v to %v, want that time, 2 s to %v", elapsed, r.Start, r.End, most)
	}
}

func contractCancel(t *testing.T, tg target) {
	pending := tg.submit(t, sbatch.Request{Name: "p", Tasks: 1, TimeLimit: time.Hour})
	running := tg.submitPlaced(t, 1, 0, 0, 1, "n1")
	tg.untilRunning(t, running)
	since := tg.job(t, pending).Submit
	must(t, tg.client.Cancel(t.Context(), pending, running, 999999))
	tg.until(t, "an empty queue", func() bool { return len(tg.queue(t)) == 0 })
	for _, id := range []int{pending, running} {
		if d := tg.detail(t, id); d.State != slurmctl.JobCancelled {
			t.Errorf("%+v", d)
		}
	}
	must(t, tg.client.Cancel(t.Context(), pending, running))
	rowsOf := func(states ...string) []accounting.Row {
		out, err := tg.client.Accounting(t.Context(), since, nil, states...)
		must(t, err)
		rows, err := accounting.ReadSacct(bytes.NewReader(out), "sacct")
		must(t, err)
		return slices.DeleteFunc(rows, func(r accounting.Row) bool { return r.JobID != pending && r.JobID != running })
	}
	// The held job was never eligible.
	var rows []accounting.Row
	tg.until(t, "both rows", func() bool { rows = rowsOf(accounting.AllStates()...); return len(rows) == 2 && !rows[1].End.IsZero() })
	for i, want := range []int{pending, running} {
		if r := rows[i]; r.JobID != want || r.State != "CANCELLED" || r.End.IsZero() || (len(r.NodeList) > 0) != (want == running) {
			t.Errorf("row %+v of job %d", r, want)
		}
	}
	if rows = rowsOf(); len(rows) != 1 || rows[0].JobID != running {
		t.Errorf("without states: %+v, want job %d alone", rows, running)
	}
}

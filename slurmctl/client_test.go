package slurmctl_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
)

// recorded plays what Slurm 24.11.5 answered on a cluster of nodes with 12
// cores and 3 GPUs. The columns of squeue from comment on were added later, with
// what scontrol says of the same jobs in the same recording.
func recorded(t testing.TB) *slurmctl.Client { return recording(t, "slurm-24.11.5.transcript") }

func recording(t testing.TB, name string) *slurmctl.Client {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	transcript, err := slurmtest.ParseTranscript(text)
	if err != nil {
		t.Fatal(err)
	}
	return &slurmctl.Client{Runner: transcript}
}

func TestNodes(t *testing.T) {
	nodes, err := recorded(t).Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []slurmctl.NodeRecord{
		{Name: "n1", State: slurmctl.NodeAllocated, CPUs: 12, AllocCPUs: 12, GPUs: 3},
		{Name: "n2", State: slurmctl.NodeAllocated, CPUs: 12, AllocCPUs: 12, GPUs: 3},
		{Name: "n3", State: slurmctl.NodeIdle, Flags: []string{"COMPLETING"}, CPUs: 12, GPUs: 3},
		{Name: "n4", State: slurmctl.NodeMixed, CPUs: 12, AllocCPUs: 10, GPUs: 3, AllocGPUs: 2},
		// The suspended job gave its two cores back, not its GPU.
		{Name: "n5", State: slurmctl.NodeMixed, CPUs: 12, AllocCPUs: 4, GPUs: 3, AllocGPUs: 3},
		{Name: "n6", State: slurmctl.NodeMixed, CPUs: 12, AllocCPUs: 4, GPUs: 3, AllocGPUs: 2},
		{Name: "n7", State: slurmctl.NodeIdle, Flags: []string{"COMPLETING"}, CPUs: 12, GPUs: 3},
	}
	for i, n := range nodes {
		w := want[i]
		if n.Name != w.Name || n.State != w.State || !slices.Equal(n.Flags, w.Flags) || n.CPUs != w.CPUs ||
			n.AllocCPUs != w.AllocCPUs || n.GPUs != w.GPUs || n.AllocGPUs != w.AllocGPUs {
			t.Errorf("%+v, want %+v", n, w)
		}
		if n.Available() != (len(w.Flags) == 0) {
			t.Errorf("%s available: %v", n.Name, n.Available())
		}
	}
	if len(nodes) != len(want) {
		t.Errorf("%d nodes", len(nodes))
	}
}

func at(clock string) time.Time {
	t, err := time.Parse("2006-01-02T15:04:05", clock)
	if err != nil {
		panic(err)
	}
	return t
}

// queue is what the recorded cluster had in its queue, by id.
func queue() []slurmctl.QueuedJob {
	submit := at("2026-11-21T10:08:32")
	later := at("2026-11-21T10:08:33")
	const limit = 50 * time.Minute
	jobs := []slurmctl.QueuedJob{
		{ID: 1125, Name: "102", State: slurmctl.JobPending, Reason: "JobHeldUser", Submit: submit, Tasks: 12, Nodes: 3,
			CPUs: 12, TasksPerNode: 4, MinCPUsNode: 4, GPUsPerNode: 2, Contiguous: true, TimeLimit: 24 * time.Hour},
		{ID: 1126, Name: "103", State: slurmctl.JobPending, Reason: "JobHeldUser", Submit: submit, Tasks: 30, Nodes: 1,
			CPUs: 30, MinCPUsNode: 1, TimeLimit: 90 * time.Minute, AdminComment: "gpu:1-3 a=b, c", Comment: "why"},
		{ID: 1127, Name: "104", State: slurmctl.JobPending, Reason: "BeginTime", Priority: 4294900659, Submit: submit,
			Start: at("2037-01-02T03:04:05"), Tasks: 1, Nodes: 1, CPUs: 1, MinCPUsNode: 1},
		{ID: 1128, Name: "105", State: slurmctl.JobRunning, Reason: "None", Priority: 4294900658, Submit: submit,
			Start: submit, Tasks: 30, Nodes: 3, CPUs: 30, MinCPUsNode: 1, TimeLimit: limit, NodeList: "n[1-2,4]"},
		{ID: 1129, Name: "106", State: slurmctl.JobRunning, Reason: "None", Priority: 4294900657, Submit: submit,
			Start: submit, Tasks: 12, Nodes: 3, CPUs: 12, TasksPerNode: 4, MinCPUsNode: 4, GPUsPerNode: 2, TimeLimit: limit,
			NodeList: "n[4-6]"},
		{ID: 1130, Name: "a|b c", State: slurmctl.JobSuspended, Reason: "None", Submit: submit,
			Start: later, Tasks: 2, Nodes: 1, CPUs: 2, MinCPUsNode: 1, GPUsPerNode: 1, TimeLimit: limit, NodeList: "n5"},
		{ID: 1131, Name: "108", State: slurmctl.JobCompleting, Reason: "None", Priority: 4294900655, Submit: submit,
			Start: later, Tasks: 13, Nodes: 2, CPUs: 13, MinCPUsNode: 1, GPUsPerNode: 3, TimeLimit: limit, NodeList: "n[3,7]"},
		{ID: 1132, Name: "109", State: slurmctl.JobPending, Reason: "JobHeldAdmin", Submit: submit, Tasks: 4, Nodes: 1,
			CPUs: 4, MinCPUsNode: 1, TimeLimit: limit},
		{ID: 1134, Name: "111", State: slurmctl.JobPending, Reason: "BadConstraints", Submit: submit,
			Tasks: 30, Nodes: 2, CPUs: 30, MinCPUsNode: 1, TimeLimit: limit},
	}
	for i := range jobs {
		jobs[i].Partition = "main"
	}
	return jobs
}

func TestQueue(t *testing.T) {
	jobs, err := recorded(t).Queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := queue()
	if len(jobs) != len(want) {
		t.Fatalf("%d jobs, want %d", len(jobs), len(want))
	}
	for i, j := range jobs {
		if j.ID == 1134 {
			// Slurm plans a start even for an impossible job.
			j.Start = time.Time{}
		}
		if j != want[i] {
			t.Errorf("job %d:\n%+v, want\n%+v", j.ID, j, want[i])
		}
		held := slices.Contains([]int{1125, 1126, 1132, 1134}, j.ID)
		if j.Held() != held {
			t.Errorf("job %d held: %v", j.ID, j.Held())
		}
	}
}

func TestJobDetails(t *testing.T) {
	client := recorded(t)
	all, err := client.JobDetails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	inQueue := make(map[int]slurmctl.QueuedJob)
	for _, j := range queue() {
		inQueue[j.ID] = j
	}
	placements := map[int][]slurmctl.Allocation{
		1123: {{Node: "n1", Cores: 3}}, // ended: the GPU is not shown any more
		1128: {{Node: "n1", Cores: 12}, {Node: "n2", Cores: 12}, {Node: "n4", Cores: 6}},
		1129: {{Node: "n4", Cores: 4, GPUs: 2}, {Node: "n5", Cores: 4, GPUs: 2}, {Node: "n6", Cores: 4, GPUs: 2}},
		1130: {{Node: "n5", Cores: 2, GPUs: 1}},
		1131: {{Node: "n3", Cores: 12}, {Node: "n7", Cores: 1}},
	}
	var ids []int
	for _, d := range all {
		ids = append(ids, d.ID)
		if !slices.Equal(d.Allocations, placements[d.ID]) {
			t.Errorf("job %d: %+v, want %+v", d.ID, d.Allocations, placements[d.ID])
		}
		want, queued := inQueue[d.ID]
		if d.ID == 1134 {
			d.Start = time.Time{}
		}
		// Both views must agree.
		if queued && d.QueuedJob != want {
			t.Errorf("job %d:\n%+v, want\n%+v", d.ID, d.QueuedJob, want)
		}
	}
	if want := []int{1123, 1124, 1125, 1126, 1127, 1128, 1129, 1130, 1131, 1132, 1133, 1134}; !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
	if d := all[1]; d.State != slurmctl.JobFailed || d.Nodes != 300 || d.Tasks != 0 {
		t.Errorf("failed job: %+v", d)
	}

	one, err := client.JobDetails(t.Context(), 1129)
	if err != nil || len(one) != 1 || one[0].ID != 1129 || one[0].RequiredNodes != "n[4-6]" {
		t.Errorf("%+v, %v", one, err)
	}
	// Few jobs are read one by one, many out of all: unknown ones are left out of both.
	few, err := client.JobDetails(t.Context(), 1129, 999999, 1129)
	if err != nil || len(few) != 1 || few[0].ID != 1129 {
		t.Errorf("%+v, %v", few, err)
	}
	many, err := client.JobDetails(t.Context(), 1130, 999999, 1128, 999998, 999997, 999996)
	if err != nil || len(many) != 2 || many[0].ID != 1128 || many[1].ID != 1130 {
		t.Errorf("%+v, %v", many, err)
	}
	var refused *slurmctl.RefusedError
	if _, err = client.JobDetails(t.Context(), 999999); !errors.As(err, &refused) {
		t.Errorf("unknown job: %v", err)
	}
}

// An invalid request is refused before anything is run: there is no Runner here.
func TestSubmitValidates(t *testing.T) {
	if _, err := (&slurmctl.Client{}).Submit(t.Context(), sbatch.Request{}); err == nil || !strings.Contains(err.Error(), "submit job") {
		t.Errorf("error %v", err)
	}
}

func TestAccountingAndDiag(t *testing.T) {
	client := recorded(t)
	out, err := client.Accounting(t.Context(), at("2026-11-21T10:08:00"), nil)
	if err != nil || strings.Count(string(out), "\n") != 8 ||
		!strings.HasPrefix(string(out), strings.Join(accounting.SacctFields(), "|")+"\n") {
		t.Errorf("%s, %v", out, err)
	}
	out, err = client.Diag(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if stats, err := accounting.ReadSdiag(bytes.NewReader(out), "sdiag"); err != nil || stats.Cycles != 0 || len(stats.Exits) == 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func TestPing(t *testing.T) {
	client := recorded(t)
	if err := client.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	err := client.Ping(t.Context())
	if !errors.Is(err, slurmctl.ErrUnavailable) || !strings.Contains(err.Error(), "scontrol ping") ||
		!strings.Contains(err.Error(), "sacctmgr ping") || !strings.Contains(err.Error(), "Connection refused") {
		t.Errorf("both down: %v", err)
	}
}

func TestSubmitAndDoTellRefusalFromSilence(t *testing.T) {
	client := recorded(t)
	request := func(name string, tasks, nodes int) sbatch.Request {
		return sbatch.Request{Name: name, Tasks: tasks, Nodes: nodes, TimeLimit: 5 * time.Minute, Script: "#!/bin/sh\n"}
	}
	if id, err := client.Submit(t.Context(), request("112", 4, 0)); id != 1135 || err != nil {
		t.Errorf("job %d, %v", id, err)
	}
	var refused *slurmctl.RefusedError
	if _, err := client.Submit(t.Context(), request("113", 300, 300)); !errors.As(err, &refused) ||
		errors.Is(err, slurmctl.ErrUnavailable) {
		t.Errorf("refused submission: %v", err)
	}
	if _, err := client.Submit(t.Context(), request("114", 1, 0)); errors.As(err, &refused) ||
		!errors.Is(err, slurmctl.ErrUnavailable) {
		t.Errorf("submission without slurmctld: %v", err)
	}
	if _, err := client.Submit(t.Context(), request("115", 1, 0)); err == nil || errors.As(err, &refused) {
		t.Errorf("a command that cannot be run: %v", err)
	}
	if err := client.Do(t.Context(), slurmctl.HoldCommand(1126)); err != nil {
		t.Error(err)
	}
	refused = nil
	err := client.Do(t.Context(), slurmctl.ReleaseCommand(999999))
	if !errors.As(err, &refused) || refused.Command != "release 999999" ||
		refused.Message != "Invalid job id specified for job 999999; slurm_suspend error: Invalid job id specified" {
		t.Errorf("refused release: %v", err)
	}
	if err := client.Do(t.Context(), slurmctl.ReleaseCommand(1126)); !errors.Is(err, slurmctl.ErrUnavailable) {
		t.Errorf("release without slurmctld: %v", err)
	}
	if err := client.Cancel(t.Context(), 1125, 1126); err != nil {
		t.Error(err)
	}
	if err := client.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestExec(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"$1 $SLURM_CONF $HOME\"; cat\n[ \"$1\" = bad ] && { echo no >&2; exit 3; }\n[ \"$1\" = hang ] && exec sleep 60\nexit 0\n"
	if err := os.WriteFile(dir+"/squeue", []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	runner := &slurmctl.Exec{Env: []string{"PATH=/usr/bin:/bin", "SLURM_CONF=/x"}, Bin: dir}
	out, err := runner.Run(t.Context(), []byte("input"), "squeue", "good")
	if string(out) != "good /x \ninput" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	var failed *slurmctl.CommandError
	_, err = runner.Run(t.Context(), nil, "squeue", "bad")
	if !errors.As(err, &failed) || failed.ExitCode != 3 || failed.Stderr != "no\n" || err.Error() != "run squeue: exit status 3: no" {
		t.Errorf("%v", err)
	}
	if _, err = runner.Run(t.Context(), nil, "sinfo"); err == nil || errors.As(err, new(*slurmctl.CommandError)) {
		t.Errorf("missing command: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err = runner.Run(ctx, nil, "squeue", "hang"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("time-out: %v", err)
	}
}

// slurmctld that dies while sbatch talks to it is silence, whatever sbatch makes of it
// (Slurm 26.05.5, auth/slurm).
func TestDeathOfSlurmctldIsSilence(t *testing.T) {
	for _, text := range []string{
		"sbatch: error: create_external: failed to create token\nsbatch: error: slurm_buffers_pack_msg: auth_g_create: REQUEST_SUBMIT_BATCH_JOB has authentication error\nsbatch: error: Batch job submission failed: Protocol authentication error\n",
		"sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received\n",
		"scancel: error: slurm_send_node_msg: [socket:[25]] slurm_bufs_sendto(msg_type=REQUEST_KILL_JOB) failed: Unexpected missing socket error\n",
		"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)\n",
	} {
		c := slurmctl.Client{Runner: failing(text)}
		if _, err := c.Diag(t.Context()); !errors.Is(err, slurmctl.ErrUnavailable) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// failing is a Runner whose commands print an error.
type failing string

func (f failing) Run(_ context.Context, _ []byte, argv ...string) ([]byte, error) {
	return nil, &slurmctl.CommandError{Argv: argv, ExitCode: 1, Stderr: string(f)}
}

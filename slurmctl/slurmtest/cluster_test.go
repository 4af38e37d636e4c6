package slurmtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

func newTarget(c Config) (*Cluster, target) {
	cluster := New(c)
	return cluster, target{
		client: &slurmctl.Client{Runner: cluster},
		do:     cluster.Do,
		pass:   func() { cluster.Advance(time.Second) },
		passes: 10,
	}
}

func TestJobsRunForTheirRuntime(t *testing.T) {
	cluster, tg := newTarget(Config{Nodes: 2, Cores: 4, Completing: 3 * time.Second})
	start := cluster.Now()
	states := func() string {
		out, err := tg.client.Accounting(t.Context(), start, nil)
		must(t, err)
		var all []string
		for line := range strings.Lines(string(out)) {
			all = append(all, strings.Split(line, "|")[4])
		}
		return strings.Join(all[1:], " ")
	}
	for _, script := range []string{"#!/bin/sh\nsleep 10\n", "#!/bin/sh\nsleep 9999\n", "#!/bin/sh\ntrue\n"} {
		_, err := tg.client.Submit(t.Context(), sbatch.Request{Name: "j", Tasks: 1, TimeLimit: time.Minute, Script: script})
		must(t, err)
	}
	for _, c := range []struct {
		at    time.Duration
		want  string
		queue int
	}{
		{0, "PENDING PENDING PENDING", 3},
		{time.Second, "RUNNING RUNNING RUNNING", 3},
		{10 * time.Second, "RUNNING RUNNING RUNNING", 3},
		{11 * time.Second, "COMPLETED RUNNING RUNNING", 3}, // completing
		{14 * time.Second, "COMPLETED RUNNING RUNNING", 2},
		{61 * time.Second, "COMPLETED TIMEOUT TIMEOUT", 2},
		{64 * time.Second, "COMPLETED TIMEOUT TIMEOUT", 0},
	} {
		cluster.Advance(start.Add(c.at).Sub(cluster.Now()))
		if got, n := states(), len(tg.queue(t)); got != c.want || n != c.queue {
			t.Errorf("after %s: %s, %d in the queue; want %s, %d", c.at, got, n, c.want, c.queue)
		}
	}
}

// Nodes in COMPLETING take no new job.
func TestCompletingNodesTakeNoJob(t *testing.T) {
	cluster, tg := newTarget(Config{Nodes: 1, Cores: 4, Completing: 5 * time.Second})
	first := tg.submitPlaced(t, 1, 0, 0, 1, "n1")
	tg.untilRunning(t, first)
	second := tg.submitPlaced(t, 1, 0, 0, 1, "n1")
	must(t, tg.client.Cancel(t.Context(), first))
	cluster.Advance(4 * time.Second)
	if j := tg.job(t, second); j.State != slurmctl.JobPending {
		t.Errorf("%+v", j)
	}
	nodes, err := tg.client.Nodes(t.Context())
	must(t, err)
	if nodes[0].Available() || nodes[0].AllocCPUs != 0 {
		t.Errorf("%+v", nodes[0])
	}
	cluster.Advance(time.Second)
	if j := tg.job(t, second); j.State != slurmctl.JobRunning {
		t.Errorf("%+v", j)
	}
}

func TestConfigHooks(t *testing.T) {
	cluster, tg := newTarget(Config{
		Nodes: 2, Cores: 4, GPUs: 3,
		Runtime:   func(_, _ string, args []string) time.Duration { return time.Duration(len(args)) * time.Minute },
		JobSubmit: func(gpus string) (int, string, bool) { return 1, "gpu:" + gpus, true },
	})
	id, err := tg.client.Submit(t.Context(), sbatch.Request{Name: "r", Tasks: 1, GPUsMin: 1, GPUsMax: 3,
		TimeLimit: time.Hour, Path: "/payload", Args: []string{"a", "b"}})
	must(t, err)
	if j := tg.job(t, id); !j.Held() || j.AdminComment != "gpu:1-3" || j.GPUsPerNode != 1 {
		t.Errorf("%+v", j)
	}
	tg.place(t, slurmctl.JobUpdate{JobID: id, Nodes: []string{"n2"}, Tasks: 1, MinCPUsNode: 1, GPUsPerNode: 3})
	must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(id)))
	cluster.Advance(2 * time.Minute)
	if d := tg.detail(t, id); d.State != slurmctl.JobRunning || d.Allocations[0] != (slurmctl.Allocation{Node: "n2", Cores: 1, GPUs: 3}) {
		t.Errorf("%+v", d)
	}
	cluster.Advance(time.Second)
	if d := tg.detail(t, id); d.State != slurmctl.JobCompleted {
		t.Errorf("%+v", d)
	}
}

// An update of the nodes of a running job without the guard of UpdateCommands
// kills slurmctld in front-end mode. It cannot be part of the contract test.
func TestShrinkingCrashes(t *testing.T) {
	cluster, tg := newTarget(Config{Nodes: 2, Cores: 4})
	id := tg.submitPlaced(t, 2, 0, 0, 1, "n1", "n2")
	tg.untilRunning(t, id)
	err := tg.do(t.Context(), fmt.Sprintf("update JobId=%d NumNodes=1-1 NodeList=n1", id))
	if !errors.Is(err, slurmctl.ErrUnavailable) {
		t.Errorf("update: %v", err)
	}
	if _, err = tg.client.Queue(t.Context()); !errors.Is(err, slurmctl.ErrUnavailable) {
		t.Errorf("queue: %v", err)
	}
	cluster.Advance(time.Minute)
}

func TestUnsupportedIsNotARefusal(t *testing.T) {
	cluster, _ := newTarget(Config{Nodes: 1, Cores: 1})
	for _, argv := range [][]string{{"sinfo"}, {"sbatch", "--exclusive", "-n", "1"}, {"sbatch", "-n", "many"}, {"squeue", "--me"},
		{"squeue", "--noheader", "--all", "--Format=JobID:|,Weather:|"}, {"sacct", "-L"}, {"scontrol", "reconfigure"}} {
		cluster.jobs = []*job{{id: 1, state: slurmctl.JobPending}}
		_, err := cluster.Run(t.Context(), nil, argv...)
		if err == nil || errors.As(err, new(*slurmctl.CommandError)) {
			t.Errorf("%q: %v", argv, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cluster.Run(ctx, nil, "sdiag"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Whatever is done to the cluster, no node gives more than it has and what
// nodes and jobs say adds up.
func TestNothingIsOversold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := Config{Nodes: 4, Cores: 6, GPUs: 2, Completing: time.Duration(rapid.IntRange(0, 3).Draw(t, "completing")) * time.Second}
		cluster := New(config)
		client := &slurmctl.Client{Runner: cluster}
		ctx := context.Background()
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			id := rapid.IntRange(1, max(1, len(cluster.jobs))).Draw(t, "job")
			var err error
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0, 1:
				gpus := rapid.IntRange(0, 3).Draw(t, "gpus")
				_, err = client.Submit(ctx, sbatch.Request{Name: "x", Tasks: rapid.IntRange(1, 26).Draw(t, "tasks"),
					GPUsMin: gpus, GPUsMax: gpus, TimeLimit: time.Minute, Hold: rapid.Bool().Draw(t, "hold"),
					Script: fmt.Sprintf("#!/bin/sh\nsleep %d\n", rapid.IntRange(1, 20).Draw(t, "runtime"))})
			case 2:
				nodes := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"n1", "n2", "n3", "n4"}), 1, 4, rapid.ID[string]).Draw(t, "nodes")
				tasks := 1
				if id <= len(cluster.jobs) {
					tasks = cluster.jobs[id-1].tasks
				}
				p := slurmctl.JobUpdate{JobID: id, Nodes: nodes, Tasks: tasks, MinCPUsNode: rapid.IntRange(1, 3).Draw(t, "least")}
				for _, command := range slurmctl.UpdateCommands(p) {
					err = cluster.Do(ctx, command)
				}
			case 3:
				err = cluster.Do(ctx, slurmctl.ReleaseCommand(id))
			case 4:
				err = cluster.Do(ctx, slurmctl.HoldCommand(id))
			case 5:
				err = client.Cancel(ctx, id)
			case 6:
				cluster.Advance(time.Duration(rapid.IntRange(1, 5).Draw(t, "seconds")) * time.Second)
			}
			if refused := new(slurmctl.RefusedError); err != nil && !errors.As(err, &refused) {
				t.Fatal(err)
			}
			sums(t, client, config)
		}
	})
}

func sums(t *rapid.T, client *slurmctl.Client, config Config) {
	nodes, err := client.Nodes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := client.JobDetails(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	used := make(map[string][2]int)
	for _, j := range jobs {
		if j.State != slurmctl.JobRunning {
			continue
		}
		sum := 0
		for _, a := range j.Allocations {
			used[a.Node] = [2]int{used[a.Node][0] + a.Cores, used[a.Node][1] + a.GPUs}
			sum += a.Cores
			if a.Cores < 1 {
				t.Fatalf("job %d has no core on %s", j.ID, a.Node)
			}
		}
		if sum != j.CPUs {
			t.Fatalf("job %d: %d cores, want %d", j.ID, sum, j.CPUs)
		}
	}
	for _, n := range nodes {
		if got := [2]int{n.AllocCPUs, n.AllocGPUs}; got != used[n.Name] || got[0] > config.Cores || got[1] > config.GPUs {
			t.Fatalf("%+v, but its jobs hold %v", n, used[n.Name])
		}
	}
}

func TestTranscript(t *testing.T) {
	tr, err := ParseTranscript([]byte("$ squeue a␟\n1␟\n$ sdiag\n$ sdiag\nsecond\n$3 scancel 1\nno\nway\n"))
	must(t, err)
	run := func(argv ...string) string {
		out, err := tr.Run(t.Context(), nil, argv...)
		var failed *slurmctl.CommandError
		if errors.As(err, &failed) {
			return fmt.Sprintf("%d %q", failed.ExitCode, failed.Stderr)
		}
		if err != nil {
			return err.Error()
		}
		return string(out)
	}
	got := []string{run("squeue", "a\x1f"), run("sdiag"), run("sdiag"), run("sdiag"), run("scancel", "1"), run("sinfo")}
	want := []string{"1\x1f\n", "", "second\n", "second\n", `3 "no\nway\n"`, `run "sinfo": not in the transcript`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, bad := range []string{"", "text\n$ sdiag\n", "$x sdiag\n"} {
		if _, err := ParseTranscript([]byte(bad)); err == nil {
			t.Errorf("ParseTranscript(%q): want an error", bad)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tr.Run(ctx, nil, "sdiag"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

//go:build integration

package channel_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// inCluster says to TestSameAsCommands that there is a Slurm where it runs, and what
// happens to it: "steps", or "restarts" too where slurmctld may be killed. To
// TestSubmitsAsSbatch onGroups says that its nodes are those of groups.
const (
	inCluster = "SLURMLAB_TEST_CHANNEL"
	onGroups  = "groups"
)

// The test on real clusters with and without front end (issue 15 item 5: "contract tests hold it equal to what squeue
// and scontrol print"). This test program, linked statically, is copied into the container of each cluster and run
// there.
func TestSameAsCommandsInContainers(t *testing.T) {
	program := testProgram(t)
	auction, err := policy.Find(policy.Auction)
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range backendtest.Core() {
		t.Run(on.Name(), func(t *testing.T) {
			cluster, err := slurm.Run(t.Context(), backendtest.Image(t, on), slurm.WithBackend(on), slurm.WithMachine(16, 8, 2), slurm.WithScheduler(auction.Scheduler))
			if cluster != nil {
				testcontainers.CleanupContainer(t, cluster)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err = cluster.CopyFileToContainer(t.Context(), program, "/usr/local/bin/channel.test", 0o755); err != nil {
				t.Fatal(err)
			}
			happens := "steps"
			if on.Nodes(conf.Spec{}).Fatal[boot.Controller] == "" {
				happens = "restarts"
			}
			out, err := cluster.Run(t.Context(), nil, "env", inCluster+"="+happens, "/usr/local/bin/channel.test", "-test.run", "TestSameAsCommands$|TestSubmitsAsSbatch$|TestChangesAsCommands$",
				"-test.bench", "Submit", "-test.benchtime", "100x", "-test.v")
			t.Logf("%s", out)
			if err != nil || strings.Count(string(out), "\n--- PASS: ") != 3 {
				t.Errorf("the comparison failed: %v", err)
			}
		})
	}
}

// testProgram is this test program, linked statically.
func testProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "channel")
	build := exec.Command("go", "test", "-c", "-tags", "integration", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// groups are two groups of nodes with memory, features and two types of GPUs, and a partition
// beside the default one.
func groups() layout.Layout {
	partition := func(name string, groups ...string) layout.Partition {
		return layout.Partition{Name: name, Groups: groups, PriorityTier: 1, PriorityJobFactor: 1}
	}
	l := layout.Layout{
		Groups: []layout.Group{
			{Name: "thin", Count: 4, Sockets: 1, Cores: 8, Threads: 1, Memory: 16000, Features: []string{"ib"}, Weight: 1},
			{Name: "fat", Count: 2, Sockets: 2, Cores: 16, Threads: 1, Memory: 64000, Features: []string{"ib", "big"}, Weight: 2,
				GPUs: []layout.GPU{{Type: "v100", Count: 1}, {Type: "a100", Count: 2}}},
		},
		Partitions: []layout.Partition{partition("batch", "thin", "fat"), partition("gpu", "fat")},
	}
	l.Partitions[0].Default = true
	l.QOS = []layout.QOS{{Name: "debug"}}
	l.Accounts = []layout.Account{{Name: "chem", Users: []layout.User{{Name: "bert"}}}}
	l.Licenses = []layout.License{{Name: "matlab", Count: 2}, {Name: "ansys", Count: 1}}
	l.Reservations = []layout.Reservation{{Name: "course", Nodes: "n1", Duration: 3600, Users: []string{"bert"}}}
	return l
}

// The same for what only nodes that differ have, and so without job_submit.lua.
func TestSubmitsToGroupsAsSbatch(t *testing.T) {
	c := backendtest.Start(t, backendtest.External(), slurm.WithMachine(6, 16, 3), slurm.WithLayout(groups()))
	if err := c.CopyFileToContainer(t.Context(), testProgram(t), "/usr/local/bin/channel.test", 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := c.Run(t.Context(), nil, "env", inCluster+"="+onGroups, "/usr/local/bin/channel.test", "-test.run", "TestSubmitsAsSbatch$", "-test.v")
	t.Logf("%s", out)
	if err != nil || strings.Count(string(out), "\n--- PASS: ") != 1 {
		t.Errorf("the comparison failed: %v", err)
	}
}

// steps change the state of a cluster. Names and comments are such that scontrol's text,
// which does not quote them, can be read. "job" submits a script that takes 600 s, "go"
// releases held jobs as the agent does, "ends" waits until none of them runs.
const steps = `
# nothing yet

# held jobs with all kinds of wishes
job -J plain -n 4
job -J nodes -n 8 -N 4 --ntasks-per-node=2 --contiguous -t 1-2:03:00
job -J gpus -n 4 -N 2 --gres=gpu:2 --comment 'a \ backslash and "quotes"'
job -J range -n 2 -N 1 --gres=gpu:1-2
job -J 'name with blanks=x' -n 1 --nice=7
job -J forever -n 3 -t UNLIMITED
job -J named -n 2 -w n[3-4]
job -J later -n 1 --begin=2037-01-02T03:04:05
job -J mine -n 1 --hold

# one of them depends on the first, one on an end
job -J after -n 1 --dependency=after:1
job -J afterany -n 1 --dependency=afterany:3

# three run, on cores that they share
go 1,2,3

# a job gets fewer GPUs than it asked for at most
scontrol update JobId=4 ResetAccrueTime TresPerNode=gres/gpu:1
go 4

# a dependency is fulfilled, and Slurm has looked at it
go 10
scontrol update NodeName=n16 State=DRAIN Reason=why

# a whole node
job -J whole -n 2 --exclusive
go 12

# a node is drained while a job runs on it, one is down, one comes back
scontrol update NodeName=n1 State=DRAIN Reason='two words'
scontrol update NodeName=n15 State=DOWN Reason=x
scontrol update NodeName=n16 State=RESUME

# features and limits change
scontrol update NodeName=n14 ActiveFeatures=big,fast AvailableFeatures=big,fast
scontrol update JobId=6 TimeLimit=77

# reservations that have begun, that come later, of some cores of a node
scontrol create reservation ReservationName=now StartTime=now Duration=60 Nodes=n[5-6] Users=root Flags=MAINT,IGNORE_JOBS
scontrol create reservation ReservationName=later StartTime=now+1hour Duration=60 Nodes=n[7-8] Users=root Flags=FLEX,OVERLAP,IGNORE_JOBS
scontrol create reservation ReservationName=parts StartTime=now+2hours Duration=60 Nodes=n9 CoreCnt=2 Users=root Flags=IGNORE_JOBS

# one is gone
scontrol delete ReservationName=now

# suspended jobs
scontrol suspend 1

# and resumed ones
scontrol resume 1

# a cancelled job that waited and one that ran
scancel 3 7
ends 3

# nothing is left
scancel -u root
ends 1,2,4,10,12
`

// restarts run where slurmctld may be killed. A new slurmctld has forgotten what the last one did since it saved its
// state, which it does every five seconds (SAVE_MAX_WAIT in src/slurmctld/state_save.c). It gives the number of a
// forgotten job to another one.
const restarts = `
# a job runs, one waits, one holds a number
job -J runs -n 4
job -J waits -n 4 --comment before
go 13
sleep 11

# a job that slurmctld has hardly had the time to save
job -J forgotten -n 1

# slurmctld was killed and serves again
before=$(cat /run/slurmctld.pid)
kill -9 $before
until [ "$(cat /run/slurmctld.pid)" != $before ] && scontrol ping | grep -q 'is UP'; do sleep 0.1; done

# a job that may have the number of the forgotten one
job -J later -n 2

# things change as ever
scontrol update JobId=14 Comment=after
scontrol update NodeName=n2 State=DRAIN Reason=x

# nothing is left again
scancel -u root
ends 13
`

const helpers = `set -e
cd /tmp
printf '#!/bin/bash\n# slurmlab seconds=600\nsleep 600\n' > job.sh
job() { sbatch --parsable -o /dev/null "$@" job.sh; }
go() { scontrol update JobId=$1 ResetAccrueTime; scontrol release $1; until squeue -h -t R,S -j $1 -o %i | wc -l | grep -q "^$(echo $1 | tr , '\n' | wc -l)$"; do sleep 0.1; done; }
ends() { until [ -z "$(squeue -h -j $1 -o %i 2>/dev/null)" ]; do sleep 0.1; done; }
`

// What the reader says equals what squeue and scontrol print, after each step. It runs
// where a cluster is; TestSameAsCommandsInContainers carries it there.
func TestSameAsCommands(t *testing.T) {
	happens := os.Getenv(inCluster)
	if happens == "" {
		hosttest.Elsewhere(t, "in a cluster, where TestSameAsCommandsInContainers runs this test")
	}
	shell := &slurmctl.Exec{Env: append(os.Environ(), "TZ=UTC")}
	reader := channel.NewReader(shell, hosttest.Hang)
	defer func() { _ = reader.Close() }()
	seen, helper, script := 0, 0, steps
	if happens == "restarts" {
		script += restarts
	}
	for step := range strings.SplitSeq(strings.TrimSpace(script), "\n\n") {
		name, script, _ := strings.Cut(strings.TrimPrefix(step, "# "), "\n")
		if out, err := exec.Command("bash", "-c", helpers+script).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		seen = max(seen, compare(t, name, reader))
		if helper == 0 {
			helper = reader.PID()
		}
		// The same program goes on: its restart makes it send nothing twice.
		if reader.PID() != helper {
			t.Errorf("%s: slurmchannel is process %d, was %d", name, reader.PID(), helper)
		}
	}
	if seen < 12 {
		t.Errorf("saw %d jobs at once, want 12", seen)
	}
}

// source is a way to read the state.
type source interface {
	Queue(ctx context.Context) ([]slurmctl.QueuedJob, error)
	Nodes(ctx context.Context) ([]slurmctl.NodeRecord, error)
	Licences(ctx context.Context) ([]slurmctl.LicenceRecord, error)
	Reservations(ctx context.Context) ([]slurmctl.Reservation, error)
	Charges(ctx context.Context) (map[int]slurmctl.Charge, error)
	JobDetails(ctx context.Context, ids ...int) ([]slurmctl.JobDetail, error)
}

// picture is all that can be read.
type picture struct {
	Queue    []slurmctl.QueuedJob
	Nodes    []slurmctl.NodeRecord
	Licences []slurmctl.LicenceRecord
	Charges  map[int]slurmctl.Charge
	Details  []slurmctl.JobDetail
	Reserved []slurmctl.Reservation
}

func look(t *testing.T, name string, s source) picture {
	t.Helper()
	var p picture
	var errs [6]error
	p.Queue, errs[0] = s.Queue(t.Context())
	p.Nodes, errs[1] = s.Nodes(t.Context())
	p.Licences, errs[2] = s.Licences(t.Context())
	p.Charges, errs[3] = s.Charges(t.Context())
	// The first jobs, also when they have ended.
	var ids []int
	for id := 1; id <= max(12, len(p.Queue)); id++ {
		ids = append(ids, id)
	}
	p.Details, errs[4] = s.JobDetails(t.Context(), ids...)
	p.Reserved, errs[5] = s.Reservations(t.Context())
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// compare looks until the state stands still for as long as three looks take.
func compare(t *testing.T, name string, reader *channel.Reader) (jobs int) {
	t.Helper()
	for range 100 {
		before := look(t, name, reader.Client)
		got := look(t, name, reader)
		after := look(t, name, reader.Client)
		if !reflect.DeepEqual(before, after) {
			continue
		}
		for i, part := range []string{"queue", "nodes", "licences", "accounts", "details", "reservations"} {
			a, b := reflect.ValueOf(got).Field(i).Interface(), reflect.ValueOf(before).Field(i).Interface()
			for _, line := range differences(a, b) {
				t.Errorf("%s: %s: %s", name, part, line)
			}
		}
		return len(got.Queue)
	}
	t.Fatalf("%s: the state never stands still", name)
	return 0
}

// differences lists where the values of two lists or maps are not equal.
func differences(got, want any) []string {
	lines := func(v any) []string {
		var all []string
		switch r := reflect.ValueOf(v); r.Kind() {
		case reflect.Slice:
			for i := range r.Len() {
				all = append(all, fmt.Sprintf("%+v", r.Index(i).Interface()))
			}
		default:
			for _, key := range r.MapKeys() {
				all = append(all, fmt.Sprintf("%v: %+v", key, r.MapIndex(key)))
			}
			slices.Sort(all)
		}
		return all
	}
	var all []string
	a, b := lines(got), lines(want)
	for i := range max(len(a), len(b)) {
		x, y := "nothing", "nothing"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			all = append(all, fmt.Sprintf("slurmchannel says\n%s\nthe commands say\n%s", x, y))
		}
	}
	return all
}

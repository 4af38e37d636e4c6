package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// line is what the real slurmctld wrote, with another id.
func line(id int) string {
	return fmt.Sprintf("JobId=%d UserId=root(0) GroupId=root(0) Name=7 JobState=COMPLETED Partition=main TimeLimit=5 "+
		"StartTime=2029-01-01T00:05:00 EndTime=2029-01-01T00:07:00 NodeList=n[1-4] NodeCnt=4 ProcCnt=32 WorkDir=/ "+
		"ReservationName= Tres=cpu=32,node=4,billing=32 Account=root QOS= WcKey= Cluster=slurmlab "+
		"SubmitTime=2029-01-01T00:05:00 EligibleTime=2029-01-01T00:05:00 DerivedExitCode=0:0 ExitCode=0:0 \n", id)
}

// follow follows the log until the test ends, and returns the ids and the error.
func follow(t *testing.T, path string) (ids <-chan int, failed <-chan error) {
	t.Helper()
	found, end := make(chan int, 100), make(chan error, 1)
	go func() {
		end <- jobs.Ends(path).Follow(t.Context(), func(id int) { found <- id })
	}()
	return found, end
}

func expect(t *testing.T, ids <-chan int, failed <-chan error, want ...int) {
	t.Helper()
	for _, w := range want {
		select {
		case got := <-ids:
			if got != w {
				t.Fatalf("job %d ended, want %d", got, w)
			}
		case err := <-failed:
			t.Fatal(err)
		case <-time.After(hosttest.Hang):
			t.Fatalf("the end of job %d was not seen", w)
		}
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCompletionLogIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobcomp.log")
	appendTo(t, path, line(1)+line(2))
	ids, failed := follow(t, path)
	expect(t, ids, failed, 1, 2)
	appendTo(t, path, line(4))
	expect(t, ids, failed, 4)
	half := len(line(30)) / 2
	appendTo(t, path, line(30)[:half])
	// A number that is cut in two must not be taken for a smaller one.
	appendTo(t, path, line(30)[half:]+"JobId=12")
	expect(t, ids, failed, 30)
	appendTo(t, path, strings.TrimPrefix(line(123), "JobId=12")+line(4))
	expect(t, ids, failed, 123, 4)
}

// Slurm may not have made the file yet, and writes others next to it.
func TestCompletionLogMayComeLater(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "jobcomp.log")
	ids, failed := follow(t, path)
	for i := range 50 {
		other := filepath.Join(dir, fmt.Sprintf("job_state.%d", i))
		appendTo(t, other, "state")
		if err := os.Remove(other); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(t, path, "")
	appendTo(t, path, line(1))
	expect(t, ids, failed, 1)
	appendTo(t, path, line(2))
	expect(t, ids, failed, 2)
}

func TestCompletionLogLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobcomp.log")
	ids, failed := follow(t, path)
	var want []int
	for id := 1; id <= 2000; id++ {
		want = append(want, id)
		appendTo(t, path, line(id))
	}
	expect(t, ids, failed, want...)
}

func TestUnreadableCompletionLogIsAnError(t *testing.T) {
	dir := t.TempDir()
	strange := filepath.Join(dir, "strange.log")
	appendTo(t, strange, "JobId=x UserId=root(0)\n")
	for path, want := range map[string]string{
		strange: "does not begin with JobId=NUMBER",
		filepath.Join(dir, "no", "such", "directory"): "no such file",
	} {
		_, failed := follow(t, path)
		select {
		case err := <-failed:
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "completion log") {
				t.Errorf("error %v, want %q", err, want)
			}
		case <-time.After(hosttest.Hang):
			t.Errorf("no error, want %q", want)
		}
	}
}

func TestFollowingEndsWithItsContext(t *testing.T) {
	cause := errors.New("the run is over")
	for _, exists := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "jobcomp.log")
		if exists {
			appendTo(t, path, line(1))
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
		if err := jobs.Ends(path).Follow(ctx, func(int) {}); !errors.Is(err, cause) {
			t.Errorf("error %v, want %v", err, cause)
		}
	}
}

func TestRunningJobsAreFound(t *testing.T) {
	spool := t.TempDir()
	for _, name := range []string{"job00001", "job00017", "job123456", "cred_state", "jobs"} {
		if err := os.Mkdir(filepath.Join(spool, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if ids, err := jobs.Spool(spool).Running(); !slices.Equal(ids, []int{1, 17, 123456}) || err != nil {
		t.Errorf("running jobs %v, %v, want 1, 17 and 123456", ids, err)
	}
	// Where every node has a slurmd, it also has a spool directory (%n in SlurmdSpoolDir).
	for _, name := range []string{"n1/job00003", "n12/job00004", "n12/hwloc"} {
		if err := os.MkdirAll(filepath.Join(spool, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if ids, err := jobs.Spool(spool).Running(); !slices.Equal(ids, []int{1, 17, 123456, 3, 4}) || err != nil {
		t.Errorf("running jobs %v, %v, want those of the nodes, too", ids, err)
	}
}

// slurmctld 26.05.5 wrote the lines. The log is read from where it was when the running jobs were asked for.
func TestStartsAreFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slurmctld.log")
	appendTo(t, path, "[2029-01-01T00:00:11.000] sched: Allocate JobId=1 NodeList=n1 #CPUs=8 Partition=main\n")
	log := jobs.Starts(path)
	from, err := log.Size()
	if err != nil {
		t.Fatal(err)
	}
	found, end := make(chan int, 100), make(chan error, 1)
	// A change counts as a negative start, a node that was not reached as 0, a refusal as
	// 1000.
	go func() {
		end <- log.Follow(t.Context(), from, jobs.Heard{
			Started: func(id int) { found <- id }, Changed: func(id int) { found <- -id }, Unreachable: func() { found <- 0 },
			Refused: func() { found <- 1000 },
		})
	}()
	appendTo(t, path, "[2029-01-01T00:00:12.000] sched: Allocate JobId=12 NodeList=n[1-2] #CPUs=16 Partition=main\n"+
		"[2029-01-01T00:00:12.100] _slurm_rpc_submit_batch_job: JobId=14 InitPrio=4294901757 usec=301\n"+
		"[2029-01-01T00:00:41.000] sched/backfill: _start_job: HETJOB: Started JobId=13 in main on n3\n"+
		"[2029-01-01T00:00:41.000] _slurm_rpc_suspend(suspend) for 12 usec=301\n"+
		"[2029-01-01T00:00:41.060] agent/is_node_resp: node:n4 RPC:REQUEST_SUSPEND_INT : Can't find an address, check slurm.conf\n"+
		"[2029-01-01T00:00:41.070] _slurm_rpc_submit_batch_job: Invalid feature specification\n"+
		"[2029-01-01T00:00:41.000] _slurm_rpc_suspend(resume) for 7_1 Job is not suspended\n"+
		"[2029-01-01T00:00:42.000] sched: Allocate JobId=x NodeList=n[1-2] #CPUs=16 Partition=main\n"+
		"[2029-01-01T00:00:43.000] sched: Allocate JobId=15 NodeList=n1")
	expect(t, found, end, 12, 13, -12, 0, 1000)
	appendTo(t, path, "3 #CPUs=16 Partition=main\n")
	expect(t, found, end, 15)
}

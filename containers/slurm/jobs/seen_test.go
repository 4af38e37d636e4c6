package jobs_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
)

func at(second int) time.Time { return time.Date(2029, 1, 1, 0, 0, second, 0, time.UTC) }

// slurmctld 24.11.5 and 26.05.5 wrote the lines. Between two questions nothing is lost, returned twice, or read from
// a half of a line.
func TestBookTellsStartsAndEnds(t *testing.T) {
	dir := t.TempDir()
	log, ends := filepath.Join(dir, "slurmctld.log"), filepath.Join(dir, "jobcomp.log")
	book := jobs.NewBook(jobs.Starts(log), jobs.Ends(ends))
	expectNews := func(want ...jobs.Seen) {
		t.Helper()
		if got, err := book.News(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	expectNews()
	appendTo(t, log, "[2029-01-01T00:00:14.005] sched: Allocate JobId=283 NodeList=n[1-104] #CPUs=104 Partition=main\n"+
		"[2029-01-01T00:00:15.001] _slurm_rpc_submit_batch_job: JobId=42 InitPrio=35156250 usec=1196\n"+
		"[2029-01-01T00:00:22.074] sched/backfill: _start_job: Started JobId=42 in main on n[82-99]\n"+
		"[2029-01-01T00:00:26.549] sched/backfill: _start_job: HETJOB: Started JobId=262 in main on n[1-128]\n"+
		"[2029-01-01T00:00:30.0")
	first := []jobs.Seen{
		{ID: 283, Started: at(14), Nodes: "n[1-104]", Cores: 104},
		{ID: 42, Started: at(22), Nodes: "n[82-99]"},
		{ID: 262, Started: at(26), Nodes: "n[1-128]"},
	}
	expectNews(first...)
	expectNews()
	appendTo(t, log, "00] sched: Allocate JobId=9 NodeList=n1 #CPUs=8 Partition=main\n")
	appendTo(t, ends, "JobId=283 UserId=root(0) GroupId=root(0) Name=283 JobState=COMPLETED Partition=main TimeLimit=4 "+
		"StartTime=2029-01-01T00:00:14 EndTime=2029-01-01T00:00:29 NodeList=n[1-104] NodeCnt=104 ProcCnt=104 WorkDir=/ "+
		"ReservationName= Tres=cpu=104,mem=104M,node=104,billing=104,gres/gpu=208 Account=root QOS=normal WcKey= Cluster=slurmlab "+
		"SubmitTime=2029-01-01T00:00:13 EligibleTime=2029-01-01T00:00:13 DerivedExitCode=0:0 ExitCode=0:0 \n"+
		"JobId=5 UserId=root(0) GroupId=root(0) Name=5 JobState=CANCELLED Partition=main TimeLimit=5 "+
		"StartTime=2029-01-01T00:00:28 EndTime=2029-01-01T00:00:28 NodeList=(null) NodeCnt=0 ProcCnt=8 WorkDir=/ \n")
	expectNews(
		jobs.Seen{ID: 9, Started: at(30), Nodes: "n1", Cores: 8},
		jobs.Seen{ID: 283, State: "COMPLETED", Started: at(14), Ended: at(29), Nodes: "n[1-104]", Cores: 104, GPUs: 208},
		jobs.Seen{ID: 5, State: "CANCELLED", Ended: at(28)},
	)
	expectNews()
	appendTo(t, ends, "JobId=6 UserId=root(0)\n")
	if _, err := book.News(); err == nil || !strings.Contains(err.Error(), "has no JobState or no EndTime") {
		t.Errorf("got %v", err)
	}
}

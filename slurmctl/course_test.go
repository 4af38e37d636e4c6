package slurmctl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// What Slurm printed of jobs is read as in their details, which have no end and no suspension.
func TestParseJobCourse(t *testing.T) {
	for line := range strings.Lines(rawJobs(t) + recentJob("")) {
		details, err := slurmctl.ParseJobDetails([]byte(line))
		if err != nil || len(details) != 1 || details[0].Unread != nil {
			continue
		}
		d := details[0]
		c, err := slurmctl.ParseJobCourse([]byte(line))
		if err != nil || c.Reason != d.Reason || !c.Submit.Equal(d.Submit) || !c.Start.Equal(d.Start) || c.State != d.State && c.State != "RESV_DEL_HOLD" {
			t.Errorf("%s\ngot %+v, %v, want %+v", line, c, err, d)
		}
	}
	line := strings.NewReplacer("SuspendTime=None SecsPreSuspend=0", "SuspendTime=2026-11-22T15:24:00 SecsPreSuspend=12", "ExitCode=0:0", "ExitCode=3:9",
		"Restarts=0", "Restarts=2", "EndTime=Unknown", "EndTime=2026-11-22T15:25:00").Replace(recentJob(""))
	at := time.Date(2026, 11, 22, 15, 24, 0, 0, time.UTC)
	want := slurmctl.JobCourse{
		State: slurmctl.JobPending, Reason: slurmctl.ReasonHeldUser, ExitCode: "3:9", Restarts: 2, Submit: at.Add(-42 * time.Second), End: at.Add(time.Minute),
		Suspend: at, PreSuspend: 12 * time.Second,
	}
	if c, err := slurmctl.ParseJobCourse([]byte(line)); err != nil || c != want {
		t.Errorf("got %+v, %v, want %+v", c, err, want)
	}
	for _, part := range []string{"JobState=PENDING ", "Restarts=0 ", "SubmitTime=2026-11-22T15:23:18 ", "SecsPreSuspend=0 "} {
		if c, err := slurmctl.ParseJobCourse([]byte(strings.Replace(recentJob(""), part, "", 1))); err == nil {
			t.Errorf("without %s: got %+v", part, c)
		}
	}
}

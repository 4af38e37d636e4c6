package interchange_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/workloads/interchange"
)

func at(t *testing.T, text string) interchange.Moment {
	t.Helper()
	m, err := interchange.ParseMoment(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParseMoment(t *testing.T) {
	for text, want := range map[string]string{
		"36h": "36h0m0s", "0": "0s", "2024-03-01": "2024-03-01T00:00:00", "2024-03-01T12:30": "2024-03-01T12:30:00", "2024-02-29T12:30:59": "2024-02-29T12:30:59",
	} {
		if got := at(t, text).String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "2023-02-29", "1.3.2024", "soon", "36"} {
		_, err := interchange.ParseMoment(text)
		want := fmt.Sprintf("got %q, allowed a time after the trace's first job (36h) or a date (2024-03-01, 2024-03-01T12:00:00)", text)
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Three jobs of an administrator's dump: job 1 runs over midnight with 2 nodes for 3 more
// hours, job 2 waits over midnight, job 3 arrives six hours later.
const midnight = `JobIDRaw|State|Submit|Start|End|NNodes|NCPUS|ReqMem|Partition|QOS
1|COMPLETED|2024-02-29T22:00:00|2024-02-29T23:00:00|2024-03-01T03:00:00|2|8|4Gn|a|x
2|FAILED|2024-02-29T23:30:00|2024-03-01T00:10:00|2024-03-01T01:10:00|1|4|0n|b|x
3|PREEMPTED|2024-03-01T06:00:00|2024-03-01T06:00:00|2024-03-01T07:00:00|1|4|4Gn|a|x
4|FAILED|2024-03-01T06:00:00|2024-03-01T06:00:00|2024-03-01T07:00:00|1|4|4Gn|c|x
`

// A job that still runs when the dump is made was also running at the start of the window.
func TestEndlessJobs(t *testing.T) {
	o := optionsS()
	o.Rescale.From = at(t, "2024-03-01")
	text := midnight + "5|RUNNING|2024-02-29T22:00:00|2024-02-29T22:30:00|Unknown|8|64|4Gn|a|x\n" +
		"6|RUNNING|2024-03-01T02:00:00|2024-03-01T02:30:00|Unknown|8|64|4Gn|a|x\n7|PENDING|2024-02-29T22:00:00|Unknown|Unknown|8|64|4Gn|a|x\n"
	s, _, err := importText("sacct", text, o)
	const want = "left out at the start of the time window: 2 jobs that were running already, with 6.0 node-hours to go " +
		"(without the 1 that had not ended when the trace was taken), and 1 that were waiting"
	if err != nil || !slices.Contains(s.Text(), want) {
		t.Errorf("%q, %v", s.Text(), err)
	}
}

// A window by dates is the window of the same durations, and shows which jobs were in the system.
func TestDates(t *testing.T) {
	o := optionsS()
	o.Rescale.From, o.Rescale.Until = at(t, "2024-03-01"), at(t, "2024-03-01T06:00:01")
	rows := []string{"3,21600,3600,5520,1,4,4,0,0,0,type3,failed", "4,21600,3600,5520,1,4,4,0,0,0,type3,failed"}
	s := wantRows(t, "sacct", midnight, o, rows...)
	if got, want := s.Text(), []string{
		"records: 4 read, 2 jobs, 2 left out (outside the time window)",
		"outcomes: 2 failed",
		"adjusted: 2 without a time limit got 1.5 run times and 2 minutes",
		"ignored: memory of 2 jobs; 2 partitions; 1 QOS, which may have limits; how jobs ended (here they fail): 1 PREEMPTED",
		"left out at the start of the time window: 1 jobs that were running already, with 6.0 node-hours to go, and 1 that were waiting",
		"chosen: submissions from 2024-03-01T00:00:00 to 2024-03-01T06:00:01",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	o.Rescale.From, o.Rescale.Until = at(t, "2h"), at(t, "8h0m1s")
	wantRows(t, "sacct", midnight, o, rows...)
	o.Rescale.From, o.Rescale.Until = at(t, "2h"), at(t, "2024-03-01T06:00:01")
	wantRows(t, "sacct", midnight, o, rows...)

	// A date before the trace is its first submission, nothing arrives late.
	o.Rescale.From, o.Rescale.Until = at(t, "1990-01-01"), at(t, "2024-02-29T23:00:00")
	wantRows(t, "sacct", midnight, o, "1,0,14400,21720,2,8,4,0,0,0,type3,completed")
}

func TestBadDates(t *testing.T) {
	o := optionsS()
	o.Rescale.From, o.Rescale.Until = at(t, "2024-03-02"), at(t, "2024-03-01")
	wantFaults(t, "sacct", midnight, o, "time window: got 2024-03-02T00:00:00 to 2024-03-01T00:00:00, allowed from 0s, the end after the start")
	o.Rescale.From, o.Rescale.Until = at(t, "9h"), at(t, "2024-03-01")
	wantFaults(t, "sacct", midnight, o, "t: time window: got 9h0m0s to 2024-03-01T00:00:00, allowed an end after the start and after the first submission, "+
		"jobs of the trace are submitted from 2024-02-29T22:00:00 to 2024-03-01T06:00:00")
	o.Rescale.From, o.Rescale.Until = at(t, "2025-01-01"), interchange.Moment{}
	wantFaults(t, "sacct", midnight, o, "t: jobs: got none, allowed at least one, jobs of the trace are submitted from 2024-02-29T22:00:00 to 2024-03-01T06:00:00; "+
		"records: 4 read, 0 jobs, 4 left out (outside the time window); chosen: submissions from 2025-01-01T00:00:00 to the end")
	wantFaults(t, "swf", swf, o, "t: time window: got the date 2025-01-01T00:00:00, allowed a time after the first job (36h): the trace does not say when it began")
	wantFaults(t, "batsim", batsim, o, "t: time window: got the date 2025-01-01T00:00:00, allowed a time after the first job (36h): the trace does not say when it began")
}

// SWF 2.2: submit times count from UnixStartTime.
func TestDatesOfSWF(t *testing.T) {
	o := optionsS()
	began := time.Date(2011, 2, 1, 14, 38, 44, 0, time.UTC)
	text := fmt.Sprintf("; UnixStartTime: %d\n", began.Unix()) + swf
	o.Rescale.From = at(t, began.Add(20*time.Second).Format("2006-01-02T15:04:05"))
	s := wantRows(t, "swf", text, o, "5,0,100,300,0,16,0,0,0,0,type1,user1", "6,1,1,60,0,1,0,0,0,0,type1,user1")
	// Job 3 runs from 20.5 to 80.5 on one node's 8 cores.
	if got, want := s.Text()[2], "left out at the start of the time window: 0 jobs that were running already, with 0.0 node-hours to go, and 1 that were waiting"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What SWF says beyond processors and times (fields 10, 11, 15 and 16).
func TestIgnoredOfSWF(t *testing.T) {
	s := wantRows(t, "swf", "1 0 0 60 4 -1 -1 4 120 512 0 1 1 1 1 1 -1 -1\n2 0 0 60 4 -1 -1 4 120 -1 5 1 1 1 2 1 -1 -1\n",
		optionsS(), "1,0,60,120,0,4,0,0,0,0,type1,user1,failed", "2,0,60,120,0,4,0,0,0,0,type1,user1,cancelled")
	if got := strings.Join(s.Text(), "\n"); !strings.Contains(got, "\nignored: memory of 1 jobs; 2 queues\n") {
		t.Error(got)
	}
}

// The states and names of a broken trace do not fill the memory or the terminal.
func TestIgnoredIsBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("JobIDRaw|State|Submit|Start|End|NNodes|NCPUS|QOS\n")
	for i := range 12_000 {
		fmt.Fprintf(&text, "%d|S%d|1|2|62|1|4|q%d\n", i+1, i, i)
	}
	s, _, err := importText("sacct", text.String(), optionsS())
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(s.Text(), "\n")
	if !strings.Contains(got, "ignored: 10000 or more QOS; ") || !strings.Contains(got, "11950 OTHER") || len(got) > 2000 {
		t.Errorf("%d bytes: %.2000s", len(got), got)
	}
}

package slurmctl_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// raw returns the recorded output of a command.
func raw(t testing.TB, argv ...string) string {
	out, err := recorded(t).Runner.Run(t.Context(), nil, argv...)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func rawNodes(t testing.TB) string { return raw(t, "scontrol", "-o", "show", "node") }
func rawJobs(t testing.TB) string  { return raw(t, "scontrol", "-d", "-o", "show", "job") }
func rawQueue(t testing.TB) string { return raw(t, slurmctl.QueueArgv()...) }

// unread returns the error, or why the first job that could not be read was not.
func unread[J any](jobs []J, err error, fault func(J) *slurmctl.ParseError) error {
	for _, j := range jobs {
		if f := fault(j); f != nil && err == nil {
			return f
		}
	}
	return err
}

// Every line that is not understood must be an error with its number and
// field, never skipped.
func TestBadLinesAreErrors(t *testing.T) {
	nodes := func(b []byte) error { _, err := slurmctl.ParseNodes(b); return err }
	jobs := func(b []byte) error {
		list, err := slurmctl.ParseJobDetails(b)
		return unread(list, err, func(j slurmctl.JobDetail) *slurmctl.ParseError { return j.Unread })
	}
	queue := func(b []byte) error {
		list, err := slurmctl.ParseQueue(b)
		return unread(list, err, func(j slurmctl.QueuedJob) *slurmctl.ParseError { return j.Unread })
	}
	for _, c := range []struct {
		parse     func([]byte) error
		text      string
		old, new  string
		line      int
		wantField string
	}{
		{nodes, rawNodes(t), "NodeName=n4 ", "NodeNome=n4 ", 4, "NodeName"},
		{nodes, rawNodes(t), "NodeName=n4 ", "\nNodeName=n4 ", 4, "NodeName"},
		{nodes, rawNodes(t), "CPUAlloc=10", "CPUAlloc=ten", 4, "CPUAlloc"},
		{nodes, rawNodes(t), "CPUAlloc=10", "CPUAllok=10", 4, "CPUAlloc"},
		{nodes, rawNodes(t), "State=MIXED", "State=HAPPY", 4, "State"},
		{nodes, rawNodes(t), "AllocTRES=cpu=10,gres/gpu=2", "AllocTRES=cpu=10,gres/gpu=two", 4, "AllocTRES"},
		// Without AccountingStorageTRES=gres/gpu allocated GPUs are invisible.
		{nodes, rawNodes(t), "billing=12,gres/gpu=3", "billing=12", 1, "CfgTRES"},
		{jobs, rawJobs(t), "JobId=1126 ", "JobNo=1126 ", 4, "JobId"},
		{jobs, rawJobs(t), "JobId=1126 ", "JobId=0 ", 4, "JobId"},
		{jobs, rawJobs(t), "JobState=FAILED", "JobState=BROKEN", 2, "JobState"},
		{jobs, rawJobs(t), "TimeLimit=01:30:00", "TimeLimit=90", 4, "TimeLimit"},
		{jobs, rawJobs(t), "StartTime=2037-01-02T03:04:05", "StartTime=tomorrow", 5, "StartTime"},
		{jobs, rawJobs(t), "Nodes=n[1-2] ", "Nodes=n[1- ", 6, "Nodes"},
		{jobs, rawJobs(t), "CPU_IDs=0-5", "CPU_IDs=all", 6, "CPU_IDs"},
		{jobs, rawJobs(t), "GRES=gpu(CNT:2)", "GRES=gpu(CNT:)", 7, "GRES"},
		{jobs, rawJobs(t), "NtasksPerN:B:S:C=4:0:*:*", "NtasksPerN:B:S:C=four", 3, "NtasksPerN:B:S:C"},
		{jobs, rawJobs(t), "Contiguous=1", "Contiguous=yes", 3, "Contiguous"},
		{jobs, rawJobs(t), "TresPerNode=gres/gpu:2", "TresPerNode=gres/gpu:1-3", 3, "TresPerNode"},
		{queue, rawQueue(t), "1127\x1f", "1127|", 2, ""},
		{queue, rawQueue(t), "1127\x1f", "\x1f", 2, "JobID"},
		{queue, rawQueue(t), "1127\x1f", "0\x1f", 2, "JobID"},
		{queue, rawQueue(t), "COMPLETING", "COMPLETELY", 1, "State"},
		{queue, rawQueue(t), "gres/gpu:3", "gres/gpu:1-3", 1, "tres-per-node"},
		{queue, rawQueue(t), "50:00", "50", 1, "TimeLimit"},
		{queue, rawQueue(t), "node=2", "knot=2", 1, "tres-alloc"},
		{queue, rawQueue(t), "1131\x1f", "\n1131\x1f", 1, "JobID"},
	} {
		text := strings.Replace(c.text, c.old, c.new, 1)
		if text == c.text {
			t.Fatalf("%q is not in the recording", c.old)
		}
		var parse *slurmctl.ParseError
		if err := c.parse([]byte(text)); !errors.As(err, &parse) || parse.Line != c.line || parse.Field != c.wantField {
			t.Errorf("%q for %q: error %v, want one in line %d, field %q", c.new, c.old, err, c.line, c.wantField)
		}
	}
}

func TestEmptyOutput(t *testing.T) {
	if n, err := slurmctl.ParseNodes(nil); len(n) != 0 || err != nil {
		t.Errorf("%v, %v", n, err)
	}
	if j, err := slurmctl.ParseQueue(nil); len(j) != 0 || err != nil {
		t.Errorf("%v, %v", j, err)
	}
	if j, err := slurmctl.ParseJobDetails([]byte("No jobs in the system\n")); len(j) != 0 || err != nil {
		t.Errorf("%v, %v", j, err)
	}
}

// A job name that imitates the later fields must not be believed silently in
// the light view.
func TestQueueTakesFreeTextLiterally(t *testing.T) {
	text := strings.Replace(rawQueue(t), "a|b c", "x UserId=0 Priority=9 JobState=RUNNING", 1)
	jobs, err := slurmctl.ParseQueue([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if j.ID == 1130 && (j.Name != "x UserId=0 Priority=9 JobState=RUNNING" || j.Priority != 0) {
			t.Errorf("%+v", j)
		}
	}
}

// One user's odd job must not hide everybody's: what else is in the output is read.
func TestAnOddJobHidesNoOther(t *testing.T) {
	ids := func(list []slurmctl.QueuedJob) (all, odd []int) {
		for _, j := range list {
			all = append(all, j.ID)
			if j.Unread != nil {
				odd = append(odd, j.ID)
			}
		}
		return all, odd
	}
	queue, err := slurmctl.ParseQueue([]byte(rawQueue(t)))
	every, odd := ids(queue)
	if err != nil || len(odd) > 0 {
		t.Fatal(odd, err)
	}
	for _, c := range []struct {
		old, new string
		odd      []int
	}{
		// Each as a job can be submitted; the last name has the separator itself.
		{"a|b c", "a\nb", nil},
		{"a|b c", "\n", nil},
		{"1130\x1fa|b c\x1f", "1130\x1fa\x1fb\x1f", []int{1130}},
		{"\x1fCOMPLETING\x1f", "\x1fHAPPY\x1f", every[:1]},
	} {
		text := strings.Replace(rawQueue(t), c.old, c.new, 1)
		got, parseErr := slurmctl.ParseQueue([]byte(text))
		all, odd := ids(got)
		if text == rawQueue(t) || parseErr != nil || !slices.Equal(all, every) || !slices.Equal(odd, c.odd) {
			t.Errorf("%q for %q: jobs %v, odd %v, error %v, want odd %v", c.new, c.old, all, odd, parseErr, c.odd)
		}
	}
	details, err := slurmctl.ParseJobDetails([]byte(strings.Replace(rawJobs(t), "a|b c", "a\nb", 1)))
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := slurmctl.ParseJobDetails([]byte(rawJobs(t)))
	for i, j := range details {
		if j.ID != whole[i].ID || (j.Unread != nil) != (j.ID == 1130) {
			t.Errorf("job %d: %v, want job %d, and only 1130 odd", j.ID, j.Unread, whole[i].ID)
		}
	}
	if len(details) != len(whole) {
		t.Errorf("%d jobs, want %d", len(details), len(whole))
	}
}

// A job that Slurm holds because its reservation is over is printed with a flag in place of its state (job_state_string in
// src/common/slurm_protocol_defs.c): it is pending and held.
func TestReservationIsOver(t *testing.T) {
	jobs, err := slurmctl.ParseQueue([]byte(strings.ReplaceAll(rawQueue(t), "PENDING\x1fJobHeldUser", "RESV_DEL_HOLD\x1fReservation course was deleted")))
	if err != nil {
		t.Fatal(err)
	}
	details, err := slurmctl.ParseJobDetails([]byte(strings.ReplaceAll(rawJobs(t), "JobState=PENDING Reason=JobHeldUser", "JobState=RESV_DEL_HOLD Reason=Reservation_course_was_deleted")))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range details {
		jobs = append(jobs, d.QueuedJob)
	}
	over := 0
	for _, j := range jobs {
		if strings.HasPrefix(j.Reason, "Reservation") {
			over++
			if j.State != slurmctl.JobPending || !j.Held() {
				t.Errorf("job %d is %s, held %v, want it pending and held", j.ID, j.State, j.Held())
			}
		}
	}
	if over != 4 {
		t.Errorf("%d jobs have no reservation any more, want two in each list", over)
	}
}

func fuzzLines(f *testing.F, seed string, parse func([]byte) (int, error)) {
	for line := range strings.Lines(seed) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := parse(text)
		lines := bytes.Count(text, []byte("\n"))
		if len(text) > 0 && text[len(text)-1] != '\n' {
			lines++
		}
		// "No ... in the system" is the only line without a value.
		if err == nil && n != lines && !bytes.HasPrefix(text, []byte("No ")) {
			t.Fatalf("%d values from %d lines", n, lines)
		}
	})
}

func FuzzParseNodes(f *testing.F) {
	fuzzLines(f, rawNodes(f), func(b []byte) (int, error) { n, err := slurmctl.ParseNodes(b); return len(n), err })
}

func FuzzParseJobDetails(f *testing.F) {
	fuzzLines(f, rawJobs(f), func(b []byte) (int, error) {
		list, err := slurmctl.ParseJobDetails(b)
		return len(list), unread(list, err, func(j slurmctl.JobDetail) *slurmctl.ParseError { return j.Unread })
	})
}

func FuzzParseQueue(f *testing.F) {
	fuzzLines(f, rawQueue(f), func(b []byte) (int, error) {
		list, err := slurmctl.ParseQueue(b)
		for _, j := range list {
			if j.ID < 1 {
				return -1, nil // a job without an id
			}
		}
		// A line break inside a column begins no job.
		inside := bytes.Count(b, []byte("\n")) - bytes.Count(b, []byte("\x1f\n"))
		return len(list) + inside, unread(list, err, func(j slurmctl.QueuedJob) *slurmctl.ParseError { return j.Unread })
	})
}

// The budget for 1408 nodes is 10 ms.
func BenchmarkParseNodes(b *testing.B) {
	line, _, _ := strings.Cut(rawNodes(b)[strings.Index(rawNodes(b), "NodeName=n4"):], "\n")
	text := []byte(strings.Repeat(line+"\n", 1408))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if n, err := slurmctl.ParseNodes(text); len(n) != 1408 || err != nil {
			b.Fatal(len(n), err)
		}
	}
}

// 200 running jobs, each with 8 groups of nodes.
func BenchmarkParseJobDetails(b *testing.B) {
	job := raw(b, "scontrol", "-d", "-o", "show", "job", "1129")
	const group = "  Nodes=n[5-6] CPU_IDs=0-3 Mem=0 GRES=gpu(CNT:2) "
	job = strings.Replace(job, group, strings.Repeat(group, 7), 1)
	text := []byte(strings.Repeat(job, 200))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if j, err := slurmctl.ParseJobDetails(text); len(j) != 200 || len(j[0].Allocations) != 15 || err != nil {
			b.Fatal(len(j), err)
		}
	}
}

func BenchmarkParseQueue(b *testing.B) {
	text := []byte(strings.Repeat(rawQueue(b), 50))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if j, err := slurmctl.ParseQueue(text); len(j) != 450 || err != nil {
			b.Fatal(len(j), err)
		}
	}
}

func ExampleUpdateCommands() {
	nodes, _ := values.ExpandHosts("n[1-3,7]")
	p := slurmctl.JobUpdate{JobID: 12, Nodes: nodes, Tasks: 24, MinCPUsNode: 2, GPUsPerNode: 1}
	for _, command := range append(slurmctl.UpdateCommands(p), slurmctl.ReleaseCommand(12)) {
		fmt.Println(command)
	}
	// Output:
	// update JobId=12 ResetAccrueTime NumNodes=4-4 NodeList=n[1-3,7] NumTasks=24 TasksPerNode=0 MinCPUsNode=2 NumCPUs=24
	// update JobId=12 ResetAccrueTime TresPerNode=gres/gpu:1
	// release 12
}

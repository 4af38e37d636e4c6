package workloads

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// withOutcomes has a job of each outcome.
func withOutcomes() []Job {
	job := func(id, runtime, limit int, o Outcome) Job {
		return Job{ID: id, Runtime: runtime, Limit: limit, Cores: 4, Class: "type1", Outcome: o}
	}
	left := job(5, 0, 600, CancelledPending)
	left.CancelAfter = 90
	return []Job{
		job(1, 60, 120, Completed), job(2, 30, 120, Failed), job(3, 120, 120, Timeout), job(4, 70, 120, Cancelled), left, job(6, 50, 120, OutOfMemory),
	}
}

// The column for how jobs end comes after the columns of users and of ranges of nodes. The time of a cancellation in
// the queue has another one. Files without them stay as they were.
func TestCSVWithOutcomes(t *testing.T) {
	jobs := withOutcomes()
	const want = csvHeader + ",outcome,cancel_after_s\n" +
		"1,0,60,120,0,4,0,0,0,0,type1,completed,0\n" +
		"2,0,30,120,0,4,0,0,0,0,type1,failed,0\n" +
		"3,0,120,120,0,4,0,0,0,0,type1,timeout,0\n" +
		"4,0,70,120,0,4,0,0,0,0,type1,cancelled,0\n" +
		"5,0,0,600,0,4,0,0,0,0,type1,cancelled_pending,90\n" +
		"6,0,50,120,0,4,0,0,0,0,type1,out_of_memory,0\n"
	if got := csvOf(t, jobs); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := csvOf(t, jobs[:2]); got != csvHeader+",outcome\n1,0,60,120,0,4,0,0,0,0,type1,completed\n2,0,30,120,0,4,0,0,0,0,type1,failed\n" {
		t.Errorf("without cancellations in the queue:\n%s", got)
	}
	got, err := ReadCSV(strings.NewReader(want), "w.csv")
	if err != nil || !reflect.DeepEqual(got, jobs) {
		t.Errorf("read %+v, %v", got, err)
	}
}

func TestBadOutcomes(t *testing.T) {
	for _, c := range []struct{ row, want string }{
		{"60,120,0,4,0,0,0,0,type1,dead,0", `outcome: got "dead", allowed completed, failed, timeout, cancelled, cancelled_pending, out_of_memory`},
		{"60,120,0,4,0,0,0,0,type1,,0", `outcome: got "", allowed completed, failed, timeout, cancelled, cancelled_pending, out_of_memory`},
		{"60,120,0,4,0,0,0,0,type1,FAILED,0", `outcome: got "FAILED", allowed completed, failed, timeout, cancelled, cancelled_pending, out_of_memory`},
		{"60,120,0,4,0,0,0,0,type1,failed,x", `cancel_after_s: got "x", allowed a whole number`},
		{"60,120,0,4,0,0,0,0,type1,failed,7", "job 1: cancel_after_s: got 7, allowed 0 without outcome=cancelled_pending"},
		{"0,120,0,4,0,0,0,0,type1,failed,0", "job 1: runtime_s: got 0, allowed 1..31536000"},
		{"60,120,0,4,0,0,0,0,type1,cancelled_pending,7", "job 1: runtime_s: got 60, allowed 0 with outcome=cancelled_pending, as nobody knows it"},
		{"0,120,0,4,0,0,0,0,type1,cancelled_pending,0", "job 1: cancel_after_s: got 0, allowed 1..31536000"},
		{"0,0,0,4,0,0,0,0,type1,cancelled_pending,7", "job 1: limit_s: got 0, allowed 1..31536000"},
		{"60,120,0,4,0,0,0,0,type1,timeout,0", "job 1: limit_s: got 120, allowed runtime_s=60 and whole minutes with outcome=timeout"},
		{"90,90,0,4,0,0,0,0,type1,timeout,0", "job 1: limit_s: got 90, allowed runtime_s=90 and whole minutes with outcome=timeout"},
		{"61,60,0,4,0,0,0,0,type1,cancelled,0", "job 1: limit_s: got 60, allowed runtime_s=61..31536000"},
	} {
		_, err := ReadCSV(strings.NewReader(csvHeader+",outcome,cancel_after_s\n1,0,"+c.row+"\n"), "w.csv")
		wantError(t, err, "w.csv:2: "+c.want)
		if _, err = StreamCSV(strings.NewReader(csvHeader+",outcome,cancel_after_s\n1,0,"+c.row+"\n"), "w.csv", func(Job) {}); err == nil || err.Error() != "w.csv:2: "+c.want {
			t.Errorf("read row by row: %v", err)
		}
	}
	for _, columns := range []string{",cancel_after_s,outcome", ",outcome,user", ",outcome,outcome", ",outcome,"} {
		if _, err := ReadCSV(strings.NewReader(csvHeader+columns+"\n"), "w.csv"); err == nil || !strings.HasPrefix(err.Error(), "w.csv:1: header: ") {
			t.Errorf("%s: %v", columns, err)
		}
	}
}

// drawOutcome gives a job with a limit in whole minutes some end.
func drawOutcome(t *rapid.T, j *Job) {
	switch j.Outcome = rapid.SampledFrom(Outcomes()).Draw(t, "outcome"); j.Outcome {
	case Timeout:
		j.Runtime = j.Limit
	case CancelledPending:
		j.Runtime, j.CancelAfter = 0, rapid.IntRange(1, maxSeconds).Draw(t, "cancel after")
	case Completed, Failed, Cancelled, OutOfMemory:
	}
}

// Requests of runs carry jobs as JSON.
func TestOutcomesInJSON(t *testing.T) {
	text, err := json.Marshal(withOutcomes())
	if err != nil {
		t.Fatal(err)
	}
	var got []Job
	if err = json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, withOutcomes()) {
		t.Errorf("%s\nis read as %+v, %v", text, got, err)
	}
	if err = json.Unmarshal([]byte(`[{"Outcome":"dead"}]`), &got); err == nil || !strings.Contains(err.Error(), `got "dead", allowed completed, `) {
		t.Error(err)
	}
}

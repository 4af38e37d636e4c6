package workloads

import (
	"slices"
	"strings"
	"testing"
)

// The columns of a Past come last, are there only if a job has one, read back, and are nothing that a policy has to know.
func TestCSVWithPast(t *testing.T) {
	jobs := []Job{
		{ID: 1, Runtime: 60, Limit: 120, Cores: 4, Class: "a", Past: Past{Ran: 500}},
		{ID: 2, Arrival: 60, Runtime: 60, Limit: 120, Cores: 4, Class: "a", Terms: Terms{Dependency: "after:1"}, Past: Past{Waited: 7}},
	}
	var text strings.Builder
	if err := WriteCSV(&text, jobs); err != nil {
		t.Fatal(err)
	}
	const want = csvHeader + ",dependency,waited_s,ran_s\n1,0,60,120,0,4,0,0,0,0,a,,0,500\n2,60,60,120,0,4,0,0,0,0,a,after:1,7,0\n"
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	again, err := ReadCSV(strings.NewReader(text.String()), "w.csv")
	if err != nil || !slices.Equal(again, jobs) {
		t.Errorf("got %v, %v", again, err)
	}
	if !ColumnsOf(jobs).HasDependencies() || ColumnsOf(jobs[:1]).HasDependencies() {
		t.Error("a job that ran is taken for one that waits for another")
	}
	if err = CheckPlain("policy x", jobs[:1]); err != nil {
		t.Error(err)
	}
	bad := []Job{
		{ID: 1, Runtime: 60, Limit: 120, Cores: 4, Class: "a", Past: Past{Ran: 500, Waited: 1}},
		{ID: 2, Limit: 120, Cores: 4, Class: "a", Outcome: CancelledPending, CancelAfter: 5, Past: Past{Ran: 1}},
	}
	err = WriteCSV(&text, bad)
	for _, want := range []string{"job 1: waited_s: got 1, allowed 0 beside ran_s=500", "job 2: ran_s: got 1, allowed 0 for a job that is cancelled"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

package workloads

import (
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

const arrayHeader = csvHeader + ",licenses,array\n"

// sbatch(1), "--array": "A maximum number of simultaneously running tasks from the job array may be specified using a "%" separator".
// Each array with one has a licence of so many, which each of its tasks asks for beside its own licences.
func TestArrayLicenses(t *testing.T) {
	const text = arrayHeader +
		"1,0,60,120,0,64,0,0,0,0,a,matlab:2&ansys:1,9%2\n" +
		"2,0,60,120,0,64,0,0,0,0,a,,9%2\n" +
		"3,0,60,120,0,64,0,0,0,0,a,,8\n" +
		"4,0,60,120,0,64,0,0,0,0,a,,scan-b%1\n" +
		"5,0,60,120,0,64,0,0,0,0,a,,\n"
	jobs, err := ReadCSV(strings.NewReader(text), "w.csv")
	if err != nil {
		t.Fatal(err)
	}
	if got := csvOf(t, jobs); got != text {
		t.Errorf("wrote %s", got)
	}
	if got, want := ArrayLicenses(jobs), []layout.License{{Name: "array-9", Count: 2}, {Name: "array-scan-b", Count: 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("licences %v, want %v", got, want)
	}
	for i, want := range []string{"matlab:2&ansys:1&array-9:1", "array-9:1", "", "array-scan-b:1", ""} {
		if got := jobs[i].AllLicenses(); got != want {
			t.Errorf("job %d asks for %q, want %q", jobs[i].ID, got, want)
		}
	}
	// An array of which all tasks may run at a time asks for nothing that a policy must know.
	if err := CheckPlain("p", jobs[2:3]); err != nil {
		t.Error(err)
	}
	wantError(t, CheckPlain("p", jobs[2:]), "workload: p knows nodes, cores and GPUs alone, and 1 of 3 jobs ask for more: job 4 has array=scan-b%1")
	m := machine(t, "S")
	m.Layout.Licenses = []layout.License{{Name: "array-9", Count: 4}}
	if errs := jobs[1].Validate(m); len(errs) != 1 || errs[0].Error() != `job 2: array: got "9%2", allowed another name: machine S has a licence array-9` {
		t.Errorf("got %v", errs)
	}
}

func TestBadArrays(t *testing.T) {
	const rule = `, allowed none, or the name of an array, ` + wordRule + `, perhaps with %NUMBER from 1 to 100000 behind it`
	for cell, want := range map[string]string{
		"9%":       `array: got "9%"` + rule,
		"%2":       `array: got "%2"` + rule,
		"9%0":      `array: got "9%0"` + rule,
		"9%02":     `array: got "9%02"` + rule,
		"9%2%3":    `array: got "9%2%3"` + rule,
		"9%-1":     `array: got "9%-1"` + rule,
		"9 8%1":    `array: got "9 8%1"` + rule,
		"9%100001": `array: got "9%100001"` + rule,
		"7%3":      `array: got "7%3", allowed 7%2, as in the rows before: an array has one number of tasks that may run at a time`,
		"7":        `array: got "7", allowed 7%2, as in the rows before: an array has one number of tasks that may run at a time`,
	} {
		text := arrayHeader + "1,0,60,120,0,64,0,0,0,0,a,,7%2\n2,0,60,120,0,64,0,0,0,0,a,," + cell + "\n"
		_, err := ReadCSV(strings.NewReader(text), "w.csv")
		wantError(t, err, "w.csv:3: job 2: "+want)
		_, err = StreamCSV(strings.NewReader(text), "w.csv", func(Job) {})
		wantError(t, err, "w.csv:3: job 2: "+want)
	}
}

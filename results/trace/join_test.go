package trace

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/workloads"
)

// tinyRun reads the workload and the accounting of testdata/run.
func tinyRun(t *testing.T) ([]workloads.Job, []SacctRow, workloads.Machine) {
	t.Helper()
	workload, err := readFile("testdata/run/workload.csv", workloads.ReadCSV)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readFile("testdata/run/sacct.txt", ReadSacct)
	if err != nil {
		t.Fatal(err)
	}
	return workload, rows, workloads.Machine{Name: "T", Nodes: 4, Cores: 8, GPUs: 2}
}

func TestJoin(t *testing.T) {
	workload, rows, machine := tinyRun(t)
	jobs, err := Join(workload, rows, machine)
	if err != nil {
		t.Fatal(err)
	}
	want := []Job{
		{SlurmID: 101, State: "COMPLETED", Submit: 0, Start: 0, Finish: 100, Allocated: []int{0, 1, 2}, AllocCores: 24},
		{SlurmID: 102, State: "COMPLETED", Submit: 0, Start: 100, Finish: 161, Allocated: []int{2, 3}, AllocCores: 8, AllocGPUs: 4},
		{SlurmID: 103, State: "COMPLETED", Submit: 10, Start: 161, Finish: 361, Allocated: []int{0, 1, 2, 3}, AllocCores: 32},
		{SlurmID: 104, State: "TIMEOUT", Submit: 20, Start: 30, Finish: 60, Allocated: []int{3}, AllocCores: 3, AllocGPUs: 1},
		{SlurmID: 105, State: "CANCELLED", Submit: 30, Start: NeverStarted, Finish: 40},
	}
	for i := range want {
		want[i].Job, want[i].User = workload[i], "root"
	}
	if !reflect.DeepEqual(jobs, want) {
		t.Errorf("got  %+v\nwant %+v", jobs, want)
	}
}

func TestJoinFaults(t *testing.T) {
	tests := []struct {
		name string
		edit func(rows []SacctRow) []SacctRow
		want string
	}{
		{"missing jobs", func(r []SacctRow) []SacctRow { return r[2:] }, "jobs not in sacct: 1 2"},
		{"requeued twins", func(r []SacctRow) []SacctRow { return append(r, r[1], r[0], r[1]) }, "jobs more than once in sacct: 1 2"},
		{"foreign job", func(r []SacctRow) []SacctRow {
			r = append(r, r[0])
			r[len(r)-1].JobName = "interactive"
			return r
		}, `no id of the workload: "interactive"`},
		{"padded id", func(r []SacctRow) []SacctRow { r[0].JobName = "01"; return r }, `no id of the workload: "01"`},
		{"still running", func(r []SacctRow) []SacctRow { r[0].State = "RUNNING"; return r }, "join job 1 (Slurm job 101): state RUNNING is not final"},
		{"no end", func(r []SacctRow) []SacctRow { r[0].End = time.Time{}; return r }, "no Submit or no End"},
		{"no start", func(r []SacctRow) []SacctRow { r[0].Start = time.Time{}; return r }, "no Start time"},
		{"start before submit", func(r []SacctRow) []SacctRow { r[2].Start = r[2].Submit.Add(-time.Second); return r }, "before Submit"},
		{"end before submit", func(r []SacctRow) []SacctRow { r[4].End = r[4].Submit.Add(-time.Second); return r }, "ended before it was submitted"},
		{"completed nowhere", func(r []SacctRow) []SacctRow { r[0].NodeList = nil; return r }, "completed without nodes"},
		{"node outside", func(r []SacctRow) []SacctRow { r[0].NodeList = []int{0, 1, 4}; return r }, "node n5 is not on machine T"},
		{"GPUs not accounted", func(r []SacctRow) []SacctRow {
			r[1].AllocTRES = map[string]string{"cpu": "8"}
			return r
		}, "has 0 GPUs on 2 nodes, asked for 1 to 2 per node"},
		{"bad GPUs", func(r []SacctRow) []SacctRow {
			r[1].AllocTRES = map[string]string{"gres/gpu": "two"}
			return r
		}, "gres/gpu=two"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workload, rows, machine := tinyRun(t)
			_, err := Join(workload, test.edit(rows), machine)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v\nwant one with %q", err, test.want)
			}
		})
	}
}

func TestReadSdiag(t *testing.T) {
	got, err := readFile("testdata/run/sdiag.txt", ReadSdiag)
	want := Sdiag{Cycles: 11, MeanMicros: 560, MaxMicros: 1234, Exits: []Exit{{"End of job queue", 11}}}
	if err != nil || !reflect.DeepEqual(got, want) || len(got.Early()) > 0 {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	// Slurm prints no mean before the first cycle, and a warning in the middle of one.
	got, err = ReadSdiag(strings.NewReader("Backfilling stats (WARNING: data obtained in the middle of backfilling execution.)\n\tTotal cycles: 0\n\tMax cycle:  0\n"), "s")
	if err != nil || !reflect.DeepEqual(got, Sdiag{}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// src/plugins/sched/backfill: a cycle that is cut short counts under the limit
// that it hit, and jobs behind it were not looked at.
func TestSdiagExits(t *testing.T) {
	const stats = "Backfilling stats\n\tTotal cycles: 9\n\tMax cycle: 4\n\tMean cycle: 2\n\n"
	got, err := ReadSdiag(strings.NewReader(stats+"Backfill exit\n\tEnd of job queue: 5\n\tHit bf_max_job_test: 3\n"+
		"\tHit table size limit (bf_node_space_size): 0\n\tTimeout (bf_max_time): 1\n\nRemote: x\n"), "s")
	if want := []Exit{{"Hit bf_max_job_test", 3}, {"Timeout (bf_max_time)", 1}}; err != nil || !reflect.DeepEqual(got.Early(), want) || len(got.Exits) != 4 {
		t.Errorf("got %+v, %v, want early %+v", got, err, want)
	}
}

func TestReadSdiagFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "s: field Total cycles is missing",
		"Total cycles: 3\n": "field Total cycles is missing",
		"Backfilling stats\n\tTotal cycles: 3\n\tMax cycle: 4\n":                    "field Mean cycle is missing",
		"Backfilling stats\n\tTotal cycles: x\n":                                    "s:2: field Total cycles",
		"Backfilling stats\n\tTotal cycles: 1\n\tTotal cycles: 1\n":                 "s:3: field Total cycles",
		"Backfilling stats\n\tTotal cycles: 0\n\tMax cycle: 0\nBackfilling stats\n": "s:4: a second section",
		"Backfilling stats\n\nBackfill exit\n\tEnd of job queue: many\n":            "s:4: field End of job queue",
		"Backfill exit\n\tA: 1\n\tA: 1\n":                                           "s:3: field A",
		"Backfill exit\n\tno colon\n":                                               "s:2: field no colon",
	} {
		if _, err := ReadSdiag(strings.NewReader(text), "s"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzReadSdiag(f *testing.F) {
	text, err := os.ReadFile("testdata/run/sdiag.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadSdiag(strings.NewReader(text), "fuzz")
		if err == nil && (s.Cycles < 0 || s.MeanMicros < 0 || s.MaxMicros < 0) {
			t.Errorf("accepted %+v", s)
		}
	})
}

package trace

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

func tinyRecords(t *testing.T) []JobRecord {
	t.Helper()
	workload, rows, machine := tinyRun(t)
	jobs, err := Join(workload, rows, machine)
	if err != nil {
		t.Fatal(err)
	}
	records := make([]JobRecord, len(jobs))
	for i, j := range jobs {
		records[i] = JobRecord{FinishedJob: j, Fragmentation: 1, Spread: 1, Packing: 1}
		if j.Start == NeverStarted {
			records[i].Fragmentation, records[i].Spread, records[i].Packing = -1, -1, -1
		}
	}
	return records
}

func writeJobs(t testing.TB, workloadName string, records []JobRecord) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJobsCSV(&b, workloadName, records); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteJobsCSV(t *testing.T) {
	got := writeJobs(t, "tiny", tinyRecords(t))
	want, err := os.ReadFile("testdata/run/jobs.csv")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A file of an earlier version, which lacks the last columns, is read as it was.
func TestReadEarlierJobsCSV(t *testing.T) {
	records := tinyRecords(t)
	text := writeJobs(t, "tiny", records)
	earlier := strings.NewReplacer(",partition,account\n", "\n", ",main,\n", "\n").Replace(text)
	if strings.Count(earlier, "\n") != len(records)+1 || strings.Contains(earlier, "main") || strings.Contains(earlier, "account") {
		t.Fatalf("got\n%s", earlier)
	}
	for i := range records {
		records[i].SlurmPartition = ""
	}
	if name, got, err := ReadJobsCSV(strings.NewReader(earlier), "jobs.csv"); err != nil || name != "tiny" || !reflect.DeepEqual(got, records) {
		t.Errorf("got %q %+v, %v\nwant %+v", name, got, err, records)
	}
	// One of the two columns is none.
	if _, _, err := ReadJobsCSV(strings.NewReader(strings.ReplaceAll(text, ",account\n", "\n")), "jobs.csv"); err == nil || !strings.HasPrefix(err.Error(), "jobs.csv:1: header: want ") {
		t.Errorf("got %v", err)
	}
}

// Tools that read Batsim's jobs.csv depend on the first 17 columns.
func TestJobsColumnsStartWithBatsims(t *testing.T) {
	batsim := "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata"
	if got := strings.Join(JobsColumns()[:17], ","); got != batsim {
		t.Errorf("got %s", got)
	}
}

func TestJobsCSVRoundTrip(t *testing.T) {
	word := rapid.StringMatching(`[a-zA-Z0-9_., "-]*`)
	count := rapid.IntRange(0, 100000)
	rapid.Check(t, func(t *rapid.T) {
		name := word.Draw(t, "workload")
		records := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) JobRecord {
			set := rapid.SliceOfNDistinct(rapid.IntRange(0, 300), 0, 20, rapid.ID[int]).Draw(t, "nodes")
			slices.Sort(set)
			if len(set) == 0 {
				set = nil
			}
			r := JobRecord{FinishedJob: FinishedJob{
				Job: workloads.Job{
					ID: count.Draw(t, "id"), Arrival: count.Draw(t, "arrival"), Runtime: count.Draw(t, "runtime"),
					Limit: count.Draw(t, "limit"), Nodes: count.Draw(t, "n"), Cores: count.Draw(t, "cores"),
					CoresPerNode: count.Draw(t, "cpn"), GPUsMin: count.Draw(t, "min"), GPUsMax: count.Draw(t, "max"),
					Contiguous: rapid.Bool().Draw(t, "contiguous"), Class: word.Draw(t, "class"),
					User: word.Draw(t, "user"), Outcome: rapid.SampledFrom(workloads.Outcomes()).Draw(t, "outcome"),
				},
				SlurmID: count.Draw(t, "slurm"), State: rapid.SampledFrom(finalStates()).Draw(t, "state"),
				Submit: float64(count.Draw(t, "submit")), Start: NeverStarted, Finish: rapid.Float64Range(0, 1e9).Draw(t, "finish"),
				Allocated: set,
			}, Fragmentation: -1, Spread: -1, Packing: -1}
			r.SlurmPartition = rapid.SampledFrom([]string{"", "main", "a,b"}).Draw(t, "Slurm's partition")
			r.SlurmAccount = rapid.SampledFrom([]string{"", "astro"}).Draw(t, "Slurm's account")
			r.SlurmQOS = rapid.SampledFrom([]string{"", "debug"}).Draw(t, "Slurm's QOS")
			r.AllocTypes = rapid.SampledFrom([][]layout.GPU{nil, {{Type: "a100", Count: 2}, {Type: "v100", Count: 1}}}).Draw(t, "types")
			r.Terms = workloads.Terms{
				Account: r.SlurmAccount, Nice: rapid.IntRange(-9, 9).Draw(t, "nice"), Priority: count.Draw(t, "priority"),
				BeginAfter: count.Draw(t, "begin after"), Dependency: rapid.SampledFrom([]string{"", "afterok:7"}).Draw(t, "dependency"),
			}
			if r.Outcome == workloads.CancelledPending {
				r.CancelAfter = count.Draw(t, "cancel after")
			}
			if len(set) > 0 {
				r.Start = rapid.Float64Range(0, 1e9).Draw(t, "start")
				r.AllocCores, r.AllocGPUs = count.Draw(t, "alloc cores"), count.Draw(t, "alloc gpus")
				r.Fragmentation, r.Spread, r.Packing = 3, rapid.Float64Range(1, 1e4).Draw(t, "spread"), 1.5
			}
			return r
		}), 1, 5).Draw(t, "records")
		var b bytes.Buffer
		if err := WriteJobsCSV(&b, name, records); err != nil {
			t.Fatal(err)
		}
		gotName, got, err := ReadJobsCSV(&b, "jobs.csv")
		if err != nil || gotName != name || !reflect.DeepEqual(got, records) {
			t.Fatalf("got %q %+v, %v\nwant %q %+v", gotName, got, err, name, records)
		}
	})
}

func TestReadJobsCSVFaults(t *testing.T) {
	good := writeJobs(t, "tiny", tinyRecords(t)[:1])
	for _, test := range []struct{ old, new, want string }{
		{good, "", "j.csv:1: header: want job_id,workload_name"},
		{good, "job_id\n1\n", "j.csv:1: header"},
		{"job_id,workload_name", "job_id,name", "j.csv:1: header"},
		{"1,tiny,", "tiny,", "j.csv:2: wrong number of fields"},
		{"\n1,tiny", "\none,tiny", `j.csv:2: column job_id: "one": want a whole number, not negative`},
		{"\n1,tiny", "\n-1,tiny", `column job_id: "-1"`},
		{"\n1,tiny", "\n1.5,tiny", `column job_id: "1.5"`},
		{",0,core,", ",false,core,", `column contiguous: "false": want 0 or 1`},
		{",0-2,", ",0-x,", "j.csv:2: column allocated_resources"},
		{"COMPLETED_SUCCESSFULLY", "COMPLETED_FAILED", `column final_state: "COMPLETED_FAILED": want "COMPLETED_SUCCESSFULLY"`},
		{"state=COMPLETED", "state=FAILED", `column success: "1": want "0"`},
		{"alloc_gpus=0", "energy=0", "column metadata"},
		{",100,", ",101,", "column execution_time"},
		{"SUCCESSFULLY,0,100,", "SUCCESSFULLY,NaN,100,", "column starting_time"},
	} {
		text := strings.Replace(good, test.old, test.new, 1)
		if text == good {
			t.Fatalf("%q is not in %s", test.old, good)
		}
		if _, _, err := ReadJobsCSV(strings.NewReader(text), "j.csv"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v\nwant one with %q", test.new, err, test.want)
		}
	}
}

func FuzzReadJobsCSV(f *testing.F) {
	text, err := os.ReadFile("testdata/run/jobs.csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		name, records, err := ReadJobsCSV(strings.NewReader(text), "fuzz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Errorf("error does not name the file: %v", err)
			}
			return
		}
		again, got, err := ReadJobsCSV(strings.NewReader(writeJobs(t, name, records)), "again")
		if err != nil || again != name || !reflect.DeepEqual(got, records) {
			t.Errorf("%q read as %+v, read again as %+v, %v", text, records, got, err)
		}
	})
}

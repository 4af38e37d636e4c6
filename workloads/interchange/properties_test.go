package interchange_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

func jobsOf(t interface{ Fatal(...any) }, name string, seed uint64) []workloads.Job {
	w, err := workloads.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := w.Jobs(machineS(), seed)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

func rowsOf(jobs []workloads.Job) string {
	var out []byte
	for _, j := range jobs {
		out = j.AppendCSV(out, workloads.ColumnsOf(jobs))
	}
	return string(out)
}

// A workload that goes through Batsim's format comes back with nothing lost,
// whatever a resource stands for.
func TestBatsimRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := jobsOf(t, rapid.SampledFrom([]string{"I.2", "IV.3", "V.2"}).Draw(t, "workload"), rapid.Uint64().Draw(t, "seed"))
		jobs = jobs[:rapid.IntRange(1, len(jobs)).Draw(t, "jobs")]
		if j := &jobs[0]; j.GPUsMax > 0 {
			j.GPUsMin, j.GPUsMax = 1, 2
		}
		if j := &jobs[0]; j.Nodes > 1 && j.CoresPerNode == 0 {
			j.Nodes, j.NodesMax = j.Nodes-1, j.Nodes
		}
		drawUsers(t, jobs)
		drawOutcomes(t, jobs)
		drawTerms(t, jobs)
		resource := rapid.SampledFrom([]interchange.Resource{interchange.Core, interchange.Node}).Draw(t, "resource")
		var text, rows bytes.Buffer
		if err := interchange.Export(&text, "batsim", resource, "w", machineS(), jobs); err != nil {
			t.Fatal(err)
		}
		o := optionsS()
		o.Resource = resource
		if _, err := interchange.Import(source("w.json", text.String()), "batsim", &rows, o); err != nil {
			t.Fatal(err)
		}
		if rows.String() != rowsOf(jobs) {
			t.Fatalf("got\n%s\nwant\n%s", rows.String(), rowsOf(jobs))
		}
	})
}

// drawTerms gives some of the jobs, which are in the order of their arrivals, accounts, priorities, begin times and
// dependencies.
func drawTerms(t *rapid.T, jobs []workloads.Job) {
	if !rapid.Bool().Draw(t, "terms") {
		return
	}
	for i := range jobs {
		j := &jobs[i]
		j.Account = rapid.SampledFrom([]string{"", "astro", "b-i_o.2"}).Draw(t, "account")
		j.Nice = rapid.IntRange(-9, 9).Draw(t, "nice")
		if j.Nice == 0 {
			j.Priority = rapid.IntRange(0, 9).Draw(t, "priority")
		}
		j.BeginAfter = rapid.IntRange(0, 9000).Draw(t, "begin after")
		if i > 0 && rapid.Bool().Draw(t, "depends") {
			other := jobs[rapid.IntRange(0, i-1).Draw(t, "other")]
			kind := workloads.AfterAny
			if other.Outcome == workloads.Completed {
				kind = rapid.SampledFrom([]workloads.Kind{workloads.After, workloads.AfterAny, workloads.AfterOK}).Draw(t, "kind")
			}
			j.Dependency = workloads.Dependency{Kind: kind, Job: other.ID}.String()
		}
	}
}

// A part of a workload is a workload, with any numbers. Each job waits for the job for which it waited in the whole,
// and for none if that one is in another part.
func TestPartsKeepTheirDependencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := jobsOf(t, "V.2", 1)[:rapid.IntRange(2, 40).Draw(t, "jobs")]
		for i := range jobs {
			// The class, which an import keeps, identifies the job of the whole.
			jobs[i].ID, jobs[i].Arrival, jobs[i].Class = 100+i, 60*i, strconv.Itoa(100+i)
			if i > 0 && rapid.Bool().Draw(t, "depends") {
				jobs[i].Dependency = workloads.Dependency{Kind: workloads.AfterOK, Job: 100 + rapid.IntRange(0, i-1).Draw(t, "other")}.String()
			}
		}
		var text bytes.Buffer
		if err := interchange.Export(&text, "batsim", interchange.Core, "w", machineS(), jobs); err != nil {
			t.Fatal(err)
		}
		o := optionsS()
		o.Renumber = rapid.Bool().Draw(t, "renumber")
		first := rapid.IntRange(0, len(jobs)-1).Draw(t, "first")
		o.Rescale.From.After, o.Rescale.MaxJobs = time.Duration(60*first)*time.Second, rapid.IntRange(1, len(jobs)-first).Draw(t, "part")
		summary, rows, err := importText("batsim", text.String(), o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := workloads.ReadCSV(strings.NewReader(workloads.CSVHeader(summary.Columns)+"\n"+strings.Join(rows, "\n")), "rows")
		if err != nil {
			t.Fatal(err)
		}
		ids, lost := map[int]int{}, 0 // ids maps the id in the part to the id in the whole
		for i, j := range got {
			whole := jobs[first+i]
			if j.Class != whole.Class {
				t.Fatalf("got job %+v, want %+v", j, whole)
			}
			ids[j.ID] = whole.ID
			want, _ := whole.Waits()
			if want.Job < jobs[first].ID {
				want = workloads.Dependency{}
			}
			if whole.Dependency != "" && want.Job == 0 {
				lost++
			}
			if d, _ := j.Waits(); d.Kind != want.Kind || ids[d.Job] != want.Job {
				t.Fatalf("job %d waits for %+v, which was %d, want %+v", j.ID, d, ids[d.Job], want)
			}
		}
		if told := strings.Contains(strings.Join(summary.Text(), "\n"), fmt.Sprintf("dependencies on jobs that were left out of %d jobs", lost)); told != (lost > 0) {
			t.Fatalf("%d dependencies were lost: %q", lost, summary.Text())
		}
	})
}

// drawOutcomes gives some of the jobs, whose limits are whole minutes, other ends.
func drawOutcomes(t *rapid.T, jobs []workloads.Job) {
	all := rapid.SampledFrom([][]workloads.Outcome{{workloads.Completed}, workloads.Outcomes()}).Draw(t, "outcomes")
	for i := range jobs {
		j := &jobs[i]
		switch j.Outcome = rapid.SampledFrom(all).Draw(t, "outcome"); j.Outcome {
		case workloads.Timeout:
			j.Runtime = j.Limit
		case workloads.CancelledPending:
			j.Runtime, j.CancelAfter = 0, rapid.IntRange(1, 1e6).Draw(t, "cancel after")
		case workloads.Completed, workloads.Failed, workloads.Cancelled, workloads.OutOfMemory:
		}
	}
}

// SWF tells jobs that failed from those that were cancelled, and whether that was before
// they started.
func TestSWFOutcomesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := jobsOf(t, "V.2", 1)[:rapid.IntRange(1, 40).Draw(t, "jobs")]
		drawOutcomes(t, jobs)
		var text bytes.Buffer
		if err := interchange.Export(&text, "swf", interchange.Core, "w", machineS(), jobs); err != nil {
			t.Fatal(err)
		}
		summary, rows, err := importText("swf", text.String(), optionsS())
		if err != nil {
			t.Fatal(err)
		}
		got, err := workloads.ReadCSV(strings.NewReader(workloads.CSVHeader(summary.Columns)+"\n"+strings.Join(rows, "\n")), "rows")
		if err != nil {
			t.Fatal(err)
		}
		for i, j := range jobs {
			if j.Outcome == workloads.Timeout || j.Outcome == workloads.OutOfMemory {
				j.Outcome = workloads.Failed
			}
			if got[i].Outcome != j.Outcome || got[i].CancelAfter != j.CancelAfter || got[i].Runtime != j.Runtime {
				t.Fatalf("got %+v, want %+v", got[i], j)
			}
		}
	})
}

// readSWF is a second reader, written from the standard's text alone: lines of
// 18 numbers between white space, comments start with a semicolon, and the
// lines "are sorted by ascending submittal times".
func readSWF(t interface{ Fatalf(string, ...any) }, text string) (header map[string]string, jobs [][]float64) {
	header = map[string]string{}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, ";"); ok {
			key, value, _ := strings.Cut(rest, ":")
			header[strings.TrimSpace(key)] = strings.TrimSpace(value)
			continue
		}
		var values []float64
		for _, word := range strings.Fields(line) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil || v < -1 {
				t.Fatalf("line %d: %q", n+1, word)
			}
			values = append(values, v)
		}
		if len(values) != 18 || len(jobs) > 0 && values[1] < jobs[len(jobs)-1][1] {
			t.Fatalf("line %d: %q", n+1, line)
		}
		jobs = append(jobs, values)
	}
	return header, jobs
}

func TestSWFExport(t *testing.T) {
	jobs := jobsOf(t, "V.2", 3)
	var text bytes.Buffer
	if err := interchange.Export(&text, "swf", interchange.Core, "V.2", machineS(), jobs); err != nil {
		t.Fatal(err)
	}
	header, records := readSWF(t, text.String())
	for key, want := range map[string]string{"Version": "2.2", "MaxNodes": "128", "MaxProcs": "1024", "MaxJobs": strconv.Itoa(len(jobs))} {
		if header[key] != want {
			t.Errorf("header %s: got %q, want %q", key, header[key], want)
		}
	}
	if len(records) != len(jobs) {
		t.Fatalf("%d records, want %d", len(records), len(jobs))
	}
	for i, r := range records {
		j := jobs[i]
		if r[0] != float64(j.ID) || r[1] != float64(j.Arrival) || r[3] != float64(j.Runtime) || r[7] != float64(j.Cores) || r[8] != float64(j.Limit) || r[10] != -1 {
			t.Errorf("job %+v has %v", j, r)
		}
	}
	// What SWF can say comes back.
	_, rows, err := importText("swf", text.String(), optionsS())
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs {
		j := workloads.Job{ID: jobs[i].ID, Arrival: jobs[i].Arrival, Runtime: jobs[i].Runtime, Limit: jobs[i].Limit, Cores: jobs[i].Cores, Class: "type1"}
		if want := strings.TrimSuffix(string(j.AppendCSV(nil, workloads.Columns{})), "\n"); rows[i] != want {
			t.Errorf("got %s, want %s", rows[i], want)
		}
	}
}

// Whatever the trace and the rescaling, what is imported is a workload that
// fits on the machine, and every record is accounted for.
func TestImportIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString("JobID|State|Submit|Start|End|NNodes|NCPUS|AllocTRES|Timelimit\n")
		n := rapid.IntRange(1, 30).Draw(t, "jobs")
		for i := range n {
			nodes := rapid.IntRange(0, 300).Draw(t, "nodes")
			fmt.Fprintf(&text, "%d|%s|%d|%d|%d|%d|%d|gres/gpu=%d|%d\n", rapid.IntRange(1, 40).Draw(t, "id"),
				rapid.SampledFrom([]string{"COMPLETED", "CANCELLED", "CANCELLED by 7", "TIMEOUT", "FAILED", "OUT_OF_MEMORY", "NODE_FAIL", "ODD"}).Draw(t, "state"), 1000+i, 2000, rapid.IntRange(1900, 9000).Draw(t, "end"),
				nodes, nodes*rapid.IntRange(1, 20).Draw(t, "cores")+rapid.IntRange(0, 3).Draw(t, "odd"), rapid.IntRange(0, 900).Draw(t, "gpus"), rapid.IntRange(0, 99).Draw(t, "limit"))
		}
		o := optionsS()
		o.SkipBad = true
		o.Renumber = rapid.Bool().Draw(t, "renumber")
		o.Rescale.Fit = rapid.Bool().Draw(t, "fit")
		o.Rescale.SizeFactor = rapid.Float64Range(0.01, 3).Draw(t, "size")
		o.Rescale.ArrivalFactor = rapid.Float64Range(0.01, 30).Draw(t, "arrival")
		summary, rows, err := importText("sacct", text.String(), o)
		if err != nil {
			if !strings.Contains(err.Error(), "jobs: got none") {
				t.Fatal(err)
			}
			return
		}
		left := 0
		for _, c := range summary.LeftOut {
			left += c
		}
		if summary.Records != n || summary.Jobs+left+summary.Skipped != n || len(rows) != summary.Jobs {
			t.Fatalf("%d records: %+v", n, summary)
		}
		jobs, err := workloads.ReadCSV(strings.NewReader(workloads.CSVHeader(summary.Columns)+"\n"+strings.Join(rows, "\n")), "rows")
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			if errs := j.Validate(machineS()); errs != nil {
				t.Fatal(errs)
			}
		}
	})
}

// sacctTerms and batsimTerms have accounts, begin times and dependencies.
const (
	sacctTerms = "JobID|State|Submit|Eligible|Start|End|Timelimit|NNodes|NCPUS|User|Account|Reason\n" +
		"1|COMPLETED|1000|1001|1060|1120|10|1|4|eve|astro|\n2|COMPLETED|1000|4600|4700|4760|10|1|4|eve|bio|BeginTime\n"
	batsimTerms = `{"jobs": [
{"id": "1", "subtime": 0, "res": 8, "profile": "p", "extra_data": "{\"slurmlab\":{\"nodes\":1,\"cores\":8,\"class\":\"a\",\"account\":\"astro\",\"nice\":-5}}"},
{"id": "2", "subtime": 9, "res": 8, "profile": "p", "extra_data": "{\"slurmlab\":{\"nodes\":1,\"cores\":8,\"class\":\"a\",\"begin_after_s\":7,\"dependency\":\"afterok:1\"}}"}],
"profiles": {"p": {"type": "delay", "delay": 60}}}`
)

// fuzz checks that a parser never panics, names the file in every error, and
// gives jobs that can be read again.
func fuzz(f *testing.F, format string, seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
		f.Add(seed[:len(seed)/2])
		f.Add(strings.ReplaceAll(seed, "1", "-9"))
		f.Add(zipped(f, seed))
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := optionsS()
		o.SkipBad, o.Rescale.Fit = true, true
		summary, rows, err := importText(format, text, o)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t:") {
				t.Fatal(err)
			}
			return
		}
		if _, err := workloads.ReadCSV(strings.NewReader(workloads.CSVHeader(summary.Columns)+"\n"+strings.Join(rows, "\n")), "rows"); err != nil {
			t.Fatalf("%v\n%+v", err, summary)
		}
	})
}

func FuzzSWF(f *testing.F)    { fuzz(f, "swf", swf) }
func FuzzSacct(f *testing.F)  { fuzz(f, "sacct", sacct, sacctUsers, sacctTerms) }
func FuzzHelios(f *testing.F) { fuzz(f, "helios", helios) }
func FuzzPhilly(f *testing.F) { fuzz(f, "philly", philly) }
func FuzzBatsim(f *testing.F) {
	fuzz(f, "batsim", batsim, strings.Replace(batsim, `"res": 1`, `"res": 1, "user_id": 7`, 1), batsimTerms)
}

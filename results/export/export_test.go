package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	goparquet "github.com/fraugster/parquet-go"

	"github.com/slurmlab/slurmlab/results/export"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

func records(t *testing.T, data []byte) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		out = append(out, row)
	}
	return out
}

// The columns of Batsim's docs/output-jobs.rst, read by name as evalys does (evalys/jobset.py, JobSet.columns and
// ProcSet.from_str). They keep the rules that evalys' load computation relies on (evalys/metrics.py, compute_load):
// start = submission + waiting, finish = start + execution, nothing allocated where nothing ran.
func TestBatsimJobs(t *testing.T) {
	data := written(t, "batsim-jobs", run())
	const header = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state," +
		"starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata\n"
	if !bytes.HasPrefix(data, []byte(header)) {
		t.Errorf("header %q", strings.SplitAfter(string(data), "\n")[0])
	}
	rows := records(t, data)
	number := func(row map[string]string, name string) float64 {
		v, err := strconv.ParseFloat(row[name], 64)
		if err != nil {
			t.Fatalf("%s of job %s: %v", name, row["job_id"], err)
		}
		return v
	}
	states := []string{"COMPLETED_SUCCESSFULLY", "COMPLETED_SUCCESSFULLY", "COMPLETED_SUCCESSFULLY", "COMPLETED_WALLTIME_REACHED", "COMPLETED_KILLED"}
	sets := []string{"1", "0-1", "1", "2", ""}
	for i, row := range rows {
		if row["final_state"] != states[i] || row["allocated_resources"] != sets[i] || row["success"] != map[bool]string{true: "1", false: "0"}[i < 3] {
			t.Errorf("row %v", row)
		}
		if sets[i] == "" {
			if number(row, "waiting_time") != -1 || number(row, "execution_time") != -1 {
				t.Errorf("row %v", row)
			}
			continue
		}
		if number(row, "submission_time")+number(row, "waiting_time") != number(row, "starting_time") ||
			number(row, "starting_time")+number(row, "execution_time") != number(row, "finish_time") {
			t.Errorf("row %v", row)
		}
	}
}

// Batsim's docs/output-schedule.rst, worked out by hand for the run above.
func TestSchedule(t *testing.T) {
	row := records(t, written(t, "schedule", run()))[0]
	for name, want := range map[string]float64{
		"makespan": 70, "nb_jobs": 5, "nb_jobs_finished": 5, "nb_jobs_success": 3, "nb_jobs_killed": 2, "nb_jobs_rejected": 0, "success_rate": 0.6,
		"max_waiting_time": 45, "mean_waiting_time": (10 + 11 + 18 + 45) / 4.,
		"max_turnaround_time": 65, "mean_turnaround_time": (20 + 19 + 38 + 65) / 4.,
		"max_slowdown": 3.25, "mean_slowdown": (20/10. + 19/8. + 38/20. + 65/20.) / 4,
		// Node 1 has jobs from 10 to 40, node 0 from 12 to 20, node 2 from 50 to 70.
		"time_computing": 58, "time_idle": 4*70 - 58, "nb_computing_machines": 4,
		"scheduling_time": 1.5, "simulation_time": 3.5,
	} {
		if got, err := strconv.ParseFloat(row[name], 64); err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: got %q, want %g", name, row[name], want)
		}
	}
	backfill := run()
	backfill.Cycles = nil
	if got := records(t, written(t, "schedule", backfill))[0]["scheduling_time"]; got != "-1" {
		t.Errorf("scheduling_time of backfill: %s, want -1", got)
	}
}

// Fields 1 to 5, 8, 9, 11 and 12 of the Standard Workload Format 2.2.
func TestSWF(t *testing.T) {
	var lines, legend []string
	for line := range strings.Lines(string(written(t, "swf", run()))) {
		if name, ok := strings.CutPrefix(line, "; Note: user "); ok {
			legend = append(legend, strings.TrimSpace(name))
		}
		if !strings.HasPrefix(line, ";") {
			f := strings.Fields(line)
			if len(f) != 18 {
				t.Fatalf("%d fields", len(f))
			}
			lines = append(lines, strings.Join([]string{f[0], f[1], f[2], f[3], f[4], f[7], f[8], f[10], f[11]}, " "))
		}
	}
	want := "1 0 10 10 1 1 600 1 1|2 1 11 8 2 2 600 1 2|3 2 18 20 2 2 600 1 -1|4 5 45 20 2 2 600 0 1|5 6 -1 -1 -1 1 600 5 -1"
	if got := strings.Join(lines, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := strings.Join(legend, "|"); got != "1 is eve|2 is bob" {
		t.Errorf("users %s", got)
	}
}

// slice is what a viewer of the Trace Event Format sees of a phase X event.
type slice struct {
	Name     string         `json:"name"`
	Phase    string         `json:"ph"`
	Time     float64        `json:"ts"`
	Duration float64        `json:"dur"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Args     map[string]any `json:"args"`
}

func events(t *testing.T, data trace.Data) []slice {
	t.Helper()
	var file struct {
		Events []slice `json:"traceEvents"`
	}
	if err := json.Unmarshal(written(t, "perfetto", data), &file); err != nil {
		t.Fatal(err)
	}
	return file.Events
}

// Each job has a slice on each of its nodes, from start to finish in
// microseconds, and no two slices of a thread overlap ("The events of a thread
// must nest").
func TestPerfettoSlices(t *testing.T) {
	for name, data := range map[string]trace.Data{"by hand": run(), "drawn 1": drawn(1), "drawn 2": drawn(2)} {
		t.Run(name, func(t *testing.T) {
			threads := map[int]string{}
			found := map[string]int{}
			byThread := map[int][]slice{}
			for _, e := range events(t, data) {
				switch {
				case e.Phase == "M" && e.Name == "thread_name":
					threads[e.Thread] = e.Args["name"].(string)
				case e.Phase == "X":
					found[fmt.Sprintf("%s on %s: %g+%g", e.Name, threads[e.Thread], e.Time, e.Duration)]++
					for _, other := range byThread[e.Thread] {
						if e.Time < other.Time+other.Duration && other.Time < e.Time+e.Duration {
							t.Errorf("%s and %s overlap on thread %d", e.Name, other.Name, e.Thread)
						}
					}
					byThread[e.Thread] = append(byThread[e.Thread], e)
				}
			}
			wanted := 0
			for _, j := range data.Jobs {
				for _, n := range j.Allocated {
					wanted++
					key := fmt.Sprintf("job %d on n%d: %g+%g", j.ID, n+1, j.Start*1e6, (j.Finish-j.Start)*1e6)
					if found[key] != 1 {
						t.Errorf("%d slices %q", found[key], key)
					}
				}
			}
			if len(found) != wanted {
				t.Errorf("%d slices, want %d", len(found), wanted)
			}
		})
	}
}

// A track has the name that a node has at its site, and its own where the site gave none.
func TestPerfettoSiteNames(t *testing.T) {
	data := run()
	data.Run.Machine.Layout.Groups = []layout.Group{{Name: "cn", Count: 2, Cores: 2, Hosts: "cn[01-02]"}, {Name: "added", Count: 2, Cores: 2}}
	var got []string
	for _, e := range events(t, data) {
		if e.Phase == "M" && e.Name == "thread_name" {
			got = append(got, e.Args["name"].(string))
		}
	}
	if want := []string{"cn02", "cn01", "cn02", "n3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The counters at an instant are those after all that happens at it.
func TestPerfettoCounters(t *testing.T) {
	got := map[string]string{}
	cycles := 0
	for _, e := range events(t, run()) {
		if e.Phase == "C" {
			got[e.Name] += fmt.Sprintf(" %g:%v", e.Time/1e6, e.Args["value"])
		}
		if e.Phase == "i" {
			cycles++
		}
	}
	for name, want := range map[string]string{
		"jobs waiting": " 0:1 1:2 2:3 5:4 6:5 10:4 12:3 20:2 30:1 40:1 50:0 70:0",
		"cores in use": " 0:0 1:0 2:0 5:0 6:0 10:1 12:3 20:2 30:2 40:0 50:2 70:0",
		"GPUs in use":  " 0:0 1:0 2:0 5:0 6:0 10:0 12:2 20:0 30:0 40:0 50:1 70:0",
	} {
		if got[name] != want {
			t.Errorf("%s: got %s, want %s", name, got[name], want)
		}
	}
	if cycles != 2 {
		t.Errorf("%d cycles, want 2", cycles)
	}
}

// The file is read with another library, which shares no code with the writer.
func TestParquet(t *testing.T) {
	data := run()
	data.Jobs[3].Outcome, data.Jobs[4].Outcome, data.Jobs[4].CancelAfter = workloads.Timeout, workloads.CancelledPending, 24
	reader, err := goparquet.NewFileReader(bytes.NewReader(written(t, "parquet", data)))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"run": "r1", "policy": "auction", "workload": "w", "machine": "mini", "seed": "7"} {
		if got := reader.MetaData()[key]; got != want {
			t.Errorf("metadata %s: %q, want %s", key, got, want)
		}
	}
	got := map[string]string{}
	for i := range data.Jobs {
		row, err := reader.NextRow()
		if err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
		for column, value := range row {
			if bytes, ok := value.([]byte); ok {
				value = string(bytes)
			}
			got[column] += fmt.Sprint(" ", value)
		}
		got["alloc_nodes"] += ";"
	}
	if _, err := reader.NextRow(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last row: %v", err)
	}
	node := func(n int) string { return fmt.Sprintf("map[element:%d]", n) }
	for column, want := range map[string]string{
		"job_id": " 1 2 3 4 5", "slurm_id": " 101 102 103 104 105", "state": " COMPLETED COMPLETED COMPLETED TIMEOUT CANCELLED",
		"class": " type2 type2 type2 type2 type2", "user": " eve bob eve", "limit_s": " 600 600 600 600 600", "contiguous": " false false false false false",
		"outcome": " completed completed completed timeout cancelled_pending", "cancel_after_s": " 0 0 0 0 24",
		// Nulls are left out.
		"submit_s": " 0 1 2 5 6", "start_s": " 10 12 20 50", "finish_s": " 20 20 40 70 30",
		"waiting_s": " 10 11 18 45", "execution_s": " 10 8 20 20", "alloc_cores": " 1 2 2 2 0", "alloc_gpus": " 0 2 0 1 0",
		"alloc_nodes": " map[list:[" + node(1) + "]]; map[list:[" + node(0) + " " + node(1) + "]]; map[list:[" + node(1) + "]]; map[list:[" + node(2) + "]]; map[];",
	} {
		if got[column] != want {
			t.Errorf("column %s: %s, want %s", column, got[column], want)
		}
	}
}

func TestErrors(t *testing.T) {
	if err := export.Write(&bytes.Buffer{}, "csv", interchange.Node, run()); err == nil || err.Error() != `format: got "csv", allowed batsim-jobs, schedule, swf, perfetto, parquet` {
		t.Errorf("got %v", err)
	}
	full := errors.New("disk full")
	for _, format := range export.Formats() {
		if err := export.Write(failingWriter{full}, format, interchange.Node, run()); !errors.Is(err, full) {
			t.Errorf("%s: got %v", format, err)
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

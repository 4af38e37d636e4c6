package trace

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

// tinyRun reads the workload and the accounting of testdata/run.
func tinyRun(t *testing.T) ([]workloads.Job, []accounting.Row, workloads.Machine) {
	t.Helper()
	workload, err := readFile(at("testdata/run"), "workload.csv", workloads.ReadCSV)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readFile(at("testdata/run"), "sacct.txt", accounting.ReadSacct)
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
	want := []FinishedJob{
		{SlurmID: 101, State: "COMPLETED", Submit: 0, Start: 0, Finish: 100, Allocated: []int{0, 1, 2}, AllocCores: 24},
		{SlurmID: 102, State: "COMPLETED", Submit: 0, Start: 100, Finish: 161, Allocated: []int{2, 3}, AllocCores: 8, AllocGPUs: 4},
		{SlurmID: 103, State: "COMPLETED", Submit: 10, Start: 161, Finish: 361, Allocated: []int{0, 1, 2, 3}, AllocCores: 32},
		{SlurmID: 104, State: "TIMEOUT", Submit: 20, Start: 30, Finish: 60, Allocated: []int{3}, AllocCores: 3, AllocGPUs: 1},
		{SlurmID: 105, State: "CANCELLED", Submit: 30, Start: NeverStarted, Finish: 40},
	}
	for i := range want {
		want[i].Job, want[i].User, want[i].SlurmPartition = workload[i], "root", "main"
	}
	if !reflect.DeepEqual(jobs, want) {
		t.Errorf("got  %+v\nwant %+v", jobs, want)
	}
}

func TestJoinFaults(t *testing.T) {
	tests := []struct {
		name string
		edit func(rows []accounting.Row) []accounting.Row
		want string
	}{
		{"missing jobs", func(r []accounting.Row) []accounting.Row { return r[2:] }, "jobs not in sacct: 1 2"},
		{"requeued twins", func(r []accounting.Row) []accounting.Row { return append(r, r[1], r[0], r[1]) }, "jobs more than once in sacct, as Slurm started them again: 1 2"},
		{"foreign job", func(r []accounting.Row) []accounting.Row {
			r = append(r, r[0])
			r[len(r)-1].JobName = "interactive"
			return r
		}, `no id of the workload: "interactive"`},
		{"padded id", func(r []accounting.Row) []accounting.Row { r[0].JobName = "01"; return r }, `no id of the workload: "01"`},
		{"still running", func(r []accounting.Row) []accounting.Row { r[0].State = "RUNNING"; return r }, "join job 1 (Slurm job 101): state RUNNING is not final"},
		{"no end", func(r []accounting.Row) []accounting.Row { r[0].End = time.Time{}; return r }, "no Submit or no End"},
		{"no start", func(r []accounting.Row) []accounting.Row { r[0].Start = time.Time{}; return r }, "no Start time"},
		{"start before submit", func(r []accounting.Row) []accounting.Row { r[2].Start = r[2].Submit.Add(-time.Second); return r }, "before Submit"},
		{"end before submit", func(r []accounting.Row) []accounting.Row { r[4].End = r[4].Submit.Add(-time.Second); return r }, "ended before it was submitted"},
		{"completed nowhere", func(r []accounting.Row) []accounting.Row { r[0].NodeList = nil; return r }, "completed without nodes"},
		{"node outside", func(r []accounting.Row) []accounting.Row { r[0].NodeList = []int{0, 1, 4}; return r }, "node n5 is not on machine T"},
		{"GPUs not accounted", func(r []accounting.Row) []accounting.Row {
			r[1].AllocTRES = map[string]string{"cpu": "8"}
			return r
		}, "has 0 GPUs on 2 nodes, asked for 1 to 2 per node"},
		{"bad GPUs", func(r []accounting.Row) []accounting.Row {
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

// A submission that slurmctld forgot when it was killed is no second job (issue 15, line
// 7): what counts is the submission that ran.
func TestJoinLeavesOutForgottenSubmissions(t *testing.T) {
	workload, rows, machine := tinyRun(t)
	want, err := Join(workload, rows, machine)
	if err != nil {
		t.Fatal(err)
	}
	forgotten := rows[0]
	forgotten.State, forgotten.Start, forgotten.End, forgotten.NodeList = "PENDING", time.Time{}, time.Time{}, nil
	forgotten.Submit = forgotten.Submit.Add(-time.Second)
	got, err := Join(workload, append([]accounting.Row{forgotten}, rows...), machine)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// A job that Slurm put into another partition, or gave another amount of memory, is none of
// the workload's. An exclusive job has all GPUs of its nodes.
func TestJoinOptions(t *testing.T) {
	for _, c := range []struct {
		options workloads.Options
		edit    func(row *accounting.Row)
		want    string
	}{
		{workloads.Options{Partition: "gpu"}, func(r *accounting.Row) { r.Partition = "gpu" }, ""},
		{workloads.Options{Partition: "gpu"}, func(r *accounting.Row) { r.Partition = "batch" }, "is in partition batch, asked for gpu"},
		{workloads.Options{Partition: "gpu&batch"}, func(r *accounting.Row) { r.Partition = "batch" }, ""},
		{workloads.Options{Partition: "gpu&batch"}, func(r *accounting.Row) { r.Partition = "long" }, "is in partition long, asked for gpu&batch"},
		{workloads.Options{Partition: "gpu&batch"}, func(r *accounting.Row) { r.Partition = "batch,gpu" }, "is in partition batch,gpu, asked for gpu&batch"},
		{workloads.Options{Partition: "gpu&batch"}, func(r *accounting.Row) { r.Partition, r.NodeList, r.State = "batch,gpu", nil, "CANCELLED" }, ""},
		{workloads.Options{MemPerNode: 4096}, func(r *accounting.Row) { r.AllocTRES["mem"] = "8G" }, ""},
		{workloads.Options{MemPerNode: 4096}, func(r *accounting.Row) { r.AllocTRES["mem"] = "8191M" }, "has 8191 MiB of memory on 2 nodes, asked for 8192"},
		{workloads.Options{MemPerNode: 4096}, func(*accounting.Row) {}, "AllocTRES mem=: want a size with its unit"},
		{workloads.Options{MemPerCPU: 1000}, func(r *accounting.Row) { r.AllocTRES["mem"] = "8000M" }, ""},
		{workloads.Options{MemPerCPU: 1000}, func(r *accounting.Row) { r.AllocTRES["mem"] = "1000M" }, "has 1000 MiB of memory on 2 nodes, asked for 8000"},
		{workloads.Options{Exclusive: true}, func(r *accounting.Row) { r.AllocTRES["gres/gpu"] = "6" }, ""},
		{workloads.Options{}, func(r *accounting.Row) { r.AllocTRES["gres/gpu"] = "6" }, "has 6 GPUs on 2 nodes, asked for 1 to 2 per node"},
	} {
		workload, rows, machine := tinyRun(t)
		workload[1].Options = c.options
		c.edit(&rows[1])
		_, err := Join(workload, rows, machine)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.options, err, c.want)
		}
	}
}

// A job that Slurm charged to another account than its row says, as it does where an account or an association is missing,
// is none of the workload's.
func TestJoinAccounts(t *testing.T) {
	for _, c := range []struct{ account, charged, want string }{
		{"astro", "astro", ""},
		{"astro", "root", "join job 2 (Slurm job 102): is charged to account root, asked for astro"},
		{"astro", "", "join job 2 (Slurm job 102): is charged to account , asked for astro"},
		{"", "root", ""},
	} {
		workload, rows, machine := tinyRun(t)
		workload[1].Account, rows[1].Account = c.account, c.charged
		jobs, err := Join(workload, rows, machine)
		if got := fmt.Sprint(err); c.want != "" && got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if c.want == "" && (err != nil || jobs[1].SlurmAccount != c.charged) {
			t.Errorf("got %+v, %v", jobs[1], err)
		}
	}
}

// Of a run whose submissions were at most a second late no job can be in the accounting as submitted seconds off its
// arrival, whichever it is.
func TestArrivalsAreChecked(t *testing.T) {
	workload, rows, machine := tinyRun(t)
	for _, tt := range []struct {
		name  string
		job   int
		by    time.Duration
		lag   float64
		scale float64
		want  string
	}{
		{"as it was", 0, 0, 0, 1, ""},
		{"rounded", 2, time.Second, 0, 1, ""},
		{"the first earlier", 0, -9 * time.Second, 1, 1, "job 1 (Slurm job 101) has Submit -9 s off its arrival at 0 s"},
		{"the last earlier", 4, -9 * time.Second, 1, 1, "job 5 (Slurm job 105) has Submit -9 s off its arrival at 30 s"},
		{"one later", 2, 3 * time.Second, 1, 1, "job 3 (Slurm job 103) has Submit 3 s off its arrival at 10 s, job 4 0 s: want them at most 2 s apart"},
		{"one as late as slurmlab was", 2, 3 * time.Second, 2.5, 1, ""},
		{"a second of a fast clock", 2, 20 * time.Second, 1, 20, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := slices.Clone(rows)
			changed[tt.job].Submit = changed[tt.job].Submit.Add(tt.by)
			jobs, err := Join(workload, changed, machine)
			if err != nil {
				t.Fatal(err)
			}
			for i := range jobs {
				// Of the first submission of the run, as it was.
				jobs[i].Submit = changed[i].Submit.Sub(rows[0].Submit).Seconds()
			}
			err = Run{ArrivalLagMax: tt.lag, Settings: Settings{TimeScale: tt.scale}}.checkArrivals(jobs)
			if text := fmt.Sprint(err); tt.want == "" && err != nil || !strings.Contains(text, tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

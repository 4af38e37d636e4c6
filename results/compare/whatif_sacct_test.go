package compare

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// rawRun writes workload.csv and sacct.txt of a day with jobs in two partitions: some never start, some are to be
// cancelled while they wait and half of these start before.
func rawRun(t *testing.T, r *rand.Rand, longest int) trace.Dir {
	t.Helper()
	dir, err := trace.Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	var jobs []workloads.Job
	lines := []string{"JobID|JobName|User|Partition|State|ExitCode|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NNodes|NCPUS|ReqTRES|AllocTRES|NodeList"}
	day := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	at := func(seconds int) string {
		return day.Add(time.Duration(seconds) * time.Second).Format("2006-01-02T15:04:05")
	}
	for id := 1; id <= 80; id++ {
		j := workloads.Job{ID: id, Arrival: 100 * (id - 1), Runtime: 60 + r.IntN(7000), Limit: 7200, Cores: 1 + r.IntN(4), Class: "x", User: "u" + strconv.Itoa(r.IntN(5))}
		partition, kind, node, gpus := "day", "v100", 1+r.IntN(2), r.IntN(3)
		if r.IntN(2) == 0 {
			partition, kind, node, gpus = "gpu", "a100", 3+r.IntN(2), 1+r.IntN(4)
		}
		j.GPUsMin, j.GPUsMax, j.Partition = gpus, gpus, partition
		wait, elapsed, state := r.IntN(longest), j.Runtime, "COMPLETED"
		list := "n" + strconv.Itoa(node)
		tres := fmt.Sprintf("billing=%d,cpu=%d,gres/gpu:%s=%d,gres/gpu=%d,node=1", j.Cores, j.Cores, kind, gpus, gpus)
		if gpus == 0 {
			tres = fmt.Sprintf("billing=%d,cpu=%d,node=1", j.Cores, j.Cores)
		}
		start := at(j.Arrival + wait)
		switch {
		case id%8 == 1 && id > 1:
			j.Outcome, j.Runtime, j.CancelAfter, elapsed, state = workloads.CancelledPending, 0, longest+10, 0, "CANCELLED by 0"
			if id%16 == 1 {
				wait, start, list, tres = j.CancelAfter, "None", "None assigned", ""
			}
		case id%20 == 2:
			wait, elapsed, state, start, list, tres = wait+9000, 0, "CANCELLED by 0", "None", "None assigned", ""
		}
		jobs = append(jobs, j)
		lines = append(lines, fmt.Sprintf("%d|%d|%s|%s|%s|0:0|%s|%s|%s|%s|%d|120|1|%d|%s|%s|%s",
			1000+id, id, j.User, partition, state, at(j.Arrival), at(j.Arrival), start, at(j.Arrival+wait+elapsed), elapsed, j.Cores, tres, tres, list))
	}
	var workload bytes.Buffer
	if err := workloads.WriteCSV(&workload, jobs); err != nil {
		t.Fatal(err)
	}
	run := trace.Run{SchemaVersion: trace.SchemaVersion, ID: "r", Status: trace.StatusComplete, Jobs: len(jobs)}
	run.Machine, run.Policy, run.Clock, run.TimeScale, run.ThinkScale, run.PriorityType = site(), "backfill", trace.ClockJump, 1, 1, trace.PriorityBasic
	run.Fidelity = &trace.Fidelity{Jump: &trace.JumpFidelity{}}
	run.Lateness = &trace.Lateness{}
	for name, data := range map[string][]byte{dir.WorkloadFile(): workload.Bytes(), dir.SacctFile(): []byte(strings.Join(lines, "\n") + "\n")} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := dir.WriteRun(run); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sacctFigures recomputes the figures of a partition from the texts of a run's files, with code that shares nothing with
// the product. docs/metrics.md: a job with the outcome cancelled_pending counts in no wait, even if sacct has a Start.
func sacctFigures(t *testing.T, dir trace.Dir, partition string) map[string]float64 {
	t.Helper()
	read := func(name, separator string) (rows []map[string]string) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var header []string
		for line := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
			fields := strings.Split(strings.TrimSpace(line), separator)
			if header == nil {
				header = fields
				continue
			}
			row := map[string]string{}
			for i, f := range fields {
				row[header[i]] = f
			}
			rows = append(rows, row)
		}
		return rows
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	outcome := map[string]string{}
	for _, row := range read(dir.WorkloadFile(), ",") {
		outcome[row["job_id"]] = row["outcome"]
	}
	typed := regexp.MustCompile(`gres/gpu:(\w+)=(\d+)`)
	figures := map[string]float64{}
	var hours, certain []float64
	for _, row := range read(dir.SacctFile(), "|") {
		if partition != AllJobs && row["Partition"] != partition {
			continue
		}
		for _, found := range typed.FindAllStringSubmatch(row["AllocTRES"], -1) {
			figures["gpu_hours_"+found[1]] += number(found[2]) * number(row["ElapsedRaw"]) / 3600
			figures["gpu_hours"] += number(found[2]) * number(row["ElapsedRaw"]) / 3600
		}
		ran := row["NodeList"] != "None assigned"
		if ran {
			figures["core_hours"] += number(row["NCPUS"]) * number(row["ElapsedRaw"]) / 3600
		}
		if outcome[row["JobName"]] == "cancelled_pending" {
			figures["cancelled_pending"]++
			if ran {
				figures["cancelled_pending_started"]++
			}
			continue
		}
		until := row["Start"]
		if !ran {
			figures["never_started"]++
			until = row["End"]
		}
		began, errBegan := time.Parse("2006-01-02T15:04:05", until)
		submitted, errSubmit := time.Parse("2006-01-02T15:04:05", row["Submit"])
		if errBegan != nil || errSubmit != nil {
			t.Fatal(errBegan, errSubmit)
		}
		wait := began.Sub(submitted).Hours()
		hours = append(hours, wait)
		if ran {
			certain = append(certain, wait)
		}
		if wait > 1 {
			figures["waited_over_1_h"]++
		}
	}
	slices.Sort(hours)
	figures["jobs"] = float64(len(hours))
	for name, part := range map[string]float64{"wait_median_h": 0.5, "wait_p95_h": 0.95, "wait_longest_h": 1} {
		figures[name] = hours[int(math.Ceil(part*float64(len(hours))-1e-9))-1]
	}
	if len(certain) == len(hours) {
		t.Fatal("no job never started, so that nothing is censored")
	}
	return figures
}

// Every figure of one scenario is what sacct.txt has: waits by partition, GPU-hours by type, and counts.
func TestWhatIfIsInSacct(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	load := func(dir trace.Dir) []ScenarioRun {
		data, err := dir.Load()
		if err != nil {
			t.Fatal(err)
		}
		return []ScenarioRun{{Day: "mon", Data: data}}
	}
	base, busy := rawRun(t, r, 3600), rawRun(t, r, 20000)
	w, err := NewWhatIf([]Scenario{{Name: "base", Runs: load(base)}, {Name: "busy", Runs: load(busy)}}, WhatIfOptions{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := w.Table()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err = table.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(records[0], name) }
	for _, record := range records[1:] {
		dir := base
		if record[column("scenario")] == "busy" {
			dir = busy
		}
		group := record[column("partition")]
		for name, want := range sacctFigures(t, dir, group) {
			got, parseErr := strconv.ParseFloat(record[column(name)], 64)
			if parseErr != nil || math.Abs(got-want) > 1e-9*max(1, want) {
				t.Errorf("%s, %s: %s: got %s, sacct.txt has %g", record[column("scenario")], group, name, record[column(name)], want)
			}
		}
	}
	if len(records) != 1+2*3 {
		t.Errorf("got %d rows, want two scenarios of all jobs and two partitions", len(records)-1)
	}
}

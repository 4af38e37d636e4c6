package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// A machine of 4 cores. Job 1 has all from 0 to 100 and job 2 three of them from 100 to 300. Job 3, of 2 cores, arrives at 50 and starts
// at 300: at its arrival only job 1 ran, so that 50 of its 250 s had been decided. Job 4, of 1 core, arrives at 300, when nothing runs, and
// waits 10 s that nothing had decided.
func TestArrival(t *testing.T) {
	job := func(user string, cores int, submit, start, finish float64) trace.FinishedJob {
		return trace.FinishedJob{Job: workloads.Job{User: user}, AllocCores: cores, Submit: submit, Start: start, Finish: finish}
	}
	m := workloads.Machine{Nodes: 2, Cores: 2}
	jobs := []trace.FinishedJob{job("eve", 4, 0, 0, 100), job("eve", 3, 0, 100, 300), job("adam", 2, 50, 300, 310), job("ines", 1, 300, 310, 320)}
	if got := fmt.Sprint(leastWaits(m, jobs)); got != "[0 0 50 0]" {
		t.Errorf("least waits %s", got)
	}
	// Mean slowdowns are 1.25, 26 and 2, the least ones 1, 6 and 1; by each other 1.25, 26/6 and 2.
	x, y, z := 1.25, 26.0/6, 2.0
	want := arrival{Fairness: 64.0 / (3 * 38), WorstUser: 6, Relative: (x + y + z) * (x + y + z) / (3 * (x*x + y*y + z*z))}
	got := arrivalOf(m, jobs)
	if near := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }; !near(got.Fairness, want.Fairness) || got.WorstUser != 6 || !near(got.Relative, want.Relative) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestDecided: each window counts once, and cells without these figures not at all.
func TestDecided(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.jsonl")
	text := `{"queue":"a","window":1,"policy":"o","user_fairness":0.5,"worst_user":8}` + "\n"
	for _, load := range []float64{0.7, 1.1} {
		text += fmt.Sprintf(`{"queue":"a","window":2,"load":%g,"policy":"o","user_fairness":0.5,"worst_user":8,"arrival":{"least_user_fairness":0.25,"least_of_worst_user":6}}`+"\n", load)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (benchmark{results: file, part: "all", policies: []string{"o"}}).decided(&out); err != nil || !strings.HasSuffix(strings.Join(strings.Fields(out.String()), " "), "| | a | o | 1 | 0.75 | 0.50 | - o: settings not recorded; 2 cells of build unknown") {
		t.Errorf("%s, %v", out.String(), err)
	}
}

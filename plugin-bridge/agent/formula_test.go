package agent

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
)

// WFP3 and UNICEP as Carastan-Santos and de Camargo (SC 2017, table 3) write them, with the sign that puts the greatest first: a job
// of 16 cores that has waited 2 h of a limit of 1 h. F1 is -(log10(r) n + 870 log10(s)).
func TestScores(t *testing.T) {
	s := auction.Snapshot{
		Nodes: []machine.Node{{Cores: 16}, {Cores: 16}},
		Jobs: []bidding.Job{
			{ID: 1, Cores: 16, Nodes: 2, GPUs: 1, TimeLimit: time.Hour, Waited: 2 * time.Hour},
			{ID: 2, Cores: 1},
		},
	}
	for _, tt := range []struct {
		formula string
		want    [2]float64
		waits   bool
	}{
		{"-limit", [2]float64{-3600, -3600}, false},
		{"(wait / limit) ** 3 * cores", [2]float64{8 * 16, 0}, true},
		{"wait / (log2(max(2, cores)) * limit)", [2]float64{2.0 / 4, 0}, true},
		{"-(log10(max(1, limit)) * cores + 870 * log10(max(1, submit)))", [2]float64{-(math.Log10(3600)*16 + 870*2), -(math.Log10(3600) + 870)}, false},
		{"gpus * 10 + nodes", [2]float64{22, 1}, false},
		{"value >= 1 ? sqrt(4) : abs(-3)", [2]float64{2, 2}, true},
		{"wait / 0", [2]float64{math.Inf(1), math.NaN()}, true},
	} {
		f, err := ParseFormula(tt.formula)
		if err != nil {
			t.Errorf("%s: %v", tt.formula, err)
			continue
		}
		got, err := f.scores(s, []float64{100, 10}, auction.Options{Objective: auction.ObjectiveAdaptive})
		for i, want := range tt.want {
			if err != nil || !(math.Abs(got[i]-want) <= 1e-9*math.Abs(want) || got[i] == want || math.IsNaN(got[i]) && math.IsNaN(want)) {
				t.Errorf("%s: job %d has %v (%v), want %g", tt.formula, i+1, got, err, want)
			}
		}
		if f.waits != tt.waits {
			t.Errorf("%s: changes with the wait: %t, want %t", tt.formula, f.waits, tt.waits)
		}
	}
}

func TestBadFormulas(t *testing.T) {
	for formula, want := range map[string]string{
		"":                              "unexpected token EOF",
		"limt":                          "unknown name limt",
		"limit +":                       "unexpected token EOF",
		"'a'":                           "expected float64",
		"map(1..9, #)":                  "expected float64",
		`repeat("a", 1000000)`:          "unknown name repeat",
		"log2('a')":                     "cannot use string",
		"log2(1, 2)":                    "too many arguments",
		"limit > 3":                     "expected float64",
		"max([1, 2])":                   "lists, texts and loops are not allowed",
		"max(map(1..9, #))":             "lists, texts and loops are not allowed",
		"[1, 2]":                        "expected float64",
		strings.Repeat("1+", 300) + "1": "exceeds maximum allowed nodes",
	} {
		if _, err := ParseFormula(formula); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", formula, err, want)
		}
	}
}

// FuzzFormula: whatever is read computes a number for each job.
func FuzzFormula(f *testing.F) {
	for _, seed := range []string{"-limit", "(wait / limit) ** 3 * cores", "max(1, gpus) % 2", "1/0", "wait > 3 ? 1 : 2", "1..3", "{}"} {
		f.Add(seed)
	}
	s := auction.Snapshot{Nodes: []machine.Node{{Cores: 4}}, Jobs: []bidding.Job{{ID: 1, Cores: 4, TimeLimit: time.Hour}}}
	f.Fuzz(func(t *testing.T, text string) {
		formula, err := ParseFormula(text)
		if err != nil {
			return
		}
		if got, err := formula.scores(s, []float64{0}, auction.Options{}); err != nil || len(got) != 1 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	})
}

// Slurm starts jobs in the order of the formula, whatever the order of submission; a job that comes later finds its place with one
// command; and an agent whose formula does not change with time is settled then.
func TestOrderOfFormula(t *testing.T) {
	cluster := slurmtest.New(slurmtest.Config{Nodes: 1, Cores: 8})
	client := &slurmctl.Client{Runner: cluster}
	submit := func(limit time.Duration) {
		t.Helper()
		if _, err := client.Submit(t.Context(), sbatch.Request{Name: "job", Tasks: 8, TimeLimit: limit, Hold: true, Script: "#!/bin/sh\nsleep 600\n"}); err != nil {
			t.Fatal(err)
		}
	}
	formula, err := ParseFormula("-limit")
	if err != nil {
		t.Fatal(err)
	}
	a := New(NewSlurm(client, cluster).WithOrder(), nil, Settings{Formula: formula, Now: cluster.Now})
	cycle := func(ranked int, settled bool) {
		t.Helper()
		record, err := a.Cycle(t.Context(), 0)
		if err != nil || record.Ranked != ranked || len(record.Refused)+len(record.Unplaced) > 0 || a.Settled() != settled {
			t.Errorf("%+v, %v, settled %t; want %d ranked, settled %t", record, err, a.Settled(), ranked, settled)
		}
	}
	for _, hours := range []time.Duration{5, 2, 3} {
		submit(hours * time.Hour)
	}
	cycle(3, false)
	cycle(0, true)
	cluster.Advance(time.Second)
	submit(4 * time.Hour)
	cycle(1, false)
	started := func(id int) {
		t.Helper()
		queue, err := client.Queue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range queue {
			if (j.State == slurmctl.JobRunning) != (j.ID == id) {
				t.Errorf("%+v, want job %d to run", j, id)
			}
		}
	}
	for _, id := range []int{2, 3, 4, 1} {
		started(id)
		cluster.Advance(11 * time.Minute)
	}
}

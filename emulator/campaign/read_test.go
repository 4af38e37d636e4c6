package campaign_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads"
)

// real are slurmlab's own machines, workloads and policies, and files of testdata.
func real() campaign.Sources {
	below := func(name string) string {
		if strings.Contains(name, ".csv") || strings.Contains(name, ".yaml") {
			return filepath.Join("testdata", name)
		}
		return name
	}
	return campaign.Sources{
		Machine:  func(name string) (workloads.Machine, error) { return workloads.LoadMachine(below(name)) },
		Workload: func(name string) (workloads.Workload, error) { return workloads.Load(below(name)) },
		Policies: func(string) (policy.Policies, error) { return policy.All() },
		Metric: func(name string) (string, error) {
			m, known := metric.Named(name)
			if !known {
				return "", fmt.Errorf("metric %q is not known", name)
			}
			return m.Column, nil
		},
	}
}

// TestRead runs the scenarios of testdata/read. The only command, "read", has a campaign file as its input. It prints
// the file's faults, or its runs in their order, the first job of a run that has no seed of its own, the pairs, and
// the settings of several values with their lines.
func TestRead(t *testing.T) {
	datadriven.RunTest(t, "testdata/read", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd != "read" {
			t.Fatalf("unknown command %q", d.Cmd)
		}
		plan, err := campaign.Read("study.yaml", []byte(d.Input), real())
		if err != nil {
			return err.Error() + "\n"
		}
		var b strings.Builder
		for _, r := range plan.Runs {
			fmt.Fprintf(&b, "%s: %d jobs, %s %s\n", r.Dir, len(r.Jobs), r.Policy.Scheduler.Type, r.Policy.Scheduler.Parameters)
		}
		fmt.Fprintf(&b, "pairs %v\n", plan.Pairs)
		for _, s := range plan.Sweeps {
			fmt.Fprintf(&b, "%s of %s: %v\n", s.Setting, s.Policy, s.Lines)
		}
		return b.String()
	})
}

// A plan has no run twice and is the same whenever it is made. A file with more seeds keeps the directories that it
// had (issue 20: "Run directories are what they are today", "nothing counts twice").
func TestPlansAreStable(t *testing.T) {
	lines := func(t *rapid.T, key string, from []string) string {
		some := rapid.SliceOfNDistinct(rapid.SampledFrom(from), 1, len(from), rapid.ID[string]).Draw(t, key)
		return key + ": [" + strings.Join(some, ", ") + "]\n"
	}
	rapid.Check(t, func(t *rapid.T) {
		text := lines(t, "machines", []string{"S", "M"}) + lines(t, "slurm", []string{"24.11", "26.05"}) +
			lines(t, "workloads", []string{"V.1", "V.2", "{workload: V.2, name: short, theoretical_runtime: 5m}"}) +
			lines(t, "policies", []string{"backfill", "auction", "{policy: auction, settings: {window: [50, 100]}}", "{policy: backfill, name: slow, settings: {bf_interval: [60, 90]}}"}) +
			"theoretical_runtime: 3m\n"
		last := rapid.IntRange(1, 4).Draw(t, "seeds")
		dirs := func(last int) []string {
			plan, err := campaign.Read("x.yaml", fmt.Appendf(nil, "%sseeds: 1..%d\n", text, last), real())
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			var all []string
			for _, r := range plan.Runs {
				all = append(all, r.Dir)
			}
			return all
		}
		some, again, more := dirs(last), dirs(last), dirs(last+1)
		seen := map[string]bool{}
		for _, dir := range some {
			if seen[dir] {
				t.Fatalf("%s is there twice in the plan of\n%s", dir, text)
			}
			seen[dir] = true
		}
		if strings.Join(some, " ") != strings.Join(again, " ") {
			t.Fatalf("two plans of one file differ:\n%v\n%v", some, again)
		}
		if len(more) != len(some)/last*(last+1) || strings.Join(more[:len(some)], " ") != strings.Join(some, " ") {
			t.Fatalf("with a seed more the runs are\n%v\nbefore they were\n%v", more, some)
		}
	})
}

// Over as many seeds as there are policies each policy goes first once for each workload.
func TestPoliciesTakeTurns(t *testing.T) {
	plan, err := campaign.Read("x.yaml", []byte("machines: S\nworkloads: [V.1, V.2]\ntheoretical_runtime: 3m\nseeds: 1..3\npolicies: [backfill, fifo, auction]\n"), real())
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]int{}
	for i, r := range plan.Runs {
		if i%3 == 0 {
			first[r.Label+" "+r.Policy.Name]++
		}
	}
	if len(first) != 6 {
		t.Errorf("got %v, want each of 3 policies first once for each of 2 workloads", first)
	}
}

// TestEarlierKeys: a file with the keys of earlier builds, as folders of campaigns have a copy of, means what it meant.
func TestEarlierKeys(t *testing.T) {
	read := func(keys string) (campaign.Plan, error) {
		return campaign.Read("x.yaml", []byte("machines: S\nworkloads: V.1\nseeds: 1..2\npolicies: [backfill, fifo]\n"+keys), real())
	}
	now, err := read("theoretical_runtime: 3m\nprecision: waiting=2%\n")
	if err != nil {
		t.Fatal(err)
	}
	before, err := read("estimated_runtime: 3m\nuntil: waiting:2%\n")
	if err != nil || *before.Until != *now.Until || len(before.Runs) != len(now.Runs) || len(before.Runs[0].Jobs) != len(now.Runs[0].Jobs) {
		t.Errorf("got %+v, %v, want %+v", before.Until, err, now.Until)
	}
	if now.Until.String() != "waiting=2%" {
		t.Errorf("got the aim %s", now.Until)
	}
	if _, err = read("theoretical_runtime: 3m\nestimated_runtime: 3m\n"); err == nil || !strings.Contains(err.Error(), "estimated_runtime: unknown key") {
		t.Errorf("got %v for a key under both names", err)
	}
}

// FuzzRead: no campaign file crashes the reader, and one without faults has runs.
func FuzzRead(f *testing.F) {
	f.Add("machines: S\nworkloads: V.1\npolicies: [backfill, auction]\nseeds: 1..2\n")
	f.Add("machines: [S]\nworkloads: [{workload: V.2, windows: 3}]\npolicies: [{policy: auction, settings: {window: [1, 2]}}]\nexclude: [{seed: 1}]\npairs: [[a, b]]\n")
	f.Add("machines: []\nworkloads: &a [*a]\n")
	from := real()
	from.Workload = func(string) (workloads.Workload, error) { return workloads.Load("V.3") }
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := campaign.Read("x.yaml", []byte(text), from)
		if err == nil && len(plan.Runs) == 0 {
			t.Errorf("no fault and no run:\n%s", text)
		}
	})
}

// The fault of an unknown key has the keys of its part, in their order.
func TestPartsAreRead(t *testing.T) {
	texts := map[string]string{
		"": "unknown: 1", "workloads[0]": "workloads: [{workload: V.2, unknown: 1}]", "policies[0]": "policies: [{policy: auction, unknown: 1}]",
		"on.slurm": "on: {slurm: {unknown: 1}}", "exclude[0]": "exclude: [{machine: S, unknown: 1}]",
	}
	for _, p := range campaign.Parts() {
		text := texts[p.Path] + "\n"
		for key, usual := range map[string]string{"machines": "S", "workloads": "V.2", "policies": "backfill"} {
			if !strings.HasPrefix(text, key) {
				text += key + ": " + usual + "\n"
			}
		}
		var names []string
		for _, k := range p.Keys {
			names = append(names, k.Name)
		}
		want := strings.TrimPrefix(p.Path+".unknown", ".") + ": unknown key, allowed are " + strings.Join(names, ", ")
		if _, err := campaign.Read("x.yaml", []byte(text), real()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got\n%v\nwant %s", text, err, want)
		}
	}
}

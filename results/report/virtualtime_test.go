package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

func jumpRun(t *testing.T) metric.Result {
	t.Helper()
	r := completeRun(t, "r1", "backfill", 10, 0)
	underJumpClock(&r)
	return r
}

// Every number of the record is in the section, not only in the raw text below.
func TestVirtualTimeIsComplete(t *testing.T) {
	r := jumpRun(t)
	j := r.Run.Fidelity.Jump
	j.Restarts, j.Standstills = 7, 3
	compute(t, &r)
	section := write(t, Input{Runs: []metric.Result{r}}).class("run")
	var words string
	for _, class := range []string{"proofs", "busy", "sources"} {
		words += " " + section.class(class).words()
	}
	for _, want := range []string{
		"clock jump", "core 1", "jumps 101700", "11700 s of 12000 s (97.5 %)", "23 running, 713 blocked, in 102436 idle tests (0.7 %)",
		"foreign 0.500 s, stolen 0.250 s (0.2 %)", "2.250 s, until 1234 s", "controller restarts 7", "standstills 3", "acctg_prof to 10 s",
		"acctg_prof cond 74241 100.0 %", "slurmctld Slurm's scheduler 240 80.0 %", "vclockd the clock itself 30 10.0 %", "all 277.5 92.5 %",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in %q", want, words)
		}
	}
	for _, row := range section.class("proofs").rows() {
		if row[0] != "clock" && len(strings.Fields(row[2])) < 5 {
			t.Errorf("nothing says what %q proves", row[0])
		}
	}
}

// The scheduler comes first even when it is not the busiest; the rest is in the
// order of its time, then of its name. Bars are as long as the share.
func TestBusyParts(t *testing.T) {
	f := *jumpRun(t).Run.Fidelity
	f.BusySeconds["slurmctld"] = 3
	var names []string
	for _, row := range busyParts(f).Rows {
		names = append(names, fmt.Sprintf("%s %.1f", row[0].Text, row[4].Bar))
	}
	if got, want := strings.Join(names, ", "), "slurmctld 1.0, vclockd 10.0, other 1.5, mariadbd 0.5, slurmd 0.5, all 13.5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// Without a core of its own a cluster can be busier than one core.
	f.BusySeconds = map[string]float64{"slurmctld": 300, "mariadbd": 300}
	if rows := busyParts(f).Rows; rows[2][4].Bar != 100 || rows[0][4].Bar != 50 || rows[2][3].Text != "200.0 %" {
		t.Errorf("got %+v", rows)
	}
	f.RealSeconds = 0
	if rows := busyParts(f).Rows; rows[0][4].Bar != 0 || rows[0][3].Text != nothing {
		t.Errorf("of no time: got %+v", rows)
	}
}

// A long list of waits is cut, and shares are of all jumps.
func TestJumpSourcesAreCut(t *testing.T) {
	r := jumpRun(t)
	r.Run.Fidelity.Jump.Sources = nil
	for i := range 20 {
		r.Run.Fidelity.Jump.Sources = append(r.Run.Fidelity.Jump.Sources, trace.JumpSource{Thread: fmt.Sprintf("t%d", i), Kind: "cond", Jumps: 10})
	}
	compute(t, &r)
	section := write(t, Input{Runs: []metric.Result{r}}).class("run")
	rows := section.class("sources").rows()
	if len(rows) != 11 || rows[1][3] != "5.0 %" || !strings.Contains(section.words(), "… and 10 more.") {
		t.Errorf("got %q", rows)
	}
}

// Every clock says in words what its time is; only a jump clock has jumps.
func TestClocksAreExplained(t *testing.T) {
	for _, test := range []struct {
		name, want string
		change     func(*metric.Result)
	}{
		{"real", "The cluster ran in real time", func(r *metric.Result) { r.Run.Clock, r.Run.TimeScale = trace.ClockReal, 1 }},
		{"scaled ×20", "a second that a scheduler thinks counts as 20.", func(*metric.Result) {}},
		{"jump", "jumps to the next deadline as soon as nothing does", underJumpClock},
		{"jump, thinking ×4", "0.250 s of virtual time pass per real second, as on a computer of 4 times the speed", func(r *metric.Result) {
			underJumpClock(r)
			r.Run.ThinkScale = 4
		}},
	} {
		r := completeRun(t, "r1", "backfill", 10, 0)
		test.change(&r)
		compute(t, &r)
		section := write(t, Input{Runs: []metric.Result{r}}).class("run")
		if words := section.words(); !strings.Contains(words, test.want) {
			t.Errorf("%s: %q is not in %q", test.name, test.want, words)
		}
		if rows := section.class("proofs").rows(); rows[0][1] != test.name {
			t.Errorf("got clock %q, want %q", rows[0][1], test.name)
		}
		if jumps := section.class("sources") != nil; jumps != strings.HasPrefix(test.name, "jump") {
			t.Errorf("%s: sources of jumps shown: %v", test.name, jumps)
		}
	}
}

// Noise is a doubt about the run and about its comparison with a quiet one.
func TestNoiseWarnsTwice(t *testing.T) {
	in := Input{Runs: []metric.Result{completeRun(t, "r1", "backfill", 40, 9), completeRun(t, "r2", "auction", 40, 0)}}
	for i := range in.Runs {
		underJumpClock(&in.Runs[i])
		compute(t, &in.Runs[i])
	}
	in.Runs[1].Run.Fidelity.ForeignSeconds, in.Runs[1].Run.Fidelity.StolenSeconds = 9, 6
	words := write(t, in).class("comparison").class("warnings").words()
	for _, want := range []string{
		"The runs differ in quietness of the core:",
		"r2: The core was not quiet: other programs used 9 s of it and the hypervisor took 6 s, together 5.0 % of the real time.",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in %q", want, words)
		}
	}
}

// A cluster that shares its core cannot be judged by what others took.
func TestNoCoreOfItsOwn(t *testing.T) {
	r := jumpRun(t)
	r.Run.Core = nil
	compute(t, &r)
	words := write(t, Input{Runs: []metric.Result{r}}).class("run").words()
	for _, want := range []string{"none of its own", "unknown without a core of its own", "The cluster had no core of its own:"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in %q", want, words)
		}
	}
}

// A run that broke shows what is known of its time; it has no metrics.
func TestVirtualTimeOfABrokenRun(t *testing.T) {
	r := incompleteRun("r1", "auction", trace.StatusFailed, "slurmctld died")
	underJumpClock(&r)
	section := write(t, Input{Runs: []metric.Result{r}}).class("run")
	if words := section.class("proofs").words(); !strings.Contains(words, "jumps 101700") || strings.Contains(words, "elapsed error") {
		t.Errorf("got %q", words)
	}
}

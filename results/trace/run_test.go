package trace

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/workloads"
)

// jumpRun is a run under a jump clock with every field of its fidelity set.
func jumpRun() Run {
	core := 1
	return Run{
		SchemaVersion: SchemaVersion, ID: "j", Status: StatusComplete, Core: &core, RealSeconds: 311,
		Settings: Settings{
			Machine:      workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2},
			WorkloadSpec: []byte(`{}`), Parameters: []byte(`{}`), Policy: "backfill",
			SchedulerType: "sched/backfill", SchedulerParameters: "bf_continue,bf_interval=30",
			Backend: Backend{"external", "26.05"}, PriorityType: "priority/multifactor", PriorityParameters: "PriorityWeightAge=10080,PriorityMaxAge=10080",
			Clock: ClockJump, TimeScale: 1, ThinkScale: 4,
		},
		Fidelity: &Fidelity{
			RealSeconds: 312, VirtualSeconds: 14_600, ForeignSeconds: 0.5, StolenSeconds: 0.25,
			BusySeconds: map[string]float64{"slurmctld": 302, "mariadbd": 1.5, "other": 2},
			Stops:       []Stop{{Process: "slurmctld", Seconds: 5}},
			Jump: &JumpFidelity{
				Jumps: 101_700, SkippedSeconds: 14_300, IdleTests: 102_436, CaughtRunning: 23, CaughtBlocked: 713,
				LongestBusySeconds: 2.5, LongestBusyAt: 1234, Restarts: 1, Standstills: 2,
				Rounded: map[string]float64{"acctg_prof": 10}, Sources: []JumpSource{{"acctg_prof", "cond", 74_000}},
			},
		},
	}
}

func TestJumpRunRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Float64Range(0, 1e6)
		want := jumpRun()
		want.ThinkScale = rapid.Float64Range(0.01, 1000).Draw(t, "think scale")
		want.Fidelity.RealSeconds = seconds.Draw(t, "real")
		want.Fidelity.BusySeconds = rapid.MapOfN(rapid.StringMatching("[a-z]+"), seconds, 1, 8).Draw(t, "busy")
		want.Fidelity.Jump.Jumps = rapid.Uint64().Draw(t, "jumps")
		want.Fidelity.Jump.LongestBusyAt = seconds.Draw(t, "longest at")
		if rapid.Bool().Draw(t, "no core") {
			want.Core = nil
		}
		var b bytes.Buffer
		if err := EncodeRun(&b, want); err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeRun(&b, "run.json"); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
	})
}

// Files of before the jump clock say nothing of thinking, cores and fidelity.
func TestOldRunIsReadable(t *testing.T) {
	d, err := Open("testdata/run")
	if err != nil {
		t.Fatal(err)
	}
	run, err := d.ReadRun()
	if err != nil {
		t.Fatal(err)
	}
	if run.Clock != ClockScaled || run.TimeScale != 20 || run.ThinkScale != 1 || run.Core != nil || run.Fidelity != nil {
		t.Errorf("got %+v", run)
	}
}

// What is not set is not written: nil is no core and no fidelity, not core 0.
func TestAbsentFieldsAreAbsent(t *testing.T) {
	run := jumpRun()
	run.Core, run.Fidelity = nil, nil
	var b bytes.Buffer
	if err := EncodeRun(&b, run); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`"core"`, `"fidelity"`} {
		if strings.Contains(b.String(), name) {
			t.Errorf("%s is in %s", name, b.String())
		}
	}
}

func TestClockFaults(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(*Run)
		want string // empty for none
	}{
		{"jump", func(*Run) {}, ""},
		{"no think scale", func(r *Run) { r.ThinkScale = 0 }, ""},
		{"real", func(r *Run) { r.Clock, r.ThinkScale, r.Fidelity.Jump = ClockReal, 1, nil }, ""},
		{"broke before it had a clock", func(r *Run) { r.Clock, r.TimeScale, r.ThinkScale, r.Fidelity = "", 0, 0, nil }, ""},
		{"unknown clock", func(r *Run) { r.Clock = "fast" }, `field clock: "fast": want real, scaled or jump`},
		{"time scale under jump", func(r *Run) { r.TimeScale = 20 }, "field time_scale: 20: want 1 under clock jump"},
		{"no time scale under jump", func(r *Run) { r.TimeScale = 0 }, "field time_scale: 0: want 1 under clock jump"},
		{"negative think scale", func(r *Run) { r.ThinkScale = -1 }, "field think_scale: -1"},
		{"think scale elsewhere", func(r *Run) { r.Clock, r.Fidelity = ClockScaled, nil }, "field think_scale: 4: want 1, only clock jump"},
		{"core", func(r *Run) { *r.Core = -1 }, "field core: -1"},
		{"no jumps under jump", func(r *Run) { r.Fidelity.Jump = nil }, "field fidelity.jump"},
		{"jumps elsewhere", func(r *Run) { r.Clock, r.ThinkScale = ClockReal, 1 }, "field fidelity.jump"},
		{"negative foreign time", func(r *Run) { r.Fidelity.ForeignSeconds = -0.5 }, "field fidelity.foreign_s: -0.5"},
		{"negative busy time", func(r *Run) { r.Fidelity.BusySeconds["slurmd"] = -1 }, "field fidelity.busy_s.slurmd: -1"},
		{"negative skipped time", func(r *Run) { r.Fidelity.Jump.SkippedSeconds = -1 }, "field fidelity.jump.skipped_s: -1"},
		{"no number", func(r *Run) { r.Fidelity.RealSeconds = math.NaN() }, "NaN"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := jumpRun()
			test.edit(&run)
			err := EncodeRun(&bytes.Buffer{}, run)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}

// Whatever makes two runs not comparable is in the text.
func TestClockText(t *testing.T) {
	for _, test := range []struct {
		clock       string
		time, think float64
		want        string
	}{
		{"real", 1, 1, "real"}, {"scaled", 20, 1, "scaled ×20"}, {"scaled", 2.5, 1, "scaled ×2.5"},
		{"jump", 1, 1, "jump"}, {"jump", 1, 4, "jump, thinking ×4"}, {"", 0, 1, ""},
	} {
		if got := ClockText(test.clock, test.time, test.think); got != test.want {
			t.Errorf("%+v: got %q", test, got)
		}
	}
}

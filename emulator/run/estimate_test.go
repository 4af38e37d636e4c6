package run

import (
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// estimated is a run of the workload, with seed 1.
func estimated(t *testing.T, machine, workload string, runtime time.Duration, name string) Config {
	t.Helper()
	m, err := workloads.LoadMachine(machine)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workloads.Load(workload)
	if err == nil && runtime > 0 {
		w, err = w.WithEstimatedRuntime(runtime)
	}
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := w.Jobs(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return Config{Spec: drive.Spec{Machine: m, Workload: w, Jobs: jobs, Policy: p, Clock: clock.Settings{Kind: clock.KindJump, TimeScale: 1, ThinkScale: 1}}}
}

// An estimate is within a factor of three of what such runs took, from the first submission to the last end, on one
// core of a shared virtual machine with two. docs/records/003-jump-clock has the runs of 237 jobs; docs/trust.md
// cites this test.
func TestEstimate(t *testing.T) {
	const tsubame = "../../docs/records/003-jump-clock/tsubame-237.txt"
	for _, tt := range []struct {
		machine, workload string
		runtime           time.Duration
		policy            string
		measured          float64 // real seconds
	}{
		{"S", "V.2", 20 * time.Minute, policy.Backfill, 7.2},
		{"S", "V.2", 20 * time.Minute, policy.Backfill, 5.0},
		{"S", "V.2", time.Hour, policy.Backfill, 13.1},
		{"M", "V.2", 20 * time.Minute, policy.Backfill, 4.8},
		{"L", "V.2", 20 * time.Minute, policy.Backfill, 15.4},
		{"tsubame", "1.NC", 10 * time.Minute, policy.Backfill, 6.2},
		{"tsubame", "1.NC", 20 * time.Minute, policy.Auction, 6.7},
		{"S", "V.2", 20 * time.Minute, policy.Auction, 9.8},
		{"S", "V.2", 20 * time.Minute, policy.Auction, 7.7},
		{"S", "V.2", time.Hour, policy.Auction, 23},
		{"S", "V.2", time.Hour, policy.Auction, 25.2},
		{"S", "V.2", 20 * time.Minute, "ipsched", 90.8},
		{"S", "V.2", time.Hour, "auction2", 27},
		{"S", "V.2", time.Hour, "auction1", 329},
		{"S", "V.2", time.Hour, "ipsched", 624},
		{"tsubame", tsubame, 0, policy.Auction, 70},
		{"tsubame", tsubame, 0, policy.Backfill, 716},
		{"tsubame", tsubame, 0, policy.Backfill, 463},
	} {
		got := estimated(t, tt.machine, tt.workload, tt.runtime, tt.policy).Estimate().Real - startTime
		if low, high := tt.measured/3, 3*tt.measured; got.Seconds() < low || got.Seconds() > high {
			t.Errorf("%s, %s, %s: %v, want %.0f to %.0f s", tt.machine, tt.workload, tt.policy, got, low, high)
		} else {
			t.Logf("%s, %s, %s: %v, measured %.1f s", tt.machine, tt.workload, tt.policy, got, tt.measured)
		}
	}
}

// Under other clocks virtual time decides.
func TestEstimateOfOtherClocks(t *testing.T) {
	c := estimated(t, "S", "V.2", 20*time.Minute, policy.Auction)
	c.Clock.Kind = clock.KindReal
	if e := c.Estimate(); e.Real != e.Virtual+startTime || e.Virtual < 20*time.Minute {
		t.Errorf("real clock: %+v", e)
	}
	c.Clock = clock.Settings{Kind: clock.KindScaled, TimeScale: 20}
	if e := c.Estimate(); e.Real != e.Virtual/20+startTime {
		t.Errorf("scaled clock: %+v", e)
	}
}

// The memory of a run is what recorded runs of its shape took at most, before the rule; runs of another shape and those that do
// not say teach nothing.
func TestLearn(t *testing.T) {
	var configs []Config
	for seed := range uint64(3) {
		c := placed(t, t.TempDir())
		c.Seed = seed
		configs = append(configs, c)
	}
	other := placed(t, t.TempDir())
	other.Machine.Nodes = 64
	configs = append(configs, other)
	rule := configs[0].Estimate().Memory
	if err := Learn(configs, []ExistingRun{{State: StateComplete, Memory: 300 << 20}, {State: StateComplete, Memory: 500 << 20}, {State: StateMissing}, {State: StateMissing, Memory: 1}}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{500 << 20, 500 << 20, 500 << 20, other.Estimate().Memory} {
		if got := configs[i].Estimate().Memory; got != want {
			t.Errorf("run %d: got %d MB, want %d", i, got>>20, want>>20)
		}
	}
	if got := AtATime(configs[:3], hardProgram+1001<<20); got != 2 {
		t.Errorf("%d of them go at a time, want 2", got)
	}
	if err := Learn(configs, make([]ExistingRun, 4)); err != nil || configs[0].Estimate().Memory != rule {
		t.Errorf("without recorded runs: got %d MB, %v, want the rule's %d", configs[0].Estimate().Memory>>20, err, rule>>20)
	}
}

package lab

import (
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/policy"
)

// TestRecordTellsWhoSchedules: run.json alone says who scheduled, without a look at
// policies.yaml, whose entries may be others when the run is read.
func TestRecordTellsWhoSchedules(t *testing.T) {
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	schedulers := map[string]string{}
	for _, p := range all {
		c := placed(t, t.TempDir())
		c.Policy = p
		run, err := c.record()
		if err != nil {
			t.Fatal(err)
		}
		run.Policy = "renamed"
		if backfilled := !p.HasAgent() && p.Scheduler.Type == conf.Backfill; run.HasAgent() != p.HasAgent() || run.Backfilled() != backfilled {
			t.Errorf("%s: its run has an agent: %v, backfill: %v", p.Name, run.HasAgent(), run.Backfilled())
		}
		schedulers[p.Name] = "agent"
		if !p.HasAgent() {
			schedulers[p.Name] = p.Scheduler.Type
		}
	}
	for name, want := range map[string]string{
		"fifo": conf.Builtin, "backfill-default": conf.Backfill, "backfill": conf.Backfill, "backfill-multifactor": conf.Backfill,
		"auction": "agent", "ipsched": "agent", "auction1": "agent", "auction2": "agent",
	} {
		if schedulers[name] != want {
			t.Errorf("%s: got %q, want %s", name, schedulers[name], want)
		}
	}
}

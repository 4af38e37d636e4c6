package lab_test

import (
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/emulator"
	"github.com/slurmlab/slurmlab/results/trace"
)

// TestScheduler: Slurm schedules alone under four policies of the file, on all
// others it leaves everything to the agent; a run's record agrees.
func TestScheduler(t *testing.T) {
	alone := map[emulator.Policy]conf.Scheduler{
		"fifo": conf.Builtin, "backfill-default": conf.BackfillDefault, "backfill": conf.Backfill, "backfill-multifactor": conf.Backfill,
	}
	all, err := emulator.Policies()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		want, slurm := alone[d.Name]
		if !slurm {
			want = conf.External
		}
		delete(alone, d.Name)
		if got := lab.Scheduler(d.Name); got != want || d.Name.HasAgent() == slurm {
			t.Errorf("%s: scheduler %s, agent %v; want %s, %v", d.Name, got, d.Name.HasAgent(), want, !slurm)
		}
		run := trace.Run{Policy: string(d.Name)}
		if backfilled := slurm && want.Type() == "sched/backfill"; run.HasAgent() == slurm || run.Backfilled() != backfilled {
			t.Errorf("%s: a run of it has an agent: %v, backfill: %v", d.Name, run.HasAgent(), run.Backfilled())
		}
	}
	if len(alone) > 0 {
		t.Errorf("%v are not in the file", alone)
	}
}

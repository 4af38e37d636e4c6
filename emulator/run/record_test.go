package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
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
		// Under a formula the agent orders the queue, and Slurm's backfill schedules.
		if backfilled := p.Scheduler.Type == conf.Backfill; run.HasAgent() != p.HasAgent() || run.Backfilled() != backfilled {
			t.Errorf("%s: its run has an agent: %v, backfill: %v", p.Name, run.HasAgent(), run.Backfilled())
		}
		schedulers[p.Name] = "agent"
		if !p.HasAgent() {
			schedulers[p.Name] = p.Scheduler.Type
		}
	}
	for name, want := range map[string]string{
		"fifo": conf.Builtin, "backfill-default": conf.Backfill, "backfill-whole-queue": conf.Backfill, "backfill-multifactor": conf.Backfill, "backfill": conf.Backfill,
		"auction": "agent", "ipsched": "agent", "auction1": "agent", "auction2": "agent",
	} {
		if schedulers[name] != want {
			t.Errorf("%s: got %q, want %s", name, schedulers[name], want)
		}
	}
}

// On a full disk run.json stays as it was. The error says all the same that a container keeps the files, and how to
// fetch them (found by the fault campaign: EXHAUST disk of the host, copy).
func TestFullDiskNamesWhatIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	dir, record, lock := begun(t, placed(t, path))
	if err := errors.Join(lock.Close(), os.RemoveAll(path)); err != nil {
		t.Fatal(err)
	}
	record.Container = "0123456789abcdef"
	err := broken(dir, &record, errors.New("copy sacct.txt: no space left on device"))
	for _, want := range []string{"no space left on device", "run.json stays as it was", "container 0123456789ab keeps its files", "slurmlab run --resume " + path} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error has no %q: %v", want, err)
		}
	}
}

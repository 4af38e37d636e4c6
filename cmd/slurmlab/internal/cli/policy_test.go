package cli

import (
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// TestSettingsOverPolicy: --set changes the settings that a policy has, and no others
// do, also where a value is the default.
func TestSettingsOverPolicy(t *testing.T) {
	own := func(name string) policy.Parameters {
		d, err := policy.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return d.Parameters
	}
	tests := []struct {
		policy string
		args   []string
		change func(*policy.Parameters)
	}{
		{"ipsched", nil, func(*policy.Parameters) {}},
		{"ipsched", []string{"--machine", "M", "--seed", "3"}, func(*policy.Parameters) {}},
		{"ipsched", []string{"--set", "solve_limit=10s", "--set=window=7"}, func(p *policy.Parameters) { p.SolveLimit, p.Window = 10*time.Second, 7 }},
		{"ipsched", []string{"--set", "interval=5s", "--set", "bf_window=1"}, func(p *policy.Parameters) { p.Interval = 5 * time.Second }},
		{"auction1", []string{"--set", "slurm_bids=false", "--set", "dump_models=true"}, func(p *policy.Parameters) { p.SlurmBids, p.DumpModels = false, true }},
		{"auction2", []string{"--set", "only_blocks=true", "--set", "shrink=nothing"}, func(p *policy.Parameters) { p.OnlyBlocks, p.Shrink = true, "nothing" }},
	}
	for _, tt := range tests {
		got, err := withFlags(t, tt.policy, tt.args)
		want := own(tt.policy)
		tt.change(&want)
		if err != nil || got.Parameters != want {
			t.Errorf("%s %v: %+v, %v; want %+v", tt.policy, tt.args, got.Parameters, err, want)
		}
	}
}

// TestPrioritySetting: the setting takes the place of the policy's priority, which has no
// fair share beside it where an agent schedules.
func TestPrioritySetting(t *testing.T) {
	for _, tt := range []struct {
		policy string
		args   []string
		want   priority.Type
		fault  string
	}{
		{"auction", nil, priority.Basic, ""},
		{"ipsched-multifactor", nil, priority.Multifactor, ""},
		{"ipsched-multifactor", []string{"--set", "priority=basic"}, priority.Basic, ""},
		{"backfill", nil, priority.SizeByTime, ""},
		{"backfill", []string{"--set", "priority=basic"}, priority.Basic, ""},
		{"backfill-whole-queue", nil, priority.Basic, ""},
		{"backfill-whole-queue", []string{"--set", "priority=size-by-time"}, priority.SizeByTime, ""},
		{"backfill", []string{"--set", "priority=multifactor", "--set", "fair_share=1h"}, priority.Multifactor, ""},
		{"auction", []string{"--set", "priority=multifactor", "--set", "fair_share=1h"}, priority.Multifactor,
			"fair_share: 1h0m0s is not allowed with priority multifactor, in which fair share has no weight"},
	} {
		got, err := withFlags(t, tt.policy, tt.args)
		fault := ""
		if err != nil {
			fault = err.Error()
		}
		if got.Priority != tt.want || fault != tt.fault {
			t.Errorf("%s %v: priority %s, fault %q", tt.policy, tt.args, got.Priority, fault)
		}
	}
}

// withFlags is the policy with what the flags of run and compare change.
func withFlags(t *testing.T, policy string, args []string) (policy.Policy, error) {
	t.Helper()
	var e experiment
	cmd := &cobra.Command{}
	e.flags(cmd, &State{}, flag("machine", &e.machine, "S", machineHelp()), e.eventsFile.flag())
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return e.find(policy)
}

package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// djsbPolicy says who schedules the benchmark's jobs.
type djsbPolicy struct {
	policyName string
	// settings has the flags that replace settings of the policy.
	settings experiment
	chosen   policy.Policy
}

func (p *djsbPolicy) policyFlags(cmd *cobra.Command) {
	policyFlag(cmd, &p.policyName, policy.WholeQueue, policy.ExecPrefix+"FILE")
	p.settings.policyFile.flag(cmd)
	p.settings.settings.flag(cmd)
	p.settings.given = cmd.Flags()
}

// choose finds the policy.
func (p *djsbPolicy) choose() (err error) {
	p.chosen, err = p.settings.findUsed(p.policyName)
	return errors.Join(err, policy.Stays(p.chosen))
}

// fit refuses what the policy or real applications cannot run. An agent plans a core for one job and was not tried in
// the benchmark's reservation. Real applications compute on one node each and are scheduled by backfill.
func (p *djsbPolicy) fit(c djsbconfig.DJSB, realTime bool) error {
	switch {
	case realTime && p.settings.given.Changed("policy"):
		return fmt.Errorf("policy: %s with --real is not allowed, want neither or one of them", p.policyName)
	case realTime && slices.Contains(c.Scenarios, djsbconfig.ScenarioKeptFree):
		return fmt.Errorf("scenarios: %s with --real is not allowed: a real application computes on one node", djsbconfig.ScenarioKeptFree)
	case !p.chosen.HasAgent():
		return nil
	case c.Reservation != "":
		return fmt.Errorf("reservation: %s with policy %s is not allowed: only Slurm's own policies are benchmarked in a reservation", c.Reservation, p.policyName)
	}
	shares := func(s djsbconfig.Scenario) bool { return djsbSharing(s).Shares() }
	var shared []string
	for _, s := range c.Scenarios {
		if shares(s) {
			shared = append(shared, string(s))
		}
	}
	if len(shared) == 0 {
		return nil
	}
	return fmt.Errorf("policy: %s gives a core to one job, and cannot run %s; allowed are the scenarios %s",
		p.policyName, strings.Join(shared, ", "), faults.Or(slices.DeleteFunc(djsbconfig.Scenarios(), shares)))
}

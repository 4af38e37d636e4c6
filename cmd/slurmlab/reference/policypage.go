package main

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// policies is the page of the policies by name, and of the parameters of the agent.
func policies() ([]byte, error) {
	all, err := policy.All()
	if err != nil {
		return nil, err
	}
	w := newPage("Policies and their parameters",
		"Who schedules, by the names that `--policy` takes, and what can be set. [Schedulers](../schedulers.md) says which to take.")
	w.heading(2, "Slurm's own schedulers")
	w.paragraph("No parameter of the agent has any effect under them. `SchedulerParameters` is the line of slurm.conf(5); " +
		"`slurmlab policy describe NAME` prints all lines of slurm.conf that a policy sets.")
	var rows [][]string
	for _, p := range all {
		if !p.HasAgent() {
			rows = append(rows, []string{code(p.Name), p.About, code(p.Scheduler.Type), code(string(p.Priority)),
				code(strings.ReplaceAll(p.Scheduler.Parameters, ",", ", "))})
		}
	}
	w.table([]string{"policy", "what it is", "`SchedulerType`", "priority", "`SchedulerParameters`"}, rows)
	w.heading(2, "With the agent")
	w.paragraph("Slurm holds all jobs, and the agent decides which start where. The last column has the parameters that are not at " +
		"their default, below.")
	rows = nil
	parameters := policy.ParameterList()
	for _, p := range all {
		if !p.HasAgent() {
			continue
		}
		var own []string
		for _, parameter := range parameters {
			if value := parameter.Of(p.Parameters); value != parameter.Of(policy.DefaultParameters()) {
				own = append(own, parameter.Key+": "+value)
			}
		}
		rows = append(rows, []string{code(p.Name), p.About, p.Source, code(strings.Join(own, ", "))})
	}
	w.table([]string{"policy", "what it is", "source", "parameters"}, rows)
	w.heading(2, "Parameters of the agent")
	w.paragraph("The key is that of `--set` and `--vary`, of the settings in a [campaign file](campaign-file.md), and of a [policy file](../schedulers.md). " +
		"Times are virtual. `--set` changes each policy that has the key; a key that none of them has is an error, not ignored.")
	rows = nil
	for _, p := range parameters {
		var readers []string
		for _, m := range p.ReadBy {
			readers = append(readers, string(m))
		}
		who := strings.Join(readers, ", ")
		if who == "" {
			who = "all"
		}
		rows = append(rows, []string{code(p.Key), text(p.Help), strings.TrimSpace(p.Default + " " + p.Unit), p.Allowed, who})
	}
	w.table([]string{"key", "meaning", "default", "allowed", "read by the methods"}, rows)
	w.paragraph(fmt.Sprintf("A method is the program that decides: `%s` and `%s` are the papers' integer programs, `%s` is our auction, "+
		"and `%s` is a [program of yours](../plugins.md) (`--policy exec:FILE`). With `%s` Slurm's own scheduler decides, and the agent sets the priorities. "+
		"A formula consists of %s.",
		policy.MethodIPSCHED, policy.MethodAUCSCHED, policy.MethodAuction, policy.MethodProgram, policy.MethodFormula, agent.FormulaNames))
	return w.bytes(), nil
}

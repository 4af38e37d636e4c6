package main

import (
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// campaignFile is the page of the keys of a campaign file.
func campaignFile() ([]byte, error) {
	w := newPage("Keys of a campaign file",
		"A campaign file is YAML. [Campaigns](../campaigns.md) has an example and says what the report makes of the runs. "+
			"Wherever a list is wanted, one value will do.")
	for _, part := range []struct {
		title, line, path string
		meanings          map[string]string
	}{
		{"At the top", "unknown: 1", "unknown", campaignMeanings()},
		{"An entry of workloads", "workloads: {workload: V.2, unknown: 1}", "workloads.unknown", map[string]string{
			"workload":          "name or file; this key is needed",
			"name":              "what the workload is called in folders and tables, its own name without it",
			"estimated_runtime": "theoretical run time of a generated workload, such as `30m`, in the place of the one at the top",
			"windows":           "number of windows that a trace is cut into; each is run",
		}},
		{"An entry of policies", "policies: {policy: auction, unknown: 1}", "policies.unknown", map[string]string{
			"policy":   "name, or `exec:FILE` for a program of yours; this key is needed",
			"name":     "what the policy is called in folders and tables, its own name without it",
			"settings": "[parameters of the agent](policies.md#parameters-of-the-agent), `priority`, words of SchedulerParameters or lines of slurm.conf such as SchedulerTimeSlice, each with a value or a list of values",
		}},
		{"on.slurm", "on: {slurm: {unknown: 1}}", "on.slurm.unknown", map[string]string{
			"account":        "account of the jobs, as `--account`",
			"partition":      "partition of the jobs, as `--partition`",
			"time":           "time limit of a task with its unit, as `--time`",
			"cores_per_task": "cores of a task, as `--cores-per-task`",
			"runs_per_task":  "runs of a task, as `--runs-per-task`",
		}},
		{"An entry of exclude", "exclude: {machine: S, unknown: 1}", "exclude.unknown", map[string]string{
			"machine": "of the runs that are left out", "workload": "the same", "policy": "the same", "slurm": "the same",
			"seed": "the same; the entry leaves out the runs that match all its keys, and `*` stands for any text",
		}},
	} {
		keys, err := campaignKeys(part.line, part.path)
		if err != nil {
			return nil, err
		}
		rows, err := described("campaign file, "+part.title, keys, part.meanings)
		if err != nil {
			return nil, err
		}
		w.heading(2, part.title)
		w.table([]string{"key", "meaning"}, rows)
	}
	return w.bytes(), nil
}

// campaignMeanings are those of the keys at the top.
func campaignMeanings() map[string]string {
	return map[string]string{
		"events":            "file of [events](../events.md) that happen in each run, on kinds of cluster and machines that can have them",
		"machines":          "names or [machine files](../machines.md); this key is needed",
		"workloads":         "names, files, or [mappings](#an-entry-of-workloads); this key is needed",
		"seeds":             "numbers and ranges such as `1..10`; 1 without it",
		"policies":          "names, or [mappings](#an-entry-of-policies); this key is needed",
		"policy_file":       "file with [policies of your own](../schedulers.md)",
		"slurm":             "kinds of cluster, as `--slurm`; " + backend.Default().Name() + " without it",
		"estimated_runtime": "theoretical run time of all generated workloads, such as `30m`; that of each without it",
		"exclude":           "[runs](#an-entry-of-exclude) that are left out",
		"aa":                "`true` compares each policy with itself, as `--aa` does",
		"until":             "metric and precision, such as `waiting:2%`: seeds are added until every difference is known so well",
		"max_seeds":         "the most seeds with `until`; 50 without it",
		"on":                "[what is asked of a site's Slurm](#onslurm) with `--on slurm`, where the flags do not say it",
		"pairs":             "which policies the report compares, `[[backfill, auction]]`; each with the first without it",
	}
}

// campaignKeys are the keys that are allowed in the place of the unknown one of a line.
func campaignKeys(line, path string) ([]string, error) {
	text := line + "\n"
	for _, needed := range []string{"machines: S", "workloads: V.2", "policies: backfill"} {
		if key, _, _ := strings.Cut(needed, ":"); !strings.HasPrefix(line, key+":") {
			text += needed + "\n"
		}
	}
	_, err := campaign.Read("campaign.yaml", []byte(text), campaign.Sources{
		Machine:  workloads.LoadMachine,
		Workload: workloads.Load,
		Policies: func(string) (policy.Policies, error) { return policy.All() },
		Program:  func(p policy.Policy, _ string) (policy.Policy, error) { return p, nil },
		Metric:   func(name string) (string, error) { return name, nil },
	})
	return allowed("campaign file", path, err)
}

package main

import (
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/workloads"
)

// parts has a table for each mapping of a file.
func parts(w *writer, all []input.Part) ([]byte, error) {
	for _, p := range all {
		w.heading(2, p.Title)
		if p.About != "" {
			w.paragraph(input.Markdown(p.About))
		}
		var rows [][]string
		for _, k := range p.Keys {
			rows = append(rows, []string{code(k.Name), input.Markdown(k.About)})
		}
		w.table([]string{"key", "meaning"}, rows)
	}
	return w.bytes(), nil
}

// machineFile is the page of the keys of a machine file.
func machineFile() ([]byte, error) {
	return parts(newPage("Keys of a machine file",
		"A machine file is YAML. [Your machine](../my-jobs.md) has an example of equal nodes, [unequal nodes](../machines.md) one of groups. "+
			"`slurmlab machine check FILE` lists all faults of a file with their lines."), workloads.MachineParts())
}

// workloadFile is the page of the keys of a file that describes a workload.
func workloadFile() ([]byte, error) {
	return parts(newPage("Keys of a workload's description",
		"A file of YAML describes a workload that is drawn from a seed. `slurmlab workload describe V.2` prints the description of a built-in one with "+
			"comments, from which to write your own; times have their unit, such as `90s` or `4h`. [Lists of jobs](../my-jobs.md) are other files."),
		workloads.WorkloadParts())
}

// campaignFile is the page of the keys of a campaign file.
func campaignFile() ([]byte, error) {
	return parts(newPage("Keys of a campaign file",
		"A campaign file is YAML. [Campaigns](../campaigns.md) has an example and says what the report makes of the runs. "+
			"Wherever a list is wanted, one value will do."), campaign.Parts())
}

// whatIfFile is the page of the keys of the file of a what-if study.
func whatIfFile() ([]byte, error) {
	return parts(newPage("Keys of a what-if file",
		"A what-if file is YAML. [What if](../whatif.md) has an example and says what the table shows. "+
			"Wherever a list is wanted, one value will do."), campaign.WhatIfParts())
}

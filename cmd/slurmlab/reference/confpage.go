package main

import (
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/site"
)

// slurmConf is the page of the keys of slurm.conf by what an import makes of them.
func slurmConf() ([]byte, error) {
	w := newPage("What an import makes of slurm.conf",
		"What `slurmlab machine import` makes of each key of Slurm 26.05. [Machines](../machines.md#from-a-clusters-own-files) shows an import.")
	w.table([]string{"what becomes of a key", "meaning"}, fates())
	w.heading(2, "Keys of the cluster")
	w.table(fateHead(), rowsOf(clusterKeys()))
	w.heading(2, "Keys of NodeName")
	w.table(fateHead(), rowsOf(site.NodeKeys()))
	w.heading(2, "Keys of PartitionName")
	w.table(fateHead(), rowsOf(site.PartitionKeys()))
	return w.bytes(), nil
}

// fates say what the words of the tables mean.
func fates() [][]string {
	return [][]string{
		{string(site.Kept), "the [machine file](machine-file.md) has it under the key of the last column; `policy` stands for the policy `site`, which `--policy-out` writes"},
		{string(site.Changed), "the same, with the change of the last column"},
		{string(site.NoEffect), "the import drops it without a word, for the reason of the last column"},
		{string(site.LeftOut), "it changes which job runs when or where, and slurmlab does not emulate that; the command and its files name it with its value. A key that Slurm 26.05 does not have is named with its line"},
	}
}

func fateHead() []string { return []string{"key", "what becomes of it", "how, or why"} }

func rowsOf(keys []site.Key) [][]string {
	var rows [][]string
	for _, k := range keys {
		rows = append(rows, []string{code(k.Name), string(k.Fate), text(k.How)})
	}
	return rows
}

// clusterKeys are all keys of Slurm, of which the machine has some, the policy others, and the emulation sets most.
func clusterKeys() []site.Key {
	machine := map[string]site.Key{}
	for _, k := range site.ClusterKeys() {
		machine[k.Name] = k
	}
	var all []site.Key
	for _, name := range site.SlurmKeys() {
		key, known := machine[name]
		if !known {
			key = policyKey(name)
		}
		all = append(all, key)
	}
	return all
}

// policyKey is a key that a machine file does not have.
func policyKey(name string) site.Key {
	why, idle := conf.Fixed(name)
	decides := site.IsScheduling(name)
	switch {
	case slices.Contains([]string{"SchedulerType", "PriorityType", "SchedulerParameters"}, name) || decides && why == "":
		return site.Key{Name: name, Fate: site.Kept, How: "policy"}
	case decides && !idle:
		return site.Key{Name: name, Fate: site.LeftOut, How: strings.TrimPrefix(why, conf.Own)}
	case why == "":
		why = "it does not decide who runs when and where"
	}
	return site.Key{Name: name, Fate: site.NoEffect, How: strings.TrimPrefix(why, conf.Own)}
}

package main

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/workloads"
)

// idle returns the nodes of a machine on which no job runs, as the agent would see them.
func idle(m workloads.Machine) []machine.Node {
	nodes := machine.IdleNodes(m.Nodes, m.Cores, m.GPUs)
	if !m.Unequal() {
		return nodes
	}
	down := m.Layout.OutOfService()
	for i, g := range m.Layout.GroupOf() {
		group, n := m.Layout.Groups[g], &nodes[i]
		n.Cores, n.GPUs, n.Memory, n.Features, n.Weight = group.Cores, group.AllGPUs(), group.Memory, group.Features, group.Weight
		if len(group.GPUs) > 0 {
			n.GPUType = group.GPUs[0].Type
		}
		for _, p := range m.Layout.Partitions {
			if slices.Contains(p.Groups, group.Name) {
				n.Partitions = append(n.Partitions, p.Name)
			}
		}
		n.FreeCores, n.FreeGPUs, n.FreeMemory = n.Cores, n.GPUs, n.Memory
		if down[i] {
			n.FreeCores, n.FreeGPUs, n.FreeMemory = 0, 0, 0
		}
	}
	return nodes
}

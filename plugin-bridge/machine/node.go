package machine

import (
	"fmt"
	"strconv"
)

// Node is one node of a snapshot. Free counts are what Slurm would give to a
// new job now: a node that is down, drained or completing has none.
type Node struct {
	Name string
	// Cores and GPUs are the node's totals.
	Cores, GPUs int
	// GPUType is the type of the GPUs, empty where nobody asks for types.
	GPUType string `json:",omitempty"`
	// FreeCores and FreeGPUs lie between 0 and the totals. They are A_n^cpu
	// and A_n^gpu of the papers.
	FreeCores, FreeGPUs int
	// Memory and FreeMemory are in MiB and matter to jobs that ask for memory.
	Memory, FreeMemory int
	// Features are the words that --constraint may ask for, Partitions the
	// partitions that the node belongs to.
	Features, Partitions []string
	// Weight ranks the nodes: of two that would do, a job should have the one of lower weight. It is
	// 0 on all nodes where they have one weight.
	Weight int `json:",omitempty"`
	// Switches are the switches above the node, the leaf switch first, each a
	// number from 0 within its level; none in a flat network.
	Switches []int
}

// IdleNodes returns the nodes n1, n2, ... of a homogeneous machine on which no
// job runs.
func IdleNodes(count, cores, gpus int) []Node {
	nodes := make([]Node, count)
	for i := range nodes {
		nodes[i] = Node{Name: "n" + strconv.Itoa(i+1), Cores: cores, GPUs: gpus, FreeCores: cores, FreeGPUs: gpus}
	}
	return nodes
}

// Idle reports whether no job holds a core of the node, so that its free cores
// cannot grow any more. GPUs do not matter for the number of cores that Slurm
// takes from a node.
func (n Node) Idle() bool { return n.FreeCores == n.Cores }

// WhollyFree reports whether no job holds a core or a GPU of the node, as a job
// with --exclusive wants it.
func (n Node) WhollyFree() bool { return n.Idle() && n.FreeGPUs == n.GPUs }

// Usable is how many of the node's free cores a job can take that needs so many MiB with each
// of them, 0 for none. Slurm counts no more for it (_can_job_run_on_node in
// src/plugins/select/cons_tres/job_test.c).
func (n Node) Usable(memoryPerCore int) int {
	if memoryPerCore > 0 {
		return min(n.FreeCores, n.FreeMemory/memoryPerCore)
	}
	return n.FreeCores
}

// Most is Usable of the idle node.
func (n Node) Most(memoryPerCore int) int {
	n.FreeCores, n.FreeMemory = n.Cores, n.Memory
	return n.Usable(memoryPerCore)
}

// Validate returns an error if a count is negative or more is free than there
// is.
func (n Node) Validate() error {
	if n.FreeCores < 0 || n.FreeCores > n.Cores {
		return fmt.Errorf("check node %s: %d free cores, allowed are 0 to its total of %d", n.Name, n.FreeCores, n.Cores)
	}
	if n.FreeGPUs < 0 || n.FreeGPUs > n.GPUs {
		return fmt.Errorf("check node %s: %d free GPUs, allowed are 0 to its total of %d", n.Name, n.FreeGPUs, n.GPUs)
	}
	if n.FreeMemory < 0 || n.FreeMemory > n.Memory {
		return fmt.Errorf("check node %s: %d MiB of free memory, allowed are 0 to its total of %d", n.Name, n.FreeMemory, n.Memory)
	}
	return nil
}

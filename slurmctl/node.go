package slurmctl

import (
	"bytes"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// NodeState is the base state of a node.
type NodeState string

// The base states of a node (node_state_string_complete in
// src/common/slurm_protocol_defs.c).
const (
	NodeUnknown   NodeState = "UNKNOWN"
	NodeDown      NodeState = "DOWN"
	NodeIdle      NodeState = "IDLE"
	NodeAllocated NodeState = "ALLOCATED"
	NodeError     NodeState = "ERROR"
	NodeMixed     NodeState = "MIXED"
	NodeFuture    NodeState = "FUTURE"
)

var nodeStates = []NodeState{NodeUnknown, NodeDown, NodeIdle, NodeAllocated, NodeError, NodeMixed, NodeFuture}

// Node is one node as slurmctld sees it.
type Node struct {
	Name  string
	State NodeState
	// Flags are the words after the base state, such as COMPLETING, DRAIN or
	// NOT_RESPONDING; nil for a healthy node.
	Flags []string
	// CPUs and GPUs are what the node can give to jobs, AllocCPUs and AllocGPUs
	// what running jobs hold. One CPU is one core here (ThreadsPerCore=1).
	CPUs, AllocCPUs int
	GPUs, AllocGPUs int
	// Memory and AllocMemory are in MiB. Where memory is no consumable resource
	// (CR_Core) Slurm counts none as allocated, but starts no job on a node with
	// less than it asks for.
	Memory, AllocMemory int
	// Features are the active ones; Partitions those that the node belongs to.
	Features, Partitions []string
}

// externalFlag is that of a node of State=EXTERNAL in slurm.conf (since Slurm 25.05).
const externalFlag = "EXTERNAL"

// Available says whether Slurm may start a job on the node's free cores. A
// node in COMPLETING takes no new job, and neither does one with any other
// flag but EXTERNAL, which every node that Slurm does not manage has.
func (n Node) Available() bool {
	switch n.State {
	case NodeIdle, NodeMixed, NodeAllocated:
		return !slices.ContainsFunc(n.Flags, func(flag string) bool { return flag != externalFlag })
	default:
		return false
	}
}

// ParseNodes reads the output of scontrol -o show node. GPUs come from CfgTRES
// and AllocTRES; a node whose Gres names GPUs that CfgTRES does not count is an
// error, because then AllocTRES would hide the allocated ones
// (AccountingStorageTRES lacks gres/gpu). The error is a *ParseError.
func ParseNodes(out []byte) ([]Node, error) {
	nodes := make([]Node, 0, bytes.Count(out, []byte{'\n'}))
	line := 0
	for text := range strings.Lines(string(out)) {
		line++
		text = strings.TrimSuffix(text, "\n")
		if text == "No nodes in the system" && line == 1 {
			continue
		}
		n, err := parseNode(text, line)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

func parseNode(text string, line int) (Node, error) {
	// The fields are read in the order in which slurm_sprint_node_table
	// (src/api/node_info.c) prints them.
	f := fields{source: "scontrol show node", line: line, text: text}
	n := Node{Name: f.first("NodeName")}
	n.AllocCPUs = f.count("CPUAlloc")
	n.CPUs = f.count("CPUEfctv")
	n.Features = values.Names(f.word("ActiveFeatures"))
	gres := f.gpus("Gres")
	n.Memory = f.count("RealMemory")
	n.AllocMemory = f.count("AllocMem")
	state := f.word("State")
	// Absent for a node in no partition, and free text may follow CfgTRES.
	before, _, _ := strings.Cut(f.text[f.pos:], " CfgTRES=")
	if strings.Contains(before, " Partitions=") {
		n.Partitions = values.Names(f.word("Partitions"))
	}
	n.GPUs = f.tres("CfgTRES", "gres/gpu")
	n.AllocGPUs = f.tres("AllocTRES", "gres/gpu")
	if f.err != nil {
		return Node{}, f.err
	}
	base, flags, flagged := strings.Cut(state, "+")
	n.State = NodeState(base)
	if !slices.Contains(nodeStates, n.State) {
		return Node{}, f.fail("State", state, "a base state of a node")
	}
	if flagged {
		n.Flags = strings.Split(flags, "+")
	}
	if n.GPUs != gres {
		return Node{}, f.fail("CfgTRES", text, "as many gres/gpu as in Gres; set AccountingStorageTRES=gres/gpu")
	}
	return n, nil
}

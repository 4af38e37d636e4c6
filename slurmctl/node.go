package slurmctl

import (
	"bytes"
	"fmt"
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

// NodeRecord is one node as slurmctld sees it.
type NodeRecord struct {
	Name  string
	State NodeState
	// Flags are the words after the base state, such as COMPLETING, DRAIN or
	// NOT_RESPONDING; nil for a healthy node.
	Flags []string
	// CPUs and GPUs are what the node can give to jobs, AllocCPUs and AllocGPUs
	// what running jobs hold. One CPU is one core here (ThreadsPerCore=1).
	CPUs, AllocCPUs int
	GPUs, AllocGPUs int
	// GPUType is the type of its GPUs, such as a100; empty where they have none, or several.
	GPUType string
	// Memory and AllocMemory are in MiB. Where memory is no consumable resource
	// (CR_Core) Slurm counts none as allocated, but starts no job on a node with
	// less than it asks for.
	Memory, AllocMemory int
	// Weight as in slurm.conf(5): Slurm takes nodes of lower weight first.
	Weight int
	// Features are the active ones; Partitions those that the node belongs to.
	Features, Partitions []string
}

// Available says whether Slurm may start a job on the node's free cores. A
// node in COMPLETING takes no new job, and neither does one with any other
// flag but those that takesJobs lists.
func (n NodeRecord) Available() bool {
	switch n.State {
	case NodeIdle, NodeMixed, NodeAllocated:
		return !slices.ContainsFunc(n.Flags, func(flag string) bool { return !takesJobs(flag) })
	default:
		return false
	}
}

// takesJobs says that a node with the flag takes jobs. Every node with State=EXTERNAL in slurm.conf (since Slurm 25.05) has EXTERNAL.
// In a reservation, of maintenance also, a node takes the jobs of the reservation, and before it begins those that end in time.
func takesJobs(flag string) bool {
	return flag == "EXTERNAL" || flag == "RESERVED" || flag == "MAINTENANCE"
}

// ParseNodes reads the output of scontrol -o show node. GPUs come from CfgTRES
// and AllocTRES; a node whose Gres names GPUs that CfgTRES does not count is an
// error, because then AllocTRES would hide the allocated ones
// (AccountingStorageTRES lacks gres/gpu). The error is a *ParseError.
func ParseNodes(out []byte) ([]NodeRecord, error) {
	nodes := make([]NodeRecord, 0, bytes.Count(out, []byte{'\n'}))
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

func parseNode(text string, line int) (NodeRecord, error) {
	// The fields are read in the order in which slurm_sprint_node_table
	// (src/api/node_info.c) prints them.
	f := fields{source: "scontrol show node", line: line, text: text}
	n := NodeRecord{Name: f.first("NodeName")}
	n.AllocCPUs = f.count("CPUAlloc")
	n.CPUs = f.count("CPUEfctv")
	n.Features = values.Names(f.word("ActiveFeatures"))
	gres := f.word("Gres")
	n.Memory = f.count("RealMemory")
	n.AllocMemory = f.count("AllocMem")
	state := f.word("State")
	n.Weight = f.count("Weight")
	// Absent for a node in no partition, and free text may follow CfgTRES.
	before, _, _ := strings.Cut(f.text[f.pos:], " CfgTRES=")
	if strings.Contains(before, " Partitions=") {
		n.Partitions = values.Names(f.word("Partitions"))
	}
	n.GPUs = f.tres("CfgTRES", "gres/gpu")
	n.AllocGPUs = f.tres("AllocTRES", "gres/gpu")
	if f.err != nil {
		return NodeRecord{}, f.err
	}
	if !n.setState(state) {
		return NodeRecord{}, f.fail("State", state, nodeStateWanted)
	}
	if !n.setGres(gres) {
		return NodeRecord{}, f.fail("CfgTRES", text, countedGPUsWanted)
	}
	return n, nil
}

// setGres reads the type of the GPUs, of which the list must have as many as the node.
func (n *NodeRecord) setGres(list string) bool {
	gpus, types := 0, []string{}
	err := values.Resources(list, func(r values.Resource) {
		if r.Name == "gpu" && r.Count > 0 {
			gpus, types = gpus+r.Count, append(types, r.Type)
		}
	})
	if slices.Sort(types); len(slices.Compact(types)) == 1 {
		n.GPUType = types[0]
	}
	return err == nil && gpus == n.GPUs
}

const (
	nodeStateWanted   = "a base state of a node"
	countedGPUsWanted = "as many gres/gpu as in Gres; set AccountingStorageTRES=gres/gpu"
)

// setState reads a state with its flags, such as "IDLE+DRAIN".
func (n *NodeRecord) setState(text string) bool {
	base, flags, flagged := strings.Cut(text, "+")
	n.State = NodeState(base)
	if flagged {
		n.Flags = strings.Split(flags, "+")
	}
	return slices.Contains(nodeStates, n.State)
}

// nodeCell is a value of a node and how to read it.
type nodeCell struct {
	name, want string
	read       func(n *NodeRecord, s string) bool
}

// nodeCells are the values of a node in the order in which slurmchannel tells them,
// by scontrol's names.
func nodeCells() []nodeCell {
	count := func(to func(*NodeRecord) *int) func(*NodeRecord, string) bool {
		return func(n *NodeRecord, s string) (ok bool) {
			*to(n), ok = values.CountOrUnset(s)
			return ok
		}
	}
	tres := func(to func(*NodeRecord) *int) func(*NodeRecord, string) bool {
		return func(n *NodeRecord, s string) bool {
			amount, err := values.Amount(s, "gres/gpu")
			*to(n) = amount
			return err == nil
		}
	}
	const number, list = "a number", "a TRES list such as cpu=4,gres/gpu=2"
	return []nodeCell{
		{"NodeName", "a name", func(n *NodeRecord, s string) bool { n.Name = s; return s != "" }},
		{"State", nodeStateWanted, (*NodeRecord).setState},
		{"CPUEfctv", number, count(func(n *NodeRecord) *int { return &n.CPUs })},
		{"CPUAlloc", number, count(func(n *NodeRecord) *int { return &n.AllocCPUs })},
		{"RealMemory", number, count(func(n *NodeRecord) *int { return &n.Memory })},
		{"AllocMem", number, count(func(n *NodeRecord) *int { return &n.AllocMemory })},
		{"ActiveFeatures", "names", func(n *NodeRecord, s string) bool { n.Features = values.Names(s); return true }},
		{"Partitions", "names", func(n *NodeRecord, s string) bool { n.Partitions = values.Names(s); return true }},
		{"CfgTRES", list, tres(func(n *NodeRecord) *int { return &n.GPUs })},
		{"AllocTRES", list, tres(func(n *NodeRecord) *int { return &n.AllocGPUs })},
		{"Gres", countedGPUsWanted, (*NodeRecord).setGres},
		{"Weight", number, count(func(n *NodeRecord) *int { return &n.Weight })},
	}
}

// ReadNode reads what slurmchannel tells of a node. The error is a *ParseError.
func ReadNode(cells []string) (NodeRecord, error) {
	all := nodeCells()
	if len(cells) != len(all) {
		return NodeRecord{}, &ParseError{Source: "node", Line: 1, Text: strings.Join(cells, " "), Want: fmt.Sprintf("%d values", len(all))}
	}
	var n NodeRecord
	for i, c := range all {
		if !c.read(&n, cells[i]) {
			return NodeRecord{}, &ParseError{Source: "node", Line: 1, Field: c.name, Text: cells[i], Want: c.want}
		}
	}
	return n, nil
}

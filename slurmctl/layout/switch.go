package layout

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Switch is a line of topology.conf(5) for topology/tree: a leaf switch has nodes, each other one switches.
type Switch struct {
	Name string `json:"name" about:"{Word}" need:"yes" of:"word"`
	// Nodes and Switches are hostlists, one of which is there.
	Nodes    string `json:"nodes,omitempty" about:"nodes below a leaf switch, such as 'n[1-18]'; each node is below one" write:"quoted"`
	Switches string `json:"switches,omitempty" about:"switches below any other one, which stand before it, such as 's[1-4]'" write:"quoted"`
}

// Leaves are the indices of the nodes below each leaf switch.
func Leaves(switches []Switch) [][]int {
	var all [][]int
	for _, s := range switches {
		if s.Nodes == "" {
			continue
		}
		// Switches without SwitchFaults have no faulty list.
		numbers, _ := values.HostNumbers(s.Nodes, NodePrefix)
		for i := range numbers {
			numbers[i]--
		}
		all = append(all, numbers)
	}
	return all
}

// SwitchFaults lists what is wrong with the first bad switch of a machine with so many nodes. A switch stands behind those below it, so that they
// are a tree.
func SwitchFaults(switches []Switch, nodes int) []faults.Fault {
	c := &checker{}
	if len(switches) > MaxNodes {
		c.fail("", fmt.Sprintf("got %d switches", len(switches)), fmt.Sprintf("up to %d", MaxNodes))
		return c.faults
	}
	known, below := map[string]bool{}, make([]bool, nodes)
	for i, s := range switches {
		s.check(c, fmt.Sprintf("[%d].", i), known, below)
		if len(c.faults) > 0 {
			return c.faults
		}
		known[s.Name] = true
	}
	if n := slices.Index(below, false); n >= 0 {
		c.fail("", fmt.Sprintf("got no leaf switch with node %s%d", NodePrefix, n+1), eachNode)
	}
	return c.faults
}

const eachNode = "each node below one leaf switch"

// check finds faults of a switch, given the names of those before it and the nodes below them.
func (s Switch) check(c *checker, at string, known map[string]bool, below []bool) {
	var seen []string
	if known[s.Name] {
		seen = []string{s.Name}
	}
	c.word(at+"name", s.Name, seen)
	numbers, err := values.HostNumbers(s.Nodes, NodePrefix)
	switch {
	case (s.Nodes == "") == (s.Switches == ""):
		c.fail(at+"nodes", fmt.Sprintf("got %.60q beside switches %.60q", s.Nodes, s.Switches), "one of nodes and switches")
	case err != nil || len(numbers) > 0 && slices.Max(numbers) > len(below):
		c.fail(at+"nodes", fmt.Sprintf("got %.60q", s.Nodes), fmt.Sprintf("nodes of the machine, such as %s[1-%d]", NodePrefix, len(below)))
		return
	}
	for _, n := range numbers {
		if below[n-1] {
			c.fail(at+"nodes", fmt.Sprintf("got %s%d again", NodePrefix, n), eachNode)
			return
		}
		below[n-1] = true
	}
	children, err := values.ExpandHosts(s.Switches)
	if err != nil || slices.ContainsFunc(children, func(name string) bool { return !known[name] }) {
		c.fail(at+"switches", fmt.Sprintf("got %.60q", s.Switches), "names of switches that stand before it")
	}
}

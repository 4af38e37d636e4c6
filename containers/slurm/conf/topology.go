package conf

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// topology writes topology.conf for topology/tree. Level 0 has the leaf
// switches l0s1, l0s2, ...; every higher level joins neighbours of the one
// below.
func topology(nodes int, levels []int) []byte {
	var out strings.Builder
	for level, size := range levels {
		for first := 0; first < nodes; first += size {
			end := min(first+size, nodes)
			fmt.Fprintf(&out, "SwitchName=l%ds%d ", level, first/size+1)
			if level == 0 {
				fmt.Fprintf(&out, "Nodes=n[%d-%d]\n", first+1, end)
				continue
			}
			below := levels[level-1]
			fmt.Fprintf(&out, "Switches=l%ds[%d-%d]\n", level-1, first/below+1, (end-1)/below+1)
		}
	}
	return []byte(out.String())
}

// levelFaults says what is wrong with the levels of a tree.
func levelFaults(nodes int, levels []int) error {
	for i, size := range levels {
		if size < 1 || i > 0 && (size <= levels[i-1] || i < len(levels)-1 && size%levels[i-1] != 0) || i == len(levels)-1 && size != nodes {
			return fmt.Errorf("switch_levels: %v is not allowed, want rising multiples that end in nodes=%d", levels, nodes)
		}
	}
	return nil
}

// switches writes topology.conf for topology/tree.
func switches(all []layout.Switch) []byte {
	var out strings.Builder
	for _, s := range all {
		if s.Nodes != "" {
			fmt.Fprintf(&out, "SwitchName=%s Nodes=%s\n", s.Name, s.Nodes)
		} else {
			fmt.Fprintf(&out, "SwitchName=%s Switches=%s\n", s.Name, s.Switches)
		}
	}
	return []byte(out.String())
}

// switchFaults says what is wrong with the switches.
func (s Spec) switchFaults() error {
	if len(s.Switches) == 0 {
		return nil
	}
	var all []error
	if len(s.SwitchLevels) > 0 {
		all = append(all, fmt.Errorf("switches: not allowed beside switch_levels %v", s.SwitchLevels))
	}
	for _, f := range layout.SwitchFaults(s.Switches, s.Nodes) {
		f.Field = "switches" + f.Field
		all = append(all, f)
	}
	return errors.Join(all...)
}

// blocks writes topology.conf for topology/block, whose blocks are b1, b2, ...
func blocks(nodes, sizes []int) []byte {
	var out strings.Builder
	first := 1
	for i, count := range nodes {
		fmt.Fprintf(&out, "BlockName=b%d Nodes=n[%d-%d]\n", i+1, first, first+count-1)
		first += count
	}
	if len(sizes) > 0 {
		words := make([]string, len(sizes))
		for i, size := range sizes {
			words[i] = strconv.Itoa(size)
		}
		fmt.Fprintf(&out, "BlockSizes=%s\n", strings.Join(words, ","))
	}
	return []byte(out.String())
}

// blockFaults says what is wrong with the blocks. An agent chooses nodes, of which topology/block refuses what spans more blocks than it plans with.
func (s Spec) blockFaults() error {
	if len(s.BlockNodes) == 0 {
		return nil
	}
	var faults []error
	sum := 0
	for _, n := range s.BlockNodes {
		sum += n
	}
	if slices.Min(s.BlockNodes) < 1 || sum != s.Nodes {
		faults = append(faults, fmt.Errorf("block_nodes: %v is not allowed, want numbers from 1 that are nodes=%d in all", s.BlockNodes, s.Nodes))
	}
	if len(s.SwitchLevels)+len(s.Switches) > 0 {
		faults = append(faults, fmt.Errorf("block_nodes: %v is not allowed beside switches, as a cluster has one topology", s.BlockNodes))
	}
	if s.Scheduler.External {
		faults = append(faults, fmt.Errorf("block_nodes: %v is not allowed beside an external scheduler, which chooses nodes across blocks", s.BlockNodes))
	}
	return errors.Join(faults...)
}

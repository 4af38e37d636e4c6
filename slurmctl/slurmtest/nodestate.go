package slurmtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// inService says whether a node takes jobs.
func (n node) inService() bool { return !n.down && !n.drained }

// updateNodes is update_node of src/slurmctld/node_mgr.c for the states DOWN, DRAIN and RESUME. Jobs of a node that goes
// down end as NODE_FAIL, as external jobs do, which Slurm cannot start again.
func (c *Cluster) updateNodes(list string, args []string) error {
	indices, err := c.nodeIndices(list)
	if err != nil {
		return err
	}
	var state string
	for _, arg := range args {
		switch key, value, _ := strings.Cut(arg, "="); key {
		case "State":
			state = value
		case "Reason":
		default:
			return fmt.Errorf("slurmtest: update of a node with %q is not supported", arg)
		}
	}
	for _, i := range indices {
		n := &c.nodes[i]
		switch state {
		case "DOWN":
			n.down = true
			for _, j := range c.jobs {
				if j.state == slurmctl.JobRunning && slices.ContainsFunc(j.allocated, func(a allocation) bool { return a.node == i }) {
					c.finish(j, "NODE_FAIL")
				}
			}
		case "DRAIN":
			n.drained = true
		case "RESUME":
			if n.inService() {
				return failure("slurm_update error: Invalid node state transition")
			}
			n.down, n.drained = false, false
		default:
			return fmt.Errorf("slurmtest: state %q of a node is not supported", state)
		}
	}
	return nil
}

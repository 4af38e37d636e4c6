package values

import "strings"

// NodeState is what a node's state says about jobs on it.
type NodeState struct {
	// Down nodes have lost their jobs. Drained nodes keep theirs and take no further ones.
	Down, Drained bool
	// Maintenance says that the node is in a maintenance reservation, Future that it is no node yet.
	Maintenance, Future bool
	// Power says that the node comes from a cloud, or that its power is off, or about to change.
	Power bool
	// Unknown has the words that are no state of Slurm's.
	Unknown []string
}

// word adds a word of Slurm's. They are node_states and node_state_flags, which scontrol joins with +, and what node_state_string and
// node_state_string_compact return, which sinfo and sacctmgr print (src/common/slurm_protocol_defs.c in Slurm 20.11 and 26.05).
//
// Slurm treats FAIL as it treats DRAIN (_sync_bitmaps in src/slurmctld/node_mgr.c), and drains a node whose registration is invalid
// (validate_node_specs there). UNKNOWN is the state of slurm.conf for nodes that have not registered yet.
func (s *NodeState) word(word string) (known bool) {
	switch word {
	case "DOWN", "ERROR":
		s.Down = true
	case "DRAIN", "DRAINED", "DRAINING", "DRNG", "FAIL", "FAILING", "FAILG", "INVALID_REG", "INVAL":
		s.Drained = true
	case "MAINT", "MAINTENANCE":
		s.Maintenance = true
	case "FUTURE", "FUTR":
		s.Future = true
	case "CLOUD", "POWER_DOWN", "POWER_UP", "POWERED_DOWN", "POWERING_DOWN", "POWERING_UP", "POWER_DRAIN", "POW_DN", "POW_UP", "POWRING_DN", "POWERED_DN":
		s.Power = true
	case "", "IDLE", "ALLOCATED", "ALLOC", "MIXED", "MIX", "UNKNOWN", "UNK", "COMPLETING", "COMP", "RESERVED", "RESV", "PLANNED", "PLND", "BLOCKED", "BLOCK",
		"EXTERNAL", "EXT", "DYNAMIC_FUTURE", "DYNAMIC_NORM", "REBOOT", "REBOOT_REQUESTED", "REBOOT_ISSUED", "BOOT", "CANCEL_REBOOT", "CANC_R", "RESUME",
		"RESM", "UNDRAIN", "PERFCTRS", "NPC", noResponse:
	default:
		return false
	}
	return true
}

// noResponse is the word for the sign *.
const noResponse = "NOT_RESPONDING"

// ReadNodeState reads a node's state as slurm.conf, scontrol, sinfo and sacctmgr have it, such as IDLE+DRAIN, DOWN# or drng*. Case has no
// meaning. A word may end in a sign (sinfo(1), "NODE STATE CODES"): * does not respond; ~ # ! % are power states; $ is maintenance;
// @ and ^ are reboots; - is planned by backfill; ALLOCATED+ still completes a job.
//
// A node that does not respond is down, as slurmctld gives it no job (node_not_resp in src/slurmctld/node_mgr.c). While its
// power changes nothing responds, and that is no fault.
func ReadNodeState(text string) NodeState {
	var s NodeState
	silent := false
	for word := range strings.FieldsFuncSeq(strings.ToUpper(text), func(c rune) bool { return c == '+' || c == ',' || c == ' ' }) {
		bare := strings.TrimRight(word, "*~#!%$@^-")
		if !s.word(bare) {
			s.Unknown = append(s.Unknown, word)
		}
		signs := word[len(bare):]
		silent = silent || strings.Contains(signs, "*") || bare == noResponse
		s.Power = s.Power || strings.ContainsAny(signs, "~#!%")
		s.Maintenance = s.Maintenance || strings.Contains(signs, "$")
	}
	s.Down = s.Down || silent && !s.Power
	return s
}

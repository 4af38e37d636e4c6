package events

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Kind says what an event does, by the words of scontrol(1) and sacctmgr(1).
type Kind string

// The kinds of events.
const (
	// Down ends the jobs of nodes and takes the nodes out of service.
	Down Kind = "down"
	// Drain takes nodes out of service for further jobs.
	Drain Kind = "drain"
	// Resume brings nodes back.
	Resume Kind = "resume"
	// Update changes a setting.
	Update Kind = "update"
	// Modify changes limits of a QOS, an account or a user.
	Modify Kind = "modify"
)

// Kinds are the words of the kinds.
func Kinds() []string {
	return []string{string(Down), string(Drain), string(Resume), string(Update), string(Modify)}
}

// AnyKind lists them in a sentence.
func AnyKind() string {
	all := Kinds()
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// Event is one row of events.csv.
type Event struct {
	// At is when it happens, in whole seconds after the start of the run, as the arrivals of workload.csv.
	At   int  `json:"at_s"`
	Kind Kind `json:"event"`
	// Nodes is a hostlist such as n[3-4,8]; it is empty for an Update and a Modify.
	Nodes string `json:"nodes,omitempty"`
	// Reason is that of scontrol, for Down and Drain.
	Reason string `json:"reason,omitempty"`
	// Setting are the words after "scontrol update" of an Update: "PartitionName=main MaxTime=60". A Modify says whose limits
	// change, and to what: "QOS=low GrpJobs=2".
	Setting string `json:"setting,omitempty"`
}

// Words are the arguments of "scontrol update". A Modify has a Command instead.
func (e Event) Words() []string {
	switch e.Kind {
	case Update:
		return strings.Fields(e.Setting)
	case Resume:
		return []string{"NodeName=" + e.Nodes, "State=RESUME"}
	case Modify:
		return nil
	case Down, Drain:
	}
	return []string{"NodeName=" + e.Nodes, "State=" + strings.ToUpper(string(e.Kind)), "Reason=" + e.Reason}
}

// String says it in a few words: "down n[1-4] (power supply)".
func (e Event) String() string {
	switch {
	case e.Kind == Update || e.Kind == Modify:
		return string(e.Kind) + " " + e.Setting
	case e.Reason != "":
		return fmt.Sprintf("%s %s (%s)", e.Kind, e.Nodes, e.Reason)
	default:
		return fmt.Sprintf("%s %s", e.Kind, e.Nodes)
	}
}

// Indices are the 0-based numbers of the nodes, ascending.
func (e Event) Indices() []int {
	// An event that was read has a readable list.
	numbers, _ := values.HostNumbers(e.Nodes, layout.NodePrefix)
	for i := range numbers {
		numbers[i]--
	}
	return numbers
}

// OutOfService is a hostlist of the nodes that events, in their order, have left out of service.
func OutOfService(list []Event) string {
	out := map[int]bool{}
	for _, e := range list {
		for _, n := range e.Indices() {
			out[n] = e.Kind != Resume
		}
	}
	var numbers []int
	for n, is := range out {
		if is {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return names(numbers)
}

func names(indices []int) string {
	list := make([]string, len(indices))
	for i, n := range indices {
		list[i] = fmt.Sprintf("%s%d", layout.NodePrefix, n+1)
	}
	return values.CompressHosts(list)
}

package events

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
)

// Notes say what became of a record of the nodes of a machine, read from a beginning on.
func (r Recorded) Notes(machine, from string) []string {
	rows := fmt.Sprintf("%s of nodes read, %s made", text.Plural(r.Rows, "row"), text.Plural(len(r.Events), "event"))
	if r.Outside > 0 {
		rows += fmt.Sprintf(", %d left out (outside the time window)", r.Outside)
	}
	notes := append([]string{rows}, r.LeftOut(machine)...)
	if r.InService != "" {
		notes = append(notes, fmt.Sprintf("out of service in the machine file and not in the record at %s: %s; leave down_nodes out of a machine file whose nodes the events take out of service", from, r.InService))
	}
	return notes
}

// LeftOut says which rows were left out and why, without the ones outside the time window.
func (r Recorded) LeftOut(machine string) []string {
	var notes []string
	if r.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("%s left out (bad): %s", text.Plural(r.Skipped, "row"), strings.Join(r.Bad, "; ")))
	}
	for _, left := range []struct {
		why string
		of  map[string]int
	}{{"of nodes that machine " + machine + " does not have", r.OtherNodes}, {"of states that no event has", r.OtherStates}} {
		count, names := 0, slices.Sorted(maps.Keys(left.of))
		for _, n := range left.of {
			count += n
		}
		if count == 0 {
			continue
		}
		const most = 5
		more := ""
		if len(names) > most {
			more = fmt.Sprintf(" and %d more", len(names)-most)
			names = names[:most]
		}
		for i, name := range names {
			names[i] = faults.Quote(name)
		}
		notes = append(notes, fmt.Sprintf("%s left out (%s: %s%s)", text.Plural(count, "row"), left.why, strings.Join(names, ", "), more))
	}
	return notes
}

package events

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// Window is the part of a record that a run is of: From is the start of the run, and what happens at Until or later is left out. The zero Until is a
// year after From, the longest run.
type Window struct{ From, Until time.Time }

// Recorded is what became of a record.
type Recorded struct {
	Events []Event
	// Rows are those of the record that are about nodes, Outside those of them that were over before the window or began after it.
	Rows, Outside int
	// OtherNodes and OtherStates count, by name, rows of nodes that the machine does not have, and of states that no event has, such as MAINT.
	OtherNodes, OtherStates map[string]int
	// InService are nodes that are out of service in the machine file and, by the record, in service at From.
	InService string
}

// recordColumns are those of "sacctmgr -P show event" that an import needs.
func recordColumns() []string { return []string{"NodeName", "TimeStart", "TimeEnd", "State"} }

// Import makes events of what "sacctmgr -P show event" printed of a cluster, for a machine whose groups have the site's names of their
// nodes. name is for messages; the error lists all faults of the record, each with its line and column. Times are those of
// the site, as From is.
func Import(r io.Reader, name string, m workloads.Machine, w Window) (Recorded, error) {
	out := Recorded{OtherNodes: map[string]int{}, OtherStates: map[string]int{}}
	known, err := indices(m)
	if err != nil {
		return out, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return out, fmt.Errorf("read %s: %w", name, err)
	}
	if most := w.From.Add(maxSeconds * time.Second); w.Until.IsZero() || w.Until.After(most) {
		w.Until = most
	}
	rep := faults.List{Name: name}
	outages := map[int][]outage{}
	var head []string
	for i, line := range strings.Split(string(data), "\n") {
		cells := strings.Split(strings.TrimRight(line, "\r"), "|")
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case head == nil:
			if head = cells; !isRecord(head) {
				rep.Addf(i+1, "header: got %s, allowed the names of columns, separated by |, with %s: sacctmgr -P show event", faults.Quote(line), strings.Join(recordColumns(), ", "))
				return out, rep.Err()
			}
			continue
		case len(cells) != len(head):
			rep.Addf(i+1, "row: got %d columns, allowed %d", len(cells), len(head))
			continue
		}
		row := recordRow{head: head, cells: cells}
		o, wrong := row.outage()
		for _, fault := range wrong {
			rep.Add(i+1, fault)
		}
		node := row.cell("NodeName")
		if node == "" || len(wrong) > 0 {
			// The cluster's own rows have no node.
			continue
		}
		out.Rows++
		at, ok := known[node]
		switch {
		case !ok:
			out.OtherNodes[node]++
		case o.kind == "":
			out.OtherStates[row.cell("State")]++
		case !o.end.IsZero() && !o.end.After(w.From) || !o.start.Before(w.Until):
			out.Outside++
		default:
			outages[at] = append(outages[at], o)
		}
	}
	if head == nil {
		rep.Addf(0, "rows: got none, allowed what sacctmgr -P show event prints")
	}
	if err := rep.Err(); err != nil {
		return out, err
	}
	out.Events = eventsOf(outages, w)
	out.InService = inService(m, outages, w)
	if len(out.Events) > maxEvents {
		return out, fmt.Errorf("%s: events: got %d, allowed up to %d; take a shorter time", name, len(out.Events), maxEvents)
	}
	return out, nil
}

func isRecord(cells []string) bool {
	return !slices.ContainsFunc(recordColumns(), func(want string) bool { return !slices.Contains(cells, want) })
}

// indices are the 0-based numbers of nodes by their site's names.
func indices(m workloads.Machine) (map[string]int, error) {
	known := m.Layout.Sites()
	if len(known) == 0 {
		return nil, fmt.Errorf("machine: %s does not say what its nodes are called at their site, allowed a machine file whose groups have the key hosts, as slurmlab machine import writes it", m.Name)
	}
	return known, nil
}

// outage is a time in which a node takes no further jobs. end is zero where nobody knows one, kind empty for states of other kinds.
type outage struct {
	start, end time.Time
	kind       Kind
	reason     string
}

// recordRow is one row of a record.
type recordRow struct{ head, cells []string }

func (r recordRow) cell(name string) string {
	if i := slices.Index(r.head, name); i >= 0 {
		return strings.TrimSpace(r.cells[i])
	}
	return ""
}

func (r recordRow) outage() (outage, []error) {
	var out []error
	at := func(column string) time.Time {
		text := r.cell(column)
		if column == "TimeEnd" && (text == "Unknown" || text == "") {
			return time.Time{}
		}
		t, err := values.Time(text)
		if err != nil || t.IsZero() {
			out = append(out, fmt.Errorf("%s: got %s, allowed a time such as 2026-03-01T08:00:00", column, faults.Quote(text)))
		}
		return t
	}
	o := outage{start: at("TimeStart"), end: at("TimeEnd"), kind: kindOf(r.cell("State")), reason: cmp.Or(plain(r.cell("Reason")), noReason)}
	switch {
	case len(out) > 0:
	case !o.end.IsZero() && o.end.Before(o.start):
		out = append(out, fmt.Errorf("TimeEnd: got %s, allowed no time before TimeStart", faults.Quote(r.cell("TimeEnd"))))
	case o.end.Equal(o.start):
		// Within a second, which was enough to end jobs.
		o.end = o.start.Add(time.Second)
	}
	return o, out
}

// kindOf is what Slurm's words for a node's state, such as DOWN*, IDLE+DRAIN or DRAINING, keep from the node: its jobs, or
// further ones. A star is a node that does not answer (sinfo(1), "NODE STATE CODES").
func kindOf(state string) Kind {
	switch state = strings.ToUpper(state); {
	case strings.Contains(state, "DOWN") && !strings.Contains(state, "POWER"), strings.Contains(state, "FAIL"), strings.HasSuffix(state, "*"):
		return Down
	case strings.Contains(state, "DRAIN"):
		return Drain
	}
	return ""
}

// plain is a reason that a file of events may have.
func plain(reason string) string {
	text := strings.Map(func(c rune) rune {
		if printable(string(c)) {
			return c
		}
		return '_'
	}, reason)
	return text[:min(len(text), maxText)]
}

// change is what happens to a node.
type change struct {
	at     int
	kind   Kind
	reason string
}

// eventsOf are the outages as events: what happens to several nodes in one second, for one reason, is one event. An outage that follows
// another one at once, or begins in it, brings no resume between them.
func eventsOf(outages map[int][]outage, w Window) []Event {
	nodes := map[change][]int{}
	for _, node := range slices.Sorted(maps.Keys(outages)) {
		for _, c := range changes(outages[node], w) {
			nodes[c] = append(nodes[c], node)
		}
	}
	var list []Event
	for c, of := range nodes {
		list = append(list, Event{At: c.at, Kind: c.kind, Nodes: names(of), Reason: c.reason})
	}
	slices.SortFunc(list, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Nodes, b.Nodes))
	})
	return list
}

// changes are those of one node, in the order of their times.
func changes(of []outage, w Window) []change {
	slices.SortStableFunc(of, func(a, b outage) int { return a.start.Compare(b.start) })
	seconds := func(t time.Time) int { return int(max(0, t.Sub(w.From)) / time.Second) }
	var out []change
	var end time.Time
	for i, o := range of {
		down := change{seconds(o.start), o.kind, o.reason}
		if n := len(out); n > 0 && out[n-1].at == down.at {
			// Of two in one second the later one holds.
			out = out[:n-1]
		}
		if n := len(out); n == 0 || out[n-1].kind != down.kind || out[n-1].reason != down.reason {
			out = append(out, down)
		}
		if again := i == 0 || out[len(out)-1].kind == Resume; again || !end.IsZero() && (o.end.IsZero() || o.end.After(end)) {
			end = o.end
		}
		switch {
		case end.IsZero(), !end.Before(w.Until), i < len(of)-1 && !of[i+1].start.After(end):
		default:
			out = append(out, change{seconds(end), Resume, ""})
		}
	}
	return out
}

// inService are the nodes of Recorded.InService.
func inService(m workloads.Machine, outages map[int][]outage, w Window) string {
	numbers := map[int]bool{}
	for _, d := range m.Layout.Down {
		for _, n := range (Event{Nodes: d.Nodes}).Indices() {
			numbers[n] = true
		}
	}
	for node, of := range outages {
		if slices.ContainsFunc(of, func(o outage) bool { return !o.start.After(w.From) }) {
			delete(numbers, node)
		}
	}
	return names(slices.Sorted(maps.Keys(numbers)))
}

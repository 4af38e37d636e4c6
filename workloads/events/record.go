package events

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// Options say what is made of a record.
type Options struct {
	// From is the start of the run. What happens at Until or later is left out; the zero Until is a year after From, the longest run.
	From, Until time.Time
	// SkipBad leaves out rows with faults and counts them.
	SkipBad bool
}

// Recorded is what became of a record.
type Recorded struct {
	Events []Event
	// Rows counts the rows of the record that are about nodes. Outside counts the ones that were over before the
	// window or began after it.
	Rows, Outside int
	// OtherNodes and OtherStates count, by name, rows of nodes that the machine does not have, and of states that no event has, such as MAINT.
	OtherNodes, OtherStates map[string]int
	// Skipped counts the rows with faults, Bad has the first of the faults.
	Skipped int
	Bad     []string
	// InService are nodes that are out of service in the machine file and, by the record, in service at From.
	InService string
}

// IsRecord says that a text begins as what "sacctmgr -P show event" prints.
func IsRecord(text string) bool {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	table, err := accounting.NewTable(strings.TrimRight(line, "\r"), "Reason")
	return err == nil && !table.Fixed() && isRecord(table.Names)
}

// recordColumns are those of "sacctmgr -P show event" that an import needs.
func recordColumns() []string { return []string{"NodeName", "TimeStart", "TimeEnd", "State"} }

// Import makes events of what "sacctmgr -P show event" printed of a cluster, for a machine whose groups have the
// site's names of their nodes. name is for messages. The error lists all faults of the record, each with its line and
// column. Times are in the site's time zone, as From is.
func Import(r io.Reader, name string, m workloads.Machine, w Options) (Recorded, error) {
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
	bad := faults.List{Name: name}
	outages := map[int][]outage{}
	err = eachRow(string(data), name, func(line int, row recordRow, wrong error) {
		if wrong != nil {
			out.Skipped++
			bad.Add(line, wrong)
			return
		}
		o, wrongs := row.outage()
		for _, fault := range wrongs {
			bad.Add(line, fault)
		}
		if len(wrongs) > 0 {
			out.Skipped++
			return
		}
		if at, inside := out.add(row, o, known, w); inside {
			outages[at] = append(outages[at], o)
		}
	})
	out.Bad = bad.Texts()
	if err != nil || bad.Len() > 0 && !w.SkipBad {
		return out, errors.Join(err, bad.Err())
	}
	out.Events = eventsOf(outages, w)
	out.InService = inService(m, outages, w)
	if len(out.Events) > maxEvents {
		return out, fmt.Errorf("%s: events: got %d, allowed up to %d; take a shorter time", name, len(out.Events), maxEvents)
	}
	return out, nil
}

// add counts a row, and returns the node of an outage within the window. The cluster's own rows have no node.
func (r *Recorded) add(row recordRow, o outage, known map[string]int, w Options) (at int, inside bool) {
	node := row.cell("NodeName")
	if node == "" {
		return 0, false
	}
	r.Rows++
	at, is := known[node]
	switch {
	case !is:
		r.OtherNodes[node]++
	case o.kind == "":
		r.OtherStates[row.cell("State")]++
	case !o.end.IsZero() && !o.end.After(w.From) || !o.start.Before(w.Until):
		r.Outside++
	default:
		return at, true
	}
	return 0, false
}

// eachRow hands the rows below the header to use, with what is wrong with their number of fields. Reasons are what administrators and
// health checks wrote: they may have separators and line ends.
func eachRow(text, name string, use func(line int, row recordRow, wrong error)) error {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	isBlank := func(line string) bool { return strings.TrimSpace(line) == "" }
	head := slices.IndexFunc(lines, func(line string) bool { return !isBlank(line) })
	if head < 0 {
		return fmt.Errorf("%s: rows: got none, allowed what sacctmgr -P show event prints", name)
	}
	table, err := accounting.NewTable(lines[head], "Reason")
	if err != nil || table.Fixed() || !isRecord(table.Names) {
		return fmt.Errorf("%s:%d: header: got %s, allowed the names of columns, separated by |, with %s: sacctmgr -P show event", name, head+1, faults.Quote(lines[head]), strings.Join(recordColumns(), ", "))
	}
	for i := head + 1; i < len(lines); i++ {
		line, number := lines[i], i+1
		if isBlank(line) {
			continue
		}
		for !table.Complete(line) && i+1 < len(lines) && !table.Complete(lines[i+1]) {
			i++
			line += "\n" + lines[i]
		}
		cells, wrong := table.Fields(line)
		use(number, recordRow{head: table.Names, cells: cells}, wrong)
	}
	return nil
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

// kindOf is what a node's state keeps from the node: its jobs, or further ones. It is empty for states in which the node takes jobs.
func kindOf(state string) Kind {
	switch s := values.ReadNodeState(state); {
	case s.Down:
		return Down
	case s.Drained:
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
func eventsOf(outages map[int][]outage, w Options) []Event {
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

// changes returns the changes of one node, in the order of their times.
func changes(of []outage, w Options) []change {
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
func inService(m workloads.Machine, outages map[int][]outage, w Options) string {
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

package events

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// Columns are those of events.csv; a file may leave the last two out.
func Columns() []string { return []string{"at_s", "event", "nodes", "reason", "setting"} }

const (
	leastColumns = 3
	// maxSeconds is 365 days, the latest arrival of a job.
	maxSeconds = 365 * 24 * 3600
	// maxEvents keeps a wrong file out.
	maxEvents = 100_000
	maxText   = 200
	// noReason is the reason where the file has none: scontrol wants one.
	noReason = "event"
)

// Read reads events.csv for a machine; name is for messages. Its form is that of encoding/csv, in which a list of nodes
// with a comma stands in double quotes; lines that begin with # are comments. Rows may be in any order. The
// error lists all faults, each with its line and column.
func Read(r io.Reader, name string, m workloads.Machine) ([]Event, error) {
	rep := faults.List{Name: name}
	in := csv.NewReader(r)
	in.Comment, in.FieldsPerRecord = '#', -1
	var list []lined
	header := 0
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			rep.Addf(broken.Line, "row: %w, allowed a row of comma-separated values", broken.Err)
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		if header == 0 {
			header = len(cells)
			if all := Columns(); header < leastColumns || header > len(all) || !slices.Equal(cells, all[:header]) {
				rep.Addf(line, "header: got %s, allowed at_s,event,nodes[,reason[,setting]]", faults.Quote(strings.Join(cells, ",")))
				break
			}
			continue
		}
		if len(cells) != header {
			rep.Addf(line, "row: got %d columns, allowed %d", len(cells), header)
			continue
		}
		e, wrong := read(append(cells, make([]string, len(Columns())-header)...), m)
		for _, fault := range wrong {
			rep.Add(line, fault)
		}
		list = append(list, lined{e, line, len(wrong) == 0})
	}
	if rep.Len() == 0 && (len(list) == 0 || len(list) > maxEvents) {
		rep.Addf(0, "events: got %d, allowed 1..%d", len(list), maxEvents)
	}
	slices.SortStableFunc(list, func(a, b lined) int { return a.At - b.At })
	resumed(list, m, &rep)
	events := make([]Event, len(list))
	for i, e := range list {
		events[i] = e.Event
	}
	return events, rep.Err()
}

// Parse reads the cells of a row with all columns for a machine.
func Parse(cells []string, m workloads.Machine) (Event, error) {
	e, wrong := read(cells, m)
	return e, errors.Join(wrong...)
}

// lined is an event with its line. One with a fault is not good.
type lined struct {
	Event
	line int
	good bool
}

// read reads the cells of a row.
func read(cells []string, m workloads.Machine) (Event, []error) {
	e := Event{Kind: Kind(cells[1]), Reason: cells[3], Setting: strings.Join(strings.Fields(cells[4]), " ")}
	var out []error
	bad := func(column int, allowed string) {
		out = append(out, fmt.Errorf("%s: got %s, allowed %s", Columns()[column], faults.Quote(cells[column]), allowed))
	}
	at, err := strconv.ParseUint(cells[0], 10, 31)
	if e.At = int(at); err != nil || e.At > maxSeconds {
		bad(0, fmt.Sprintf("whole seconds after the start of the run, 0..%d", maxSeconds))
	}
	if !slices.Contains(Kinds(), cells[1]) {
		bad(1, strings.Join(Kinds(), ", ")+faults.DidYouMean(cells[1], Kinds()))
		return e, out
	}
	if e.Kind == Update || e.Kind == Modify {
		for _, column := range []int{2, 3} {
			if cells[column] != "" {
				bad(column, fmt.Sprintf("nothing beside %s, whose words are in setting", e.Kind))
			}
		}
		readWords := readSetting
		if e.Kind == Modify {
			readWords = readLimits
		}
		if e.Setting, err = readWords(e.Setting, m); err != nil {
			out = append(out, fmt.Errorf("setting: %w", err))
		}
		return e, out
	}
	if e.Nodes, err = nodes(cells[2], m); err != nil {
		out = append(out, fmt.Errorf("nodes: %w", err))
	}
	switch {
	case e.Kind == Resume && e.Reason != "":
		bad(3, "nothing beside resume")
	case !printable(e.Reason):
		bad(3, reasonRule)
	case e.Kind != Resume && e.Reason == "":
		e.Reason = noReason
	}
	if e.Setting != "" {
		bad(4, "nothing beside "+cells[1])
	}
	return e, out
}

const reasonRule = "up to 200 printable characters of ASCII without quotes and backslashes"

func printable(text string) bool {
	return len(text) <= maxText && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"'\`, r) })
}

// nodes reads a hostlist of the machine's names or of the site's, or the name of a group, and writes it in one form. The machine's
// own names come first: a site may call another node n3.
func nodes(text string, m workloads.Machine) (string, error) {
	for i, g := range m.Layout.Groups {
		if g.Name == text {
			first := m.Layout.First(i)
			return fmt.Sprintf("%s[%d-%d]", layout.NodePrefix, first, first+g.Count-1), nil
		}
	}
	allowed := fmt.Sprintf("nodes n1 to n%d of machine %s, such as n[1-2]", m.Nodes, m.Name)
	if len(m.Layout.Groups) > 0 {
		var all []string
		for _, g := range m.Layout.Groups {
			all = append(all, g.Name)
		}
		allowed += ", or a group: " + strings.Join(all, ", ")
	}
	numbers, err := values.HostNumbers(text, layout.NodePrefix)
	if err != nil {
		indices, unknown := siteIndices(text, m)
		switch {
		case unknown == "":
			return names(indices), nil
		case len(indices) > 0:
			return "", fmt.Errorf("got %s, which no node is called at the site, allowed %s", unknown, allowed)
		}
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("%w, allowed %s", err, allowed)
	case len(numbers) == 0:
		return "", fmt.Errorf("got none, allowed %s", allowed)
	case numbers[len(numbers)-1] > m.Nodes:
		return "", fmt.Errorf("got n%d, allowed %s", numbers[len(numbers)-1], allowed)
	}
	for i := range numbers {
		numbers[i]--
	}
	return names(numbers), nil
}

// siteIndices are the 0-based numbers, ascending, of the nodes of a hostlist of the site's names, and the first name that is none.
func siteIndices(text string, m workloads.Machine) (indices []int, unknown string) {
	sites := m.Layout.Sites()
	list, err := values.ExpandHosts(text)
	if err != nil {
		return nil, text
	}
	for _, name := range list {
		at, known := sites[name]
		if known {
			indices = append(indices, at)
		} else {
			unknown = cmp.Or(unknown, name)
		}
	}
	slices.Sort(indices)
	return slices.Compact(indices), unknown
}

const settingRule = "KEY=VALUE words of scontrol update, the first PartitionName=, NodeName= or ReservationName="

// readSetting refuses what scontrol would take for something else, and names that the machine does not have. Whether Slurm
// knows a setting, and takes its value, it says itself. In the result nodes have the machine's names.
func readSetting(text string, m workloads.Machine) (string, error) {
	words := strings.Fields(text)
	if len(words) < 2 || !printable(text) {
		return text, fmt.Errorf("got %s, allowed %s, and at least one more", faults.Quote(text), settingRule)
	}
	for i, word := range words {
		key, value, is := strings.Cut(word, "=")
		if !is || key == "" {
			return text, fmt.Errorf("got %s, allowed %s", faults.Quote(word), settingRule)
		}
		lower := strings.ToLower(key)
		if i > 0 {
			if first, _, _ := strings.Cut(words[0], "="); strings.EqualFold(first, "NodeName") && lower == "state" {
				return text, fmt.Errorf("got %s, allowed the events down, drain and resume for the state of nodes", faults.Quote(word))
			}
			continue
		}
		switch lower {
		case "partitionname":
			if of := partitions(m); !slices.Contains(of, value) {
				return text, fmt.Errorf("got partition %s, allowed %s", faults.Quote(value), strings.Join(of, ", "))
			}
		case "nodename":
			list, err := nodes(value, m)
			if err != nil {
				return text, err
			}
			if _, own := values.HostNumbers(value, layout.NodePrefix); own != nil {
				text = strings.Replace(text, word, key+"="+list, 1)
			}
		case "reservationname":
		default:
			return text, fmt.Errorf("got %s, allowed %s", faults.Quote(word), settingRule)
		}
	}
	return text, nil
}

func partitions(m workloads.Machine) []string {
	var all []string
	for _, p := range m.WithLayout().Layout.Partitions {
		all = append(all, p.Name)
	}
	return all
}

// resumed notes nodes that are resumed while they are in service: Slurm refuses that ("Invalid node state transition",
// update_node in src/slurmctld/node_mgr.c).
func resumed(list []lined, m workloads.Machine, rep *faults.List) {
	out := make([]bool, m.Nodes)
	copy(out, m.Layout.OutOfService())
	for _, e := range list {
		if !e.good {
			continue
		}
		for _, n := range e.Indices() {
			if e.Kind == Resume && !out[n] {
				rep.Addf(e.line, "nodes: got %s%d, which is in service at %d s, allowed nodes that are down or drained then", layout.NodePrefix, n+1, e.At)
				break
			}
		}
		for _, n := range e.Indices() {
			out[n] = e.Kind != Resume
		}
	}
}

// ReadFile reads a file of events for a machine.
func ReadFile(path string, m workloads.Machine) (list []Event, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return Read(file, path, m)
}

package accounting

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// ReadSacct reads what SacctArgv prints; name is for messages. Columns may come in any order,
// and there may be further ones. A missing column, a line with too few or too many fields, a bad
// number or a bad time is an error "name:line: field ...". Values of Slurm that
// mean "nothing" become zero values: times "Unknown" and "None", time limits
// "UNLIMITED" and "Partition_Limit", node list "None assigned". The suffix of
// "CANCELLED by 0" is dropped.
func ReadSacct(r io.Reader, name string) ([]Row, error) {
	return readSacct(r, name, SacctFields(), sacctParser.row)
}

// ReadStarts reads what StartsArgv prints, as ReadSacct does of SacctArgv.
func ReadStarts(r io.Reader, name string) ([]Start, error) {
	return readSacct(r, name, startFields(), func(p sacctParser) Start {
		return Start{Submit: p.time("Submit"), Begin: p.time("Start"), End: p.time("End")}
	})
}

// mostRows bounds the rows of a table, which are in memory together: ten starts of each job of the largest workload.
const mostRows = 1_000_000

// readSacct makes a row of each line of a table that has at least the wanted fields.
func readSacct[T any](r io.Reader, name string, wanted []string, row func(sacctParser) T) ([]T, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) == 0 {
		return nil, fmt.Errorf("%s:1: no header: want the fields %s", name, strings.Join(wanted, "|"))
	}
	bad := faults.List{Name: name}
	var names []string
	var column map[string]int
	var rows []T
	line := 0
	for text := range strings.Lines(string(text)) {
		line++
		fields := strings.Split(strings.TrimSuffix(text, "\n"), "|")
		if line == 1 {
			names, column = fields, sacctColumns(fields, wanted, &bad)
			if bad.Len() > 0 {
				break
			}
			continue
		}
		if len(fields) != len(names) {
			bad.Addf(line, "%d fields, the header has %d", len(fields), len(names))
			continue
		}
		one := row(sacctParser{fields: fields, column: column, line: line, bad: &bad})
		if bad.Len() > 0 {
			// The other faults are found, and the rows are of no use.
			rows = nil
			continue
		}
		if len(rows) == mostRows {
			bad.Addf(line, "got more than %d rows, allowed %[1]d", mostRows)
			break
		}
		rows = append(rows, one)
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return rows, nil
}

// sacctColumns returns the indices of the fields in the header, which must have the wanted ones.
func sacctColumns(names, wanted []string, bad *faults.List) map[string]int {
	column := make(map[string]int, len(names))
	for i, n := range names {
		if _, twice := column[n]; twice {
			bad.Addf(1, "field %s is there twice", n)
		}
		column[n] = i
	}
	for _, n := range wanted {
		if _, ok := column[n]; !ok {
			bad.Addf(1, "field %s is missing", n)
		}
	}
	return column
}

// sacctParser turns one line into a row and collects its faults.
type sacctParser struct {
	fields []string
	column map[string]int
	line   int
	bad    *faults.List
}

func (p sacctParser) row() Row {
	state, _, _ := strings.Cut(p.text("State"), " ")
	if state == "" {
		p.fault("State", "want Slurm's word for the job's state")
	}
	row := Row{
		JobID:     p.number("JobID", "a whole number (sacct -X, no array, no step)"),
		JobName:   p.text("JobName"),
		User:      p.text("User"),
		Partition: p.text("Partition"),
		State:     state,
		ExitCode:  p.text("ExitCode"),
		Submit:    p.time("Submit"),
		Eligible:  p.time("Eligible"),
		Start:     p.time("Start"),
		End:       p.time("End"),
		Elapsed:   p.number("ElapsedRaw", "whole seconds"),
		TimeLimit: p.minutes("TimelimitRaw"),
		Nodes:     p.number("NNodes", "a whole number"),
		Cores:     p.number("NCPUS", "a whole number"),
		ReqTRES:   p.tres("ReqTRES"),
		AllocTRES: p.tres("AllocTRES"),
		NodeList:  p.nodes("NodeList"),
	}
	for field, into := range map[string]*string{AccountField: &row.Account, QOSField: &row.QOS} {
		if _, there := p.column[field]; there {
			*into = p.text(field)
		}
	}
	if len(row.NodeList) > 0 && row.Nodes != len(row.NodeList) {
		p.fault("NodeList", fmt.Sprintf("want %d nodes as in NNodes, got %d", row.Nodes, len(row.NodeList)))
	}
	if !row.Start.IsZero() && !row.End.IsZero() && row.End.Before(row.Start) {
		p.fault("End", "want no time before Start "+p.text("Start"))
	}
	return row
}

func (p sacctParser) text(field string) string { return p.fields[p.column[field]] }

func (p sacctParser) fault(field, want string) {
	p.bad.Addf(p.line, "field %s: %q: %s", field, p.text(field), want)
}

func (p sacctParser) number(field, want string) int {
	n, ok := values.Count(p.text(field))
	if !ok || n > math.MaxUint32 {
		p.fault(field, "want "+want)
	}
	return n
}

func (p sacctParser) minutes(field string) int {
	switch p.text(field) {
	case "", "UNLIMITED", "Partition_Limit":
		return 0
	}
	return p.number(field, "whole minutes, UNLIMITED or Partition_Limit")
}

func (p sacctParser) time(field string) time.Time {
	t, err := values.Time(p.text(field))
	if err != nil {
		p.fault(field, "want YYYY-MM-DDTHH:MM:SS, Unknown or None")
	}
	return t
}

// tres reads "billing=512,cpu=512,gres/gpu=128,node=64"; empty gives nil.
func (p sacctParser) tres(field string) map[string]string {
	tres, err := values.TRES(p.text(field))
	if err != nil {
		p.fault(field, "want name=value pairs separated by commas, each name once")
	}
	return tres
}

// nodes reads the 0-based indices of nodes that are called n1, n2 and so on.
func (p sacctParser) nodes(field string) []int {
	if p.text(field) == "None assigned" {
		return nil
	}
	list, err := values.HostNumbers(p.text(field), "n")
	if err != nil {
		p.fault(field, err.Error())
	}
	for i := range list {
		list[i]--
	}
	return list
}

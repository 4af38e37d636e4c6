package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// SacctFields lists the fields that sacct.txt must hold at least, in the order
// in which they are asked for: sacct -X -P --format=... prints them with a
// header. ReadSacct accepts any order and further fields.
func SacctFields() []string {
	return []string{
		"JobID", "JobName", "User", "Partition", "State", "ExitCode",
		"Submit", "Eligible", "Start", "End", "ElapsedRaw", "TimelimitRaw",
		"NNodes", "NCPUS", "ReqTRES", "AllocTRES", "NodeList",
	}
}

// sacctTime is the format of Slurm's times when SLURM_TIME_FORMAT is
// "standard" (src/common/parse_time.c, slurm_make_time_str).
const sacctTime = "2006-01-02T15:04:05"

// ReadSacct reads sacct -X -P output with its header from r. Columns may come
// in any order. A missing column, a line with too few or too many fields, a bad
// number or a bad time is an error "name:line: field ...". Values of Slurm that
// mean "nothing" become zero values: times "Unknown" and "None", time limits
// "UNLIMITED" and "Partition_Limit", node list "None assigned". The suffix of
// "CANCELLED by 0" is dropped.
func ReadSacct(r io.Reader, name string) ([]SacctRow, error) {
	lines := bufio.NewReader(r)
	header, err := readLine(lines)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: no header: want the fields %s", name, strings.Join(SacctFields(), "|"))
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	names := strings.Split(header, "|")
	column, err := sacctColumns(names)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	var rows []SacctRow
	var bad faults
	for line := 2; ; line++ {
		text, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		fields := strings.Split(text, "|")
		if len(fields) != len(names) {
			bad.addf("%s:%d: %d fields, the header has %d", name, line, len(fields), len(names))
			continue
		}
		p := sacctParser{fields: fields, column: column, where: fmt.Sprintf("%s:%d", name, line), bad: &bad}
		rows = append(rows, p.row())
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	return rows, nil
}

// readLine returns the next line without its newline, or io.EOF after the last
// one. There is no limit on length: a NodeList may be long.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		return line, nil
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(line, "\n"), nil
}

func sacctColumns(names []string) (map[string]int, error) {
	column := make(map[string]int, len(names))
	var bad faults
	for i, n := range names {
		if _, twice := column[n]; twice {
			bad.addf("field %s is there twice", n)
		}
		column[n] = i
	}
	for _, n := range SacctFields() {
		if _, ok := column[n]; !ok {
			bad.addf("field %s is missing", n)
		}
	}
	return column, bad.err()
}

// sacctParser turns one line into a row and collects its faults.
type sacctParser struct {
	fields []string
	column map[string]int
	where  string
	bad    *faults
}

func (p sacctParser) row() SacctRow {
	state, _, _ := strings.Cut(p.text("State"), " ")
	if state == "" {
		p.fault("State", "want Slurm's word for the job's state")
	}
	row := SacctRow{
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
	p.bad.addf("%s: field %s: %q: %s", p.where, field, p.text(field), want)
}

func (p sacctParser) number(field, want string) int {
	n, err := strconv.ParseUint(p.text(field), 10, 32)
	if err != nil {
		p.fault(field, "want "+want)
	}
	return int(n)
}

func (p sacctParser) minutes(field string) int {
	switch p.text(field) {
	case "", "UNLIMITED", "Partition_Limit":
		return 0
	}
	return p.number(field, "whole minutes, UNLIMITED or Partition_Limit")
}

func (p sacctParser) time(field string) time.Time {
	s := p.text(field)
	if s == "Unknown" || s == "None" {
		return time.Time{}
	}
	// time.Parse would take a fraction of a second, which Slurm never prints.
	t, err := time.Parse(sacctTime, s)
	if err != nil || len(s) != len(sacctTime) {
		p.fault(field, "want YYYY-MM-DDTHH:MM:SS, Unknown or None")
	}
	return t
}

// tres reads "billing=512,cpu=512,gres/gpu=128,node=64"; empty gives nil.
func (p sacctParser) tres(field string) map[string]string {
	s := p.text(field)
	if s == "" {
		return nil
	}
	tres := map[string]string{}
	for item := range strings.SplitSeq(s, ",") {
		key, value, ok := strings.Cut(item, "=")
		_, twice := tres[key]
		if !ok || key == "" || value == "" || twice {
			p.fault(field, "want name=value pairs separated by commas, each name once")
			return nil
		}
		tres[key] = value
	}
	return tres
}

func (p sacctParser) nodes(field string) []int {
	list, err := parseNodeList(p.text(field))
	if err != nil {
		p.fault(field, err.Error())
	}
	return list
}

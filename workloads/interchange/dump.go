package interchange

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// dump reads the records of "sacct -P", whatever its fields.
type dump struct {
	in *lines
	// columns is the number of fields, and named are their names. They are one less where
	// the header ends in '|' (sacct -p).
	columns int
	named   []string
	// openEnd says that the value of the last field may go on in a further line.
	openEnd bool
	// idFirst says that the first field is the job's id.
	idFirst bool
	// ahead is a line that was read but not used.
	ahead     string
	aheadLine int
	hasAhead  bool
}

// head takes the first line.
func (d *dump) head(line string) {
	d.named = strings.Split(strings.TrimSuffix(line, "|"), "|")
	d.columns = strings.Count(line, "|") + 1
}

// take returns the next line and its number.
func (d *dump) take() (string, int, error) {
	if d.hasAhead {
		d.hasAhead = false
		return d.ahead, d.aheadLine, nil
	}
	line, err := d.in.next()
	return string(line), d.in.number, err
}

// record returns the fields of the next record. A value may hold line ends (a
// job's name, its submit line): lines belong to a record until one begins the
// next.
func (d *dump) record() ([]string, int, error) {
	text, line, err := d.take()
	// A blank line that belongs to the value before it was taken with that.
	for err == nil && strings.TrimSpace(text) == "" {
		text, line, err = d.take()
	}
	if err != nil {
		return nil, line, err
	}
	separators := d.columns - 1
	for count := strings.Count(text, "|"); count < separators || count == separators && d.openEnd; {
		next, number, err := d.take()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, line, err
		}
		more := strings.Count(next, "|")
		if d.begins(next, more) || count+more > separators {
			d.ahead, d.aheadLine, d.hasAhead = next, number, true
			break
		}
		if text += "\n" + next; len(text) > maxLine {
			return nil, line, badRecord(line, "record", fmt.Sprintf("got more than %d bytes", maxLine), strconv.Itoa(maxLine))
		}
		count += more
	}
	fields := strings.Split(text, "|")
	if len(fields) != d.columns {
		return nil, line, badCount(line, len(fields), d.columns, "'|'")
	}
	return fields, line, nil
}

// begins says whether a line is the first of a record: it starts with a job id
// where that is the first field, else it has all fields.
func (d *dump) begins(line string, separators int) bool {
	if !d.idFirst {
		return separators >= d.columns-1
	}
	id, _, ok := strings.Cut(line, "|")
	return ok && id != "" && id[0] >= '0' && id[0] <= '9' && !strings.ContainsAny(id, " \t")
}

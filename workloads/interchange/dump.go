package interchange

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
)

// noNodes is NodeList without an allocation.
const noNodes = "None assigned"

// dump reads the records of a table that sacct printed, whatever its fields.
type dump struct {
	in    *lines
	table accounting.Table
	// openEnd says that the value of the last field may go on in a further line.
	openEnd bool
	// idFirst says that the first field is the job's id.
	idFirst bool
	// ahead is a line that was read but not used.
	ahead     string
	aheadLine int
	hasAhead  bool
}

// newDump takes the first line, and the second one of a table of fixed width.
func newDump(in *lines, header string) (dump, error) {
	d := dump{in: in}
	var err error
	if d.table, err = accounting.NewTable(header); err != nil {
		return d, fmt.Errorf("%s:%d: %w", in.name, in.number, err)
	}
	d.openEnd = d.table.OpenEnd()
	d.idFirst = isID(d.table.Names[0])
	if !d.table.Fixed() {
		return d, nil
	}
	dashes, err := in.header()
	if err == nil {
		if err = d.table.SetWidths(dashes); err != nil {
			err = fmt.Errorf("%s:%d: %w", in.name, in.number, err)
		}
	}
	return d, err
}

func isID(field string) bool {
	return strings.EqualFold(field, "JobID") || strings.EqualFold(field, "JobIDRaw")
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
	for complete := d.table.Complete(text); !complete || d.openEnd; complete = complete || d.table.Complete(text) {
		next, number, nextErr := d.take()
		if errors.Is(nextErr, io.EOF) {
			break
		}
		if nextErr != nil {
			return nil, line, nextErr
		}
		if d.begins(next) {
			d.ahead, d.aheadLine, d.hasAhead = next, number, true
			break
		}
		if text += "\n" + next; len(text) > maxLine {
			return nil, line, badRecord(line, "record", fmt.Sprintf("got more than %d bytes", maxLine), strconv.Itoa(maxLine))
		}
	}
	fields, err := d.table.Fields(text)
	var fault *faults.Fault
	if errors.As(err, &fault) {
		fault.Line = line
	}
	return fields, line, err
}

// begins says whether a line is the first of a record: it starts with a job id
// where that is the first field, else it has all fields.
func (d *dump) begins(line string) bool {
	if !d.idFirst {
		return d.table.Complete(line)
	}
	id, _, ok := strings.Cut(strings.TrimPrefix(line, `"`), d.table.Separator)
	return ok && id != "" && id[0] >= '0' && id[0] <= '9' && !strings.ContainsAny(id, " \t")
}

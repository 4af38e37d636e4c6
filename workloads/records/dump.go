package records

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
)

// NoNodes is NodeList without an allocation.
const NoNodes = "None assigned"

// Dump reads the records of a table that sacct printed, whatever its fields.
type Dump struct {
	In    *Lines
	Table accounting.Table
	// openEnd says that the value of the last field may go on in a further line.
	openEnd bool
	// idFirst says that the first field is the job's id.
	idFirst bool
	// ahead is a line that was read but not used.
	ahead     string
	aheadLine int
	hasAhead  bool
}

// NewDump takes the first line, and the second one of a table of fixed width.
func NewDump(in *Lines, header string) (Dump, error) {
	d := Dump{In: in}
	var err error
	if d.Table, err = accounting.NewTable(header); err != nil {
		return d, fmt.Errorf("%s:%d: %w", in.name, in.Number, err)
	}
	d.openEnd = d.Table.OpenEnd()
	d.idFirst = IsID(d.Table.Names[0])
	if !d.Table.Fixed() {
		return d, nil
	}
	dashes, err := in.Header()
	if err == nil {
		if err = d.Table.SetWidths(dashes); err != nil {
			err = fmt.Errorf("%s:%d: %w", in.name, in.Number, err)
		}
	}
	return d, err
}

// IsID says whether a field of sacct is the id of a job.
func IsID(field string) bool {
	return strings.EqualFold(field, "JobID") || strings.EqualFold(field, "JobIDRaw")
}

// take returns the next line and its number.
func (d *Dump) take() (string, int, error) {
	if d.hasAhead {
		d.hasAhead = false
		return d.ahead, d.aheadLine, nil
	}
	line, err := d.In.Next()
	return string(line), d.In.Number, err
}

// Record returns the fields of the next record. A value may hold line ends (a
// job's name, its submit line): lines belong to a record until one begins the
// next.
func (d *Dump) Record() ([]string, int, error) {
	text, line, err := d.take()
	// A blank line that belongs to the value before it was taken with that.
	for err == nil && strings.TrimSpace(text) == "" {
		text, line, err = d.take()
	}
	if err != nil {
		return nil, line, err
	}
	for complete := d.Table.Complete(text); !complete || d.openEnd; complete = complete || d.Table.Complete(text) {
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
		if text += "\n" + next; len(text) > MaxLine {
			return nil, line, Bad(line, "record", fmt.Sprintf("got more than %d bytes", MaxLine), strconv.Itoa(MaxLine))
		}
	}
	fields, err := d.Table.Fields(text)
	var fault *faults.Fault
	if errors.As(err, &fault) {
		fault.Line = line
	}
	return fields, line, err
}

// begins says whether a line is the first of a record: it starts with a job id
// where that is the first field, else it has all fields.
func (d *Dump) begins(line string) bool {
	if !d.idFirst {
		return d.Table.Complete(line)
	}
	id, _, ok := strings.Cut(strings.TrimPrefix(line, `"`), d.Table.Separator)
	return ok && id != "" && id[0] >= '0' && id[0] <= '9' && !strings.ContainsAny(id, " \t")
}

package workloads

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// StreamCSV hands the jobs of a workload.csv of any length to each, in their order, by the
// rules of ReadCSV. Nothing but a bitmap of the job ids stays in memory, and in a file with
// dependencies the arrival of each job. The jobs before
// a fault have been handed over when the error comes. The origin is that of the comments
// at the top.
func StreamCSV(r io.Reader, name string, each func(Job)) (origin []string, err error) {
	s := csvStream{rep: faults.List{Name: name}, each: each, seen: roaring.New()}
	rows := bufio.NewScanner(r)
	for rows.Scan() {
		s.line++
		row := strings.TrimSuffix(rows.Text(), "\r")
		if s.columns == nil && strings.HasPrefix(row, "#") {
			origin = append(origin, strings.TrimSpace(row[1:]))
			continue
		}
		if !s.add(row) {
			break
		}
	}
	switch err := rows.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		s.rep.Add(s.line+1, fmt.Errorf("row: got more than %d bytes, allowed %d", bufio.MaxScanTokenSize, bufio.MaxScanTokenSize))
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case s.columns == nil && s.rep.Len() == 0:
		s.rep.Add(s.line+1, headerFault(""))
	case s.jobs == 0 && s.rep.Len() == 0:
		s.rep.Add(0, faultAt("jobs", got(0), "at least one"))
	}
	return origin, s.rep.Err()
}

type csvStream struct {
	rep  faults.List
	each func(Job)
	// columns is nil before the header.
	columns    []column
	dependent  bool
	earlier    Earlier
	seen       *roaring.Bitmap
	line, jobs int
}

// add takes a line; after false the file is none that can be read.
func (s *csvStream) add(row string) bool {
	if s.columns == nil {
		columns, ok := columnsOf(row)
		if !ok {
			s.rep.Add(s.line, headerFault(row))
			return false
		}
		s.columns = columns
		s.dependent = slices.ContainsFunc(columns, func(c column) bool { return c.name == "dependency" })
		return true
	}
	j, found := csvRow(row, s.columns)
	for _, f := range found {
		s.rep.Add(s.line, f)
	}
	if len(found) > 0 {
		return true
	}
	found = append(j.faults(), s.earlier.faults(j)...)
	for _, f := range found {
		s.rep.Add(s.line, j.describe(f))
	}
	if !s.seen.CheckedAdd(uint32(j.ID)) {
		s.rep.Add(s.line, j.describe(faultAt("job_id", got(j.ID)+" again", "each once")))
		return true
	}
	s.jobs++
	if s.dependent {
		s.earlier.Add(j)
	} else {
		s.earlier.AddArray(j)
	}
	if len(found) == 0 {
		s.each(j)
	}
	return true
}

package workloads

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// StreamCSV hands the jobs of a workload.csv of any length to each, in their order, by the rules of ReadCSV. Only a
// bitmap of the job ids stays in memory, and in a file with dependencies the arrival of each job. The jobs before a
// fault have been handed over when the error comes. The origin comes from the comments at the top.
func StreamCSV(r io.Reader, name string, each func(Job)) (origin []string, err error) {
	s := csvStream{rep: faults.List{Name: name}, each: each, seen: roaring.New()}
	s.rows.rep, s.rows.job = &s.rep, s.job
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if !s.rows.add(strings.TrimSuffix(lines.Text(), "\r")) {
			break
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		s.rep.Add(s.rows.line+1, fmt.Errorf("row: got more than %d bytes, allowed %d", bufio.MaxScanTokenSize, bufio.MaxScanTokenSize))
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case s.rows.columns == nil && s.rep.Len() == 0:
		s.rep.Add(s.rows.line+1, headerFault(""))
	case s.jobs == 0 && s.rep.Len() == 0:
		s.rep.Add(0, faults.At("jobs", faults.Got(0), "at least one"))
	}
	return s.rows.origin, s.rep.Err()
}

type csvStream struct {
	rep     faults.List
	rows    csvRows
	each    func(Job)
	earlier Earlier
	seen    *roaring.Bitmap
	jobs    int
}

// job checks a job and hands it over.
func (s *csvStream) job(line int, j Job) {
	bad := append(j.faults(), s.earlier.faults(j)...)
	for _, f := range bad {
		s.rep.Add(line, j.describe(f))
	}
	if !s.seen.CheckedAdd(uint32(j.ID)) {
		s.rep.Add(line, j.describe(faults.At("job_id", faults.Got(j.ID)+" again", "each once")))
		return
	}
	s.jobs++
	if s.rows.dependent {
		s.earlier.Add(j)
	} else {
		s.earlier.AddArray(j)
	}
	if len(bad) == 0 {
		s.each(j)
	}
}

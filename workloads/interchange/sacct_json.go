package interchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/slurmlab/slurmlab/workloads/records"
)

// sacctJSON reads the jobs of "sacct --json". Each becomes a row of "sacct -P", so that both mean the same.
type sacctJSON struct {
	scan   records.JSONScan
	reader *sacctReader
}

func newSacctJSON(name string, in *bufio.Reader) (*sacctJSON, error) {
	s := &sacctJSON{scan: records.NewJSONScan(name, in), reader: &sacctReader{at: map[string]int{}, json: true}}
	for i, f := range records.JSONFields() {
		s.reader.at[f[0]] = i
		s.reader.Table.Names = append(s.reader.Table.Names, f[1])
	}
	s.reader.Table.Separator = "|"
	return s, s.scan.Open("jobs")
}

func (s *sacctJSON) header() []string { return nil }

func (s *sacctJSON) epoch() (float64, bool) { return 0, true }

func (s *sacctJSON) next() (request, error) {
	line, err := s.scan.Next(func(key string) bool { return key == "steps" || key == "script" })
	if errors.Is(err, io.EOF) {
		if more := s.scan.End(); more != nil {
			err = more
		}
	}
	if err != nil {
		return request{}, err
	}
	if s.scan.TooLong {
		return request{}, records.Bad(line, "job", fmt.Sprintf("got more than %d bytes", records.MaxLine), strconv.Itoa(records.MaxLine))
	}
	var j records.JSONJob
	if err = json.Unmarshal(s.scan.Value, &j); err != nil {
		return request{}, jsonFault(line, j, err)
	}
	row := sacctRow{line: line, fields: j.Fields(), reader: s.reader}
	req := row.request()
	return req, row.bad
}

// jsonFault is what is wrong with one job.
func jsonFault(line int, j records.JSONJob, err error) error {
	of := "job " + j.JobID.Text("?")
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return records.Bad(line, of+": "+wrong.Field, "got "+wrong.Value, wrong.Type.String())
	}
	return records.Bad(line, of, "JSON: "+err.Error(), "a job of sacct --json")
}

// newSacctTrace reads either form.
func newSacctTrace(name string, in io.Reader) (trace, error) {
	text := bufio.NewReaderSize(in, 1<<16)
	if records.IsJSON(text) {
		return newSacctJSON(name, text)
	}
	return newSacct(name, text)
}

package interchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// sacctJSON reads the jobs of "sacct --json". Each becomes a row of "sacct -P", so that both mean the same.
type sacctJSON struct {
	scan   jsonScan
	reader *sacctReader
}

func newSacctJSON(name string, in *bufio.Reader) (*sacctJSON, error) {
	s := &sacctJSON{scan: newJSONScan(name, in), reader: &sacctReader{at: map[string]int{}, json: true}}
	for i, f := range jsonFields() {
		s.reader.at[f[0]] = i
		s.reader.table.Names = append(s.reader.table.Names, f[1])
	}
	s.reader.table.Separator = "|"
	return s, s.scan.open("jobs")
}

func (s *sacctJSON) header() []string { return nil }

func (s *sacctJSON) epoch() (float64, bool) { return 0, true }

func (s *sacctJSON) next() (request, error) {
	line, err := s.scan.next(func(key string) bool { return key == "steps" || key == "script" })
	if errors.Is(err, io.EOF) {
		if more := s.scan.end(); more != nil {
			err = more
		}
	}
	if err != nil {
		return request{}, err
	}
	if s.scan.tooLong {
		return request{}, badRecord(line, "job", fmt.Sprintf("got more than %d bytes", maxLine), strconv.Itoa(maxLine))
	}
	var j jsonJob
	if err = json.Unmarshal(s.scan.value, &j); err != nil {
		return request{}, jsonFault(line, j, err)
	}
	row := sacctRow{line: line, fields: j.fields(), reader: s.reader}
	req := row.request()
	return req, row.bad
}

// jsonFault is what is wrong with one job.
func jsonFault(line int, j jsonJob, err error) error {
	of := "job " + j.JobID.text("?")
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return badRecord(line, of+": "+wrong.Field, "got "+wrong.Value, wrong.Type.String())
	}
	return badRecord(line, of, "JSON: "+err.Error(), "a job of sacct --json")
}

// newSacctTrace reads either form.
func newSacctTrace(name string, in io.Reader) (trace, error) {
	text := bufio.NewReaderSize(in, 1<<16)
	if isJSON(text) {
		return newSacctJSON(name, text)
	}
	return newSacct(name, text)
}

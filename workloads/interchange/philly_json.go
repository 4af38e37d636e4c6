package interchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/slurmlab/slurmlab/workloads/records"
)

// phillyJSONReader reads cluster_job_log of Microsoft's Philly (Jeon et al., ATC '19): a list of jobs, each with its
// attempts. The last attempt is the job; how many came before it is counted.
type phillyJSONReader struct {
	name  string
	in    *json.Decoder
	begun bool
	jobs  int
}

func newPhillyJSON(name string, in io.Reader) (*phillyJSONReader, error) {
	return &phillyJSONReader{name: name, in: json.NewDecoder(in)}, nil
}

// phillyJSON is the format of that log.
const phillyJSON = "philly-json"

type phillyJob struct {
	Status    string          `json:"status"`
	VC        string          `json:"vc"`
	ID        string          `json:"jobid"`
	Submitted string          `json:"submitted_time"`
	User      string          `json:"user"`
	Attempts  []phillyAttempt `json:"attempts"`
}

type phillyAttempt struct {
	Start  string `json:"start_time"`
	End    string `json:"end_time"`
	Detail []struct {
		GPUs []string `json:"gpus"`
	} `json:"detail"`
}

// phillyTable has the states of Philly, and reads its times.
func phillyTable() *tableReader {
	return &tableReader{table: &Table{
		columns: map[string]string{meansStart: "start_time"},
		states:  map[string]string{"Pass": "COMPLETED", "Killed": "CANCELLED", "Failed": "FAILED"},
	}, at: map[string]int{meansState: 0, meansSubmit: 1, meansStart: 2, meansEnd: 3}, named: []string{"status", "submitted_time", "start_time", "end_time"}}
}

func (p *phillyJSONReader) header() []string {
	return []string{"Philly of Microsoft (cluster_job_log)", "cite " + phillyCitation}
}

// epoch is that of Unix: times without a zone are read as UTC.
func (p *phillyJSONReader) epoch() (float64, bool) { return 0, true }

// next numbers the jobs from 1, since their ids are texts. A fault has the number of the job in the place of a line.
func (p *phillyJSONReader) next() (request, error) {
	if !p.begun {
		p.begun = true
		if start, err := p.in.Token(); err != nil || start != json.Delim('[') {
			return request{}, fmt.Errorf("%s: got no list of jobs, allowed cluster_job_log of Philly, which begins with [", p.name)
		}
	}
	if !p.in.More() {
		// More is also false at the end of a file that lacks its last part.
		if end, err := p.in.Token(); err != nil || end != json.Delim(']') {
			return request{}, fmt.Errorf("%s: job %d: got the end of the file, allowed a list of jobs that ends in ]", p.name, p.jobs+1)
		}
		if _, err := p.in.Token(); !errors.Is(err, io.EOF) {
			return request{}, fmt.Errorf("%s: job %d: got more text behind the list, allowed one list of jobs", p.name, p.jobs+1)
		}
		return request{}, io.EOF
	}
	p.jobs++
	var j phillyJob
	if err := p.in.Decode(&j); err != nil {
		var mistyped *json.UnmarshalTypeError
		if errors.As(err, &mistyped) {
			return request{}, records.Bad(p.jobs, mistyped.Field, "got a "+mistyped.Value, "what cluster_job_log of Philly has")
		}
		if errors.Is(err, io.EOF) {
			// Otherwise a lost end would be the end.
			err = io.ErrUnexpectedEOF
		}
		return request{}, fmt.Errorf("%s: job %d: %w", p.name, p.jobs, err)
	}
	return j.request(p.jobs)
}

func (j *phillyJob) request(number int) (request, error) {
	var last phillyAttempt
	if n := len(j.Attempts); n > 0 {
		last = j.Attempts[n-1]
	}
	row := tableRow{reader: phillyTable(), line: number, fields: []string{j.Status, j.Submitted, last.Start, last.End}}
	req := request{line: number, id: strconv.Itoa(number), user: user{text: j.User}, submit: row.time(meansSubmit)}
	if !row.has(meansSubmit) {
		row.fault(meansSubmit, "a time: each job has one")
	}
	// A virtual cluster of Philly is a partition of Slurm.
	req.unused.partition = j.VC
	req.unused.attempts = max(0, len(j.Attempts)-1)
	row.times(&req)
	for _, node := range last.Detail {
		req.gpus += len(node.GPUs)
	}
	req.nodes, req.cores = len(last.Detail), req.gpus
	if req.gpus == 0 && req.leftOut == "" {
		req.leftOut = noCores
	}
	return req, row.bad
}

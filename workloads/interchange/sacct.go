package interchange

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// SacctFields are the fields that a dump of "sacct -X -P --format=..." must have, each
// by one of the given names; package slurmctl/sacct has those of our own runs. It is
// better to ask also for
//   - JobIDRaw, because the tasks of a job array have no plain JobID,
//   - Elapsed, because End-Start counts time in suspension,
//   - Timelimit,
//   - AllocTRES and ReqTRES, which have the GPUs,
//   - User, without which Account is the user.
//
// Further fields and any order are good. Names are compared without case.
func SacctFields() [][]string {
	return [][]string{
		{"JobIDRaw", "JobID"}, {"State"}, {"Submit"}, {"Start"}, {"End"},
		{"NNodes", "AllocNodes"}, {"NCPUS", "AllocCPUS", "ReqCPUS"},
	}
}

// sacctOptional are further fields that are read where they exist.
func sacctOptional() [][]string {
	return [][]string{{"ElapsedRaw", "Elapsed"}, {"TimelimitRaw", "Timelimit"}, {"AllocTRES"}, {"ReqTRES"}, {"User", "Account"}, {"ReqMem"}, {"Partition"}, {"QOS"}}
}

// sacctReader reads the jobs of a sacct dump.
type sacctReader struct {
	in *lines
	// columns is the number of fields, at their places by the first name of
	// their list.
	columns int
	at      map[string]int
	// named are the names in the header for messages.
	named []string
	// openEnd says that the last field is not read, so that its value may go on in
	// a further line.
	openEnd bool
	// ahead is a line that was read but not used.
	ahead     string
	aheadLine int
	hasAhead  bool
}

func newSacct(name string, in io.Reader) (*sacctReader, error) {
	s := &sacctReader{in: newLines(name, in), at: map[string]int{}}
	header, err := s.in.header()
	if err != nil {
		return nil, err
	}
	s.named = strings.Split(strings.TrimSuffix(header, "|"), "|")
	s.columns = strings.Count(header, "|") + 1
	if s.columns == 1 {
		return nil, fmt.Errorf("%s:1: header: got %s, allowed names of fields separated by '|' (sacct -X -P)", name, workloads.Quote(header))
	}
	s.openEnd = true
	for _, names := range append(SacctFields(), sacctOptional()...) {
		for _, n := range names {
			if i := slices.IndexFunc(s.named, func(h string) bool { return strings.EqualFold(h, n) }); i >= 0 {
				s.at[names[0]] = i
				s.openEnd = s.openEnd && i != s.columns-1
				break
			}
		}
	}
	for _, names := range SacctFields() {
		if _, ok := s.at[names[0]]; !ok {
			return nil, fmt.Errorf("%s:1: header: got no %s, allowed are dumps with %s", name, strings.Join(names, " or "), sacctList())
		}
	}
	return s, nil
}

func sacctList() string {
	var all []string
	for _, names := range SacctFields() {
		all = append(all, strings.Join(names, " or "))
	}
	return strings.Join(all, ", ")
}

func (s *sacctReader) header() []string { return nil }

// epoch is that of Unix: times without a zone are read as UTC.
func (s *sacctReader) epoch() (float64, bool) { return 0, true }

// take returns the next line and its number.
func (s *sacctReader) take() (string, int, error) {
	if s.hasAhead {
		s.hasAhead = false
		return s.ahead, s.aheadLine, nil
	}
	line, err := s.in.next()
	return string(line), s.in.number, err
}

// record returns the fields of the next record. A value may hold line ends (a
// job's name, its submit line): lines belong to a record until one begins the
// next.
func (s *sacctReader) record() ([]string, int, error) {
	text, line, err := s.take()
	if err != nil {
		return nil, line, err
	}
	separators := s.columns - 1
	for count := strings.Count(text, "|"); count < separators || count == separators && s.openEnd; {
		next, number, err := s.take()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, line, err
		}
		more := strings.Count(next, "|")
		if s.begins(next, more) || count+more > separators {
			s.ahead, s.aheadLine, s.hasAhead = next, number, true
			break
		}
		if text += "\n" + next; len(text) > maxLine {
			return nil, line, &Fault{Line: line, Text: fmt.Sprintf("record: got more than %d bytes, allowed %d", maxLine, maxLine)}
		}
		count += more
	}
	fields := strings.Split(text, "|")
	if len(fields) != s.columns {
		return nil, line, &Fault{Line: line, Text: fmt.Sprintf("fields: got %d, allowed %d separated by '|'", len(fields), s.columns)}
	}
	return fields, line, nil
}

// begins says whether a line is the first of a record: it starts with a job id
// where that is the first field, else it has all fields.
func (s *sacctReader) begins(line string, separators int) bool {
	if s.at["JobIDRaw"] != 0 {
		return separators >= s.columns-1
	}
	id, _, ok := strings.Cut(line, "|")
	return ok && id != "" && id[0] >= '0' && id[0] <= '9' && !strings.ContainsAny(id, " \t")
}

func (s *sacctReader) next() (request, error) {
	fields, line, err := s.record()
	if err != nil {
		return request{}, err
	}
	row := sacctRow{line: line, fields: fields, reader: s}
	req := row.request()
	return req, row.bad
}

// sacctRow reads the values of one record; the first bad one is kept.
type sacctRow struct {
	line   int
	fields []string
	reader *sacctReader
	bad    error
}

func (r *sacctRow) text(field string) string {
	i, ok := r.reader.at[field]
	if !ok {
		return ""
	}
	return strings.TrimSpace(r.fields[i])
}

// name is what the header calls a field.
func (r *sacctRow) name(field string) string { return r.reader.named[r.reader.at[field]] }

func (r *sacctRow) fault(field, allowed string) {
	if r.bad == nil {
		r.bad = badField(r.line, r.name(field), r.text(field), allowed)
	}
}

func (r *sacctRow) request() request {
	req := request{line: r.line, id: r.text("JobIDRaw")}
	state, _, _ := strings.Cut(r.text("State"), " ")
	start, started := r.time("Start")
	end, ended := r.time("End")
	req.start, req.started = start, started
	switch {
	case strings.Contains(req.id, "."):
		req.leftOut = step
	case state == "":
		r.fault("State", "Slurm's word for a job's state")
	case !started && ended && state == "CANCELLED":
		return r.cancelled(req, end)
	case !started && (ended || state == "PENDING" || state == "CANCELLED"):
		req.leftOut = neverRan
	case !ended:
		req.leftOut = notEnded
	}
	if r.bad != nil || req.leftOut != "" {
		return req
	}
	if end < start {
		r.fault("End", "no time before "+r.name("Start"))
	}
	req.runtime = r.elapsed(end - start)
	if req.runtime == 0 && state == "CANCELLED" {
		return r.cancelled(req, end)
	}
	req.submit = r.submit()
	r.common(&req)
	req.outcome, req.unused.state = outcomeOf(state)
	req.nodes, req.cores = r.count("NNodes"), r.count("NCPUS")
	if req.gpus = r.gpus("AllocTRES"); r.text("AllocTRES") == "" {
		req.gpus = r.gpus("ReqTRES")
	}
	return req
}

// cancelled is a job that was cancelled before it started. It has no allocation.
func (r *sacctRow) cancelled(req request, end float64) request {
	req.started = false
	req.submit = r.submit()
	req.outcome, req.cancelAfter = workloads.CancelledPending, end-req.submit
	r.common(&req)
	req.nodes, req.cores, req.gpus = r.asked("NNodes", "node"), r.asked("NCPUS", "cpu"), r.gpus("ReqTRES")
	switch {
	case req.cancelAfter < 1:
		req.leftOut = neverRan
	case req.cores == 0:
		req.leftOut = noCores
	}
	return req
}

func (r *sacctRow) submit() float64 {
	submit, submitted := r.time("Submit")
	if !submitted {
		r.fault("Submit", sacctTimes)
	}
	return submit
}

// common reads what jobs with and without an allocation have.
func (r *sacctRow) common(req *request) {
	req.limit = r.limit()
	req.unused = r.unused()
	req.user.text = r.text("User")
}

// asked is what a job without an allocation asked for: the field has it or 0, depending
// on the version of Slurm, and ReqTRES has it if it is there.
func (r *sacctRow) asked(field, resource string) int {
	n, err := strconv.ParseUint(r.text(field), 10, 31)
	if err != nil {
		r.fault(field, "a whole number from 0")
	}
	if n > 0 {
		return int(n)
	}
	tres, err := values.TRES(r.text("ReqTRES"))
	if err != nil {
		r.fault("ReqTRES", "name=value pairs separated by commas")
	}
	count, _ := values.Count(tres[resource])
	return size(float64(count))
}

func (r *sacctRow) count(field string) int {
	n, err := strconv.ParseUint(r.text(field), 10, 31)
	if err != nil || n == 0 {
		r.fault(field, "a whole number from 1")
	}
	return int(n)
}

// outcomeOf is what becomes of a job that ended in a state of Slurm. A job that neither its
// program nor its user nor its limits ended, as one whose node failed or that was
// preempted, fails when it has run for as long; unused is then the state.
func outcomeOf(state string) (outcome workloads.Outcome, unused string) {
	for _, o := range workloads.Outcomes() {
		if o.State() == state {
			return o, ""
		}
	}
	return workloads.Failed, state
}

// unused is what a workload has no word for.
func (r *sacctRow) unused() unused {
	memory := strings.Contains(r.text("ReqTRES"), "mem=") || strings.Contains(r.text("AllocTRES"), "mem=")
	// "0n" and "0c" ask for all memory of a node or for none.
	asked := strings.Trim(r.text("ReqMem"), "0cnKMGT") != ""
	return unused{memory: memory || asked, partition: r.text("Partition"), qos: r.text("QOS")}
}

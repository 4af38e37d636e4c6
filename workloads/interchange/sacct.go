package interchange

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// SacctFields are the fields that a dump of "sacct -X -P --format=..." must have, each
// by one of the given names; package slurmctl/accounting has those of our own runs. It is
// better to ask also for
//   - JobIDRaw, because the tasks of a job array have no plain JobID,
//   - Elapsed, because End-Start counts time in suspension,
//   - Timelimit,
//   - AllocTRES and ReqTRES, which have the GPUs,
//   - User, without which Account is the user,
//   - Partition, ReqMem and Constraints, for machines that have such things,
//   - Account, which is charged beside the User,
//   - Eligible, from which jobs begin no earlier, and Reason, which says whether that was for a dependency,
//   - JobID, which tells the array of a task, and SubmitLine, which tells how many of its tasks may run at a time,
//   - SegmentSize, the nodes that are within a block together,
//   - NodeList, on which jobs run that ran when a time window began (Options.KeepState),
//   - QOS, for machines that have such; elsewhere it is counted, as it may have held jobs back.
//
// Further fields and any order are good. Names are compared without case.
func SacctFields() [][]string {
	return [][]string{
		{"JobIDRaw", "JobID"}, {"State"}, {"Submit"}, {"Start"}, {"End"},
		{"NNodes", "AllocNodes", "ReqNodes"}, {"NCPUS", "AllocCPUS", "ReqCPUS"},
	}
}

// sacctOptional are further fields that are read where they exist.
func sacctOptional() [][]string {
	return [][]string{{"ElapsedRaw", "Elapsed"}, {"TimelimitRaw", "Timelimit"}, {"AllocTRES"}, {"ReqTRES"}, {"User", "Account"}, {"Account"}, {"Eligible"}, {"Reason"}, {"ReqMem"}, {"Partition"}, {"QOS"}, {"Constraints"}, {"Licenses"}, {"Reservation"},
		{"JobID"}, {records.SubmitLine}, {"NodeList"}, {records.SegmentSize}}
}

// sacctReader reads the jobs of a sacct dump.
type sacctReader struct {
	records.Dump
	// at are the indices of the fields by the first name of their list.
	at map[string]int
	// json says that the rows were jobs of JSON, whose run time is in seconds.
	json bool
}

func newSacct(name string, in io.Reader) (*sacctReader, error) {
	text := records.NewLines(name, in)
	header, err := text.Header()
	if err != nil {
		return nil, err
	}
	s := &sacctReader{at: map[string]int{}}
	if s.Dump, err = records.NewDump(text, header); err != nil {
		return nil, err
	}
	for _, names := range append(SacctFields(), sacctOptional()...) {
		for _, n := range names {
			if i := s.Table.Index(n); i >= 0 {
				s.at[names[0]] = i
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

func (s *sacctReader) next() (request, error) {
	fields, line, err := s.Record()
	if err != nil {
		return request{}, err
	}
	row := sacctRow{line: line, fields: fields, reader: s}
	row.whole()
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

// whole refuses values of which a table of fixed width shows the beginning alone. The beginning of a state is enough.
func (r *sacctRow) whole() {
	if !r.reader.Table.Fixed() {
		return
	}
	for field, i := range r.reader.at {
		if !r.reader.Table.IsCut(i, r.fields[i]) {
			continue
		}
		if field == "State" {
			r.fields[i] = wholeState(strings.TrimSuffix(r.fields[i], "+"))
			continue
		}
		r.fault(field, "values that are not cut off (sacct -X -P)")
	}
}

// wholeState is the state of Slurm that begins with a text.
func wholeState(start string) string {
	for _, state := range []string{"CANCELLED", "OUT_OF_MEMORY", "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "COMPLETED", "COMPLETING", "SUSPENDED", "REQUEUED", "DEADLINE", "RESIZING"} {
		if strings.HasPrefix(state, start) || strings.HasPrefix(start, state) {
			return state
		}
	}
	return start
}

func (r *sacctRow) text(field string) string {
	i, ok := r.reader.at[field]
	if !ok {
		return ""
	}
	return strings.TrimSpace(r.fields[i])
}

// name is what the header calls a field.
func (r *sacctRow) name(field string) string { return r.reader.Table.Names[r.reader.at[field]] }

func (r *sacctRow) fault(field, allowed string) {
	if r.bad == nil {
		of := ""
		if r.reader.json {
			of = "job " + r.text("JobIDRaw") + ": "
		}
		r.bad = records.BadField(r.line, of+r.name(field), r.text(field), allowed)
	}
}

func (r *sacctRow) request() request {
	req := request{line: r.line, id: r.text("JobIDRaw")}
	state, _, _ := strings.Cut(r.text("State"), " ")
	start, started := r.time("Start")
	end, ended := r.time("End")
	req.start, req.started = start, started
	if ended {
		req.end = end
	}
	req.submit, _ = r.time("Submit")
	req.user.text = r.text("User")
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
		r.running(&req, state)
	}
	if r.bad != nil || req.leftOut != "" {
		return req
	}
	if end < start {
		r.fault("End", "no time before "+r.name("Start"))
	}
	req.runtime = r.elapsed(end - start)
	switch {
	case req.runtime > 0:
	case state == "CANCELLED":
		return r.cancelled(req, end)
	case !r.allocated():
		req.leftOut = neverRan
		return req
	}
	req.submit = r.submit()
	req.nodes, req.cores = r.count("NNodes"), r.count("NCPUS")
	if req.gpus = r.gpus("AllocTRES"); r.text("AllocTRES") == "" {
		req.gpus = r.gpus("ReqTRES")
	}
	r.common(&req)
	req.held = r.held(end - start - req.runtime)
	req.outcome, req.unused.state = outcomeOf(state)
	return req
}

// running reads what a job has that still ran when the record was taken. Only a workload that begins with the state of the cluster may have
// it, so its faults are none of the record's.
func (r *sacctRow) running(req *request, state string) {
	before := r.bad
	req.cores, req.gpus = r.count("NCPUS"), r.gpus("AllocTRES")
	if req.started && state == "RUNNING" {
		req.submit, req.nodes = r.submit(), r.count("NNodes")
		r.common(req)
		req.held = r.held(0)
		req.lasts = r.bad == nil && req.limit > 0
	}
	r.bad = before
}

// cancelled is a job that was cancelled before it started. It has no allocation.
func (r *sacctRow) cancelled(req request, end float64) request {
	req.started = false
	req.submit = r.submit()
	req.outcome, req.cancelAfter = workloads.CancelledPending, end-req.submit
	req.nodes, req.cores, req.gpus = r.asked("NNodes", "node"), r.asked("NCPUS", "cpu"), r.gpus("ReqTRES")
	r.common(&req)
	switch {
	case req.cancelAfter < 1:
		req.leftOut = neverRan
	case req.cores == 0:
		req.leftOut = noCores
	}
	return req
}

// allocated says whether a job that ran for no second had an allocation. Slurm ends a job that can never run (BadConstraints, DEADLINE) with its
// end as its start. sacct shows no AllocTRES and no nodes of it then, and from Slurm 23.02 on no CPUs (PRINT_ALLOC_CPUS in src/sacct/print.c).
func (r *sacctRow) allocated() bool {
	_, tells := r.reader.at["AllocTRES"]
	return (!tells || r.text("AllocTRES") != "") && r.text("NodeList") != records.NoNodes && r.text("NCPUS") != "0"
}

func (r *sacctRow) submit() float64 {
	submit, submitted := r.time("Submit")
	if !submitted {
		r.fault("Submit", sacctTimes)
	}
	return submit
}

// common reads what jobs with and without an allocation have, when their size is known.
func (r *sacctRow) common(req *request) {
	req.limit = r.limit()
	req.recorded, req.unused = r.recorded(req.nodes, req.cores)
	if req.gpus == 0 {
		req.recorded.Shards, req.recorded.MPS = r.parts("gres/shard", req.nodes), r.parts("gres/mps", req.nodes)
	}
	req.ruled = r.ruled()
	req.array = r.array()
	req.partitions = r.partitions()
	// sacct(1): JobID of a component is JOB+OFFSET.
	req.unused.component = strings.Contains(r.text("JobID"), "+")
	if req.started {
		req.hosts = r.text("NodeList")
	}
	req.unused.licences = r.text("Licenses") != "" && req.ruled.Licenses == ""
	if req.gpus == 0 {
		req.recorded.GPUType = ""
	}
	req.threads = true
	req.user.text = r.text("User")
	if r.text("User") != "" && r.reader.at["User"] != r.reader.at["Account"] {
		req.account.text = r.text("Account")
	}
	r.waited(req)
}

// held reads what the job had. Elapsed leaves out the time in suspension (sacct(1)).
func (r *sacctRow) held(suspended float64) held {
	h := held{tres: r.text("AllocTRES"), unlimited: r.text("TimelimitRaw") == "UNLIMITED", suspended: suspended > 1}
	if tres, err := values.TRES(r.text("ReqTRES")); err == nil {
		h.asked, _ = values.Count(tres["cpu"])
	}
	return h
}

// waited reads for how long something else than a lack of nodes kept the job from starting. Slurm
// notices within a second of its submission that a job is eligible. What does not hang on another job, as a begin
// time or a hold of its user, is a begin time of the workload; sacct names the job of a dependency nowhere.
func (r *sacctRow) waited(req *request) {
	eligible, ok := r.time("Eligible")
	held, other := 0.0, strings.HasPrefix(r.text("Reason"), "Dependency")
	switch {
	case ok:
		held = eligible - req.submit
	case r.text("Eligible") != "" && req.outcome == workloads.CancelledPending:
		// It was never eligible.
		held, other = req.cancelAfter, true
	}
	switch {
	case held <= 1:
	case other || held > longestBegin:
		req.unused.held = held
	default:
		req.begin = held
	}
}

// longestBegin is the largest begin_after_s of a workload.
const longestBegin = 365 * 24 * 3600

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

// outcomeOf is the outcome of a job that ended in a state of Slurm. Neither program, user nor limits end a job whose
// node failed or that was preempted. Such a job fails when it has run for as long, and unused is then the state.
func outcomeOf(state string) (outcome workloads.Outcome, unused string) {
	for _, o := range workloads.Outcomes() {
		if o.State() == state {
			return o, ""
		}
	}
	return workloads.Failed, state
}

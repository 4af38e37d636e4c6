package interchange

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// Reasons for leaving out a record that is not bad.
const (
	neverRan  = "never ran"
	notEnded  = "not ended"
	step      = "job steps"
	burst     = "parts of checkpointed jobs"
	noCores   = "processors unknown"
	outside   = "outside the time window"
	beyondMax = "after the last job asked for"
	late      = "more than a year after the first job"
	nowhere   = "in partitions that the machine does not have"
)

// request is one job of a trace, in the trace's own terms.
type request struct {
	// record is the number of the record, which several on one line need.
	line, record int
	id           string
	// submit, runtime and limit are seconds; limit 0 means that none is known.
	submit, runtime, limit float64
	// nodes, cores and gpus are totals; 0 means not asked for.
	nodes, cores, gpus int
	// gpuShare is the part of one GPU of each node that the job asked for, below 1, and 0 where it asked for whole ones.
	gpuShare float64
	// threads says that cores are Slurm's CPUs, each of which is a thread where the nodes have
	// several for a core.
	threads bool
	// start is when the job started, on the clock of submit, if started says that it is
	// known.
	start   float64
	started bool
	// end is when it ended, on the same clock, whether or not it had started; 0 where the trace does not say.
	end float64
	// shared is 1 if that part became shards, else 0.
	shared int
	// unequal is 1 if the job got another number of cores than it asked for, else 0.
	unequal int
	// waitUnknown says that start is a guess.
	waitUnknown bool
	// outcome is how it ended, cancelAfter how long after submit if that was before it
	// started.
	outcome     workloads.Outcome
	cancelAfter float64
	user        user
	// options are from a file that this package wrote. recorded are from another machine's job, and are taken as far
	// as the machine has such things.
	options, recorded workloads.Options
	// terms are from such a file. account is from a record, and so is begin, the seconds from submission to the
	// earliest start, 0 for none. ruled has its QOS, licences and reservation, which are taken as recorded is.
	terms   workloads.Terms
	account user
	ruled   workloads.Terms
	begin   float64
	// array is Terms.Array, hosts are the site's nodes on which the job ran, a hostlist, and partitions are those that the job named, as
	// Options.Partition has them, where it named several. recorded has the one in which it ran. Each is "" where unknown.
	array, hosts, partitions string
	// held is what a record of sacct says of the allocation, for Holdings.
	held   held
	unused unused
	// own has what Batsim's format does not know, in a file that this package wrote.
	own *ownJob
	// lasts says that the job still ran when the trace was taken, and is known but for its end.
	lasts bool
	// leftOut is the reason why the record is no job.
	leftOut string
}

// held are AllocTRES, the CPUs of ReqTRES (0 where unknown), whether the time limit is UNLIMITED, and whether the job was suspended for a time.
type held struct {
	tres                 string
	asked                int
	unlimited, suspended bool
}

// size turns a checked number into an int that leaves room for products.
func size(v float64) int { return int(math.Min(v, math.MaxInt32)) }

// seconds is size for rounded times.
func seconds(v float64) int { return size(math.Max(v, 0)) }

// needs is a job that needs every column of workload.csv that a file written by this package has, with user and outcome.
func (r *request) needs() workloads.Job {
	j := workloads.Job{User: r.user.text, Outcome: r.outcome, Options: r.options, Terms: r.terms}
	if r.own != nil {
		j.NodesMax = max(0, r.own.NodesMax)
	}
	if r.outcome == workloads.CancelledPending {
		j.CancelAfter = 1
	}
	return j
}

// converter makes jobs of requests.
type converter struct {
	options ImportOptions
	// first is the submission to which arrivals and window refer.
	first   float64
	window  timeSpan
	summary *Summary
	seen    *ids
	runs    runs
	jobs    int
	// earlier has the arrays so far and, where jobs have dependencies, the jobs by the ids in the workload. renamed
	// maps each of these to the id in the trace.
	earlier workloads.Earlier
	renamed map[int]int
	// state has the jobs of a workload that begins with the state of the cluster.
	state state
	// demand is what the jobs need, also those that the machine is too small for.
	demand workloads.Demand
}

// job converts one request. A nil job without a fault was left out.
func (c *converter) job(req request) (*workloads.Job, *faults.Fault) {
	again := !c.seen.add(req.id)
	if again && (!c.options.Renumber || !c.runs.of[req.id]) {
		return nil, records.BadField(req.line, "job id", req.id, "each once")
	}
	o := c.options.Rescale
	since := req.submit - c.first
	past := c.state.past(req, c.first+c.window.from)
	inside := since >= c.window.from && since < c.window.until
	if !inside && past == (workloads.Past{}) {
		if since < c.window.from {
			c.summary.earlier.add(req, c.first+c.window.from, c.options.Machine.Cores)
		}
		c.summary.leaveOut(outside)
		return nil, nil
	}
	if inside && o.MaxJobs > 0 && c.jobs-c.state.jobs == o.MaxJobs {
		c.summary.leaveOut(beyondMax)
		return nil, nil
	}
	arrival := seconds(math.Floor((since-c.window.from)*o.arrivalFactor())) + c.state.headStart()
	if arrival > sbatch.MaxSeconds {
		c.summary.leaveOut(late)
		return nil, nil
	}
	id, fault := c.number(req)
	if fault != nil {
		return nil, fault
	}
	j := workloads.Job{
		ID:      id,
		Arrival: arrival,
		Runtime: seconds(math.Round(req.runtime)),
		Outcome: req.outcome, CancelAfter: seconds(req.cancelAfter), Options: req.options, Terms: req.terms,
	}
	if req.begin > 0 {
		j.BeginAfter = seconds(math.Round(req.begin))
	}
	j.User = req.user.workloadName()
	if req.account.text != "" {
		j.Account = req.account.workloadName()
	}
	if req.ruled != (workloads.Terms{}) {
		under := takenTerms(req.ruled, c.options.Machine, &req.unused)
		j.QOS, j.Licenses, j.Reservation = under.QOS, under.Licenses, under.Reservation
	}
	if req.array != "" {
		j.Array = req.array
	}
	c.depends(&j, &req.unused)
	if j.Outcome != workloads.CancelledPending {
		j.Runtime = max(1, j.Runtime)
	}
	if j.Options == (workloads.Options{}) {
		j.Options = c.options.recorded(&req, past.Ran > 0)
		if !c.placed(&j, &req.unused) {
			return nil, nil
		}
	}
	halved := req.wholeCores(&j, c.options.Machine)
	shaped := c.shape(&j, req)
	req.unused.gpus = req.nodes == 0 && req.gpus > 0
	if req.recorded.Segment > 0 && !j.HasSegments(c.options.Machine) {
		j.Segment, req.unused.segment = 0, true
	}
	if j.Switches > 0 && !j.HasSwitches(c.options.Machine) {
		j.Switches, req.unused.switches, req.unused.switchWait = 0, true, false
	}
	shaped.threads, shaped.allocated, shaped.shared = halved, req.unequal, req.shared
	shaped.limit(&j, req, c.longest(j))
	c.state.take(&j, past)
	c.state.settle(&j, req, c.options.Machine)
	c.demand.Add(j)
	errs := j.Validate(c.options.Machine)
	if err := c.earlier.Check(j); err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		texts := make([]string, len(errs))
		for i, err := range errs {
			texts[i] = err.Error()
		}
		return nil, records.Bad(req.line, "", strings.Join(texts, "; "), "")
	}
	if !c.summary.users.add(req.user) {
		return nil, records.BadField(req.line, "user", req.user.text, "any that does not become "+j.User+" as another user of the trace does")
	}
	if !c.summary.accounts.add(req.account) {
		return nil, records.BadField(req.line, "account", req.account.text, "any that does not become "+j.Account+" as another account of the trace does")
	}
	c.note(j, req)
	c.jobs++
	if past != (workloads.Past{}) {
		c.state.jobs++
		c.summary.earlier.add(req, c.first+c.window.from, c.options.Machine.Cores)
	}
	if again {
		shaped.runs = 1
	}
	c.summary.Adjusted.add(shaped)
	c.summary.Outcomes[j.Outcome]++
	c.summary.ignored.add(req.unused)
	return &j, nil
}

// depends gives the dependency of a job, which names another one of the trace, that one's id in the workload. A job that
// waits for one that was left out waits for none.
func (c *converter) depends(j *workloads.Job, u *unused) {
	d, ok := j.Waits()
	if !ok {
		return
	}
	id, known := c.renamed[d.Job]
	if !known {
		u.dependency, j.Dependency = true, ""
		return
	}
	j.Dependency = workloads.Dependency{Kind: d.Kind, Job: id}.String()
}

// note remembers a job on which others may depend.
func (c *converter) note(j workloads.Job, req request) {
	if !c.summary.Columns.HasDependencies() {
		c.earlier.AddArray(j)
		return
	}
	if c.renamed == nil {
		c.renamed = map[int]int{}
	}
	c.earlier.Add(j)
	if n, err := strconv.Atoi(req.id); err == nil {
		c.renamed[n] = j.ID
	}
}

// number is the id of a job in the workload.
func (c *converter) number(req request) (int, *faults.Fault) {
	if c.options.Renumber {
		return c.jobs + 1, nil
	}
	n, err := strconv.Atoi(req.id)
	if err != nil || n < 1 || n > workloads.MaxID || strconv.Itoa(n) != req.id {
		return 0, records.BadField(req.line, "job id", req.id, fmt.Sprintf("a whole number in 1..%d (of sacct: JobIDRaw), or any with renumbering (--renumber)", workloads.MaxID))
	}
	return n, nil
}

// shape sets the request for nodes, cores and GPUs.
func (c *converter) shape(j *workloads.Job, req request) adjustments {
	var done adjustments
	if req.nodes == 0 {
		j.Cores = c.options.Rescale.scaled(req.cores)
	} else {
		done = c.nodes(j, req)
	}
	j.Class = j.Kind()
	if req.own != nil {
		j.Contiguous, j.Class = req.own.Contiguous, req.own.Class
	}
	return done
}

// nodes is shape for a request that names nodes.
func (c *converter) nodes(j *workloads.Job, req request) adjustments {
	var done adjustments
	o, m := c.options.Rescale, c.options.Machine
	nodes, cores, gpus := o.scaled(req.nodes), req.cores, req.gpus
	// A job keeps its cores and GPUs per node, so its totals change with its nodes.
	if nodes != req.nodes {
		cores = max(nodes, roundedShare(req.cores, nodes, req.nodes))
		gpus = roundedShare(req.gpus, nodes, req.nodes)
	}
	isRange := req.own != nil && (req.own.GPUsMin < req.own.GPUsMax || req.own.NodesMax > 0)
	tooLarge := cores > nodes*m.Cores || m.GPUs > 0 && gpus > nodes*m.GPUs
	// The run time of a job with a GPU range is only known on its own nodes.
	if o.Fit && tooLarge && !isRange {
		nodes = max(nodes, ceil(cores, m.Cores))
		if m.GPUs > 0 {
			nodes = max(nodes, ceil(gpus, m.GPUs))
		}
		cores = max(cores, nodes)
		j.MemPerNode = ceil(j.MemPerNode*o.scaled(req.nodes), nodes)
		done.spread = 1
	}
	j.Nodes, j.Cores = nodes, cores
	if cores%nodes == 0 && (req.own == nil || req.own.CoresPerNode > 0) {
		j.CoresPerNode = cores / nodes
	}
	perNode := ceil(gpus, nodes)
	if perNode*nodes != gpus {
		done.gpus = 1
	}
	j.GPUsMin, j.GPUsMax = perNode, perNode
	if isRange {
		j.GPUsMin, j.NodesMax = req.own.GPUsMin, o.scaled(req.own.NodesMax)
	}
	// A size factor may leave one number of a range of nodes.
	if j.NodesMax <= j.Nodes {
		j.NodesMax = 0
	}
	return done
}

// roundedShare is total*part/whole, rounded half up.
func roundedShare(total, part, whole int) int {
	return int((2*int64(total)*int64(part) + int64(whole)) / (2 * int64(whole)))
}

func ceil(a, b int) int { return (a + b - 1) / b }

// adjustments counts what had to be changed in jobs.
type adjustments struct {
	limitsMade, limitsRaised, limitsKept, limitsRounded, limitsOfDay, limitsReached, limitsOfYear, spread, gpus, threads, runs, allocated, shared int
}

func (a *adjustments) add(b adjustments) {
	a.limitsMade += b.limitsMade
	a.limitsRaised += b.limitsRaised
	a.limitsKept += b.limitsKept
	a.limitsRounded += b.limitsRounded
	a.limitsOfDay += b.limitsOfDay
	a.limitsReached += b.limitsReached
	a.limitsOfYear += b.limitsOfYear
	a.spread += b.spread
	a.gpus += b.gpus
	a.threads += b.threads
	a.runs += b.runs
	a.allocated += b.allocated
	a.shared += b.shared
}

// longest is the longest time limit that partitions, QOS, account and user allow the job, in seconds, 0 for any.
func (c *converter) longest(j workloads.Job) int {
	longest, _ := j.LongestLimit(c.options.Machine)
	in := 0
	for _, partition := range c.options.Machine.PartitionsOf(j) {
		if partition.MaxTime == 0 {
			return longest
		}
		in = max(in, 60*partition.MaxTime)
	}
	if longest == 0 || in > 0 && in < longest {
		return in
	}
	return longest
}

// limit sets the time limit. A job that ran into its limit runs for the limit. One that ended otherwise at its limit,
// or a little later, gets a limit above its run time, so that Slurm does not kill it. Where its partition or QOS allows
// none, it keeps the longest one and ends a second before it, as Slurm kills up to a minute late. Limits are rounded
// up to whole minutes, which are Slurm's.
func (a *adjustments) limit(j *workloads.Job, req request, most int) {
	const longest = 365 * 24 * 3600 // Slurm's own
	const day = 24 * 3600
	const late = 60
	limit := min(seconds(math.Ceil(req.limit)), longest)
	switch {
	case j.Outcome == workloads.Timeout:
		reached := max(60, j.Runtime/60*60)
		if limit = workloads.WholeMinutes(limit); limit == 0 || limit > reached {
			limit = reached
			a.limitsReached = 1
		}
		j.Runtime = min(limit, longest)
	case limit == 0 && j.Outcome == workloads.CancelledPending:
		limit = day
		if most > 0 {
			limit = min(day, most)
		}
		a.limitsOfDay = 1
	case limit == 0:
		if limit = workloads.DefaultLimit(j.Runtime); j.Runtime < most {
			limit = min(limit, most)
		}
		a.limitsMade = 1
	case req.own == nil && limit == most && most > 0 && j.Runtime >= most && j.Runtime <= most+late:
		j.Runtime = most - 1
		a.limitsKept = 1
	case req.own == nil && limit <= j.Runtime:
		limit = workloads.WholeMinutes(j.Runtime + 60)
		a.limitsRaised = 1
	case limit%60 != 0:
		limit = workloads.WholeMinutes(limit)
		a.limitsRounded = 1
	}
	j.Limit = min(limit, longest)
	if req.limit > longest && j.Limit == longest {
		a.limitsOfYear = 1
	}
}

// text lists what was changed.
func (a adjustments) text() []string {
	var out []string
	add := func(n int, what string) {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(a.limitsMade, "without a time limit got 1.5 run times and 2 minutes")
	add(a.limitsRaised, "that reached their time limit got one a minute above the run time")
	add(a.limitsKept, "that reached the longest time limit that they may have run a second less than it")
	add(a.limitsReached, "that ran into a time limit which is unknown or above the run time got one of the run time, in whole minutes")
	add(a.limitsOfDay, "cancelled while pending without a time limit got one of a day")
	add(a.limitsOfYear, "with time limits of more than 365 days got one of 365 days")
	add(a.limitsRounded, "with time limits rounded up to whole minutes, which are Slurm's")
	add(a.threads, "whose CPUs are threads got the whole cores of these")
	add(a.spread, "spread over more nodes")
	add(a.runs, "further runs of requeued jobs became jobs of their own")
	add(a.allocated, "whose allocated processors are not those requested got the latter")
	add(a.shared, "that asked for a part of a GPU got its shards (gres/shard), rounded up to whole ones")
	add(a.gpus, "with uneven GPUs got as many on each node as on the fullest")
	return out
}

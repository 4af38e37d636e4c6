package interchange

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
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
)

// request is one job of a trace, in the trace's own terms.
type request struct {
	line int
	id   string
	// submit, runtime and limit are seconds; limit 0 means that none is known.
	submit, runtime, limit float64
	// nodes, cores and gpus are totals; 0 means not asked for.
	nodes, cores, gpus int
	// start is when the job started, on the clock of submit, if started says that it is
	// known.
	start   float64
	started bool
	// outcome is how it ended, cancelAfter how long after submit if that was before it
	// started.
	outcome     workloads.Outcome
	cancelAfter float64
	user        user
	unused      unused
	// own has what Batsim's format does not know, in a file that this package wrote.
	own *ownJob
	// leftOut is the reason why the record is no job.
	leftOut string
}

// size turns a checked number into an int that leaves room for products.
func size(v float64) int { return int(math.Min(v, math.MaxInt32)) }

// seconds is size for rounded times.
func seconds(v float64) int { return size(math.Max(v, 0)) }

// converter makes jobs of requests.
type converter struct {
	options Options
	// first is the submission to which arrivals and window refer.
	first   float64
	window  window
	summary *Summary
	seen    *ids
	jobs    int
	// demand is what the jobs need, also those that the machine is too small for.
	demand workloads.Demand
}

// job converts one request. A nil job without a fault was left out.
func (c *converter) job(req request) (*workloads.Job, *Fault) {
	if !c.seen.add(req.id) {
		return nil, badField(req.line, "job id", req.id, "each once")
	}
	o := c.options.Rescale
	since := req.submit - c.first
	if since < c.window.from || since >= c.window.until {
		if since < c.window.from {
			c.summary.earlier.add(req, c.first+c.window.from, c.options.Machine.Cores)
		}
		c.summary.leaveOut(outside)
		return nil, nil
	}
	if o.MaxJobs > 0 && c.jobs == o.MaxJobs {
		c.summary.leaveOut(beyondMax)
		return nil, nil
	}
	id, fault := c.number(req)
	if fault != nil {
		return nil, fault
	}
	j := workloads.Job{
		ID:      id,
		Arrival: seconds(math.Floor((since - c.window.from) * o.arrivalFactor())),
		Runtime: seconds(math.Round(req.runtime)),
		Outcome: req.outcome, CancelAfter: seconds(req.cancelAfter),
	}
	if j.Outcome != workloads.CancelledPending {
		j.Runtime = max(1, j.Runtime)
	}
	shaped := c.shape(&j, req)
	shaped.limit(&j, req)
	c.demand.Add(j)
	if errs := j.Validate(c.options.Machine); len(errs) > 0 {
		texts := make([]string, len(errs))
		for i, err := range errs {
			texts[i] = err.Error()
		}
		return nil, &Fault{Line: req.line, Text: strings.Join(texts, "; ")}
	}
	if j.User, fault = c.user(req); fault != nil {
		return nil, fault
	}
	c.jobs++
	c.summary.Adjusted.add(shaped)
	c.summary.Outcomes[j.Outcome]++
	c.summary.ignored.add(req.unused)
	return &j, nil
}

// number is the id of a job in the workload.
func (c *converter) number(req request) (int, *Fault) {
	if c.options.Renumber {
		return c.jobs + 1, nil
	}
	n, err := strconv.Atoi(req.id)
	if err != nil || n < 0 || strconv.Itoa(n) != req.id {
		return 0, badField(req.line, "job id", req.id, "a whole number (of sacct: JobIDRaw), or any with renumbering")
	}
	return n, nil
}

// user is the job's user in the workload.
func (c *converter) user(req request) (string, *Fault) {
	name, ok := c.summary.users.add(req.user)
	if !ok {
		return "", badField(req.line, "user", req.user.text, "any that does not become "+name+" as another user of the trace does")
	}
	return name, nil
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
	limitsMade, limitsRaised, limitsRounded, limitsOfDay, limitsReached, spread, gpus int
}

func (a *adjustments) add(b adjustments) {
	a.limitsMade += b.limitsMade
	a.limitsRaised += b.limitsRaised
	a.limitsRounded += b.limitsRounded
	a.limitsOfDay += b.limitsOfDay
	a.limitsReached += b.limitsReached
	a.spread += b.spread
	a.gpus += b.gpus
}

// limit sets the time limit. A job that ran into its limit runs for the limit. One that
// ended otherwise at its limit, or a little later, gets a limit above its run time, so that
// Slurm does not kill it. Limits are rounded up to whole minutes, which are Slurm's.
func (a *adjustments) limit(j *workloads.Job, req request) {
	const longest = 365 * 24 * 3600 // Slurm's own
	const day = 24 * 3600
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
		a.limitsOfDay = 1
	case limit == 0:
		limit = workloads.DefaultLimit(j.Runtime)
		a.limitsMade = 1
	case req.own == nil && limit <= j.Runtime:
		limit = workloads.WholeMinutes(j.Runtime + 60)
		a.limitsRaised = 1
	case limit%60 != 0:
		limit = workloads.WholeMinutes(limit)
		a.limitsRounded = 1
	}
	j.Limit = min(limit, longest)
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
	add(a.limitsReached, "that ran into a time limit which is unknown or above the run time got one of the run time, in whole minutes")
	add(a.limitsOfDay, "cancelled while pending without a time limit got one of a day")
	add(a.limitsRounded, "with time limits rounded up to whole minutes, which are Slurm's")
	add(a.spread, "spread over more nodes")
	add(a.gpus, "with uneven GPUs got as many on each node as on the fullest")
	return out
}

package interchange

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
)

// unused is what a trace says of a job and a workload has no word for.
type unused struct {
	// memory, features, gpuType and licences say that the job asked for such.
	memory, features, gpuType, licences bool
	// segment says that the machine cannot give the job its nodes in such segments.
	segment bool
	// gpus says that the job has GPUs and the trace no number of its nodes: a workload counts GPUs by node.
	gpus bool
	// switches says that the machine has no such number of switches for the job's nodes, switchWait that the job asked for them for a time alone.
	switches, switchWait bool
	// parts says that the job asked for shards or MPS, and the machine has no GPUs.
	parts bool
	// expected says that the user told how long the job would run, beside its limit.
	expected bool
	// dependency says that the job waited for one that was left out, component that it is a part of a heterogeneous job.
	dependency, component bool
	// gpuFraction and coreFraction say that a part of a GPU or a core became a whole one. attempts are the runs before the last one.
	gpuFraction, coreFraction bool
	attempts                  int
	// lacking are partitions that the machine lacks, beside others of the job that it has.
	lacking names
	// partition, queue, qos and reservation are empty where unknown.
	partition, queue, qos, reservation string
	// held are the seconds for which a dependency kept the job from being considered at all, or anything
	// a job that was never considered.
	held float64
	// state is Slurm's word for how the job ended where the job's outcome is another one.
	state string
}

// ignored counts what was not taken over of the jobs that were imported.
type ignored struct {
	memory, features, gpuTypes, licences, dependencies, components, expected, gpuFractions, coreFractions, parts, segments, switches, switchWaits, gpus int
	// retried counts jobs with earlier attempts, attempts is the sum of these.
	retried, attempts int

	// lackPartitions counts the jobs that named partitions which the machine lacks beside others, lacking are these.
	lackPartitions                                 int
	partitions, queues, qos, reservations, lacking names
	// held counts jobs with such seconds, heldSeconds is their sum.
	held        int
	heldSeconds float64

	states map[string]int
	// complete says that all jobs complete.
	complete bool
	// ownQOS says that the machine has QOS.
	ownQOS bool
}

// mostStates bounds the words for states in a broken trace.
const mostStates = 50

func (i *ignored) add(u unused) {
	for _, each := range []struct {
		asked bool
		jobs  *int
	}{{u.memory, &i.memory}, {u.features, &i.features}, {u.gpuType, &i.gpuTypes}, {u.licences, &i.licences}, {u.dependency, &i.dependencies}, {u.component, &i.components}, {u.expected, &i.expected}, {u.gpuFraction, &i.gpuFractions}, {u.coreFraction, &i.coreFractions}, {u.parts, &i.parts}, {u.segment, &i.segments}, {u.gpus, &i.gpus}, {u.switches, &i.switches}, {u.switchWait, &i.switchWaits}, {u.attempts > 0, &i.retried}} {
		if each.asked {
			*each.jobs++
		}
	}
	i.attempts += u.attempts
	if len(u.lacking) > 0 {
		i.lackPartitions++
		i.lacking.addAll(u.lacking)
	}
	i.partitions.add(u.partition)
	i.queues.add(u.queue)
	i.qos.add(u.qos)
	i.reservations.add(u.reservation)
	if u.held > 0 {
		i.held++
		i.heldSeconds += u.held
	}
	if u.state == "" {
		return
	}
	if i.states == nil {
		i.states = map[string]int{}
	}
	if _, known := i.states[u.state]; !known && len(i.states) >= mostStates {
		u.state = "OTHER"
	}
	// The text is part of a line, which must not stay in memory.
	i.states[strings.Clone(u.state)]++
}

// text lists what was ignored. A single partition or queue tells no jobs apart, so nothing is
// lost with it; a single QOS may have limits.
func (i *ignored) text() []string {
	var out []string
	for _, each := range []struct {
		what string
		jobs int
	}{{"memory", i.memory}, {"features", i.features}, {"types of GPUs", i.gpuTypes}, {"licences", i.licences}, {"dependencies on jobs that were left out", i.dependencies}, {"the common start of the components of heterogeneous jobs, each a job by itself here,", i.components}, {"expected run times (soft wall time)", i.expected}, {"fractions of GPUs, which became whole ones,", i.gpuFractions}, {"fractions of cores, which became whole ones,", i.coreFractions}, {"parts of GPUs (shards, MPS)", i.parts}, {"segments (--segment), for which the machine has no blocks or no fitting ones,", i.segments}, {"GPUs, for which the trace has no number of nodes,", i.gpus}, {"switches (--switches), which the machine lacks or which have too few nodes,", i.switches}, {"times of --switches, in the place of which max_switch_wait counts,", i.switchWaits}} {
		if each.jobs > 0 {
			out = append(out, fmt.Sprintf("%s of %d jobs", each.what, each.jobs))
		}
	}
	if i.retried > 0 {
		out = append(out, fmt.Sprintf("%d earlier attempts of %d jobs, whose last one counts", i.attempts, i.retried))
	}
	if i.lackPartitions > 0 {
		out = append(out, fmt.Sprintf("some partitions of %d jobs, which can start in their others: the machine does not have %s", i.lackPartitions, i.lacking.text()))
	}
	of := ""
	switch {
	case i.ownQOS:
		of = " that the machine does not have, whose jobs get the default one: " + i.qos.text()
	case len(i.qos) == 1:
		of = ", which may have limits"
	}
	for _, kind := range []struct {
		names names
		word  string
		least int
		of    string
	}{{i.partitions, "partitions", 2, ""}, {i.queues, "queues", 2, ""}, {i.qos, "QOS", 1, of}, {i.reservations, "reservations", 1, " that the machine does not have: " + i.reservations.text()}} {
		switch n := len(kind.names); {
		case n == mostNames:
			out = append(out, fmt.Sprintf("%d or more %s", n, kind.word))
		case n == 1 && kind.least == 1:
			out = append(out, fmt.Sprintf("1 %s%s", strings.TrimSuffix(kind.word, "s"), kind.of))
		case n >= kind.least:
			out = append(out, fmt.Sprintf("%d %s%s", n, kind.word, kind.of))
		}
	}
	if i.held > 0 {
		out = append(out, fmt.Sprintf("what held back %d jobs after their submission until they were Eligible (dependencies, or never), %.1f hours in sum",
			i.held, i.heldSeconds/3600))
	}
	var states []string
	for _, state := range slices.Sorted(maps.Keys(i.states)) {
		word := state
		if strings.Trim(state, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
			word = faults.Quote(state)
		}
		states = append(states, fmt.Sprintf("%d %s", i.states[state], word))
	}
	if len(states) > 0 {
		here := "they fail"
		if i.complete {
			here = "all complete"
		}
		out = append(out, fmt.Sprintf("how jobs ended (here %s): %s", here, strings.Join(states, ", ")))
	}
	return out
}

// names is a set of at most mostNames names.
type names map[string]struct{}

// mostNames bounds the memory that a broken trace takes.
const mostNames = 10_000

// text lists the first names in their order.
func (n names) text() string {
	const most = 10
	all := slices.Sorted(maps.Keys(n))
	for i, name := range all {
		if !sbatch.AreFeatures(name) {
			all[i] = faults.Quote(name)
		}
	}
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}

func (n *names) addAll(others names) {
	for name := range others {
		n.add(name)
	}
}

func (n *names) add(name string) {
	if name == "" {
		return
	}
	if *n == nil {
		*n = names{}
	}
	if _, known := (*n)[name]; !known && len(*n) < mostNames {
		(*n)[strings.Clone(name)] = struct{}{}
	}
}

// earlier counts the jobs that were submitted before the time window and were in the
// system when it began. The workload begins without them, on an empty machine.
type earlier struct {
	// kept says that the workload begins with them.
	kept             bool
	running, waiting int
	// placed counts the running ones that have the nodes on which they ran.
	placed int
	// endless counts the running ones that had not ended when the trace was taken.
	endless int
	// nodeSeconds is what the other running ones had left.
	nodeSeconds float64
}

// add takes a job that was submitted before the window or was left out. The window begins at the time from of the trace.
// Where the job names no nodes, its cores fill nodes of coresOfNode.
func (e *earlier) add(req request, from float64, coresOfNode int) {
	end := req.start + req.runtime
	switch {
	case req.leftOut == "" && req.outcome == workloads.CancelledPending:
		if req.submit+req.cancelAfter > from {
			e.waiting++
		}
	case !req.started:
	case req.leftOut == notEnded && req.start < from:
		e.running++
		e.endless++
	case req.leftOut != "":
	case req.start >= from:
		e.waiting++
	case end > from:
		e.running++
		nodes := float64(req.nodes)
		if req.nodes == 0 {
			nodes = float64(req.cores) / float64(coresOfNode)
		}
		e.nodeSeconds += (end - from) * nodes
	}
}

func (e *earlier) text() string {
	if e.running == 0 && e.waiting == 0 {
		return ""
	}
	endless := ""
	if e.endless > 0 {
		endless = fmt.Sprintf(" (without the %d that had not ended when the trace was taken)", e.endless)
	}
	if e.kept {
		nodes := ""
		if e.placed > 0 {
			nodes = fmt.Sprintf(", %d of the running ones on their nodes (nodelist)", e.placed)
		}
		return fmt.Sprintf("at the start of the time window: %d jobs were running, with %.1f node-hours to go%s, and %d were waiting; the workload begins with them, %d s before the window%s",
			e.running, e.nodeSeconds/3600, endless, e.waiting, workloads.HeadStart, nodes)
	}
	return fmt.Sprintf("left out at the start of the time window: %d jobs that were running already, with %.1f node-hours to go%s, and %d that were waiting",
		e.running, e.nodeSeconds/3600, endless, e.waiting)
}

package campaign

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// Lived is a job of a site's record, with when it was submitted (Unix time) and how long it waited, in seconds.
type Lived struct {
	workloads.Job
	Submit, Wait float64
}

// Starter makes the first file of a what-if study for a site: six questions that administrators ask, about the parts of the
// site that its record shows to matter.
type Starter struct {
	Machine workloads.Machine
	Policy  policy.Policy
	// Jobs are the ones that started, Never the ones that their users cancelled before.
	Jobs  []Lived
	Never []workloads.Job
	// Extent is what the record shows of the time that it covers, in Unix time.
	Extent interchange.Extent
	// MachineFile, PolicyFile, Trace and Events are files beside the study's; Events may be empty.
	MachineFile, PolicyFile, Trace, Events string
	// SkipBad leaves out bad records, as the user has accepted.
	SkipBad bool
}

// question is a scenario with its reason. lines are YAML below its name.
type question struct {
	name, about string
	lines       []string
}

// addedNodes is how many nodes the question on more nodes adds.
const addedNodes = 8

// commentWidth is the width of the comments in the file, about as wide as the settings below.
const commentWidth = 120

// File is the text of the study below a comment, and a sentence for each thing that is left out: days, jobs that still ran, and questions
// that do not apply.
func (s Starter) File(comment ...string) (file string, left []string) {
	var b strings.Builder
	for _, line := range comment {
		fmt.Fprintf(&b, "# %s\n", line)
	}
	fmt.Fprintf(&b, "base:\n  machine: %s\n  policy_file: %s\n  trace: %s\n", input.Word(s.MachineFile), input.Word(s.PolicyFile), input.Word(s.Trace))
	if s.Events != "" {
		fmt.Fprintf(&b, "  events: %s\n", input.Word(s.Events))
	}
	if s.SkipBad {
		b.WriteString("  skip_bad: true\n")
	}
	days, left := s.days()
	left = append(append(left, s.stillRan(days[len(days)-1])...), s.units()...)
	for _, line := range left {
		b.WriteString(text.Wrap(line, "  # ", commentWidth))
	}
	fmt.Fprintf(&b, "  days: [%s]\n", strings.Join(days, ", "))
	b.WriteString("scenarios:\n")
	asked := 0
	for _, ask := range []func() (question, string){s.askBackfill, s.askMaxTime, s.askGroupLimit, s.askMoreNodes, s.askDrain, s.askPreemption} {
		q, not := ask()
		if not != "" {
			left = append(left, fmt.Sprintf("the question %s is left out: %s", q.name, not))
			b.WriteString(text.Wrap(left[len(left)-1], "  # ", commentWidth))
			continue
		}
		asked++
		fmt.Fprintf(&b, "%s  %s:\n", text.Wrap(q.about, "  # ", commentWidth), q.name)
		for _, line := range q.lines {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	return b.String(), left
}

// mostStarterDays bounds the days of a first study, each of which every scenario runs.
const mostStarterDays = 7

// Days are the last days of the record of which it has enough jobs.
func (s Starter) Days() []string {
	days, _ := s.days()
	return days
}

// days are the days of a first study, and a sentence for each reason to leave days out. Of a day that was over before the first job of the
// record ended, the record has only the jobs that ended later. A dump also begins and ends within a day.
func (s Starter) days() (days, left []string) {
	jobs := map[string]int{}
	for _, j := range s.Jobs {
		jobs[dayOf(j.Submit)]++
	}
	all := slices.Sorted(maps.Keys(jobs))
	leave := func(out []string, why string) {
		if len(out) == 0 {
			return
		}
		count := 0
		for _, d := range out {
			count += jobs[d]
		}
		left = append(left, fmt.Sprintf("%s left out (%s): %s", someDays(out), text.Plural(count, "job"), why))
	}
	begins := 0
	if first := s.Extent.FirstEnd; !math.IsInf(first, 1) {
		begins, _ = slices.BinarySearch(all, dayOf(first))
	}
	if begins < len(all) {
		leave(all[:begins], fmt.Sprintf("the record begins on %s, and has of earlier days only the jobs that ended later", dayOf(s.Extent.FirstEnd)))
		all = all[begins:]
	}
	var counts []int
	for _, d := range all {
		counts = append(counts, jobs[d])
	}
	slices.Sort(counts)
	var few []string
	for _, d := range all {
		if 2*jobs[d] >= counts[len(counts)/2] {
			days = append(days, d)
		} else {
			few = append(few, d)
		}
	}
	leave(few, "fewer than half as many jobs as on the median day")
	from := max(0, len(days)-mostStarterDays)
	leave(days[:from], fmt.Sprintf("a first study has the last %d days", mostStarterDays))
	return days[from:], left
}

func dayOf(unix float64) string { return time.Unix(int64(unix), 0).UTC().Format(time.DateOnly) }

// someDays names days, of many the first and the last.
func someDays(days []string) string {
	const few = 3
	if len(days) <= few {
		return strings.Join(days, ", ")
	}
	return fmt.Sprintf("%d days from %s to %s", len(days), days[0], days[len(days)-1])
}

// stillRan says how many jobs the record has without their ends, what they held at the end of a day, and what becomes of them.
func (s Starter) stillRan(day string) []string {
	jobs, endless, cpus, gpus := 0, 0, 0, 0
	for _, r := range s.Extent.Running {
		if dayOf(r.Start) > day {
			continue
		}
		if jobs, cpus, gpus = jobs+1, cpus+r.CPUs, gpus+r.GPUs; !r.Lasts {
			endless++
		}
	}
	if jobs == 0 {
		return nil
	}
	held := fmt.Sprintf("%d of %s", cpus, text.Plural(s.Machine.AllCPUs(), "CPU"))
	if gpus > 0 {
		held = fmt.Sprintf("%d of %s and %s", gpus, text.Plural(s.Machine.AllGPUs(), "GPU"), held)
	}
	become := "in the study each runs up to its time limit"
	if endless > 0 {
		become += fmt.Sprintf(", but for %d left out whose limit is not known", endless)
	}
	return []string{fmt.Sprintf("%s still ran when the record was taken, with %s at the end of %s: %s", text.Plural(jobs, "job"), held, day, become)}
}

// units says what a CPU is in the study, where that is not what it is in the site's Slurm.
func (s Starter) units() []string {
	most := 1
	for _, g := range s.Machine.Layout.Groups {
		most = max(most, g.Threads)
	}
	if most == 1 {
		return nil
	}
	return []string{fmt.Sprintf("cpu in limits and CPU in settings of this study count cores: in the site's Slurm a CPU is a thread, of which a core has up to %d", most)}
}

// mostBackfillJobs is the largest bf_max_job_test that Slurm takes (MAX_BF_MAX_JOB_TEST in src/plugins/sched/backfill/backfill.c).
const mostBackfillJobs = 1_000_000

// askBackfill looks further and deeper: as far as the longest limit, as slurm.conf(5) advises for bf_window, and at ten times
// as many jobs.
func (s Starter) askBackfill() (question, string) {
	q := question{name: "backfill"}
	if s.Policy.Scheduler.Type != conf.Backfill {
		return q, "SchedulerType is " + s.Policy.Scheduler.Type + ", which has no backfill"
	}
	words := map[string]string{}
	for word := range strings.SplitSeq(s.Policy.Scheduler.Parameters, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(word), "=")
		words[key] = value
	}
	number := func(key string, byDefault int) int {
		n, err := strconv.Atoi(words[key])
		if err != nil || n < 1 {
			return byDefault
		}
		return n
	}
	// The defaults are slurm.conf(5)'s.
	jobs, window, resolution := number("bf_max_job_test", 500), number("bf_window", 1440), number("bf_resolution", 60)
	longest := 0
	for _, p := range s.Machine.Layout.Partitions {
		longest = max(longest, p.MaxTime)
	}
	var pairs, about []string
	change := func(key string, now, then int) {
		pairs, about = append(pairs, fmt.Sprintf("%s: %d", key, then)), append(about, fmt.Sprintf("%s %d, not %d", key, then, now))
	}
	if deeper := min(10*jobs, mostBackfillJobs); deeper > jobs {
		change("bf_max_job_test", jobs, deeper)
	}
	if longest > window {
		change("bf_window", window, longest)
	}
	if resolution > 60 {
		change("bf_resolution", resolution, 60)
	}
	if _, is := words["bf_continue"]; !is {
		pairs, about = append(pairs, "bf_continue: true"), append(about, "bf_continue, which is not set")
	}
	if len(pairs) == 0 {
		return q, "backfill looks at every job already"
	}
	q.about = "Backfill that looks further: " + strings.Join(about, "; ") + "."
	q.lines = []string{"settings: " + input.Flow(pairs)}
	return q, ""
}

// askMaxTime halves the longest limit of the partition where jobs of a longer limit than that waited most. Longer jobs become several.
func (s Starter) askMaxTime() (question, string) {
	q := question{name: "max-time"}
	longer, waits := map[string]int{}, map[string]float64{}
	for _, j := range s.Jobs {
		if name := s.overHalf(j.Job); name != "" {
			longer[name]++
			// A second for each job, so that a partition counts in which nobody waited.
			waits[name] += j.Wait + 1
		}
	}
	name := mostOf(waits)
	if name == "" {
		return q, "no job has a time limit above half of its partition's MaxTime"
	}
	for _, j := range s.Never {
		longer[s.overHalf(j)]++
	}
	p, _ := s.Machine.Layout.Find(name)
	half := minutes(p.MaxTime / 2)
	q.about = fmt.Sprintf("MaxTime of partition %s halved: %s of the record had a longer limit, and waited longest in all. Each becomes jobs that follow each other.",
		name, text.Plural(longer[name], "job"))
	q.lines = []string{"partitions: " + input.Flow([]string{input.Word(name) + ": " + input.Flow([]string{"max_time: " + half})}), "over_limit: chain"}
	return q, ""
}

// overHalf is the partition of a job whose time limit is above half of the partition's MaxTime, "" for another job. A job of
// several partitions can start in the others.
func (s Starter) overHalf(j workloads.Job) string {
	all := s.Machine.PartitionsOf(j)
	if len(all) != 1 || all[0].MaxTime <= 1 || workloads.WholeMinutes(j.Limit) <= all[0].MaxTime/2*60 {
		return ""
	}
	return all[0].Name
}

// minutes is a number of minutes as a machine file has it.
func minutes(n int) string {
	if n%60 == 0 {
		return fmt.Sprintf("%dh", n/60)
	}
	return fmt.Sprintf("%dm", n)
}

// askGroupLimit gives a QOS half of what its jobs held at once, but what its largest job needs.
func (s Starter) askGroupLimit() (question, string) {
	q := question{name: "qos-limit"}
	l := s.Machine.Layout
	if len(l.QOS) == 0 {
		return q, "the files have no QOS"
	}
	tres, size := "gres/gpu", gpusOf
	if s.Machine.AllGPUs() == 0 {
		tres, size = "cpu", func(j workloads.Job) int { return j.Cores }
	}
	held, largest := s.mostHeld(size)
	candidates := slices.SortedFunc(maps.Keys(held), func(a, b string) int {
		// A limit on the QOS of jobs that name none is a smaller machine for most users. So it comes after the others.
		return cmp.Or(cmp.Compare(isNormal(a), isNormal(b)), cmp.Compare(held[b], held[a]), cmp.Compare(a, b))
	})
	if len(candidates) == 0 {
		return q, "no job of the record held " + tres
	}
	var not []string
	for _, name := range candidates {
		limit := max(held[name]/2, largest[name])
		all := layout.TRES{}
		if of, is := l.FindQOS(name); is {
			maps.Copy(all, of.Limits.GrpTRES)
		}
		switch now := all[tres]; {
		case limit >= held[name]:
			not = append(not, fmt.Sprintf("QOS %s held at most %d of %s at once, as much as its largest job", name, held[name], tres))
			continue
		case now > 0 && now <= limit:
			not = append(not, fmt.Sprintf("GrpTRES=%s=%d of QOS %s is as low already", tres, now, name))
			continue
		}
		all[tres] = limit
		var pairs []string
		for _, key := range slices.Sorted(maps.Keys(all)) {
			pairs = append(pairs, fmt.Sprintf("%s: %d", key, all[key]))
		}
		q.about = fmt.Sprintf("A GrpTRES limit on QOS %s, whose jobs held %d of %s at once.", name, held[name], tres)
		limits := input.Flow([]string{"limits: " + input.Flow([]string{"GrpTRES: " + input.Flow(pairs)})})
		q.lines = []string{"qos: " + input.Flow([]string{input.Word(name) + ": " + limits})}
		return q, ""
	}
	return q, strings.Join(not, "; ")
}

// isNormal is 1 for the QOS of jobs that name none, and 0 for another one.
func isNormal(qos string) int {
	if qos == layout.NormalQOS {
		return 1
	}
	return 0
}

// mostHeld is by QOS the most that jobs held at once, and the most of one job.
func (s Starter) mostHeld(size func(workloads.Job) int) (held, largest map[string]int) {
	type change struct {
		at  float64
		qos string
		by  int
	}
	var changes []change
	largest = map[string]int{}
	for _, j := range s.Jobs {
		_, usual := s.Machine.Layout.QOSOf(s.Machine.Charged(j.Job))
		qos := cmp.Or(j.QOS, usual, layout.NormalQOS)
		if n := size(j.Job); n > 0 {
			start := j.Submit + j.Wait
			changes = append(changes, change{start, qos, n}, change{start + float64(j.Runtime), qos, -n})
			largest[qos] = max(largest[qos], n)
		}
	}
	// What ends in a second makes room for what begins in it.
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	now := map[string]int{}
	held = map[string]int{}
	for _, c := range changes {
		now[c.qos] += c.by
		held[c.qos] = max(held[c.qos], now[c.qos])
	}
	return held, largest
}

// mostOf is the key with the largest value above 0, of equal ones the first in the alphabet; "" for none.
func mostOf[N int | float64](of map[string]N) string {
	most := ""
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if of[key] > 0 && (most == "" || of[key] > of[most]) {
			most = key
		}
	}
	return most
}

// gpusOf are the GPUs of a job on all its nodes.
func gpusOf(j workloads.Job) int { return j.GPUsMin * max(1, j.Nodes) }

// askMoreNodes adds nodes of the type of GPUs that jobs waited for most.
func (s Starter) askMoreNodes() (question, string) {
	q := question{name: "more-gpus"}
	kind, not := s.wantedGPUs()
	if not != "" {
		return q, not
	}
	q.about = fmt.Sprintf("%d more nodes with GPUs of type %s, for which jobs waited longest in all.", addedNodes, kind.name)
	q.lines = []string{fmt.Sprintf("add_nodes: [{like: %s, nodes: %d}]", input.Word(kind.nodes[0]), addedNodes)}
	return q, ""
}

// askDrain takes half of these nodes out of service for a day.
func (s Starter) askDrain() (question, string) {
	q := question{name: "half-drained"}
	kind, not := s.wantedGPUs()
	switch {
	case not != "":
		return q, not
	case len(kind.nodes) < 2:
		return q, "one node has all GPUs of type " + kind.name
	}
	half, share := len(kind.nodes)/2, "Half of the"
	if len(kind.nodes)%2 != 0 {
		share = fmt.Sprintf("%d of the %d", half, len(kind.nodes))
	}
	q.about = fmt.Sprintf("%s nodes with GPUs of type %s drained for the day.", share, kind.name)
	q.lines = []string{fmt.Sprintf("events: [{event: drain, nodes: %q, until: 24h, reason: what if}]", values.CompressHosts(kind.nodes[:half]))}
	return q, ""
}

// gpuKind is a type of GPUs with the names of its nodes.
type gpuKind struct {
	name  string
	nodes []string
}

// wantedGPUs is the type of GPUs for which jobs waited longest, all in all.
func (s Starter) wantedGPUs() (gpuKind, string) {
	l := s.Machine.Layout
	if s.Machine.AllGPUs() == 0 {
		return gpuKind{}, "no node in service has a GPU"
	}
	waits := map[string]float64{}
	for _, j := range s.Jobs {
		if kinds := s.kindsOf(j.Job); gpusOf(j.Job) > 0 && len(kinds) == 1 {
			// A second for each job, so that a type counts for which nobody waited.
			waits[kinds[0]] += j.Wait + 1
		}
	}
	name := mostOf(waits)
	if name == "" {
		return gpuKind{}, "no job of the record names one type of GPUs or a partition that has only one"
	}
	kind := gpuKind{name: name}
	for i, g := range l.Groups {
		if !slices.ContainsFunc(g.GPUs, func(gpu layout.GPU) bool { return kindName(gpu) == name }) {
			continue
		}
		// A layout without faults has good lists.
		names, _ := values.ExpandHosts(g.Hosts)
		if len(names) == 0 {
			for n := range g.Count {
				names = append(names, fmt.Sprintf("%s%d", layout.NodePrefix, l.First(i)+n))
			}
		}
		kind.nodes = append(kind.nodes, names...)
	}
	return kind, ""
}

// kindName is a type of GPUs, gpu for one without a name.
func kindName(g layout.GPU) string { return cmp.Or(g.Type, "gpu") }

// kindsOf are the types of GPUs that a job may get.
func (s Starter) kindsOf(j workloads.Job) []string {
	if j.GPUType != "" {
		return []string{j.GPUType}
	}
	var kinds []string
	in := s.Machine.PartitionsOf(j)
	for _, g := range s.Machine.Layout.Groups {
		for _, gpu := range g.GPUs {
			if slices.ContainsFunc(in, func(p layout.Partition) bool { return slices.Contains(p.Groups, g.Name) }) && !slices.Contains(kinds, kindName(gpu)) {
				kinds = append(kinds, kindName(gpu))
			}
		}
	}
	return kinds
}

// askPreemption lets jobs of higher partitions end jobs of the lowest one, which shares its nodes with them.
func (s Starter) askPreemption() (question, string) {
	q := question{name: "preempt"}
	for _, line := range conf.ParseLines(s.Policy.Scheduler.Lines) {
		if key, value, _ := strings.Cut(line, "="); strings.EqualFold(key, "PreemptType") && !strings.EqualFold(value, "preempt/none") {
			return q, "the site has " + line + " already"
		}
	}
	parts := s.Machine.Layout.Partitions
	lowest := -1
	for i, p := range parts {
		above := slices.ContainsFunc(parts, func(other layout.Partition) bool {
			return other.PriorityTier > p.PriorityTier && slices.ContainsFunc(other.Groups, func(g string) bool { return slices.Contains(p.Groups, g) })
		})
		if above && (lowest < 0 || p.PriorityTier < parts[lowest].PriorityTier) {
			lowest = i
		}
	}
	if lowest < 0 {
		return q, "no partition shares nodes with one of a higher PriorityTier"
	}
	q.about = fmt.Sprintf("Jobs of higher partitions preempt jobs of %s. A preempted job ends here, where a site may requeue it.", parts[lowest].Name)
	q.lines = []string{"settings: {PreemptType: preempt/partition_prio, PreemptMode: CANCEL}", "partitions:"}
	for i, p := range parts {
		if i != lowest {
			q.lines = append(q.lines, fmt.Sprintf("  %s: {settings: {PreemptMode: \"OFF\"}}", input.Word(p.Name)))
		}
	}
	return q, ""
}

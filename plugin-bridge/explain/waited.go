package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// past is what sacct says of the jobs of a run that Slurm scheduled by itself, on a machine with groups of nodes.
type past struct {
	in      Input
	zero    time.Time
	groups  []int // of each node
	tries   []try
	pending []try
}

// try is one time that a job ran, or waited. Times are seconds since the start of the run; an end that is not known is endOfTime.
type try struct {
	job                int
	submit, start, end float64
	nodes              []int
	charge             layout.Charge
}

// room is what a node has free.
type room struct {
	cores, gpus, memory int
	idle, out           bool
	jobs                []int
}

// fromSchedule explains a job by when the jobs of the run started and ended, and on which nodes. Of each stretch of its wait
// it says what was missing. sacct does not say how many cores of a node a job had: an equal part is taken to be on each.
func (e *Explanation) fromSchedule(in Input) error {
	at := slices.IndexFunc(in.Workload, func(j workloads.Job) bool { return j.ID == e.Job })
	j := in.Workload[at]
	row, _ := rowOf(in.Sacct, e.Job)
	p := past{in: in, zero: began(in), groups: in.Run.Machine.Layout.GroupOf()}
	p.read()
	until := p.last()
	switch {
	case e.Started != nil:
		until = *e.Started
	case e.Ended != nil:
		until = *e.Ended
	}
	e.bySchedule = true
	own := p.tryOf(row, e.Job)
	if e.Started != nil {
		// A wrong explanation is worse than none: what a job got was free.
		begun := p.missing(j, row, own, until, until, until)
		e.uneven = begun.For == ForNodes || begun.For == ByLimit
	}
	marks := p.marks(*e.Submitted, until, e.Job)
	for i, from := range marks[:len(marks)-1] {
		e.add(p.missing(j, row, own, from, marks[i+1], until))
	}
	e.WaitedFor = folded(e.WaitedFor)
	for i := range e.WaitedFor {
		s := &e.WaitedFor[i]
		slices.SortStableFunc(s.Holders, func(a, b int) int { return cmp.Compare(s.held[b], s.held[a]) })
		s.Why = s.text()
	}
	return nil
}

// read takes over the rows of sacct.
func (p *past) read() {
	for _, r := range p.in.Sacct {
		id, err := strconv.Atoi(r.JobName)
		if err != nil {
			continue
		}
		t := p.tryOf(r, id)
		p.pending = append(p.pending, t)
		if len(t.nodes) > 0 && t.start < endOfTime {
			p.tries = append(p.tries, t)
		}
	}
}

func (p *past) tryOf(r accounting.Row, id int) try {
	seconds := func(t time.Time) float64 {
		if t.IsZero() {
			return endOfTime
		}
		return t.Sub(p.zero).Seconds()
	}
	takes := r.AllocTRES
	if len(takes) == 0 {
		takes = r.ReqTRES
	}
	t := try{job: id, submit: seconds(r.Submit), start: seconds(r.Start), end: seconds(r.End), nodes: r.NodeList}
	partition, _, _ := strings.Cut(r.Partition, ",")
	t.charge = layout.Charge{Account: r.Account, User: r.User, QOS: r.QOS, Partition: partition, Takes: layout.TRES{}}
	for name, amount := range takes {
		n, known := values.Count(amount)
		if name == "mem" {
			n, known = values.MiB(amount)
		}
		if known {
			t.charge.Takes[name] = n
		}
	}
	return t
}

// last is the last instant that the record has.
func (p *past) last() float64 {
	last := 0.0
	for _, t := range p.pending {
		for _, at := range []float64{t.submit, t.start, t.end} {
			if at < endOfTime {
				last = max(last, at)
			}
		}
	}
	return last
}

// marks are the instants at which something changed while a job waited, with its first and its last one.
func (p *past) marks(from, until float64, job int) []float64 {
	all := map[float64]bool{from: true, until: true}
	add := func(at float64) {
		if from < at && at < until {
			all[at] = true
		}
	}
	for _, t := range p.tries {
		add(t.start)
		add(t.end)
	}
	for _, h := range p.in.Run.Happened {
		add(h.Time)
	}
	if r, _ := rowOf(p.in.Sacct, job); !r.Eligible.IsZero() {
		add(r.Eligible.Sub(p.zero).Seconds())
	}
	return slices.Sorted(maps.Keys(all))
}

// missing says what a job waited for at an instant, which lasted until the next one.
func (p *past) missing(j workloads.Job, row accounting.Row, own try, from, to, until float64) WaitSpan {
	span := WaitSpan{From: from, To: to}
	if !row.Eligible.IsZero() && from < row.Eligible.Sub(p.zero).Seconds() {
		span.For, span.what = NotEligible, "its begin time (--begin)"
		if d, waits := j.Waits(); waits {
			span.what = "other jobs (--dependency=" + d.String() + ")"
		}
		return span
	}
	running := slices.DeleteFunc(slices.Clone(p.tries), func(t try) bool { return t.job == own.job || t.start > from || t.end <= from })
	if limit, holders := p.bound(own, running); limit != "" {
		span.For, span.what, span.Holders = ByLimit, limit, holders
		return span
	}
	rooms := p.rooms(running, from)
	need := p.need(j, own)
	found := need.among(rooms, p.groups)
	span.what = need.text(p.in.Run.Machine)
	if !found.enough {
		span.For, span.Holders, span.free, span.out = ForNodes, found.holders, found.nodes, found.out
		return span
	}
	span.For = ForTurn
	for _, t := range p.tries {
		first := t.job != own.job && t.submit <= from && to <= t.start && t.start <= until
		if first && slices.ContainsFunc(t.nodes, func(n int) bool { return slices.Contains(found.on, n) }) {
			span.Holders = append(span.Holders, t.job)
		}
	}
	return span
}

// bound is the first limit that the running jobs leave no room for, with the jobs that count for it.
func (p *past) bound(own try, running []try) (limit string, holders []int) {
	l := p.in.Run.Machine.Layout
	if !l.Enforces() {
		return "", nil
	}
	for _, c := range l.Claims(own.charge) {
		used := 0
		var by []int
		for _, r := range running {
			for _, other := range l.Claims(r.charge) {
				if other.Name == c.Name {
					used += other.Takes
					by = append(by, r.job)
				}
			}
		}
		if used+c.Takes > c.Limit {
			return fmt.Sprintf("limit %s: %d of %d in use, it asks for %d", c.Name, used, c.Limit, c.Takes), by
		}
	}
	return "", nil
}

// rooms are what the running jobs leave of each node that is in service.
func (p *past) rooms(running []try, at float64) []room {
	l := p.in.Run.Machine.Layout
	rooms := make([]room, len(p.groups))
	out := l.OutOfService()
	for _, h := range p.in.Run.Happened {
		if h.Time > at || h.Refused != "" {
			continue
		}
		switch h.Kind {
		case events.Down, events.Drain:
			setAll(out, h.Indices(), true)
		case events.Resume:
			setAll(out, h.Indices(), false)
		case events.Update, events.Modify:
		}
	}
	for i, g := range p.groups {
		group := l.Groups[g]
		rooms[i] = room{cores: group.Cores, gpus: group.AllGPUs(), memory: group.Memory, idle: true, out: out[i]}
	}
	for _, t := range running {
		count := len(t.nodes)
		for i, n := range t.nodes {
			if n >= len(rooms) {
				continue
			}
			r := &rooms[n]
			cores := t.charge.Takes["cpu"] / count
			if i < t.charge.Takes["cpu"]%count {
				cores++
			}
			r.cores -= min(r.cores, cores)
			r.gpus -= min(r.gpus, t.charge.Takes["gres/gpu"]/count)
			r.memory -= min(r.memory, t.charge.Takes["mem"]/count)
			r.idle, r.jobs = false, append(r.jobs, t.job)
		}
	}
	return rooms
}

func setAll(out []bool, nodes []int, to bool) {
	for _, n := range nodes {
		if n < len(out) {
			out[n] = to
		}
	}
}

// hostNeed is what a job needs of nodes.
type hostNeed struct {
	job workloads.Job
	// hosts are the groups whose nodes the job may have, with the cores of each for it.
	hosts       map[int]int
	nodes, most int
	// memory is for each core, in MiB, 0 where the machine does not count it.
	memory int
}

func (p *past) need(j workloads.Job, own try) hostNeed {
	m := p.in.Run.Machine
	n := hostNeed{job: j, hosts: map[int]int{}, nodes: max(1, j.Nodes), most: cmp.Or(j.MostNodes(), m.Nodes)}
	for _, k := range m.Hosts(j) {
		n.hosts[k.Group] = k.Cores
	}
	if j.MemPerNode == 0 && m.Layout.MemoryPerCore() > 0 {
		n.memory = own.charge.Takes["mem"] / max(1, own.charge.Takes["cpu"])
	}
	return n
}

// found is what a job can have of the nodes at an instant.
type found struct {
	enough bool
	// nodes have enough free, on is their numbers; out counts further ones that are out of service.
	nodes, out int
	on         []int
	// holders run on the other nodes, the ones on most of them first.
	holders []int
}

func (n hostNeed) among(rooms []room, groups []int) found {
	var f found
	var usable []int
	on := map[int]int{}
	for i, r := range rooms {
		cores, may := n.hosts[groups[i]]
		switch {
		case !may:
			continue
		case r.out:
			f.out++
			continue
		}
		cores = min(cores, r.cores)
		if n.memory > 0 {
			cores = min(cores, r.memory/n.memory)
		}
		if cores < max(1, n.job.CoresPerNode) || r.gpus < n.job.GPUsMin || r.memory < n.job.MemPerNode || n.job.Exclusive && !r.idle {
			for _, job := range r.jobs {
				on[job]++
			}
			continue
		}
		f.nodes, f.on, usable = f.nodes+1, append(f.on, i), append(usable, cores)
	}
	slices.SortFunc(usable, func(a, b int) int { return b - a })
	cores := 0
	for _, c := range usable[:min(n.most, len(usable))] {
		cores += c
	}
	f.enough = f.nodes >= n.nodes && cores >= n.job.Cores
	f.holders = byCount(on)
	return f
}

// text says what the job needs: "2 nodes of ga (partition a100) with 8 cores and 4 GPUs each".
func (n hostNeed) text(m workloads.Machine) string {
	var groups, partitions []string
	for g := range m.Layout.Groups {
		if _, may := n.hosts[g]; may {
			groups = append(groups, m.Layout.Groups[g].Name)
		}
	}
	for _, p := range m.PartitionsOf(n.job) {
		partitions = append(partitions, p.Name)
	}
	parts := []string{text.Plural(n.job.Cores, "core")}
	each := ""
	if n.nodes > 1 {
		parts[0] = text.Plural(cmp.Or(n.job.CoresPerNode, (n.job.Cores+n.nodes-1)/n.nodes), "core")
		each = " each"
	}
	if n.job.GPUsMin > 0 {
		parts = append(parts, text.Plural(n.job.GPUsMin, "GPU"))
	}
	switch {
	case n.job.MemPerNode > 0:
		parts = append(parts, fmt.Sprintf("%d MiB", n.job.MemPerNode))
	case n.memory > 0:
		parts = append(parts, fmt.Sprintf("%d MiB for each core", n.memory))
	}
	if n.job.Exclusive {
		parts = append(parts, "no other job")
	}
	return fmt.Sprintf("%s of %s (partition %s) with %s%s", text.Plural(n.nodes, "node"), strings.Join(groups, ", "), strings.Join(partitions, ", "),
		strings.Join(parts, ", "), each)
}

// add adds a span. One that is like the last span makes that longer.
func (e *Explanation) add(s WaitSpan) {
	if s.To <= s.From {
		return
	}
	s.held = make(map[int]float64, len(s.Holders))
	for _, job := range s.Holders {
		s.held[job] = s.To - s.From
	}
	if last := len(e.WaitedFor) - 1; last >= 0 && e.WaitedFor[last].alike(s) {
		e.WaitedFor[last].join(s)
		return
	}
	e.WaitedFor = append(e.WaitedFor, s)
}

// alike says that two spans can be told as one.
func (s WaitSpan) alike(other WaitSpan) bool {
	return s.For == other.For && (s.For != ByLimit || s.limitName() == other.limitName())
}

// join adds a span that is alike and follows.
func (s *WaitSpan) join(next WaitSpan) {
	s.To, s.free, s.out = next.To, max(s.free, next.free), max(s.out, next.out)
	for _, job := range next.Holders {
		if s.held[job] == 0 {
			s.Holders = append(s.Holders, job)
		}
		s.held[job] += next.held[job]
	}
}

// handOver is the longest time in seconds in which freed nodes go on to the next job: bf_interval's default, after which
// backfill has looked at the queue (slurm.conf(5)).
const handOver = 30

// folded joins spans that only a hand-over of nodes or of a limit's room to another job interrupts.
func folded(spans []WaitSpan) []WaitSpan {
	var all []WaitSpan
	for i, s := range spans {
		last := len(all) - 1
		switch {
		case last >= 0 && all[last].alike(s):
			all[last].join(s)
		case last >= 0 && s.For == ForTurn && s.To-s.From <= handOver && i+1 < len(spans) && all[last].alike(spans[i+1]):
			all[last].To = s.To
		default:
			all = append(all, s)
		}
	}
	return all
}

// limitName is the limit of a span, without the numbers.
func (s WaitSpan) limitName() string {
	name, _, _ := strings.Cut(s.what, ":")
	return name
}

// text says in a sentence what a job waited for.
func (s WaitSpan) text() string {
	switch s.For {
	case NotEligible:
		return "not eligible: it waits for " + s.what
	case ByLimit:
		return s.what + jobsText("; held by ", s.Holders)
	case ForNodes:
		out := ""
		if s.out > 0 {
			out = fmt.Sprintf(", %d out of service", s.out)
		}
		most := "none"
		if s.free > 0 {
			most = fmt.Sprintf("at most %d", s.free)
		}
		return fmt.Sprintf("%s: %s had them free%s%s", s.what, most, out, jobsText("; held by ", s.Holders))
	case ForTurn:
	}
	return s.what + " were free: kept for jobs before it, or not looked at yet" + jobsText("; started on them first: ", s.Holders)
}

func jobsText(lead string, jobs []int) string {
	if len(jobs) == 0 {
		return ""
	}
	rivals := make([]Rival, len(jobs))
	for i, job := range jobs {
		rivals[i].Job = job
	}
	return lead + rivalText(rivals)
}

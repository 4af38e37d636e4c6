package campaign

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// overLimit says what happens to jobs whose time limit a scenario no longer allows.
type overLimit string

const (
	// clip cuts a job to the longest time limit that it may have.
	clip overLimit = "clip"
	// drop leaves a job out.
	drop overLimit = "drop"
	// chain splits a job into jobs that follow each other.
	chain overLimit = "chain"
)

func overLimits() []overLimit { return []overLimit{clip, drop, chain} }

func overLimitWords() []string {
	var words []string
	for _, o := range overLimits() {
		words = append(words, string(o))
	}
	return words
}

// move says which jobs go to another partition or QOS.
type move struct {
	partition, qos, account string
	// upTo is the longest time limit of the jobs in seconds, 0 for any.
	upTo      int
	to, toQOS string
}

// readMoves reads which jobs of a scenario go elsewhere.
func (s *scenario) readMoves(v input.Value) {
	if !v.There() {
		return
	}
	for _, one := range list(v) {
		var k moveKeys
		m, is := mapping(one, &k)
		if !is {
			continue
		}
		m.Done()
		var to move
		for _, key := range []struct {
			input.Value
			to *string
		}{{k.Partition, &to.partition}, {k.QOS, &to.qos}, {k.Account, &to.account}, {k.To, &to.to}, {k.ToQOS, &to.toQOS}} {
			if key.There() {
				*key.to, _ = word(key.Value)
			}
		}
		if k.UpTo.There() {
			d, _ := duration(k.UpTo)
			to.upTo = int(d / time.Second)
		}
		if to.to == "" && to.toQOS == "" {
			one.Failf("to: missing, want a partition, or to_qos with a QOS")
		}
		for _, p := range []struct {
			input.Value
			name string
		}{{k.Partition, to.partition}, {k.To, to.to}} {
			if _, there := s.machine.Layout.Find(p.name); p.There() && !there {
				p.Failf("got %q, want a partition of the machine: %s", p.name, partitionNames(s.machine.Layout))
			}
		}
		if _, there := s.machine.Layout.FindQOS(to.toQOS); k.ToQOS.There() && !there {
			k.ToQOS.Failf("got %q, want a QOS of the machine%s", to.toQOS, among(s.machine.Layout.QOS, func(q layout.QOS) string { return q.Name }))
		}
		s.moves = append(s.moves, to)
	}
}

// takes says that a job goes elsewhere.
func (m move) takes(j workloads.Job, l layout.Layout) bool {
	return (m.partition == "" || slices.Contains(partitionsOf(j, l), m.partition)) && (m.qos == "" || j.QOS == m.qos) && (m.account == "" || j.ChargedTo() == m.account) && (m.upTo == 0 || j.Limit <= m.upTo)
}

// partitionsOf are the names of the partitions of a job: the default one where it names none.
func partitionsOf(j workloads.Job, l layout.Layout) []string {
	if names := j.Partitions(); len(names) > 0 {
		return names
	}
	in, _ := l.Find("")
	return []string{in.Name}
}

// moved is the job where it goes. Of several partitions it leaves the one that the move names.
func (m move) moved(j workloads.Job, l layout.Layout) workloads.Job {
	if m.to != "" {
		names := []string{m.to}
		if m.partition != "" {
			names = nil
			for _, name := range partitionsOf(j, l) {
				if name == m.partition {
					name = m.to
				}
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		j.Partition = strings.Join(names, "&")
	}
	j.QOS = cmp.Or(m.toQOS, j.QOS)
	return j
}

// counts says what a scenario made of the jobs of the days.
type counts struct {
	moved, clipped, cut, dropped, misfit, split, parts, kept int
	// first is what a job that was left out for another reason than its time limit asks for.
	first string
	// over counts jobs over a time limit for which the scenario does not say what happens, and says what the first asks for.
	over      int
	firstOver string
}

// text is the line of a scenario, "" where it changed no job.
func (c counts) text() string {
	var parts []string
	add := func(n int, format string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", text.Plural(n, "job"), fmt.Sprintf(format, args...)))
		}
	}
	add(c.moved, "moved to another partition or QOS")
	add(c.clipped, "fit into the lower time limit and got it")
	add(c.cut, "cut, which would have run longer")
	add(c.split, "split into %d that follow each other", c.parts)
	add(c.dropped, "over the time limit left out")
	add(c.misfit, "left out that can never start (%s)", c.first)
	add(c.kept, "kept running from before the day, which the scenario forbids")
	if len(parts) == 0 {
		return ""
	}
	joined := parts[0]
	for _, p := range parts[1:] {
		joined += ", " + p
	}
	return joined
}

// jobs are the jobs of a day under a scenario, and which of them are parts of others. Jobs that run at its beginning stay as
// they are: Slurm does not evict.
func (s *scenario) jobs(day []workloads.Job, c *counts) (all []workloads.Job, partOf map[int]int) {
	free := 0
	for _, j := range day {
		free = max(free, j.ID)
	}
	// ends has the last part of a job that was split, gone the jobs that were left out.
	ends, gone := map[int]int{}, map[int]bool{}
	for _, j := range day {
		if d, waits := j.Waits(); waits {
			if last, split := ends[d.Job]; split && d.Kind != workloads.After {
				d.Job = last
				j.Dependency = d.String()
			}
			if gone[d.Job] {
				j.Dependency = ""
			}
		}
		if j.Ran > 0 {
			if part := s.keep(j, c); part.ID > 0 {
				all = append(all, part)
			} else {
				gone[j.ID] = true
			}
			continue
		}
		for _, m := range s.moves {
			if m.takes(j, s.machine.Layout) {
				j = m.moved(j, s.machine.Layout)
				c.moved++
				break
			}
		}
		parts := s.fit(j, &free, c)
		if len(parts) == 0 {
			gone[j.ID] = true
		}
		if len(parts) > 1 {
			ends[j.ID] = parts[len(parts)-1].ID
			for _, part := range parts[1:] {
				if partOf == nil {
					partOf = map[int]int{}
				}
				partOf[part.ID] = j.ID
			}
		}
		all = append(all, parts...)
	}
	return all, partOf
}

// keep is a job that ran before, which the scenario's limits do not end. It is the zero value where the machine cannot have it at
// all.
func (s *scenario) keep(j workloads.Job, c *counts) workloads.Job {
	if faults := j.Validate(s.machine); len(faults) > 0 {
		c.leaveOut(faults[0])
		return workloads.Job{}
	}
	later := j
	later.Past = workloads.Past{}
	if len(later.Validate(s.machine)) > 0 {
		c.kept++
	}
	return j
}

// leaveOut counts a job that can never start.
func (c *counts) leaveOut(why error) {
	c.misfit++
	if c.first == "" {
		c.first = why.Error()
	}
}

// fit is a job as the machine of the scenario allows it: none, one, or a chain of several. free is the largest id so far.
func (s *scenario) fit(j workloads.Job, free *int, c *counts) []workloads.Job {
	faults := j.Validate(s.machine)
	if len(faults) == 0 {
		return []workloads.Job{j}
	}
	longest, limited := j.LongestLimit(s.machine)
	shorter := j
	shorter.Limit, shorter.Runtime = min(j.Limit, longest), min(j.Runtime, longest)
	if j.Outcome == workloads.Timeout {
		shorter.Limit = shorter.Runtime
	}
	if !limited || len(shorter.Validate(s.machine)) > 0 {
		c.leaveOut(faults[0])
		return nil
	}
	switch s.overLimit {
	case drop:
		c.dropped++
		return nil
	case clip:
		if j.Runtime >= longest && j.Outcome != workloads.CancelledPending {
			c.cut++
			shorter.Outcome, shorter.Runtime, shorter.Limit = workloads.Timeout, longest, longest
		} else {
			c.clipped++
		}
		return []workloads.Job{shorter}
	case chain:
		parts := split(j, longest, free)
		if len(parts) > 1 {
			c.split++
			c.parts += len(parts)
		} else {
			c.clipped++
		}
		return parts
	default:
		c.over++
		if c.firstOver == "" {
			c.firstOver = faults[0].Error()
		}
		return nil
	}
}

// spare is by how many seconds a part of a chain ends before its time limit, so that Slurm does not kill it.
const spare = 60

// split divides a job into jobs that follow each other, each with no more than the longest time limit. Their run times add up to
// the job's. Each ends by itself but the last one, which ends as the job.
func split(j workloads.Job, longest int, free *int) []workloads.Job {
	j.Limit = min(j.Limit, longest)
	fits := j.Runtime < longest || j.Outcome == workloads.Timeout && j.Runtime <= longest
	if fits || j.Outcome == workloads.CancelledPending {
		return []workloads.Job{j}
	}
	step := longest - spare
	if step < 1 {
		step = longest
	}
	var parts []workloads.Job
	for left := j.Runtime; left > 0; {
		part := j
		if len(parts) > 0 {
			*free++
			part.ID, part.Dependency, part.BeginAfter, part.Past = *free, workloads.Dependency{Kind: workloads.AfterAny, Job: parts[len(parts)-1].ID}.String(), 0, workloads.Past{}
		}
		part.Runtime, part.Limit = min(left, step), longest
		left -= part.Runtime
		if left > 0 {
			part.Outcome = workloads.Completed
		} else if j.Outcome == workloads.Timeout {
			part.Limit = workloads.WholeMinutes(part.Runtime)
			part.Runtime = part.Limit
		}
		parts = append(parts, part)
	}
	return parts
}

// shake moves the arrivals of a day's jobs by up to some seconds, and draws the order within a second. Jobs with a past stay where
// they are, and a job comes no earlier than the one that it depends on. The draws follow from seed, number and id alone, so that
// every scenario has the same.
func shake(day []workloads.Job, number, by int) []workloads.Job {
	if number == 0 {
		return day
	}
	type moved struct {
		workloads.Job
		order uint64
	}
	first, last := 0, 0
	for _, j := range day {
		last = max(last, j.Arrival)
		if j.Past != (workloads.Past{}) {
			first = workloads.HeadStart
		}
	}
	at := make(map[int]moved, len(day))
	all := make([]moved, len(day))
	for i, j := range day {
		m := moved{Job: j}
		if j.Past == (workloads.Past{}) {
			draw := rand.NewPCG(uint64(number), uint64(j.ID))
			m.Arrival = min(max(first, j.Arrival-by+int(draw.Uint64()%uint64(2*by+1))), last)
			// Jobs with a past come first among those that arrive together.
			m.order = 1 + draw.Uint64()>>1
		}
		if d, waits := j.Waits(); waits {
			if before, there := at[d.Job]; there {
				if m.Arrival < before.Arrival {
					m.Arrival = before.Arrival
				}
				if m.Arrival == before.Arrival {
					m.order = max(m.order, before.order+1)
				}
			}
		}
		at[j.ID], all[i] = m, m
	}
	slices.SortStableFunc(all, func(a, b moved) int { return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.order, b.order)) })
	jobs := make([]workloads.Job, len(all))
	for i, m := range all {
		jobs[i] = m.Job
	}
	return jobs
}

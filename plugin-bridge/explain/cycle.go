package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// scene is one cycle from the point of view of one of its jobs.
type scene struct {
	entry  journal.Entry
	record trace.Cycle
	// job is the index in the window; result the auction.
	job    int
	result auction.Result
	cycle  JobCycle
}

// named is a hostlist of a record with the names of the snapshot's nodes.
func (x scene) named(hosts string) string {
	numbers, err := values.HostNumbers(hosts, layout.NodePrefix)
	if err != nil || len(numbers) == 0 || slices.Max(numbers) > len(x.entry.Snapshot.Nodes) {
		return hosts
	}
	for i := range numbers {
		numbers[i]--
	}
	return values.CompressHosts(machine.Names(x.entry.Snapshot.Nodes, numbers))
}

// newScene describes a cycle in which a job waited. It reports false if the job
// was neither in the window nor left outside.
func newScene(entry journal.Entry, record trace.Cycle, id int) (scene, bool, error) {
	x := scene{entry: entry, record: record}
	x.cycle = JobCycle{
		Cycle: entry.Cycle, Time: entry.Snapshot.Now.Seconds(), Window: len(entry.Snapshot.Jobs),
		Solver: record.Solver, Gap: record.Gap,
	}
	if i := slices.Index(entry.Outside, id); i >= 0 {
		x.cycle.Outcome, x.cycle.Position = Outside, x.cycle.Window+i+1
		x.cycle.Reason = fmt.Sprintf("it was job %d of the queue, the window had room for %d", x.cycle.Position, x.cycle.Window)
		return x, true, nil
	}
	x.job = slices.IndexFunc(entry.Snapshot.Jobs, func(j bidding.Job) bool { return j.ID == id })
	if x.job < 0 {
		return x, false, nil
	}
	x.cycle.Position, x.cycle.Weight = x.job+1, entry.Snapshot.Jobs[x.job].Weight
	var err error
	if x.result, err = replay(entry, record); err != nil {
		return x, false, err
	}
	x.bids()
	x.outcome(id)
	return x, true, nil
}

// replay plays the auction again and compares the number of its bids and terms with
// the cycle's line of cycles.jsonl, unless the run was killed before that line was
// written.
func replay(entry journal.Entry, record trace.Cycle) (auction.Result, error) {
	r, err := journal.Replay(entry)
	if err == nil && record.Window > 0 && (len(r.Bids) != record.Bids || r.Problem.NonZeros() != record.NonZero) {
		err = fmt.Errorf("replay cycle %d: %d bids with %d terms, the run had %d with %d",
			entry.Cycle, len(r.Bids), r.Problem.NonZeros(), record.Bids, record.NonZero)
	}
	return r, err
}

// bids fills in the job's bids, without prices.
func (x *scene) bids() {
	s := x.entry.Snapshot
	var rivals []bidding.Bid
	own := -1
	for _, i := range x.result.Assignment.Selected {
		if x.result.Bids[i].Job == x.job {
			own = i
			continue
		}
		rivals = append(rivals, x.result.Bids[i])
	}
	for i, b := range x.result.Bids {
		if b.Job != x.job {
			continue
		}
		bid := JobBid{
			Class: b.Class.String(), Alternative: b.Alternative, Nodes: values.CompressHosts(machine.Names(s.Nodes, b.Nodes)),
			Cores: machine.RunLength(b.Cores), GPUs: b.GPUs, Preference: b.Preference,
			Value: x.result.Problem.Objective[i], Won: i == own,
		}
		if !bid.Won {
			bid.Short = shortages(s, x.result.Reservations(), rivals, b)
		}
		x.cycle.Bids = append(x.cycle.Bids, bid)
	}
}

// outcome says in one sentence how the job fared.
func (x *scene) outcome(id int) {
	for _, o := range []struct {
		outcome Outcome
		list    []trace.Refusal
	}{{Refused, x.record.Refused}, {Deferred, x.record.Deferred}} {
		for _, r := range o.list {
			if r.Job == id {
				x.cycle.Outcome, x.cycle.Reason = o.outcome, r.Reason
				return
			}
		}
	}
	for _, r := range x.record.Released {
		if r.Job == id {
			x.cycle.Outcome = Released
			which := "its only one"
			if bids := len(x.cycle.Bids); bids > 1 {
				which = fmt.Sprintf("one of its %d", bids)
			}
			x.cycle.Reason = fmt.Sprintf("won with a bid of class %s on %s, %s", r.Class, x.named(r.Nodes), which)
			return
		}
	}
	if slices.ContainsFunc(x.cycle.Bids, func(b JobBid) bool { return b.Won }) {
		x.cycle.Outcome, x.cycle.Reason = Interrupted, "won, and the run ended before it was released"
		return
	}
	if len(x.cycle.Bids) == 0 {
		x.cycle.Outcome = NoBids
		x.cycle.Dropped = x.dropped()
		x.cycle.Reason, x.cycle.Needs, x.cycle.Holders = whyNoBids(x.entry, x.job, x.cycle.Dropped)
		return
	}
	x.cycle.Outcome, x.cycle.Reason = Lost, x.cycle.whyLost()
}

// whyLost sums up what the bids of a job lacked.
func (c JobCycle) whyLost() string {
	short, fitting := make(map[string]int), 0
	for _, b := range c.Bids {
		lacked := make(map[string]bool)
		for _, s := range b.Short {
			lacked[s.what()] = true
		}
		for what := range lacked {
			short[what]++
		}
		if len(b.Short) == 0 {
			fitting++
		}
	}
	var parts []string
	kinds := slices.SortedFunc(maps.Keys(short), func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) })
	for _, what := range kinds {
		parts = append(parts, fmt.Sprintf("%d lacked %s", short[what], what))
	}
	if fitting > 0 {
		parts = append(parts, fmt.Sprintf("%d would have fitted beside the winners, but the solver (%s) left it out", fitting, c.Solver))
	}
	return fmt.Sprintf("%s, none won: %s", text.Plural(len(c.Bids), "bid"), strings.Join(parts, ", "))
}

// what says what is short, "cores" or "cores that are kept for job 7".
func (s Shortage) what() string {
	what := s.Resource
	if what == "gpus" {
		what = "GPUs"
	}
	if s.ReservedFor > 0 {
		what += fmt.Sprintf(" that are kept for job %d", s.ReservedFor)
	}
	return what
}

// rivals are the jobs that took what the bids lacked, first those that blocked the most bids. For a job without bids
// they are the running jobs that hold what it needs.
func (c JobCycle) rivals() []int {
	if c.Outcome != Lost {
		return c.Holders
	}
	bids := make(map[int]int)
	for _, b := range c.Bids {
		took := make(map[int]bool)
		for _, s := range b.Short {
			for _, t := range s.Takers {
				took[t.Job] = true
			}
			if s.ReservedFor > 0 {
				took[s.ReservedFor] = true
			}
		}
		for job := range took {
			bids[job]++
		}
	}
	return byCount(bids)
}

// key is equal for cycles of one stretch: those with the same outcome and the same
// kinds of shortage.
func (c JobCycle) key() string {
	short := make(map[string]bool)
	for _, b := range c.Bids {
		for _, s := range b.Short {
			short[s.what()] = true
		}
	}
	return fmt.Sprint(c.Outcome, slices.Sorted(maps.Keys(short)))
}

// dropped is how many candidates of the job the limits left out.
func (x *scene) dropped() int {
	_, dropped := x.entry.Snapshot.Bids(x.entry.Options.Bids)
	return dropped[x.job]
}

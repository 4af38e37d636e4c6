package explain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/explain"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// hold auctions a snapshot and returns the cycle as the agent records it.
func hold(t rapid.TB, number int, s auction.Snapshot, o auction.Options) (journal.Entry, trace.Cycle, auction.Result) {
	t.Helper()
	s.Now = time.Duration(number) * 5 * time.Second
	solver := &journal.Recorder{Solver: packing.QuickSolver{}}
	r, err := auction.Auction(context.Background(), s, o, solver)
	if err != nil {
		t.Fatal(err)
	}
	record := trace.Cycle{
		Cycle: number, Time: s.Now.Seconds(), Window: len(s.Jobs), Bids: len(r.Bids), NonZero: r.Problem.NonZeros(),
		Solver: string(r.Assignment.Status), Gap: r.Assignment.Gap(), Objective: r.Assignment.Objective,
	}
	for _, b := range r.Ordered {
		var names []string
		for _, n := range b.Nodes {
			names = append(names, s.Nodes[n].Name)
		}
		record.Released = append(record.Released, trace.Release{
			Job: s.Jobs[b.Job].ID, Class: b.Class.String(), Nodes: values.CompressHosts(names), Cores: machine.RunLength(b.Cores), GPUs: b.GPUs,
		})
	}
	for _, d := range r.Deferred {
		record.Deferred = append(record.Deferred, trace.Refusal{Job: s.Jobs[d.Bid.Job].ID, Reason: d.Reason})
	}
	return journal.Entry{Cycle: number, Snapshot: s, Options: o, Selections: solver.Selections}, record, r
}

func input(cycles []trace.Cycle, entries []journal.Entry, workload []workloads.Job) explain.Input {
	return explain.Input{
		Run: trace.Run{
			ID: "run", Settings: trace.Settings{Policy: "auction", Machine: workloads.Machine{Nodes: 4, Cores: 8}}, Status: trace.StatusComplete,
		},
		Workload: workload, Cycles: cycles,
		Journal: func(use func(journal.Entry) error) (bool, error) {
			for _, c := range entries {
				if err := use(c); err != nil {
					return false, err
				}
			}
			return false, nil
		},
	}
}

// TestScenarios runs testdata/scenarios. "run nodes=N cores=C gpus=G
// [per-job=LIMIT] [max=LIMIT] [leaf=NODES]" has a line for each job, and lines that change the
// state between cycles:
//
//	job ID [n=] [N=] [t=] [gpus=] [limit=SECONDS] [contiguous] [exclude=0,1] [licence=NAME:COUNT] [switches=] [weight=]
//	busy FIRST-LAST CORES GPUS JOB END   a running job
//	outside ID                           a job that the window has no room for
//	obstacle ID REASON
//	cycle                                an auction of the jobs that have not won
//
// "explain job=ID [cycle=]" prints the text.
func TestScenarios(t *testing.T) {
	var in explain.Input
	datadriven.RunTest(t, "testdata/scenarios", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "run" {
			in = play(t, d)
			return ""
		}
		var job, cycle int
		d.ScanArgs(t, "job", &job)
		if d.HasArg("cycle") {
			d.ScanArgs(t, "cycle", &cycle)
		}
		e, err := explain.Explain(in, job, cycle)
		if err != nil {
			return err.Error() + "\n"
		}
		var out strings.Builder
		if err := explain.WriteText(&out, e); err != nil {
			t.Fatal(err)
		}
		return out.String()
	})
}

func play(t *testing.T, d *datadriven.TestData) explain.Input {
	var nodes int
	var n machine.Node
	d.ScanArgs(t, "nodes", &nodes)
	d.ScanArgs(t, "cores", &n.Cores)
	d.ScanArgs(t, "gpus", &n.GPUs)
	n.FreeCores, n.FreeGPUs = n.Cores, n.GPUs
	o := auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: auction.ObjectivePriority}
	if d.HasArg("per-job") {
		d.ScanArgs(t, "per-job", &o.Bids.MaxBidsPerJob)
	}
	if d.HasArg("max") {
		d.ScanArgs(t, "max", &o.Bids.MaxBids)
	}
	leaf := 0
	if d.HasArg("leaf") {
		d.ScanArgs(t, "leaf", &leaf)
	}
	s := auction.Snapshot{Licences: []machine.Licence{{Name: "matlab", Count: 1}}}
	for i := range nodes {
		n.Name = fmt.Sprintf("n%d", i+1)
		if leaf > 0 {
			n.Switches = []int{i / leaf}
		}
		s.Nodes = append(s.Nodes, n)
	}
	var entries []journal.Entry
	var cycles []trace.Cycle
	var workload []workloads.Job
	var running []machine.Holding
	var outside []int
	var obstacles []trace.Refusal
	number := func(text string) int {
		v, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for text := range strings.SplitSeq(strings.TrimSpace(d.Input), "\n") {
		words := strings.Fields(text)
		switch words[0] {
		case "job":
			j := readJob(words, number)
			s.Jobs = append(s.Jobs, j)
			workload = append(workload, workloads.Job{ID: j.ID, Cores: j.Cores, Nodes: j.Nodes, CoresPerNode: j.CoresPerNode,
				GPUsMin: j.GPUs, GPUsMax: j.GPUs, Contiguous: j.Contiguous, Limit: int(j.TimeLimit.Seconds())})
		case "busy":
			r := machine.Holding{Job: number(words[4]), End: time.Duration(number(words[5])) * time.Second}
			r.GPUs = number(words[3])
			first, last, _ := strings.Cut(words[1], "-")
			s.Nodes = slices.Clone(s.Nodes)
			for i := number(first); i <= number(last); i++ {
				r.Nodes, r.Cores = append(r.Nodes, i), append(r.Cores, number(words[2]))
				s.Nodes[i].FreeCores -= number(words[2])
				s.Nodes[i].FreeGPUs -= r.GPUs
			}
			running, s.Running = append(running, r), append(slices.Clone(s.Running), r)
		case "outside":
			outside = append(outside, number(words[1]))
			workload = append(workload, workloads.Job{ID: number(words[1]), Cores: 1, Limit: 60})
		case "obstacle":
			obstacles = append(obstacles, trace.Refusal{Job: number(words[1]), Reason: strings.Join(words[2:], " ")})
			workload = append(workload, workloads.Job{ID: number(words[1]), Cores: 1, Limit: 60})
		case "cycle":
			s.Jobs = slices.Clone(s.Jobs)
			for i := range s.Jobs {
				s.Jobs[i].Priority = float64(len(s.Jobs) - i)
			}
			entry, record, r := hold(t, len(entries)+1, s, o)
			entry.Running, entry.Outside, record.Unplaced = slices.Clone(running), outside, obstacles
			obstacles = nil
			entries, cycles = append(entries, entry), append(cycles, record)
			s.Nodes = slices.Clone(s.Nodes)
			for _, b := range r.Ordered {
				for i, n := range b.Nodes {
					s.Nodes[n].FreeCores -= b.Cores[i]
					s.Nodes[n].FreeGPUs -= b.GPUs
				}
				j := s.Jobs[b.Job]
				h := machine.Holding{Job: j.ID, Allocation: b.Allocation, End: entry.Snapshot.Now + j.TimeLimit}
				running, s.Running = append(running, h), append(slices.Clone(s.Running), h)
			}
			left := slices.Clone(s.Jobs)
			s.Jobs = slices.DeleteFunc(left, func(j bidding.Job) bool {
				return slices.ContainsFunc(record.Released, func(r trace.Release) bool { return r.Job == j.ID })
			})
		default:
			t.Fatalf("unknown line %q", text)
		}
	}
	return input(cycles, entries, workload)
}

func readJob(words []string, number func(string) int) bidding.Job {
	j := bidding.Job{ID: number(words[1])}
	for _, w := range words[2:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "n":
			j.Cores = number(value)
		case "N":
			j.Nodes = number(value)
		case "t":
			j.CoresPerNode = number(value)
		case "gpus":
			j.GPUs = number(value)
		case "limit":
			j.TimeLimit = time.Duration(number(value)) * time.Second
		case "contiguous":
			j.Contiguous = true
		case "overdue":
			j.Overdue = true
		case "exclude":
			for n := range strings.SplitSeq(value, ",") {
				j.Options.Excluded = append(j.Options.Excluded, number(n))
			}
		case "switches":
			j.Options.Switches = number(value)
		case "weight":
			j.Weight = float64(number(value))
		case "licence":
			name, count, _ := strings.Cut(value, ":")
			j.Options.Licences = []machine.Licence{{Name: name, Count: number(count)}}
		}
	}
	return j
}

// Every job of a window that did not start has a true reason. A bid lacks the named resources, by a count over the
// winners as the run recorded them, and the named jobs took the difference. A job without bids finds no nodes, by a
// count over the snapshot.
func TestReasonsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := auctiontest.Window{
			Nodes: 10, Cores: 8, GPUs: 2, Jobs: rapid.IntRange(1, 8).Draw(t, "jobs"), Sizes: auctiontest.Small,
			Utilisation: rapid.Float64Range(0, 0.95).Draw(t, "utilisation"), Seed: rapid.Uint64().Draw(t, "seed"),
		}
		s := w.Snapshot()
		if rapid.Bool().Draw(t, "overdue") {
			reserve(t, &s)
		}
		o := auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: rapid.IntRange(1, 6).Draw(t, "bids"), MaxBids: rapid.IntRange(1, 40).Draw(t, "all bids")})}
		entry, record, result := hold(t, 1, s, o)
		winners := make(map[int]bidding.Bid)
		for _, i := range result.Assignment.Selected {
			winners[s.Jobs[result.Bids[i].Job].ID] = result.Bids[i]
		}
		for _, j := range s.Jobs {
			e, err := explain.Explain(input([]trace.Cycle{record}, []journal.Entry{entry}, []workloads.Job{{ID: j.ID, Limit: 60}}), j.ID, 1)
			if err != nil {
				t.Fatal(err)
			}
			c := e.Cycle
			won := slices.ContainsFunc(record.Released, func(r trace.Release) bool { return r.Job == j.ID })
			if (c.Outcome == explain.Released) != won || c.Reason == "" {
				t.Fatalf("job %d: outcome %s, reason %q, released %v", j.ID, c.Outcome, c.Reason, won)
			}
			switch c.Outcome {
			case explain.Lost:
				for _, b := range c.Bids {
					checkShort(t, s, j, result.Reservation, winners, b)
				}
			case explain.NoBids:
				checkNoBids(t, s, j, *c)
			}
			if c.Backfill == nil {
				t.Fatalf("job %d: no model of backfill", j.ID)
			}
		}
	})
}

// reserve says when what is not free will be, and makes a job overdue.
func reserve(t *rapid.T, s *auction.Snapshot) {
	minutes := func(name string) time.Duration {
		return time.Duration(rapid.IntRange(1, 20).Draw(t, name)) * time.Minute
	}
	for i, n := range s.Nodes {
		if !n.WhollyFree() {
			a := machine.Allocation{Nodes: []int{i}, Cores: []int{n.Cores - n.FreeCores}, GPUs: n.GPUs - n.FreeGPUs}
			s.Running = append(s.Running, machine.Holding{Job: 100 + i, Allocation: a, End: minutes("end")})
		}
	}
	for i := range s.Jobs {
		s.Jobs[i].TimeLimit = minutes("limit")
	}
	s.Jobs[rapid.IntRange(0, len(s.Jobs)-1).Draw(t, "which")].Overdue = true
}

// checkShort recounts what a bid of a job lacks, node by node. On the nodes of a reservation it counts beside the
// winners that will still run then.
func checkShort(
	t *rapid.T, s auction.Snapshot, job bidding.Job, r *auction.Reservation, winners map[int]bidding.Bid, b explain.JobBid,
) {
	if len(b.Short) == 0 {
		t.Fatalf("bid on %s lost and lacks nothing, though the solver proved its optimum", b.Nodes)
	}
	index := make(map[string]int)
	for i, n := range s.Nodes {
		index[n.Name] = i
	}
	for _, short := range b.Short {
		names, err := values.ExpandHosts(short.Where)
		if err != nil || len(names) != short.Nodes {
			t.Fatalf("%s names %d nodes, said %d: %v", short.Where, len(names), short.Nodes, err)
		}
		if kept := short.ReservedFor > 0; kept && (short.ReservedFor != s.Jobs[r.Bid.Job].ID || job.TimeLimit <= r.At) {
			t.Fatalf("job %d of %v keeps off %+v, reserved is %+v", short.ReservedFor, job.TimeLimit, short, r)
		}
		free, taken := 0, make(map[int]int)
		for _, name := range names {
			n := index[name]
			node := s.Nodes[n]
			if short.ReservedFor > 0 {
				node = r.Left[slices.Index(r.Bid.Nodes, n)]
			}
			if short.Resource == "gpus" {
				free += node.FreeGPUs
			} else {
				free += node.FreeCores
			}
			for job, w := range winners {
				if short.ReservedFor > 0 && (job == short.ReservedFor || s.Jobs[w.Job].TimeLimit <= r.At) {
					continue
				}
				if at, on := slices.BinarySearch(w.Nodes, n); on && short.Resource == "gpus" {
					taken[job] += w.GPUs
				} else if on {
					taken[job] += w.Cores[at]
				}
			}
		}
		left := free
		for _, amount := range taken {
			left -= amount
		}
		if short.Free != free || short.Left != left || short.Wanted <= left {
			t.Fatalf("said %+v, counted %d free and %d left", short, free, left)
		}
		if len(short.Takers) == 0 && short.ReservedFor == 0 {
			t.Fatalf("nobody took what is short: %+v", short)
		}
		for _, taker := range short.Takers {
			if taken[taker.Job] != taker.Amount {
				t.Fatalf("job %d took %d, said %d", taker.Job, taken[taker.Job], taker.Amount)
			}
		}
	}
}

// checkNoBids recounts the nodes that qualify.
func checkNoBids(t *rapid.T, s auction.Snapshot, j bidding.Job, c explain.JobCycle) {
	if strings.Contains(c.Reason, "limits on bids") {
		unlimited, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 1000, MaxBids: 1000_000})).Bids()
		if !slices.ContainsFunc(unlimited, func(b bidding.Bid) bool { return s.Jobs[b.Job].ID == j.ID }) {
			t.Fatalf("job %d has no bid without limits either: %s", j.ID, c.Reason)
		}
		return
	}
	for _, n := range c.Needs {
		found, block, longest := 0, 0, 0
		for _, node := range s.Nodes {
			block++
			if node.FreeCores < n.Cores || node.FreeGPUs < n.GPUs || n.Idle && node.FreeCores < node.Cores {
				block = 0
				continue
			}
			found++
			longest = max(longest, block)
		}
		if found != n.Found || longest != n.Longest || found+n.FewCores+n.FewGPUs+n.Busy != len(s.Nodes) {
			t.Fatalf("job %d: said %+v, counted %d nodes, %d in a block", j.ID, n, found, longest)
		}
		if enough := found >= n.Nodes && (!j.Contiguous || longest >= n.Nodes); enough && !strings.Contains(c.Reason, "placement rule") {
			t.Fatalf("job %d: %+v is met, reason %q", j.ID, n, c.Reason)
		}
	}
}

// A replay that makes other bids than the run did is refused.
func TestOtherVersion(t *testing.T) {
	w := auctiontest.Window{Nodes: 10, Cores: 8, GPUs: 2, Jobs: 4, Sizes: auctiontest.Small, Seed: 3}
	entry, record, _ := hold(t, 1, w.Snapshot(), auctiontest.Options())
	record.Bids++
	_, err := explain.Explain(input([]trace.Cycle{record}, []journal.Entry{entry}, []workloads.Job{{ID: 1}}), 1, 0)
	if err == nil || !strings.HasPrefix(err.Error(), "replay cycle 1: ") {
		t.Errorf("error %v", err)
	}
}

// Nodes have the names that they have at the site, where the machine says these.
func TestNodesHaveTheSitesNames(t *testing.T) {
	w := auctiontest.Window{Nodes: 10, Cores: 8, GPUs: 2, Jobs: 4, Sizes: auctiontest.Small, Seed: 3}
	entry, record, _ := hold(t, 1, w.Snapshot(), auctiontest.Options())
	in := input([]trace.Cycle{record}, []journal.Entry{entry}, []workloads.Job{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}})
	in.Run.Machine.Layout.Groups = []layout.Group{{Name: "gpu", Count: 10, Hosts: "ga[01-10]"}}
	named := false
	for job := range 4 {
		e, err := explain.Explain(in, job+1, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range e.Cycle.Bids {
			named = true
			if !strings.HasPrefix(b.Nodes, "ga") {
				t.Errorf("job %d has a bid on %s, want names of the site", job+1, b.Nodes)
			}
		}
		if strings.Contains(e.Cycle.Reason, " on n") {
			t.Errorf("job %d: %s", job+1, e.Cycle.Reason)
		}
	}
	if !named {
		t.Error("no job has a bid")
	}
}

func TestUnknown(t *testing.T) {
	w := auctiontest.Window{Nodes: 10, Cores: 8, GPUs: 2, Jobs: 4, Sizes: auctiontest.Small, Seed: 3}
	entry, record, _ := hold(t, 1, w.Snapshot(), auctiontest.Options())
	in := input([]trace.Cycle{record}, []journal.Entry{entry}, []workloads.Job{{ID: 1}, {ID: 9}})
	for _, tt := range []struct {
		job, cycle int
		want       string
	}{
		{5, 0, "job 5: not in the run: its 2 jobs are 1 to 9"},
		{1, 2, "cycle 2: not in the run: job 1 waited for an auction in cycles 1"},
		{9, 2, "cycle 2: not in the run: job 9 waited for no auction"},
	} {
		_, err := explain.Explain(in, tt.job, tt.cycle)
		if !errors.Is(err, explain.ErrUnknown) || err.Error() != tt.want {
			t.Errorf("job %d, cycle %d: error %v, want %s", tt.job, tt.cycle, err, tt.want)
		}
	}
}

// TestFIFO: under fifo the model of backfill says nothing; the text has the rule.
func TestFIFO(t *testing.T) {
	in := input(nil, nil, []workloads.Job{{ID: 1, Runtime: 60, Limit: 120, Cores: 32}, {ID: 2, Runtime: 60, Limit: 120, Cores: 8}})
	in.Run.Policy, in.Run.SchedulerType, in.Journal = "fifo", "sched/builtin", nil
	at := func(seconds int) time.Time { return time.Unix(int64(1_000_000+seconds), 0).UTC() }
	in.Sacct = []accounting.Row{
		{JobID: 1, JobName: "1", State: "COMPLETED", Submit: at(0), Start: at(0), End: at(60), Cores: 32, NodeList: []int{0, 1, 2, 3}},
		{JobID: 2, JobName: "2", State: "COMPLETED", Submit: at(1), Start: at(60), End: at(120), Cores: 8, NodeList: []int{0}},
	}
	e, err := explain.Explain(in, 2, 0)
	if err != nil || e.AtSubmission != nil {
		t.Fatalf("%+v, %v, want no model of backfill", e, err)
	}
	var text strings.Builder
	if err := explain.WriteText(&text, e); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(text.String(), "Under fifo a job starts once every job before it has started and what it asks for is free.\n") {
		t.Errorf("got %q", text.String())
	}
	in.Run.Policy, in.Run.SchedulerType = "backfill-default", "sched/backfill"
	if e, err := explain.Explain(in, 2, 0); err != nil || e.AtSubmission == nil {
		t.Errorf("%+v, %v, want the model of backfill", e, err)
	}
	// Neither knows what else keeps a job from starting, whichever job it is; the account keeps none.
	in.Workload[0].Account = "astro"
	for _, scheduler := range []string{"sched/builtin", "sched/backfill"} {
		in.Run.SchedulerType, in.Workload[0].BeginAfter = scheduler, 0
		if _, err := explain.Explain(in, 2, 0); err != nil {
			t.Error(err)
		}
		in.Workload[0].BeginAfter = 60
		if _, err := explain.Explain(in, 2, 0); err == nil || !strings.Contains(err.Error(), "1 of 2 jobs ask for more: job 1 has begin_after_s=60") {
			t.Errorf("%s: %v", scheduler, err)
		}
	}
}

// Under priority/multifactor the queue that the model of backfill plans is in the order of priorities.
// PriorityFlags=SMALL_RELATIVE_TO_TIME is "the job's size ... divided by its time limit" (slurm.conf(5)). So job 3
// goes before job 2, which waits for longer.
func TestModelIsInOrderOfPriority(t *testing.T) {
	in := input(nil, nil, []workloads.Job{
		{ID: 1, Runtime: 60, Limit: 120, Cores: 32}, {ID: 2, Runtime: 60, Limit: 36000, Cores: 32}, {ID: 3, Runtime: 60, Limit: 60, Cores: 32},
	})
	in.Run.Policy, in.Run.SchedulerType, in.Journal = "backfill", "sched/backfill", nil
	at := func(seconds int) time.Time { return time.Unix(int64(1_000_000+seconds), 0).UTC() }
	all := []int{0, 1, 2, 3}
	in.Sacct = []accounting.Row{
		{JobID: 1, JobName: "1", State: "COMPLETED", Submit: at(0), Start: at(0), End: at(60), Cores: 32, TimeLimit: 2, NodeList: all},
		{JobID: 2, JobName: "2", State: "COMPLETED", Submit: at(1), Start: at(120), End: at(180), Cores: 32, TimeLimit: 600, NodeList: all},
		{JobID: 3, JobName: "3", State: "COMPLETED", Submit: at(2), Start: at(60), End: at(120), Cores: 32, TimeLimit: 1, NodeList: all},
	}
	for _, tt := range []struct {
		order  priority.Type
		behind []int
	}{{priority.Basic, []int{2}}, {priority.Multifactor, []int{2}}, {priority.SizeByTime, nil}} {
		in.Run.PriorityType, in.Run.PriorityParameters = tt.order.Plugin(), strings.Join(tt.order.Lines(), ",")
		e, err := explain.Explain(in, 3, 0)
		if err != nil || e.AtSubmission == nil || !slices.Equal(e.AtSubmission.Behind, tt.behind) {
			t.Errorf("%s: got %+v, %v, want job 3 behind %v", tt.order, e.AtSubmission, err, tt.behind)
		}
	}
	// "A wrong explanation is worse than none" (doc.go).
	in.Run.PriorityParameters = "PriorityWeightAge=1"
	if _, err := explain.Explain(in, 3, 0); err == nil || !strings.Contains(err.Error(), "PriorityWeightAge=1, an order of the queue that this slurmlab does not know") {
		t.Errorf("an unknown order: got error %v", err)
	}
	in.Run.PriorityParameters, in.Run.SlurmSettings = strings.Join(priority.SizeByTime.Lines(), ","), map[string]string{"KillWait": "60"}
	if _, err := explain.Explain(in, 3, 0); err != nil {
		t.Errorf("a setting that changes nothing here: got error %v", err)
	}
	in.Run.SlurmSettings["PreemptMode"] = "REQUEUE"
	if _, err := explain.Explain(in, 3, 0); err == nil || err.Error() != "job 3: the run has PreemptMode=REQUEUE in slurm.conf, which the model of backfill does not know" {
		t.Errorf("a setting that the model does not know: got error %v", err)
	}
}

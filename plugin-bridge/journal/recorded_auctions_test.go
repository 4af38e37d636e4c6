package journal_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// The words of policy_parameters.method in run.json.
const (
	methodAuction  = "auction"
	methodIPSCHED  = "ipsched"
	methodAUCSCHED = "aucsched"
)

// recording is a run in testdata.
type recording struct {
	name       string
	Policy     string `json:"policy"`
	Parameters struct {
		Method     string        `json:"method"`
		Objective  string        `json:"objective"`
		SolveLimit time.Duration `json:"solve_limit_ns"`
	} `json:"policy_parameters"`
}

// recordings reads the runs whose policy has one of the methods.
func recordings(t testing.TB, methods ...string) []recording {
	t.Helper()
	files, err := filepath.Glob("testdata/*/run.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []recording
	for _, file := range files {
		r := recording{name: filepath.Base(filepath.Dir(file))}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err = json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if slices.Contains(methods, r.Parameters.Method) {
			all = append(all, r)
		}
	}
	return all
}

// each reads a recording and hands what each cycle decided on, and what came of
// it, to use.
func (r recording) each(t testing.TB, use func(journal.Entry, trace.Cycle)) {
	t.Helper()
	records, err := os.Open(filepath.Join("testdata", r.name, "cycles.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = records.Close() }()
	unpacked, err := gzip.NewReader(bufio.NewReader(records))
	if err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(unpacked)
	snapshots, err := os.Open(filepath.Join("testdata", r.name, "snapshots.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = snapshots.Close() }()
	truncated, err := journal.Read(snapshots, snapshots.Name(), func(c journal.Entry) error {
		var record trace.Cycle
		if decodeErr := lines.Decode(&record); decodeErr != nil {
			return decodeErr
		}
		if record.Cycle != c.Cycle || record.Window != len(c.Snapshot.Jobs) {
			t.Fatalf("snapshot of cycle %d with %d jobs beside the record of cycle %d with %d",
				c.Cycle, len(c.Snapshot.Jobs), record.Cycle, record.Window)
		}
		use(c, record)
		return nil
	})
	if err != nil || truncated {
		t.Fatalf("read journal: truncated %v, error %v", truncated, err)
	}
	if err := lines.Decode(&trace.Cycle{}); !errors.Is(err, io.EOF) {
		t.Fatalf("a record without snapshot is left (error %v)", err)
	}
}

// outcome is what a cycle hands to Slurm, and the jobs that it leaves for later.
type outcome struct {
	Released []trace.Release
	Deferred []int
	Reserved int
}

// decided is the outcome of a result for the jobs of a snapshot.
func decided(s auction.Snapshot, r auction.Result) outcome {
	var d outcome
	for _, b := range r.Ordered {
		names := make([]string, len(b.Nodes))
		for i, n := range b.Nodes {
			names[i] = s.Nodes[n].Name
		}
		d.Released = append(d.Released, trace.Release{
			Job: s.Jobs[b.Job].ID, Class: b.Class.String(), Nodes: values.CompressHosts(names),
			Cores: machine.RunLength(b.Cores), GPUs: b.GPUs,
		})
	}
	for _, left := range r.Deferred {
		d.Deferred = append(d.Deferred, s.Jobs[left.Bid.Job].ID)
	}
	if r.Reservation != nil {
		d.Reserved = s.Jobs[r.Reservation.Bid.Job].ID
	}
	return d
}

// check compares a replayed cycle with its record, first the program, then what the
// agent does with the result. Of the winners, the agent leaves out those that Slurm
// refuses and, of class R, those whose nodes have changed since; the others it releases
// in the order of the result.
func check(t *testing.T, c journal.Entry, r auction.Result, was trace.Cycle) {
	t.Helper()
	checkProgram(t, c, r, was)
	if d := changes(c, r, was); d != "" {
		t.Errorf("cycle %d %s", c.Cycle, d)
	}
}

// checkProgram compares the size and the value of the program.
func checkProgram(t *testing.T, c journal.Entry, r auction.Result, was trace.Cycle) {
	t.Helper()
	size := [...]int{r.Size.Bids, r.Dropped, r.Size.Rows, r.Size.Columns, r.Size.NonZeros}
	if recorded := [...]int{was.Bids, was.BidsCut, was.Rows, was.Columns, was.NonZero}; size != recorded {
		t.Errorf("cycle %d: bids, bids cut, rows, columns, terms %v, recorded are %v", c.Cycle, size, recorded)
	}
	// Sums may be formed in another order.
	if o := r.Assignment.Objective; math.Abs(o-was.Objective) > 1e-9*math.Abs(was.Objective) {
		t.Errorf("cycle %d: objective %v, recorded is %v", c.Cycle, o, was.Objective)
	}
}

// changes says what the agent would do differently from the record, or "".
func changes(c journal.Entry, r auction.Result, was trace.Cycle) string {
	got := decided(c.Snapshot, r)
	recorded := outcome{Released: slices.Clone(was.Released), Reserved: was.Reserved}
	for i := range recorded.Released {
		recorded.Released[i].Slurm = 0 // Slurm's own number is no decision
	}
	// The record has the jobs that the result deferred, then those that the agent did.
	dropped := map[int]bool{}
	for i, f := range was.Deferred {
		if i < len(got.Deferred) {
			recorded.Deferred = append(recorded.Deferred, f.Job)
		} else {
			dropped[f.Job] = true
		}
	}
	for _, f := range was.Refused {
		dropped[f.Job] = true
	}
	got.Released = slices.DeleteFunc(got.Released, func(r trace.Release) bool { return dropped[r.Job] })
	if !slices.Equal(got.Released, recorded.Released) || !slices.Equal(got.Deferred, recorded.Deferred) || got.Reserved != recorded.Reserved {
		return fmt.Sprintf("decides\n%+v\nrecorded is\n%+v", got, recorded)
	}
	return ""
}

// TestAuctionsDecideAsRecorded: from the same snapshot, options and selections of the solver the auction makes the
// same program as in the recorded run. It releases the same jobs on the same nodes, cores and GPUs in the same order.
func TestAuctionsDecideAsRecorded(t *testing.T) {
	policies := map[string]bool{}
	cycles, releases, ranges, shares, switches, weighted, alternatives, reservations, slurms := 0, 0, 0, 0, 0, 0, 0, 0, 0
	for _, r := range recordings(t, methodAuction) {
		t.Run(r.name, func(t *testing.T) {
			policies[r.Policy] = true
			r.each(t, func(c journal.Entry, was trace.Cycle) {
				result, err := journal.Replay(c)
				if err != nil {
					t.Fatal(err)
				}
				check(t, c, result, was)
				cycles++
				releases += len(was.Released)
				reservations += min(1, was.Reserved)
				for _, release := range was.Released {
					if release.Class == bidding.ClassSlurm.String() {
						slurms++
					}
				}
				if c.Snapshot.Weighted {
					weighted++
				}
				if len(c.Snapshot.Nodes[0].Switches) > 0 {
					switches++
				}
				for _, j := range c.Snapshot.Jobs {
					if j.MaxGPUs > j.GPUs {
						ranges++
					}
					if j.Weight > 0 {
						shares++
					}
					alternatives += len(j.Alternatives)
				}
			})
		})
	}
	// The recordings are there to show something.
	for name, n := range map[string]int{
		"cycles": cycles, "releases": releases, "jobs with a range of GPUs": ranges, "jobs weighed by fair share": shares,
		"cycles on a tree of switches": switches, "cycles by multifactor": weighted, "alternatives": alternatives,
		"reservations": reservations, "releases of SLURM bids of the papers": slurms,
	} {
		t.Logf("%s: %d", name, n)
		if n < 10 {
			t.Errorf("%s: %d were replayed, want at least 10", name, n)
		}
	}
	for _, p := range strings.Fields("auction auction2 auction2-3s-15b auction2-5s-15b-noslurm auction2-5s-15b-noslurm-blocks auction2-5s-500b") {
		if !policies[p] {
			t.Errorf("no run of policy %s is recorded", p)
		}
	}
}

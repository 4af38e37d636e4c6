package journal_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// record makes the journal entry of an auction and returns what it decided.
func record(t rapid.TB, number int, s auction.Snapshot, o auction.Options) (journal.Entry, auction.Result) {
	t.Helper()
	solver := &journal.Recorder{Solver: packing.QuickSolver{}}
	r, err := auction.Auction(context.Background(), s, o, solver)
	if err != nil {
		t.Fatal(err)
	}
	return journal.Entry{
		Cycle: number, Snapshot: s, Options: o, Selections: solver.Selections,
	}, r
}

// drawCycles draws cycles of one machine in which jobs leave, come and change.
func drawCycles(t *rapid.T) []journal.Entry {
	w := auctiontest.Window{
		Nodes: 12, Cores: 8, GPUs: 2, Jobs: 6, Sizes: auctiontest.Small,
		Utilisation: rapid.Float64Range(0, 0.9).Draw(t, "utilisation"),
	}
	var cycles []journal.Entry
	for i := range rapid.IntRange(1, 5).Draw(t, "cycles") {
		w.Seed = rapid.Uint64Range(1, 3).Draw(t, "seed")
		s := w.Snapshot()
		s.Now = time.Duration(i) * 5 * time.Second
		s.Jobs = s.Jobs[rapid.IntRange(0, 5).Draw(t, "first"):]
		if rapid.Bool().Draw(t, "odd priorities") {
			s.Jobs[0].Priority = 99.5
		}
		if rapid.Bool().Draw(t, "other machine") {
			for n := range s.Nodes {
				s.Nodes[n].Features = []string{"fast"}
				s.Nodes[n].Memory, s.Nodes[n].FreeMemory = 64, n
			}
		}
		rule := auction.DefaultRule()
		c, _ := record(t, i+1, s, auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: auction.ObjectiveValue, Rule: &rule})
		if rapid.Bool().Draw(t, "running") {
			c.Running = []machine.Holding{{
				Job: 77, Allocation: machine.Allocation{Nodes: []int{1, 2}, Cores: []int{3, i}, GPUs: 1}, End: time.Duration(i) * time.Minute,
			}}
			c.Outside = []int{5, 4}
		}
		// Some running jobs also ran in the cycle before, in the same order or not.
		for range rapid.IntRange(0, 3).Draw(t, "occupied") {
			first, end := rapid.IntRange(0, 9).Draw(t, "first"), time.Duration(rapid.IntRange(60, 62).Draw(t, "end"))*time.Second
			c.Snapshot.Running = append(c.Snapshot.Running, machine.Holding{
				Job: first, Allocation: machine.Allocation{Nodes: []int{first, first + 1}, Cores: []int{1, 2}, GPUs: 1}, End: end,
			})
		}
		cycles = append(cycles, c)
	}
	return cycles
}

func write(t rapid.TB, cycles []journal.Entry) (file []byte, ends []int) {
	t.Helper()
	var out bytes.Buffer
	w := journal.NewWriter(&out)
	for _, c := range cycles {
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, out.Len())
	}
	return out.Bytes(), ends
}

func read(file []byte) (cycles []journal.Entry, truncated bool, err error) {
	truncated, err = journal.Read(bytes.NewReader(file), "file", func(c journal.Entry) error {
		cycles = append(cycles, c)
		return nil
	})
	return cycles, truncated, err
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawCycles(t)
		file, _ := write(t, want)
		got, truncated, err := read(file)
		if err != nil || truncated {
			t.Fatalf("%v, truncated %v", err, truncated)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("read\n%+v\nwrote\n%+v", got, want)
		}
	})
}

// A killed writer leaves the cycles that were written before; nothing else is lost.
func TestCutOffFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawCycles(t)
		file, ends := write(t, want)
		at := rapid.IntRange(0, len(file)).Draw(t, "cut")
		whole, _ := slices.BinarySearch(ends, at+1)
		got, truncated, err := read(file[:at])
		if err != nil || len(got) < whole || whole > 0 && !reflect.DeepEqual(got[:whole], want[:whole]) {
			t.Fatalf("cut at %d: %d cycles of %d, %v", at, len(got), whole, err)
		}
		if boundary := at == 0 || slices.Contains(ends, at); truncated == boundary {
			t.Fatalf("cut at %d, members end at %v: truncated %v", at, ends, truncated)
		}
	})
}

// Equal snapshot, equal selections: the same bids, winners and order.
func TestReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := auctiontest.Window{
			Nodes: 16, Cores: 8, GPUs: 2, Jobs: 8, Sizes: auctiontest.Small,
			Utilisation: rapid.Float64Range(0, 0.9).Draw(t, "utilisation"), Seed: rapid.Uint64().Draw(t, "seed"),
		}
		c, want := record(t, 1, w.Snapshot(), auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 5})})
		file, _ := write(t, []journal.Entry{c})
		cycles, _, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := journal.Replay(cycles[0])
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Bids, want.Bids) || !reflect.DeepEqual(got.Ordered, want.Ordered) || !reflect.DeepEqual(got.Problem, want.Problem) {
			t.Fatalf("replayed\n%s\nwas\n%s", auctiontest.Describe(w.Snapshot(), got), auctiontest.Describe(w.Snapshot(), want))
		}
	})
}

func TestReplayOfOtherBids(t *testing.T) {
	w := auctiontest.Window{Nodes: 16, Cores: 8, GPUs: 2, Jobs: 8, Sizes: auctiontest.Small, Seed: 1}
	c, _ := record(t, 4, w.Snapshot(), auctiontest.Options())
	for name, change := range map[string]struct {
		selections [][]int
		want       string
	}{
		"unknown column": {[][]int{{0, 9999}, {0}}, "replay cycle 4: solve rigid jobs: check selection: column 9999 of"},
		"too few":        {c.Selections[:1], "replay cycle 4: solve auction: no selection was recorded for this program"},
		"too many":       {append(slices.Clone(c.Selections), []int{}), "replay cycle 4: 1 recorded selections are left over"},
	} {
		other := c
		other.Selections = change.selections
		if _, err := journal.Replay(other); err == nil || !strings.HasPrefix(err.Error(), change.want) {
			t.Errorf("%s: error %v, want %q", name, err, change.want)
		}
	}
}

// Whatever fields jobs and nodes have, JSON keeps them: the journal stores both
// as they are.
func TestTypesSurviveJSON(t *testing.T) {
	survives := func(j bidding.Job, n machine.Node, h machine.Holding) bool {
		type all struct {
			J bidding.Job
			N machine.Node
			H machine.Holding
		}
		want := all{j, n, h}
		data, err := json.Marshal(want)
		var got all
		return err == nil && json.Unmarshal(data, &got) == nil && reflect.DeepEqual(got, want)
	}
	if err := quick.Check(survives, nil); err != nil {
		t.Error(err)
	}
}

func packed(text string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.Bytes()
}

func TestBadFiles(t *testing.T) {
	const machine = `"machine":[{"nodes":"n[1-2]","each":{"Cores":8}}]`
	for _, tt := range []struct{ text, want string }{
		{"{]\n", "file:1: want one cycle as JSON: "},
		{`{"cycle":1,` + machine + `,"free":[[3,8,0,0]]}` + "\n", "file:1: field free: a run of 3 nodes after 0 of 2"},
		{`{"cycle":1,` + machine + `,"free":[[1,8,0,0]]}` + "\n", "file:1: field free: 1 of 2 nodes"},
		{`{"cycle":1,` + machine + `,"free":[[2,9,0,0]]}` + "\n", "file:1: check node n1: 9 free cores, allowed are 0 to its total of 8"},
		{`{"cycle":1,"machine":[{"nodes":"n[1-"}]}` + "\n", "file:1: field machine: "},
		{`{"cycle":1,` + machine + `,"free":[[2,8,0,0]],"window":[3]}` + "\n", "file:1: field window: job 3 was never described"},
		{`{"cycle":1,` + machine + `,"free":[[2,8,0,0]],"running":[3]}` + "\n", "file:1: field running: job 3 was never described"},
		{
			`{"cycle":1,` + machine + `,"free":[[2,8,0,0]],"placed":[{"Job":3,"Nodes":[2],"Cores":[1]}]}` + "\n",
			"file:1: field placed: job 3: node 2, allowed are indices of the 2 nodes",
		},
		{
			`{"cycle":1,` + machine + `,"free":[[2,8,0,0]],"occupy":[{"bid":{"Nodes":[0,1],"Cores":[1]}}]}` + "\n",
			"file:1: field occupy: 2 nodes and cores on 1",
		},
		{`{"cycle":1,` + machine + `,"free":[[2,8,0,0]],"occupied":[0]}` + "\n", "file:1: field occupied: running job 0, of which 0 were described"},
		{`{"cycle":1,"machine":[{"nodes":"n[1-65536]"},{"nodes":"m"}]}` + "\n", "file:1: field machine: more than 65536 nodes"},
		{`{"cycle":1,"x":` + strings.Repeat("[", 20_000) + "\n", "file:1: want one cycle as JSON: invalid character '[' exceeded max depth"},
		{strings.Repeat(" ", 64<<20+1), "file:1: line: got more than 64 MiB, allowed 64"},
		{
			`{"cycle":1,` + machine + `,"free":[[2,8,0,0]]}` + "\n" + `{"cycle":2,"free":[[2,8,0,0]],"priorities":[1]}` + "\n",
			"file:2: field priorities: 1 for a window of 0 jobs",
		},
	} {
		if _, _, err := read(packed(tt.text)); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%.300s: error %v, want %q", tt.text, err, tt.want)
		}
	}
	if _, _, err := read([]byte("plain text")); err == nil || err.Error() != "read file: gzip: invalid header" {
		t.Errorf("plain text: %v", err)
	}
	if cycles, truncated, err := read(nil); len(cycles) > 0 || truncated || err != nil {
		t.Errorf("an empty file: %v, %v, %v", cycles, truncated, err)
	}
}

func FuzzRead(f *testing.F) {
	w := auctiontest.Window{Nodes: 4, Cores: 8, GPUs: 2, Jobs: 2, Sizes: auctiontest.Small, Seed: 1}
	c, _ := record(f, 1, w.Snapshot(), auctiontest.Options())
	file, _ := write(f, []journal.Entry{c})
	unpacked, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		f.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(unpacked); err != nil {
		f.Fatal(err)
	}
	f.Add(text.String())
	f.Fuzz(func(t *testing.T, text string) {
		// What is read without an error can be written and read again.
		cycles, _, err := read(packed(text))
		if err != nil {
			return
		}
		again, _ := write(t, cycles)
		if _, truncated, err := read(again); err != nil || truncated {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}

// BenchmarkWrite times an entry of a full window on the largest machine of the
// papers, with all jobs known from before, and reports its size.
func BenchmarkWrite(b *testing.B) {
	w := auctiontest.Window{Nodes: 1408, Cores: 12, GPUs: 3, Jobs: 500, Sizes: auctiontest.Medium, Utilisation: 0.9, Seed: 1}
	c, _ := record(b, 1, w.Snapshot(), auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBids: 7500}), Objective: auction.ObjectiveValue})
	var out bytes.Buffer
	writer := journal.NewWriter(&out)
	if err := writer.Write(c); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(out.Len()), "first-B")
	for b.Loop() {
		out.Reset()
		if err := writer.Write(c); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "B/cycle")
}

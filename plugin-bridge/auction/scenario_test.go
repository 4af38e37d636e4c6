package auction_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// TestScenarios runs the files of testdata. Commands:
//
//	snapshot               nodes and jobs, one item a line:
//	                         nodes COUNT CORES/GPUS [FREECORES/FREEGPUS] [mem=FREE/TOTAL] [features=A,B] [partition=]
//	                         switches NODES FANOUT (above the nodes so far)
//	                         licences NAME COUNT
//	                         job ID PRIORITY [n=] [N=] [t=] [gpus=Z|Z-Z] [contiguous]
//	                         and options [partition=] [features=A,B] [nodelist=0,1] [exclude=0,1] [exclusive] [switches=]
//	                           [alt=n:..,N:..,t:..,gpus:..] [mem=PERNODE] [mem-per-cpu=] [licence=NAME:COUNT]
//	bids [per-job=] [max=] the bids of class A, B and C
//	problem                the program of these bids
//	auction [quick]        the whole cycle, solved exhaustively or by packing.Quick
//	order                  plays bids "JOB CLASS NODES CORES [t=|m=]" through
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		var s auction.Snapshot
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "snapshot":
				s = readSnapshot(t, d.Input)
				if err := s.Validate(); err != nil {
					return err.Error() + "\n"
				}
				return fmt.Sprintf("%d nodes, %d jobs, ranks %v\n", len(s.Nodes), len(s.Jobs), auction.Ranks(s.Jobs))
			case "bids":
				bids, dropped := s.Generator(readOptions(t, d).Bids).Bids()
				return auctiontest.DescribeBids(s, bids) + fmt.Sprintf("%d bids, %d dropped\n", len(bids), dropped.Total())
			case "problem":
				bids, _ := s.Generator(readOptions(t, d).Bids).Bids()
				return auction.Formulate(s, bids, auction.ObjectivePriority).String()
			case "auction":
				var solver auction.Solver = auctiontest.Exhaustive{}
				if d.HasArg("quick") {
					solver = packing.QuickSolver{}
				}
				r, err := auction.Auction(context.Background(), s, readOptions(t, d), solver)
				if err != nil {
					return err.Error() + "\n"
				}
				return auctiontest.Describe(s, r)
			case "order":
				r := auction.Result{}
				r.Ordered, r.Deferred = auction.Order(s, readBids(t, d.Input))
				var out strings.Builder
				for _, b := range r.Ordered {
					fmt.Fprintf(&out, "start job %d %v %s\n", s.Jobs[b.Job].ID, b.Class, machine.RunLength(b.Cores))
				}
				for _, f := range r.Deferred {
					fmt.Fprintf(&out, "defer job %d: %s\n", s.Jobs[f.Bid.Job].ID, f.Reason)
				}
				return out.String()
			default:
				t.Fatalf("unknown command %q", d.Cmd)
				return ""
			}
		})
	})
}

func readOptions(t *testing.T, d *datadriven.TestData) auction.Options {
	o := auctiontest.Options()
	if d.HasArg("per-job") {
		d.ScanArgs(t, "per-job", &o.Bids.MaxBidsPerJob)
	}
	if d.HasArg("max") {
		d.ScanArgs(t, "max", &o.Bids.MaxBids)
	}
	return o
}

func readSnapshot(t *testing.T, input string) auction.Snapshot {
	var s auction.Snapshot
	for line := range strings.SplitSeq(strings.TrimSpace(input), "\n") {
		words := strings.Fields(line)
		switch words[0] {
		case "nodes":
			var n machine.Node
			scan(t, words[2], "%d/%d", &n.Cores, &n.GPUs)
			n.FreeCores, n.FreeGPUs = n.Cores, n.GPUs
			for _, w := range words[3:] {
				key, value, named := strings.Cut(w, "=")
				switch {
				case !named:
					scan(t, w, "%d/%d", &n.FreeCores, &n.FreeGPUs)
				case key == "mem":
					scan(t, value, "%d/%d", &n.FreeMemory, &n.Memory)
				case key == "features":
					n.Features = strings.Split(value, ",")
				case key == "partition":
					n.Partitions = []string{value}
				default:
					t.Fatalf("unknown word %q in %q", w, line)
				}
			}
			for range number(t, words[1]) {
				n.Name = fmt.Sprintf("n%d", len(s.Nodes)+1)
				s.Nodes = append(s.Nodes, n)
			}
		case "switches":
			auctiontest.Connect(s.Nodes, number(t, words[1]), number(t, words[2]))
		case "licences":
			s.Licences = append(s.Licences, machine.Licence{Name: words[1], Count: number(t, words[2])})
		case "job":
			j := bidding.Job{ID: number(t, words[1]), Priority: float64(number(t, words[2]))}
			for _, w := range words[3:] {
				key, value, _ := strings.Cut(w, "=")
				switch key {
				case "n":
					j.Cores = number(t, value)
				case "N":
					j.Nodes = number(t, value)
				case "t":
					j.CoresPerNode = number(t, value)
				case "gpus":
					low, high, isRange := strings.Cut(value, "-")
					j.GPUs = number(t, low)
					if isRange {
						j.MaxGPUs = number(t, high)
					}
				case "alt":
					j.Alternatives = append(j.Alternatives, readAlternative(t, value))
				case "contiguous":
					j.Contiguous = true
				default:
					readOption(t, &j.Options, key, value)
				}
			}
			s.Jobs = append(s.Jobs, j)
		default:
			t.Fatalf("unknown line %q", line)
		}
	}
	return s
}

func readAlternative(t *testing.T, text string) bidding.Alternative {
	var a bidding.Alternative
	for item := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(item, ":")
		into := map[string]*int{"n": &a.Cores, "N": &a.Nodes, "t": &a.CoresPerNode, "gpus": &a.GPUs}[key]
		if into == nil {
			t.Fatalf("unknown word %q in %q", key, text)
		}
		*into = number(t, value)
	}
	return a
}

func readOption(t *testing.T, o *bidding.JobOptions, key, value string) {
	switch key {
	case "partition":
		o.Partition = value
	case "features":
		o.Features = strings.Split(value, ",")
	case "nodelist":
		o.Required = numbers(t, value)
	case "exclude":
		o.Excluded = numbers(t, value)
	case "exclusive":
		o.Exclusive = true
	case "switches":
		o.Switches = number(t, value)
	case "mem":
		o.MemoryPerNode = number(t, value)
	case "mem-per-cpu":
		o.MemoryPerCore = number(t, value)
	case "licence":
		name, count, _ := strings.Cut(value, ":")
		o.Licences = append(o.Licences, machine.Licence{Name: name, Count: number(t, count)})
	default:
		t.Fatalf("unknown option %q", key)
	}
}

// readBids reads lines "JOBINDEX CLASS NODE,.. CORES,.. [t=|m=|gpus=]..".
func readBids(t *testing.T, input string) []bidding.Bid {
	var bids []bidding.Bid
	for line := range strings.SplitSeq(strings.TrimSpace(input), "\n") {
		words := strings.Fields(line)
		b := bidding.Bid{Job: number(t, words[0]), Class: bidding.Class(words[1][0])}
		b.Nodes, b.Cores = numbers(t, words[2]), numbers(t, words[3])
		for _, w := range words[4:] {
			key, value, _ := strings.Cut(w, "=")
			switch key {
			case "t":
				b.TasksPerNode = number(t, value)
			case "m":
				b.MinCores = number(t, value)
			case "gpus":
				b.GPUs = number(t, value)
			default:
				t.Fatalf("unknown word %q in %q", w, line)
			}
		}
		bids = append(bids, b)
	}
	return bids
}

func numbers(t *testing.T, words string) []int {
	t.Helper()
	var all []int
	for w := range strings.SplitSeq(words, ",") {
		all = append(all, number(t, w))
	}
	return all
}

func number(t *testing.T, word string) int {
	t.Helper()
	n, err := strconv.Atoi(word)
	if err != nil {
		t.Fatalf("read number: %v", err)
	}
	return n
}

func scan(t *testing.T, word, format string, into ...any) {
	t.Helper()
	if _, err := fmt.Sscanf(word, format, into...); err != nil {
		t.Fatalf("read %q: %v", word, err)
	}
}

package machine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// TestNodesets runs testdata/nodesets. The input of "nodes" gives the free cores and
// GPUs of each node, "cores/gpus"; every node has 8 cores and 2 GPUs.
func TestNodesets(t *testing.T) {
	var nodes []machine.Node
	datadriven.RunTest(t, "testdata/nodesets", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		switch d.Cmd {
		case "nodes":
			nodes = nil
			for i, word := range strings.Fields(d.Input) {
				n := machine.Node{Name: fmt.Sprintf("n%d", i+1), Cores: 8, GPUs: 2}
				if _, err := fmt.Sscanf(word, "%d/%d", &n.FreeCores, &n.FreeGPUs); err != nil {
					t.Fatalf("read node %q: %v", word, err)
				}
				nodes = append(nodes, n)
			}
			fmt.Fprintf(&out, "%d nodes\n", len(nodes))
		case "sets":
			var minCores, gpus int
			d.ScanArgs(t, "cores", &minCores)
			d.ScanArgs(t, "gpus", &gpus)
			for _, s := range machine.Nodesets(nodes, minCores, gpus) {
				fmt.Fprintln(&out, s)
			}
			if out.Len() == 0 {
				out.WriteString("none\n")
			}
		default:
			t.Fatalf("unknown command %q", d.Cmd)
		}
		return out.String()
	})
}

func TestValidate(t *testing.T) {
	tests := []struct {
		node machine.Node
		want string
	}{
		{machine.Node{Name: "n1", Cores: 8, GPUs: 2, FreeCores: 8, FreeGPUs: 2}, ""},
		{machine.Node{Name: "n1", Cores: 8, FreeCores: 9}, "check node n1: 9 free cores, allowed are 0 to its total of 8"},
		{machine.Node{Name: "n1", Cores: 8, FreeCores: -1}, "check node n1: -1 free cores, allowed are 0 to its total of 8"},
		{machine.Node{Name: "n2", Cores: 8, GPUs: 2, FreeGPUs: 3}, "check node n2: 3 free GPUs, allowed are 0 to its total of 2"},
		{machine.Node{Name: "n2", Cores: 8, Memory: 16, FreeMemory: 17}, "check node n2: 17 MiB of free memory, allowed are 0 to its total of 16"},
	}
	for _, tt := range tests {
		got := ""
		if err := tt.node.Validate(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v: error %q, want %q", tt.node, got, tt.want)
		}
	}
}

func TestIdle(t *testing.T) {
	if n := (machine.Node{Cores: 8, FreeCores: 8, GPUs: 2}); !n.Idle() {
		t.Error("a node with all cores free is not idle")
	}
	if n := (machine.Node{Cores: 8, FreeCores: 7, GPUs: 2, FreeGPUs: 2}); n.Idle() {
		t.Error("a node with a busy core is idle")
	}
}

// TestNodesetsProperties checks the definition of AUCSCHED section 4, without the node that is not allowed. It is a
// "contiguous block of nodes that have at least certain numbers of cores and GPUs in each of the nodes and a certain
// total number of cores in the block".
func TestNodesetsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) machine.Node {
			return machine.Node{
				Cores: 8, GPUs: 2,
				FreeCores: rapid.IntRange(0, 8).Draw(t, "cores"),
				FreeGPUs:  rapid.IntRange(0, 2).Draw(t, "gpus"),
			}
		}), 0, 30).Draw(t, "nodes")
		minCores := rapid.IntRange(0, 8).Draw(t, "minCores")
		gpus := rapid.IntRange(0, 2).Draw(t, "gpus")
		forbidden := rapid.IntRange(-1, 29).Draw(t, "forbidden")
		allowed := func(i int) bool { return i != forbidden }

		member := make([]bool, len(nodes))
		previous := -2
		for _, s := range machine.NodesetsWhere(nodes, minCores, gpus, allowed) {
			if s.First > s.Last || s.Last >= len(nodes) {
				t.Fatalf("set %v is not a range of the %d nodes", s, len(nodes))
			}
			if s.First <= previous+1 {
				t.Fatalf("set %v touches or precedes the set before it, which ends at %d", s, previous)
			}
			previous = s.Last
			cores := 0
			for i := s.First; i <= s.Last; i++ {
				member[i] = true
				cores += nodes[i].FreeCores
			}
			if cores != s.Cores {
				t.Fatalf("set %v holds %d free cores", s, cores)
			}
		}
		for i, n := range nodes {
			if want := n.FreeCores >= max(1, minCores) && n.FreeGPUs >= gpus && i != forbidden; member[i] != want {
				t.Fatalf("node %d %+v in a set: %v, want %v", i, n, member[i], want)
			}
		}
	})
}

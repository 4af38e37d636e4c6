package workloads

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestBlocksOfNodes(t *testing.T) {
	for _, c := range []struct {
		blocks Blocks
		nodes  int
		want   []int
	}{
		{Blocks{}, 10, nil},
		{Blocks{Nodes: 4}, 10, []int{4, 4, 2}},
		{Blocks{Nodes: 4}, 4, []int{4}},
		{Blocks{Each: []int{3, 5, 2}}, 10, []int{3, 5, 2}},
	} {
		got := c.blocks.Of(c.nodes)
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v of %d nodes: got %v, want %v", c.blocks, c.nodes, got, c.want)
		}
		if back := BlocksOf(got, c.blocks.Sizes); !reflect.DeepEqual(back, c.blocks) {
			t.Errorf("%v became %+v, want %+v", got, back, c.blocks)
		}
	}
}

// eval_nodes_block of Slurm 26.05: a job, or each of its segments, is within the smallest block of blocks of BlockSizes that has as many nodes,
// and in the whole machine if there is none. Without BlockSizes these are 1, 2, 4, 8 and 16 blocks.
func TestBlocksHold(t *testing.T) {
	for _, c := range []struct {
		blocks         Blocks
		nodes, segment int
		want           bool
	}{
		{Blocks{Nodes: 4}, 4, 0, true},
		{Blocks{Nodes: 4}, 5, 0, true},
		{Blocks{Nodes: 4}, 12, 0, true},
		{Blocks{Nodes: 4}, 12, 4, true},
		{Blocks{Nodes: 4}, 12, 2, true},
		{Blocks{Nodes: 4}, 12, 6, false}, // 6 are in two blocks of 4, of which there is one pair and a half
		{Blocks{Nodes: 4}, 9, 3, true},
		{Blocks{Nodes: 4}, 12, 3, false},                // three of 3
		{Blocks{Nodes: 4}, 12, 16, true},                // larger than the job
		{Blocks{Nodes: 4, Sizes: []int{4}}, 9, 0, true}, // the whole machine
		{Blocks{Each: []int{3, 5, 4}, Sizes: []int{3}}, 3, 0, true},
		{Blocks{Each: []int{3, 3, 6}, Sizes: []int{6, 12}}, 6, 0, true},
		{Blocks{Each: []int{3, 3, 3, 3}, Sizes: []int{4}}, 4, 0, false}, // planned with 4, which no block has
	} {
		if got := c.blocks.holds(12, c.nodes, c.segment); got != c.want {
			t.Errorf("%+v hold %d nodes in segments of %d: %t", c.blocks, c.nodes, c.segment, got)
		}
	}
}

func TestBlocksOfMachineFile(t *testing.T) {
	const equal = "nodes: 10\ncores: 8\n"
	m, err := ParseMachine("b.yaml", []byte(equal+"blocks: {each: [4, 3, 3], sizes: [3, 6]}\n"))
	if err != nil || !reflect.DeepEqual(m.Blocks, Blocks{Each: []int{4, 3, 3}, Sizes: []int{3, 6}}) {
		t.Errorf("%+v, %v", m.Blocks, err)
	}
	for text, want := range map[string]string{
		"blocks: {}":                               "b.yaml:3: blocks.nodes: missing, allowed 1..10000",
		"blocks: {nodes: 0}":                       "blocks.nodes: got 0, allowed 1..10000",
		"blocks: {nodes: 4, each: [4, 6]}":         "blocks.nodes: got 4, allowed none beside blocks.each",
		"blocks: {each: [4, 4]}":                   "blocks.each: got 8 nodes in all, allowed 10, all nodes of the machine",
		"blocks: {each: [10, 0]}":                  "blocks.each[1]: got 0, allowed 1..10000",
		"blocks: {nodes: 4, sizes: [4, 6]}":        "blocks.sizes: got \"[4 6]\", allowed numbers of nodes from 1, each 1, 2, 4",
		"blocks: {nodes: 4, sizes: [4, 12]}":       "blocks.sizes: got \"[4 12]\"",
		"switches: {nodes: 5}\nblocks: {nodes: 5}": "blocks: got it beside switches, allowed one of them",
	} {
		if _, err := ParseMachine("b.yaml", []byte(equal+text+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// sbatch refuses segments of which the job has no whole number (_validate_segment_size); Slurm ignores them without blocks.
func TestSegments(t *testing.T) {
	m := Machine{Name: "b", Nodes: 12, Cores: 8, Blocks: Blocks{Nodes: 4}}
	job := func(nodes, segment int) Job {
		return Job{ID: 1, Runtime: 60, Limit: 120, Nodes: nodes, Cores: max(nodes, 1), Class: "a", Options: Options{Segment: segment}}
	}
	for _, c := range []struct {
		job  Job
		want string
	}{
		{job(8, 4), ""},
		{job(8, 20), ""},
		{job(8, 3), "segment: got 3, allowed a divisor of nodes=8, or more"},
		{job(0, 4), "segment: got 4, allowed 0 without nodes"},
		{job(12, 6), "segment: got 6, allowed one that fits into the blocks of machine b 2 times"},
		{job(4, 1<<16), "segment: got 65536, allowed 0..65535"},
	} {
		var faults []string
		for _, f := range append(c.job.optionFaults(), c.job.misfits(m)...) {
			faults = append(faults, f.Error())
		}
		if got := strings.Join(faults, "\n"); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%d nodes in segments of %d: got %q, want %q", c.job.Nodes, c.job.Segment, got, c.want)
		}
	}
	// eval_nodes_block takes a job without nodes for one of a node, and skips blocks with fewer cores than it needs.
	if got := (Job{ID: 1, Runtime: 60, Limit: 120, Cores: 33, Class: "a"}).misfits(m); len(got) != 1 || !strings.Contains(got[0].Error(), "cores: got 33, allowed up to 32 without nodes") {
		t.Errorf("got %v", got)
	}
	if got := (Job{ID: 1, Runtime: 60, Limit: 120, Cores: 32, Class: "a"}).misfits(m); got != nil {
		t.Errorf("got %v", got)
	}
	m.Blocks = Blocks{}
	if got := job(8, 4).misfits(m); len(got) != 1 || !strings.Contains(got[0].Error(), "segment: got 4, allowed 0: machine b has no blocks") {
		t.Errorf("got %v", got)
	}
}

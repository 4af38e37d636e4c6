//go:build integration

package run_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// Slurm's topology/block starts jobs within blocks (Slurm's topology.html, "Block Topology"). Of 12 nodes in blocks of 4, job 1 takes one.
// Job 2 needs 4 nodes in one block. The first segment of job 3 fits best into the 3 nodes that job 1 left, the second is in the third block.
// Job 4 waits for them, although 3 nodes are idle: they are not in one block.
func TestBlocks(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.External(), file(t, "blocks.yaml", "name: blocks\nnodes: 12\ncores: 8\nblocks: {nodes: 4, sizes: [4]}\n"),
		file(t, "blocks.txt", "600 -N 1 -n 8\n600 -N 4 -n 32\n600 -N 4 -n 32 --segment=2\n60 -N 3 -n 24\n"), policy.WholeQueue, 0)
	c.Dir = filepath.Join(t.TempDir(), "blocks")
	r := carriedOut(t, c)
	proven(t, r.Run, nil)
	if wait := r.Jobs[3].Waiting(); wait < 500 {
		t.Errorf("job 4 waited %g s, want the run time of another job", wait)
	}
	for i, want := range []map[int]int{{1: 1}, {4: 1}, {2: 2}, {3: 1}} {
		blocks, nodes := map[int]int{}, map[int]int{}
		for _, n := range r.Jobs[i].Allocated {
			blocks[n/4]++
		}
		for _, n := range blocks {
			nodes[n]++
		}
		if fmt.Sprint(nodes) != fmt.Sprint(want) {
			t.Errorf("job %d is on %v: nodes in a block by number of blocks %v, want %v", i+1, r.Jobs[i].Allocated, nodes, want)
		}
	}
}

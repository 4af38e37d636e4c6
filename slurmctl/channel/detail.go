package channel

import (
	"fmt"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// readDetail reads a row with a job's placement: the cells of a queued job, the nodes that it names, its allocated
// TRES, and then "waits", "ended" or "has". After "has" come the cores and the GPUs of its nodes: the number of pairs
// of cores, and those pairs, each a number of nodes and the cores on each of them. Pairs of a number of nodes and the
// GRES on each of them follow.
func readDetail(row Row) (detail slurmctl.JobDetail, ended bool, err error) {
	last := slurmctl.QueuedCells() + chargeCells
	bad := func(want string) error {
		return fmt.Errorf("read job from row %q %.200q: want %s", row.Word, row.Cells, want)
	}
	if row.Word != "detail" || len(row.Cells) < last+3 {
		return detail, false, bad(fmt.Sprintf("detail and at least %d cells", last+3))
	}
	detail.QueuedJob = slurmctl.ReadQueued(row.Cells[:slurmctl.QueuedCells()])
	detail.RequiredNodes = row.Cells[last]
	if detail.ID == 0 {
		return detail, false, bad("a job id")
	}
	if detail.AllocGPUs, err = values.Amount(row.Cells[last+1], "gres/gpu"); err != nil {
		return detail, false, err
	}
	rest := row.Cells[last+3:]
	switch standing := row.Cells[last+2]; {
	case standing == "waits" && len(rest) == 0:
		return detail, false, nil
	case standing == "ended" && len(rest) == 0:
		return detail, true, nil
	case standing != "has" || len(rest) == 0:
		return detail, false, bad("waits, ended or has with a placement")
	}
	names, err := values.ExpandHosts(detail.NodeList)
	if err != nil {
		return detail, false, err
	}
	groups, ok := values.Count(rest[0])
	if !ok || 2*groups > len(rest)-1 {
		return detail, false, bad("pairs of nodes and cores")
	}
	cores, coresFit := spread(len(names), rest[1:1+2*groups], values.Count)
	gpus, gpusFit := spread(len(names), rest[1+2*groups:], func(s string) (int, bool) {
		n, err := values.GPUs(s)
		return n, err == nil
	})
	// A job that is ending has lost its GPUs.
	if !coresFit || len(cores) != len(names) || !gpusFit || len(gpus) != 0 && len(gpus) != len(names) {
		return detail, false, bad(fmt.Sprintf("cores and GPUs of %d nodes", len(names)))
	}
	for i, name := range names {
		a := slurmctl.Allocation{Node: name, Cores: cores[i]}
		if len(gpus) > 0 {
			a.GPUs = gpus[i]
		}
		detail.Allocations = append(detail.Allocations, a)
	}
	return detail, false, nil
}

// spread returns the amount of each of at most n nodes from pairs of a number of nodes
// and what each of them has.
func spread(n int, pairs []string, read func(string) (int, bool)) (amounts []int, ok bool) {
	if len(pairs)%2 != 0 {
		return nil, false
	}
	for ; len(pairs) > 0; pairs = pairs[2:] {
		nodes, fine := values.Count(pairs[0])
		amount, readable := read(pairs[1])
		if !fine || !readable || nodes > n-len(amounts) {
			return nil, false
		}
		for range nodes {
			amounts = append(amounts, amount)
		}
	}
	return amounts, true
}

package auctiontest

import (
	"fmt"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Big is a machine like Tsubame, about half busy and fragmented, with a
// window of 200 jobs.
func Big() auction.Snapshot {
	var s auction.Snapshot
	for i := range 1408 {
		n := machine.Node{Name: fmt.Sprintf("n%d", i+1), Cores: 12, GPUs: 3}
		switch i / 7 * 31 % 10 {
		case 0, 1, 2:
		case 3, 4, 5:
			n.FreeCores, n.FreeGPUs = 1+i/7%11, i%4
		default:
			n.FreeCores, n.FreeGPUs = 12, 3
		}
		s.Nodes = append(s.Nodes, n)
	}
	for j := range 200 {
		job := bidding.Job{ID: j, Priority: float64(1000 - j), Contiguous: j%2 == 0}
		size := 1 + j*37%140
		switch j % 4 {
		case 0, 1:
			job.Cores = size * 12
		case 2:
			job.Nodes, job.Cores, job.GPUs = size, size*5, 1+j%3
		default:
			job.Nodes, job.CoresPerNode, job.GPUs = size, 6, j%3
		}
		s.Jobs = append(s.Jobs, job)
	}
	return s
}

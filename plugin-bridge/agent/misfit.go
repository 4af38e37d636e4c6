package agent

import (
	"reflect"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/explain"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// misfits remembers, by Slurm's job id, why the idle machine could not run the job of
// a request. A job waits for many cycles, and its request seldom changes.
type misfits map[int]misfit

type misfit struct {
	request bidding.Job
	reason  string // "" for a job that fits
}

// learn returns the obstacle of a job that not even the idle machine could run, "" of
// any other job, and remembers it. before is what earlier cycles learned.
func (m misfits) learn(h HeldJob, nodes []machine.Node, before misfits) string {
	known, ok := before[h.ID]
	if !ok || !reflect.DeepEqual(known.request, h.Request) {
		known = misfit{request: h.Request}
		// The model of bids that looks knows one number of nodes.
		request, _ := bidding.Choices{GPUs: true, Alternatives: true}.Narrow(h.Request, nodes)
		if reason := explain.Misfit(nodes, request); reason != "" {
			known.reason = "not even the idle machine could run it: " + reason
		}
	}
	m[h.ID] = known
	return known.reason
}

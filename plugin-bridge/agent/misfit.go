package agent

import (
	"reflect"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/explain"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// misfits remembers, by Slurm's job id and the partition, why the idle machine could not run the job of
// a request. A job waits for many cycles, and its request seldom changes.
type misfits map[jobIn]misfit

// jobIn is a job in one of its partitions.
type jobIn struct {
	id        int
	partition string
}

type misfit struct {
	request bidding.Job
	reason  string // "" for a job that fits
}

// keepFits leaves of several partitions those in which the idle machine could run the job, and sets its obstacle if there is none.
func (m misfits) keepFits(h *HeldJob, nodes []machine.Node, before misfits) {
	if len(h.Within) == 0 {
		h.Obstacle = m.learn(*h, nodes, before)
		return
	}
	first := ""
	fits := map[string]bool{}
	for _, o := range h.Within {
		alone := *h
		alone.Request.Options = o
		reason := m.learn(alone, nodes, before)
		if fits[o.Partition] = reason == ""; first == "" {
			first = reason
		}
	}
	h.keep(func(o bidding.JobOptions) bool { return fits[o.Partition] })
	if !fits[h.Request.Options.Partition] {
		h.Obstacle = first
	}
}

// learn returns the obstacle of a job that not even the idle machine could run, "" of
// any other job, and remembers it. before is what earlier cycles learned.
func (m misfits) learn(h HeldJob, nodes []machine.Node, before misfits) string {
	key := jobIn{h.ID, h.Request.Options.Partition}
	known, ok := before[key]
	if !ok || !reflect.DeepEqual(known.request, h.Request) {
		known = misfit{request: h.Request}
		// The model of bids that looks knows one number of nodes.
		request, _ := bidding.Choices{GPUs: true, Alternatives: true}.Narrow(h.Request, nodes)
		if reason := explain.Misfit(nodes, request); reason != "" {
			known.reason = "not even the idle machine could run it: " + reason
		}
	}
	m[key] = known
	return known.reason
}

package plugin

import (
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Told is agent.Settings.Heard: the next question tells the program of the outcomes.
func (d *Decider) Told(o agent.Outcomes) {
	for _, job := range o.Started {
		d.history.Became(Result{Job: job, Outcome: Started})
	}
	for _, r := range o.Refused {
		d.history.Became(Result{Job: r.Job, Outcome: Refused, Reason: r.Reason})
	}
	for _, r := range o.Returned {
		d.history.Became(Result{Job: r.Job, Outcome: Returned, Reason: r.Reason})
	}
}

// Note is agent.Settings.Note: it adds the faults and the plans of the last decision.
func (d *Decider) Note(c *trace.Cycle) {
	p := trace.Program{Starts: d.starts}
	for _, f := range d.faults {
		p.Faults = append(p.Faults, trace.ProgramFault{Kind: string(f.Kind), Job: f.Job, Reason: f.Text})
	}
	for _, r := range d.reserved {
		p.Reserved = append(p.Reserved, trace.Reserved{Job: r.Job, Start: r.StartS, Nodes: values.CompressHosts(r.Nodes)})
	}
	c.Program = &p
}

package campaign

import (
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// Programs are the policies "exec:FILE" and "host:FILE" that a file names.
type Programs []program

// program is such a policy. at is what a user reads who has not trusted it.
type program struct {
	at   faults.Fault
	host bool
}

// noteProgram notes a policy of the file that is a program.
func (f *file) noteProgram(v input.Value, name string) {
	prefix, _, is := policy.CutProgram(name)
	if !is {
		return
	}
	p := program{faults.Fault{File: f.doc.Faults.Name, Line: v.Line(), Field: v.Path(), Problem: "got " + faults.Quote(name)}, prefix == policy.HostPrefix}
	if p.host {
		p.at.Problem += ", which would run on this machine with your rights"
		p.at.Allowed = policy.ExecPrefix + "FILE, which runs in the cluster, or --trust once you have read the program"
	} else {
		p.at.Problem += ", which would run as your user under " + run.Charliecloud{}.Name()
		p.at.Allowed = "--engine " + run.DockerName + ", or --trust once you have read the program"
	}
	f.programs = append(f.programs, p)
}

// Untrusted are the programs that an engine does not keep from the rights of the user, each as a fault with its place. Under
// Charliecloud all processes of a cluster have the user's id (docs/plugins.md).
func (all Programs) Untrusted(on run.EngineName) []faults.Fault {
	var list []faults.Fault
	for _, p := range all {
		if p.host || on == run.CharliecloudName {
			list = append(list, p.at)
		}
	}
	return list
}

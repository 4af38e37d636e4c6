package campaign

import (
	"errors"
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// Run is one run of a campaign.
type Run struct {
	// Dir is the name of its directory in the folder of the campaign.
	Dir string
	// Label is the workload's name in the file, or its own.
	Label string
	// Parts are the jobs that go on with the work of another one that a scenario has split, by their ids.
	Parts map[int]int
	drive.Spec
}

// seedText is the seed as it stands in a campaign file.
func (r Run) seedText() string { return strconv.FormatUint(r.Seed, 10) }

// expand forms the product. A seed is whole before the next begins, so that what is
// there when somebody stops has its pairs. What the policies of a replica cannot run is
// a fault.
func (f *file) expand() []Run {
	if n := len(f.machines) * len(f.workloads) * len(f.seeds) * len(f.policies) * len(f.backends); n > mostRuns {
		f.doc.Faults.Addf(1, "document: %d runs, allowed are %d", n, mostRuns)
		return nil
	}
	var runs []Run
	for replica, seed := range f.seeds {
		for turnM, m := range f.machines {
			for turnW, w := range f.workloads {
				if _, windows := w.value.Window(); windows > 0 && replica > 0 {
					// A window has the same jobs under every seed.
					continue
				}
				runs = append(runs, f.ofReplica(m, w, seed, replica+turnM+turnW)...)
			}
		}
	}
	for _, e := range f.exclude {
		if !e.used {
			e.Failf("no run of the campaign is like that, so that nothing is excluded")
		}
	}
	f.checkMachines()
	if len(runs) == 0 && f.doc.Faults.Len() == 0 {
		f.doc.Faults.Addf(1, "exclude: all runs are excluded, so that the campaign has no run")
	}
	f.checkNames(runs)
	return runs
}

// seekFaults notes what cannot run of that part of a file with faults which was read well. One seed
// shows what the others would. What a fault may have as its consequence, as an exclusion without
// effect, is no other one.
func (f *file) seekFaults() {
	some := *f
	some.seeds = slices.Concat(f.seeds, []uint64{1})[:1]
	if len(some.backends) == 0 {
		some.backends = []named[backend.Backend]{{f.root.Value, backend.Default()}}
	}
	if len(some.policies) == 0 {
		// Jobs have to fit on the machine under every policy.
		some.policies = []named[policy.Policy]{{f.root.Value, policy.Policy{}}}
	}
	for _, m := range some.machines {
		for _, w := range some.workloads {
			some.ofReplica(m, w, some.seeds[0], 0)
		}
	}
	f.checkMachines()
}

// checkMachines notes machines that a backend or a policy cannot have.
func (f *file) checkMachines() {
	for _, b := range f.backends {
		for _, m := range f.machines {
			if err := errors.Join(backend.All().Fit(b.value, m.value.Nodes, m.value.Unequal()), backend.All().CheckBlocks(b.value, !m.value.Blocks.None())); err != nil {
				b.Failf("machine %s: %w", m.value.Name, err)
			}
		}
	}
	for _, p := range f.policies {
		for _, b := range f.backends {
			if err := p.value.CheckSlurm(b.value.Series); err != nil {
				p.FailAll(err)
			}
		}
		for _, m := range f.machines {
			if err := p.value.CheckMachine(m.value.Name, m.value.Layout, !m.value.Blocks.None()); err != nil {
				p.Failf("%w", err)
			}
		}
	}
}

// ofReplica are the runs that have the same jobs. turn says which policy is first.
func (f *file) ofReplica(m named[workloads.Machine], w work, seed uint64, turn int) []Run {
	var runs []Run
	for _, b := range f.backends {
		for i := range f.policies {
			p := f.policies[(i+turn)%len(f.policies)]
			r := Run{Label: w.name(), Spec: drive.Spec{
				Machine: m.value, Workload: w.value, Seed: seed, Policy: p.value, Backend: b.value, Events: f.events[m.value.Name], EventsName: f.eventsName,
				Clock: clock.Settings{Kind: clock.KindJump, TimeScale: 1, ThinkScale: 1, Start: clock.DefaultStart()},
			}}
			r.Dir = r.Name(f.label(r))
			if !f.excluded(r) {
				runs = append(runs, r)
			}
		}
	}
	if len(runs) == 0 {
		return nil
	}
	jobs, err := w.value.Jobs(m.value, seed)
	if err != nil {
		// Every seed mostly has the same faults.
		if seed == f.seeds[0] {
			w.FailAll(err)
		}
		return nil
	}
	for i, r := range runs {
		runs[i].Jobs = jobs
		if err := r.checkKnown(jobs); err != nil && seed == f.seeds[0] {
			w.FailAll(err)
		}
	}
	return runs
}

func (f *file) excluded(r Run) bool {
	out := false
	for i := range f.exclude {
		// Each exclusion is to know that it was of use.
		out = f.matches(&f.exclude[i], r) || out
	}
	return out
}

// checkNames notes runs that would share a directory.
func (f *file) checkNames(runs []Run) {
	seen := map[string]bool{}
	for _, r := range runs {
		if seen[r.Dir] {
			f.doc.Faults.Addf(1, "document: two runs would have the directory %s; give a workload or a policy a name of its own", r.Dir)
		}
		seen[r.Dir] = true
	}
}

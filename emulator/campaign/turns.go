package campaign

import (
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/emulator/run"
)

// turns are the runs that wait for a core, in their order.
type turns struct {
	configs []run.Config
	left    []int
	// runs counts by slot and policy.
	runs map[[2]string]int
}

func newTurns(configs []run.Config) turns {
	t := turns{configs: configs, runs: map[[2]string]int{}}
	for i := range configs {
		t.left = append(t.left, i)
	}
	return t
}

func (t *turns) none() bool { return len(t.left) == 0 }

// next is the run that a slot takes: of the first replica that is left, the policy that
// has had this core least. So no policy has the better core.
func (t *turns) next(p slot) int {
	least := 0
	for k, i := range t.left {
		if sameJobs(t.configs[i], t.configs[t.left[0]]) && t.runs[t.key(i, p)] < t.runs[t.key(t.left[least], p)] {
			least = k
		}
	}
	i := t.left[least]
	t.left = slices.Delete(t.left, least, least+1)
	t.runs[t.key(i, p)]++
	return i
}

// again puts a run back that has had a turn.
func (t *turns) again(i int) { t.left = slices.Insert(t.left, 0, i) }

// key is the same for two runs of a policy on a core of a machine.
func (t *turns) key(i int, p slot) [2]string {
	name := ""
	if p.on != nil {
		name = p.on.Name()
	}
	if p.core != nil {
		name += " " + strconv.Itoa(*p.core)
	}
	c := t.configs[i]
	return [2]string{name, c.Policy.Name + " " + c.Backend.Name()}
}

// sameJobs says that two runs are of one replica.
func sameJobs(a, b run.Config) bool {
	windowA, _ := a.Workload.Window()
	windowB, _ := b.Workload.Window()
	return a.Machine.Equal(b.Machine) && a.Workload.Name() == b.Workload.Name() && a.Seed == b.Seed && windowA == windowB && len(a.Jobs) == len(b.Jobs)
}

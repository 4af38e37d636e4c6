package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// unequal is a machine of 100 nodes of three groups, in the proportions of docs/records/024-twin.
func unequal(t testing.TB) workloads.Machine {
	m, err := workloads.MachineOf("unequal", layout.Layout{
		Groups: []layout.Group{
			{Name: "thin", Count: 60, Sockets: 1, Cores: 16, Threads: 1, Weight: 10},
			{Name: "volta", Count: 30, Sockets: 1, Cores: 32, Threads: 1, Weight: 20, GPUs: []layout.GPU{{Type: "v100", Count: 4}}},
			{Name: "ampere", Count: 10, Sockets: 1, Cores: 64, Threads: 1, Weight: 30, GPUs: []layout.GPU{{Type: "a100", Count: 8}}},
		},
		Partitions: []layout.Partition{
			{Name: "batch", Groups: []string{"thin", "volta", "ampere"}, Default: true, PriorityTier: 1, PriorityJobFactor: 1},
			{Name: "gpu", Groups: []string{"volta", "ampere"}, PriorityTier: 1, PriorityJobFactor: 1},
		},
	}, workloads.Tree{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mixed draws jobs for it as mixed.py of docs/records/024-twin does. Of ten six want cores, one whole nodes and two
// GPUs of a type; the tenth wants cores here, and memory there.
func mixed(seed uint64, count int) []workloads.Job {
	random := rand.New(rand.NewPCG(seed, 2))
	pick := func(of ...int) int { return of[random.IntN(len(of))] }
	jobs := make([]workloads.Job, count)
	for i := range jobs {
		run := max(30, min(6*3600, int(math.Exp(7.1+0.9*random.NormFloat64()))))
		j := workloads.Job{ID: i + 1, Arrival: random.IntN(count * 81 / 5), Runtime: run, Limit: (int(float64(run)*(1.1+2.9*random.Float64()))/60 + 1) * 60}
		j.Partition = "batch"
		switch kind := random.IntN(10); {
		case kind < 1:
			j.Class, j.Nodes, j.CoresPerNode, j.Exclusive = "whole", pick(1, 2, 4, 8), 16, true
			j.Cores = j.Nodes * j.CoresPerNode
		case kind < 3:
			j.Class, j.Partition, j.GPUType = "gpus", "gpu", []string{"v100", "a100"}[random.IntN(2)]
			j.Nodes, j.CoresPerNode, j.GPUsMin = pick(1, 1, 1, 2), pick(2, 4, 8), pick(1, 2, 4)
			j.Cores, j.GPUsMax = j.Nodes*j.CoresPerNode, j.GPUsMin
		default:
			j.Class, j.Cores = "cores", pick(1, 2, 4, 8, 16, 32, 64)
		}
		jobs[i] = j
	}
	return jobs
}

// byClass has the waits of each class in seconds, ascending, and of all jobs under "".
func byClass(starts []Start) (of map[string][]float64, slowdown float64) {
	of = map[string][]float64{}
	for _, s := range starts {
		wait := float64(s.Begin - s.Job.Arrival)
		of[s.Job.Class] = append(of[s.Job.Class], wait)
		of[""] = append(of[""], wait)
		slowdown += (wait + float64(s.Job.Runtime)) / float64(s.Job.Runtime) / float64(len(starts))
	}
	for _, all := range of {
		slices.Sort(all)
	}
	return of, slowdown
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	return sum / float64(len(all))
}

// playMixed plays a seed with the whole-node reservations or without them.
func playMixed(t testing.TB, seed uint64, count int, alone bool) (of map[string][]float64, slowdown float64) {
	policy := options(auction.ObjectiveAdaptive)
	policy.Interval, policy.Guard, policy.Options.ValueAlone = 5, auction.NewGuard(2), alone
	starts, err := Play(context.Background(), unequal(t), mixed(seed, count), policy)
	if err != nil {
		t.Fatal(err)
	}
	return byClass(starts)
}

// TestWholeNodesDoNotPayForAll is the claim of docs/design/021 on exclusive jobs in small.
func TestWholeNodesDoNotPayForAll(t *testing.T) {
	hosttest.Long(t, "plays two whole workloads")
	t.Parallel()
	alone, _ := playMixed(t, 1, 1000, true)
	with, _ := playMixed(t, 1, 1000, false)
	if mean(with["whole"]) > mean(alone["whole"])/2 || mean(with[""]) > mean(alone[""]) {
		t.Errorf("mean waits with whole-node reservations: exclusive %.0f s, all %.0f s; without %.0f s and %.0f s",
			mean(with["whole"]), mean(with[""]), mean(alone["whole"]), mean(alone[""]))
	}
}

// BenchmarkWholeNodes reports the figures of docs/records/024-twin, one seed a turn.
func BenchmarkWholeNodes(b *testing.B) {
	for name, alone := range map[string]bool{"value alone": true, "reservations": false} {
		b.Run(name, func(b *testing.B) {
			sums := map[string]float64{}
			for seed := range b.N {
				of, slowdown := playMixed(b, uint64(seed)+1, 2000, alone)
				whole, all := of["whole"], of[""]
				sums["slowdown"] += slowdown
				for name, value := range map[string]float64{
					"wait_s": mean(all), "longest_s": all[len(all)-1], "cores_s": mean(of["cores"]), "gpus_s": mean(of["gpus"]),
					"whole_s": mean(whole), "whole95_s": whole[len(whole)*95/100], "whole_longest_s": whole[len(whole)-1],
				} {
					sums[name] += value
				}
			}
			for name, sum := range sums {
				b.ReportMetric(sum/float64(b.N), name)
			}
		})
	}
}

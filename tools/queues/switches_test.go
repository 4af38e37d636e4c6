package main

import (
	"context"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/workloads"
)

// tree is the tree of switches in docs/records/009-fair-share-topology: machine S has eight leaf
// switches, two on each of the second level.
func tree() workloads.Tree { return workloads.Tree{Nodes: 16, Fanout: 2} }

// crossing plays a workload on machine S and returns its numbers and the mean
// number of leaf switches of a job beyond the fewest that its nodes need. With
// aware the auction knows the tree.
func crossing(t testing.TB, workload string, seed uint64, aware bool) (numbers, float64) {
	t.Helper()
	m, err := workloads.LoadMachine("S")
	if err != nil {
		t.Fatal(err)
	}
	if aware {
		m.Switches = tree()
	}
	w, err := workloads.Load(workload)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := w.Jobs(m, seed)
	if err != nil {
		t.Fatal(err)
	}
	starts, err := Play(context.Background(), m, jobs, options(auction.ObjectiveValue))
	if err != nil {
		t.Fatal(err)
	}
	extra := 0
	for _, s := range starts {
		used, fewest := tree().Leaves(m.Nodes).Switches(s.Nodes)
		extra += used - fewest
	}
	return numbersOf(m, starts), float64(extra) / float64(len(starts))
}

// TestTreeKeepsJobsTogether is the claim of docs/design/009 in small. An auction that knows the tree spreads jobs
// over a third fewer switches beyond the needed ones at least, and loses no utilisation worth the name.
func TestTreeKeepsJobsTogether(t *testing.T) {
	hosttest.Long(t, "plays two whole workloads")
	t.Parallel()
	blind, blindExtra := crossing(t, "IV.1", 1, false)
	aware, awareExtra := crossing(t, "IV.1", 1, true)
	if awareExtra > blindExtra*2/3 || aware.utilisation < 0.97*blind.utilisation {
		t.Errorf("with the tree %.2f more switches than needed and %.3f utilisation, without %.2f and %.3f",
			awareExtra, aware.utilisation, blindExtra, blind.utilisation)
	}
}

// BenchmarkSwitches reports the figures of docs/records/009-fair-share-topology, one workload and seed
// a turn.
func BenchmarkSwitches(b *testing.B) {
	for _, knows := range []struct {
		name  string
		aware bool
	}{{"flat", false}, {"tree", true}} {
		for _, workload := range []string{"IV.1", "IV.2", "V.1", "V.2"} {
			b.Run(knows.name+"/"+workload, func(b *testing.B) {
				var sum numbers
				var extra float64
				for seed := range b.N {
					n, e := crossing(b, workload, uint64(seed)+1, knows.aware)
					sum.utilisation += n.utilisation
					sum.waiting += n.waiting
					sum.slowdown += n.slowdown
					sum.fragmentation += n.fragmentation
					extra += e
				}
				b.ReportMetric(sum.utilisation/float64(b.N), "utilisation")
				b.ReportMetric(sum.waiting/float64(b.N), "waiting_s")
				b.ReportMetric(sum.slowdown/float64(b.N), "slowdown")
				b.ReportMetric(sum.fragmentation/float64(b.N), "fragmentation")
				b.ReportMetric(extra/float64(b.N), "extra_switches")
			})
		}
	}
}

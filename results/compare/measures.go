package compare

import (
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads"
)

// measures lists what policies are compared in: what they can be good or bad at
// on the machine.
func measures(m workloads.Machine) []metric.Measure {
	var list []metric.Measure
	for _, candidate := range metric.Measures() {
		if candidate.Subject == metric.OfPolicy && candidate.Better != metric.Neither && (m.GPUs > 0 || !candidate.GPU) {
			list = append(list, candidate)
		}
	}
	return list
}

// emulationMeasures are what a clock or a backend can distort: what policies are compared in, and how truly jobs were
// submitted and ended. Speed is left out, for it differs by intent.
func emulationMeasures(m workloads.Machine) []metric.Measure {
	list := measures(m)
	for _, candidate := range metric.Measures() {
		if candidate.Subject == metric.OfEmulation && candidate.Better == metric.Lower {
			list = append(list, candidate)
		}
	}
	return list
}

// speedMeasure is what a clock is chosen for.
func speedMeasure() metric.Measure { return metric.FindMeasure("speed") }

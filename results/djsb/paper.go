package djsb

import (
	"math"

	"github.com/slurmlab/slurmlab/workloads"
)

// Bounds are the values that DJSB section 4.4 states in words, NaN where it states none.
type Bounds struct{ SimulationSlowdown, AnalysisSlowdown, Dynamicity float64 }

// PaperBounds returns the bounds of a built-in configuration.
//
// Of figure 3: "the least impact is in the case of dynamic scenario - at most 20%". Oversubscription is "up to 20%
// worse than in the case of stop&continue, and up to 30% worse than in case of dynamic scenario", which are taken for
// points of the slowdown. The analytics is "most impacted in the case of oversubscription up to 214%", dynamic "up to
// 104%". Dynamicity is "as low as 62%", "at least 79%" and "at least 74%"; in figure 4 "52%, 63% and 49%".
func PaperBounds(configuration string, s workloads.Scenario) Bounds {
	unknown := math.NaN()
	all := map[string]map[workloads.Scenario]Bounds{
		"figure3": {
			workloads.ScenarioOversubscription: {1.5, 3.14, 0.62},
			workloads.ScenarioStopContinue:     {1.3, unknown, 0.79},
			workloads.ScenarioCooperative:      {1.2, 2.04, 0.74},
		},
		"figure4": {
			workloads.ScenarioOversubscription: {unknown, unknown, 0.52},
			workloads.ScenarioStopContinue:     {unknown, unknown, 0.63},
			workloads.ScenarioCooperative:      {unknown, unknown, 0.49},
		},
	}
	if b, stated := all[configuration][s]; stated {
		return b
	}
	return Bounds{unknown, unknown, unknown}
}

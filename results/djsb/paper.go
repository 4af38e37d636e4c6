package djsb

import (
	"math"

	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// Bounds are the values that DJSB section 4.4 states in words, NaN where it states none.
type Bounds struct{ SimulationSlowdown, AnalysisSlowdown, Dynamicity float64 }

// PaperBounds returns the bounds of a built-in configuration.
//
// Of figure 3: "the least impact is in the case of dynamic scenario - at most 20%". Oversubscription is "up to 20%
// worse than in the case of stop&continue, and up to 30% worse than in case of dynamic scenario", which are taken for
// points of the slowdown. The analytics is "most impacted in the case of oversubscription up to 214%", dynamic "up to
// 104%". Dynamicity is "as low as 62%", "at least 79%" and "at least 74%"; in figure 4 "52%, 63% and 49%".
func PaperBounds(configuration string, s djsbconfig.Scenario) Bounds {
	unknown := math.NaN()
	all := map[string]map[djsbconfig.Scenario]Bounds{
		"figure3": {
			djsbconfig.ScenarioOversubscription: {1.5, 3.14, 0.62},
			djsbconfig.ScenarioStopContinue:     {1.3, unknown, 0.79},
			djsbconfig.ScenarioCooperative:      {1.2, 2.04, 0.74},
		},
		"figure4": {
			djsbconfig.ScenarioOversubscription: {unknown, unknown, 0.52},
			djsbconfig.ScenarioStopContinue:     {unknown, unknown, 0.63},
			djsbconfig.ScenarioCooperative:      {unknown, unknown, 0.49},
		},
	}
	if b, stated := all[configuration][s]; stated {
		return b
	}
	return Bounds{unknown, unknown, unknown}
}

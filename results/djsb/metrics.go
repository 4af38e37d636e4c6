package djsb

import (
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// Times of one job, in seconds from any origin.
type Times struct {
	Submit float64 `json:"submit_s"`
	Start  float64 `json:"start_s"`
	End    float64 `json:"end_s"`
	// Suspended is for how long it was suspended between its start and its end.
	Suspended float64 `json:"suspended_s,omitempty"`
	// Lost is for how long it ran before Start, in starts after which it was requeued and
	// its work was lost.
	Lost float64 `json:"lost_s,omitempty"`
}

// Wait is the time "elapsed between the job submission and the start of the job", and that in
// which a job that was requeued waited again.
func (t Times) Wait() float64 { return t.Start - t.Submit - t.Lost }

// Execution is the time "elapsed between the start of the application and its completion",
// suspended time and lost work included.
func (t Times) Execution() float64 { return t.End - t.Start + t.Lost }

// held is the time in which the job had its cores.
func (t Times) held() float64 { return t.Execution() - t.Suspended }

// Response is "wait time + execution time".
func (t Times) Response() float64 { return t.End - t.Submit }

// check refuses times that no job can have.
func (t Times) check(name string) error {
	for _, v := range []float64{t.Submit, t.Start, t.End} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: submit %v, start %v, end %v: allowed are numbers", name, t.Submit, t.Start, t.End)
		}
	}
	if t.Submit > t.Start || t.Start >= t.End {
		return fmt.Errorf("%s: submit %v, start %v, end %v: allowed is submit <= start < end", name, t.Submit, t.Start, t.End)
	}
	if t.Lost < 0 || t.Lost > t.Start-t.Submit || t.Suspended < 0 || t.Suspended > t.End-t.Start {
		return fmt.Errorf("%s: suspended for %v, lost %v, allowed is what fits between start %v and end %v, and between submit %v and start",
			name, t.Suspended, t.Lost, t.Start, t.End, t.Submit)
	}
	return nil
}

// Reference has the mean execution times of the reference stage, T_REF^alone, in seconds.
type Reference struct {
	Simulation float64 `json:"simulation_s"`
	Analysis   float64 `json:"analysis_s"`
}

// Jobs has the cores of the two applications in a scenario, N^s_CPUS and N^a_CPUS.
type Jobs struct {
	SimulationCPUs int
	AnalysisCPUs   int
}

// JobsOf has the cores of the applications as a scenario has them.
func JobsOf(c djsbconfig.DJSB, scenario djsbconfig.Scenario) Jobs {
	simulation, analysis := c.Applications(scenario)
	return Jobs{SimulationCPUs: simulation.CPUs(), AnalysisCPUs: analysis.CPUs()}
}

// Sample is what happened in one sample of the execution stage.
type Sample struct {
	Simulation Times   `json:"simulation"`
	Analyses   []Times `json:"analyses"`
	// Phases say what the applications computed with, in the order of time; empty if nobody
	// watched them.
	Phases []Phase `json:"phases,omitempty"`
	// Failed says why the sample does not count; empty if it does.
	Failed string `json:"failed,omitempty"`
}

// later is the sample if each of its jobs had ended a second later.
func (s Sample) later() Sample {
	s.Simulation.End++
	s.Analyses = slices.Clone(s.Analyses)
	for i := range s.Analyses {
		s.Analyses[i].End++
	}
	return s
}

// Phase is what an application computes with from a moment on.
type Phase struct {
	// At is in seconds, from the origin of Times.
	At float64 `json:"at_s"`
	// Analysis counts the analytics from 1; 0 is the simulation.
	Analysis int `json:"analysis,omitempty"`
	// Cores of all nodes, in time: of two threads on a core each has half of it.
	Cores float64 `json:"cores"`
	// Rate is the speed compared with the speed alone; 0 where nobody knows it.
	Rate float64 `json:"rate,omitempty"`
}

// Metrics of one sample. A value for the analytics is the mean over them, 0 without any ("We present average of all
// the analytics run within a single experiment").
type Metrics struct {
	SimulationWait, AnalysisWait           float64
	SimulationExecution, AnalysisExecution float64
	SimulationResponse, AnalysisResponse   float64
	SimulationSlowdown, AnalysisSlowdown   float64
	// Weights are those of equations (3) to (8) as they are printed.
	Weights Weights
	// Dynamicity is equation (2) with Weights, DynamicityOfAll with n_a times the
	// weight of the analytics.
	Dynamicity, DynamicityOfAll float64
}

// Weights are w_s and w_a, in core-seconds.
type Weights struct{ Simulation, Analysis float64 }

// Slowdown is equation (1).
func Slowdown(sharing, alone float64) float64 { return sharing / alone }

// WeightsOf are equations (3) to (8) for n analytics with the mean execution time
// analysis; both times are in seconds. Without analytics the time of one is 0.
//
// "Application weights [...] are equal to the resources the application was occupying during its execution multiplied
// by the execution time of the application" (section 2.4). The paper has no equation for some scenarios. In these,
// one job at a time has a core and Slurm knows when, so the times are those in which the job had its cores. Nodes
// that are kept free and idle are nobody's.
func WeightsOf(scenario djsbconfig.Scenario, jobs Jobs, simulation, analysis float64, n int) (Weights, error) {
	if n == 0 {
		analysis = 0
	}
	s, a, count := float64(jobs.SimulationCPUs), float64(jobs.AnalysisCPUs), float64(n)
	var w Weights
	switch scenario {
	case djsbconfig.ScenarioQueue, djsbconfig.ScenarioPreemptSuspend, djsbconfig.ScenarioPreemptRequeue, djsbconfig.ScenarioTimeSlices,
		djsbconfig.ScenarioKeptFree, djsbconfig.ScenarioWaiting:
		w = Weights{s * simulation, a * analysis}
	case djsbconfig.ScenarioOversubscription:
		w = Weights{s*simulation - a*count*analysis/2, a * analysis / 2}
	case djsbconfig.ScenarioStopContinue:
		w = Weights{s * (simulation - count*analysis), a * analysis}
	case djsbconfig.ScenarioCooperative:
		w = Weights{s*simulation - a*count*analysis, a * analysis}
	default:
		return Weights{}, fmt.Errorf("weights: scenario %q is not known", scenario)
	}
	if w.Simulation < 0 || w.Simulation+w.Analysis <= 0 {
		return Weights{}, fmt.Errorf("weights: %d analytics of %g s on %g cores leave a simulation of %g s on %g cores the weight %g, allowed is 0 or more",
			n, analysis, a, simulation, s, w.Simulation)
	}
	return w, nil
}

// paperWeighs says whether equations (3) to (8) are of the scenario. Their times include those
// in which a job was suspended.
func paperWeighs(s djsbconfig.Scenario) bool {
	switch s {
	case djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioStopContinue, djsbconfig.ScenarioCooperative:
		return true
	default:
		return false
	}
}

// Dynamicity is equation (2), the inverse weighted geometric mean of the slowdowns. A weight
// of 0 leaves its slowdown out.
func Dynamicity(w Weights, simulation, analysis float64) float64 {
	logarithm := func(weight, slowdown float64) float64 {
		if weight == 0 {
			return 0
		}
		return weight * math.Log(slowdown)
	}
	return math.Exp(-(logarithm(w.Simulation, simulation) + logarithm(w.Analysis, analysis)) / (w.Simulation + w.Analysis))
}

// Evaluate computes the metrics of a sample.
func Evaluate(scenario djsbconfig.Scenario, jobs Jobs, ref Reference, sample Sample) (Metrics, error) {
	if sample.Failed != "" {
		return Metrics{}, fmt.Errorf("evaluate sample: it failed: %s", sample.Failed)
	}
	if ref.Simulation <= 0 || ref.Analysis <= 0 {
		return Metrics{}, fmt.Errorf("evaluate sample: reference times are %g s and %g s, allowed are positive ones", ref.Simulation, ref.Analysis)
	}
	if err := sample.Simulation.check("simulation"); err != nil {
		return Metrics{}, fmt.Errorf("evaluate sample: %w", err)
	}
	s, n := sample.Simulation, len(sample.Analyses)
	m := Metrics{
		SimulationWait: s.Wait(), SimulationExecution: s.Execution(), SimulationResponse: s.Response(),
		SimulationSlowdown: Slowdown(s.Response(), ref.Simulation),
	}
	simulation, analysis := s.held(), 0.0
	for i, a := range sample.Analyses {
		if err := a.check(fmt.Sprintf("analytics %d", i+1)); err != nil {
			return Metrics{}, fmt.Errorf("evaluate sample: %w", err)
		}
		m.AnalysisWait += a.Wait() / float64(n)
		m.AnalysisExecution += a.Execution() / float64(n)
		m.AnalysisResponse += a.Response() / float64(n)
		m.AnalysisSlowdown += Slowdown(a.Response(), ref.Analysis) / float64(n)
		analysis += a.held() / float64(n)
	}
	if paperWeighs(scenario) {
		simulation, analysis = m.SimulationExecution, m.AnalysisExecution
	}
	var err error
	if m.Weights, err = WeightsOf(scenario, jobs, simulation, analysis, n); err != nil {
		return Metrics{}, fmt.Errorf("evaluate sample: %w", err)
	}
	m.Dynamicity = Dynamicity(m.Weights, m.SimulationSlowdown, m.AnalysisSlowdown)
	all := Weights{m.Weights.Simulation, m.Weights.Analysis * float64(n)}
	m.DynamicityOfAll = Dynamicity(all, m.SimulationSlowdown, m.AnalysisSlowdown)
	return m, nil
}

package djsb

import "github.com/slurmlab/slurmlab/workloads/djsbconfig"

// Event is a result as it comes: a reference stage, which holds for the samples after it, or a sample.
type Event struct {
	Reference *Reference `json:"reference,omitempty"`
	Trial     *Trial     `json:"trial,omitempty"`
}

// Trial is a sample with its position in the experiment.
type Trial struct {
	Scenario djsbconfig.Scenario `json:"scenario"`
	// NumOfDynAnalysis is the number of analytics that it was to have.
	NumOfDynAnalysis int `json:"num_of_dyn_analysis"`
	// Number counts the repetitions from 1.
	Number int `json:"number"`
	// Reference of the stage before it.
	Reference Reference `json:"-"`
	Sample
}

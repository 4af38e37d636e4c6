package serve

import (
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Matrix is a folder at a glance: places by policies, and by the pairs that are compared, in the words and digits in which
// they are shown.
type Matrix struct {
	Metrics  []MatrixMetric `json:"metrics"`
	Policies []string       `json:"policies"`
	// Pairs are of policies, or of two machines or lists of events under one policy.
	Pairs  [][2]string   `json:"pairs"`
	Places []MatrixPlace `json:"places"`
	// Runs are all runs of the folder, also those that are to be made.
	Runs []MatrixRun `json:"runs"`
}

// MatrixMetric is a metric that the matrix can show.
type MatrixMetric struct {
	Title  string `json:"title"`
	Better string `json:"better"`
}

// MatrixPlace is where policies are compared: a workload on a machine and a backend, with what happens there.
type MatrixPlace struct {
	Machine  string `json:"machine"`
	Events   string `json:"events"`
	Workload string `json:"workload"`
	Backend  string `json:"backend"`
	// Policies and Pairs have the order of the Matrix.
	Policies []PolicyCell `json:"policies"`
	Pairs    []PairCell   `json:"pairs"`
}

// under says that runs with events of that label belong to the place.
func (p MatrixPlace) under(events string) bool { return p.Events == "" || p.Events == events }

// second says that machines or lists of events are compared, and that the second one is the place's.
func (p MatrixPlace) second(g compare.Grouped) bool {
	here := p.Workload == g.Name && p.Backend == g.Backend.BackendName()
	switch g.Of {
	case trace.OfMachines:
		return here && p.Machine == g.B && p.under(g.Events)
	case trace.OfEvents:
		return here && p.Machine == g.Machine && p.Events == g.B
	case trace.OfPolicies, trace.OfBackends:
	}
	return false
}

// PolicyCell is a policy at a place.
type PolicyCell struct {
	// Means are those over the complete runs, one for each metric.
	Means []string `json:"means"`
	// States say how many runs there are of each state: "3 complete, 1 missing".
	States string `json:"states"`
}

// PairCell is a comparison at a place: of two policies there, or of the place with another machine or list of events. It has no
// verdicts while no replica is complete under both.
type PairCell struct {
	// Elsewhere says that the pair is not one of this place, so that no run can complete it.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Replicas say how many there are and of what kind: "4 seeds".
	Replicas string    `json:"replicas,omitempty"`
	Verdicts []Verdict `json:"verdicts"`
}

// Verdict is a pair in one metric.
type Verdict struct {
	Difference string `json:"difference"`
	Interval   string `json:"interval"`
	Words      string `json:"words"`
	// Better is the policy that Words call better, empty for none.
	Better string `json:"better"`
}

// MatrixRun is one run. The server adds Key, by which the page finds it, unless there is nothing to
// be found.
type MatrixRun struct {
	Path      string `json:"-"`
	Key       string `json:"key,omitempty"`
	Name      string `json:"name"`
	Place     int    `json:"place"`
	Policy    string `json:"policy"`
	Replica   string `json:"replica"`
	State     string `json:"state"`
	Why       string `json:"why,omitempty"`
	Disturbed string `json:"disturbed,omitempty"`
}

package workloads

// Scenario is what happens in DJSB to a simulation that has the machine when an analytics
// comes.
type Scenario string

// The scenarios: three of DJSB section 4.1, and before them what that section calls typical.
const (
	ScenarioQueue            Scenario = "queue"
	ScenarioOversubscription Scenario = "oversubscription"
	ScenarioStopContinue     Scenario = "stop-continue"
	ScenarioCooperative      Scenario = "cooperative-dynamic"
)

// Scenarios returns all, the plain queue first.
func Scenarios() []Scenario {
	return []Scenario{ScenarioQueue, ScenarioOversubscription, ScenarioStopContinue, ScenarioCooperative}
}

// About says in a line what happens.
func (s Scenario) About() string {
	switch s {
	case ScenarioQueue:
		return "the analytics waits until the simulation has ended"
	case ScenarioOversubscription:
		return "both run on the same cores, which the operating system shares out"
	case ScenarioStopContinue:
		return "the simulation is suspended (scontrol suspend, resume) while the analytics runs"
	case ScenarioCooperative:
		return "the simulation lends the analytics the cores that it asks for, and takes them back"
	default:
		return ""
	}
}

// JobsPerCore is the number of jobs that Slurm may put on a core at a time.
func (s Scenario) JobsPerCore() int {
	switch s {
	case ScenarioOversubscription, ScenarioCooperative:
		return 2
	default:
		return 1
	}
}

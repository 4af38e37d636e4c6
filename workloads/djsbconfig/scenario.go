package djsbconfig

// Scenario is what happens in DJSB to a simulation that has the machine when an analytics
// comes.
type Scenario string

// The scenarios. First come those that DJSB section 4.1 calls typical, then its own three, then what Slurm has
// besides. The last one is what a site can do without any of it.
const (
	ScenarioQueue            Scenario = "queue"
	ScenarioOversubscription Scenario = "oversubscription"
	ScenarioStopContinue     Scenario = "stop-continue"
	ScenarioCooperative      Scenario = "cooperative-dynamic"
	ScenarioPreemptSuspend   Scenario = "preempt-suspend"
	ScenarioPreemptRequeue   Scenario = "preempt-requeue"
	ScenarioTimeSlices       Scenario = "time-slices"
	ScenarioKeptFree         Scenario = "share-kept-free"
	ScenarioWaiting          Scenario = "waiting-simulation"
)

// Scenarios returns all, the plain queue first.
func Scenarios() []Scenario {
	return append(tableScenarios(), ScenarioKeptFree, ScenarioWaiting)
}

// tableScenarios are the scenarios of a configuration that names none. In each of them the simulation has the whole
// machine when an analytics comes.
func tableScenarios() []Scenario {
	return []Scenario{
		ScenarioQueue, ScenarioOversubscription, ScenarioStopContinue, ScenarioCooperative,
		ScenarioPreemptSuspend, ScenarioPreemptRequeue, ScenarioTimeSlices,
	}
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
	case ScenarioPreemptSuspend:
		return "the analytics is in a partition of higher priority, for whose jobs Slurm suspends the simulation"
	case ScenarioPreemptRequeue:
		return "the analytics is in a partition of higher priority, for whose jobs Slurm ends the simulation, which restarts later"
	case ScenarioTimeSlices:
		return "Slurm gives both the cores in turn (gang scheduling)"
	case ScenarioKeptFree:
		return "nodes are kept free for the analytics, which starts there at once; the simulation has the others"
	case ScenarioWaiting:
		return "the simulation comes while an analytics runs, more of them come behind it, and the policy says which may pass it"
	default:
		return ""
	}
}

// JobsPerCore is the number of jobs that Slurm may put on a core at a time.
func (s Scenario) JobsPerCore() int {
	switch s {
	case ScenarioOversubscription, ScenarioCooperative, ScenarioTimeSlices:
		return 2
	default:
		return 1
	}
}

// PreemptMode is what slurm.conf has under that name, empty for nothing.
func (s Scenario) PreemptMode() string {
	switch s {
	case ScenarioPreemptSuspend:
		return "SUSPEND,GANG"
	case ScenarioPreemptRequeue:
		return "REQUEUE"
	case ScenarioTimeSlices:
		return "GANG"
	default:
		return ""
	}
}

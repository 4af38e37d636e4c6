package priority

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Type is the order of the queue by name: slurm.conf's PriorityType with its weights.
type Type string

// The types that a cluster can have.
const (
	// Basic gives each job one less than the job submitted before it.
	Basic Type = "basic"
	// Multifactor is priority/multifactor with the weights of [IPSCHED].
	Multifactor Type = "multifactor"
	// SizeByTime is priority/multifactor with the weights of [RelativeSize].
	SizeByTime Type = "size-by-time"
)

// Types returns all types, the usual one first.
func Types() []Type { return []Type{Basic, Multifactor, SizeByTime} }

// About says in a few words what orders the queue.
func (t Type) About() string {
	switch t {
	case Multifactor:
		return "size and age, as in IPSCHED"
	case SizeByTime:
		return "size by time limit, and a little age"
	}
	return "submission"
}

// Validate refuses anything else.
func (t Type) Validate() error {
	if slices.Contains(Types(), t) {
		return nil
	}
	return fmt.Errorf("priority: %q is not allowed, want %s, %s or %s", string(t), Basic, Multifactor, SizeByTime)
}

// Plugin is slurm.conf's PriorityType.
func (t Type) Plugin() string {
	if t == SizeByTime {
		return "priority/" + string(Multifactor)
	}
	return "priority/" + string(t)
}

// Weights returns the weights of the type, none under priority/basic.
func (t Type) Weights() (w Weights, multifactor bool) {
	switch t {
	case Multifactor:
		return IPSCHED(), true
	case SizeByTime:
		return RelativeSize(), true
	}
	return w, false
}

// Recorded returns the type of a run by what its run.json has: PriorityType, and the other
// lines on priority separated by commas. Runs from before these were recorded have none
// and were made under IPSCHED's weights, the only ones then.
func Recorded(plugin, lines string) (Type, bool) {
	for _, t := range Types() {
		if t.Plugin() == plugin && (lines == "" || lines == strings.Join(t.Lines(), ",")) {
			return t, true
		}
	}
	return "", false
}

// Lines are the other lines of slurm.conf on priority, none under priority/basic.
func (t Type) Lines() []string {
	w, multifactor := t.Weights()
	if !multifactor {
		return nil
	}
	lines := []string{
		fmt.Sprintf("PriorityWeightAge=%d", w.Age),
		fmt.Sprintf("PriorityWeightJobSize=%d", w.JobSize),
		// A time of one number is minutes (slurm.conf(5), PriorityMaxAge).
		fmt.Sprintf("PriorityMaxAge=%d", w.MaxAge/time.Minute),
		// Slurm recomputes the priorities of all waiting jobs every so many minutes. It computes the priority of a
		// new job at once.
		"PriorityCalcPeriod=1",
	}
	if w.RelativeToTime {
		lines = append(lines, "PriorityFlags=SMALL_RELATIVE_TO_TIME")
	}
	return lines
}

// Weights are those of priority/multifactor. All others are 0, as Slurm has them
// by default.
type Weights struct {
	Age, JobSize int
	// MaxAge is the age at which the age factor is 1; a longer wait adds nothing.
	MaxAge time.Duration
	// FavorSmall is PriorityFavorSmall, which turns the size factor round. RelativeToTime
	// is SMALL_RELATIVE_TO_TIME of PriorityFlags: the size factor is the job's part of the
	// machine by the minutes of its time limit, so that short jobs go before long ones.
	FavorSmall, RelativeToTime bool
}

// IPSCHED returns the weights of IPSCHED's experiments, see docs/design/012: both are
// equal, and a job gains 1 for each minute that it waits. The paper does not say at
// which age that ends; here it is Slurm's default of a week.
func IPSCHED() Weights {
	const week = 7 * 24 * time.Hour
	minutes := int(week / time.Minute)
	return Weights{Age: minutes, JobSize: minutes, MaxAge: week}
}

// RelativeSize returns the weights of the tuned backfill in docs/records/006-real-queues. A job's part of the
// machine, divided by the minutes of its limit, weighs a billion. Then one core of 90,000 for a day still has a
// priority above 0. A day of waiting weighs a hundredth of that.
func RelativeSize() Weights {
	return Weights{Age: 10_000_000, JobSize: 1_000_000_000, MaxAge: 24 * time.Hour, RelativeToTime: true}
}

// Max is the highest priority of any job.
func (w Weights) Max() int { return w.Age + w.JobSize }

// Machine is what the size of a job is a part of: all nodes and all cores.
type Machine struct{ Nodes, Cores int }

// WaitingJob is what a job's priority depends on.
type WaitingJob struct {
	// Age is the time since the job could have started.
	Age time.Duration
	// Nodes is -N, 1 without it. Cores is the number of cores over all nodes that
	// the job asks for.
	Nodes, Cores int
	// Limit is the time limit, which matters with Weights.RelativeToTime alone. Slurm has
	// it in whole minutes, rounded up.
	Limit time.Duration
}

// Of is the priority of a job, a whole number from 1 to Max. The size factor is
// the mean of the job's parts of all nodes and of all cores, unless the weights say
// otherwise (priority_multifactor.c of Slurm 24.11, set_priority_factors).
func (w Weights) Of(j WaitingJob, m Machine) int {
	// Slurm's times are whole seconds.
	age := float64(max(0, j.Age)/time.Second) / float64(w.MaxAge/time.Second)
	size := (float64(j.Nodes)/float64(m.Nodes) + float64(j.Cores)/float64(m.Cores)) / 2
	if w.RelativeToTime {
		// In cores, the nodes as so many mean nodes, by a limit of whole minutes, as part
		// of all cores: the order of Slurm's operations.
		size = max(float64(j.Nodes)*float64(m.Cores)/float64(m.Nodes), float64(j.Cores))
		size = size / max(1, math.Ceil(j.Limit.Minutes())) / float64(m.Cores)
	}
	if w.FavorSmall {
		size = 1 - size
	}
	// The conversions round each product before the sum, as Slurm does; without them
	// the compiler may use one instruction for both, which rounds once.
	return max(1, int(float64(min(1, age)*float64(w.Age))+float64(min(1, size)*float64(w.JobSize))))
}

package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

const (
	// maxSources is the number of waits that are named one by one.
	maxSources = 10
	// scheduler is the process whose thinking a run measures, when Slurm schedules.
	scheduler = "slurmctld"
)

// virtualTime is the section that shows how truly the virtual time of a run was
// kept.
type virtualTime struct {
	Intro       string
	Proofs      []proof
	Busy        []busyPart
	Sources     []jumpSource
	SourcesLeft int
}

// proof is a fact and what it proves.
type proof struct{ Name, Value, Meaning string }

// busyPart is a bar of the chart of processor time; Width is in per cent of the
// chart.
type busyPart struct {
	Name, What, Seconds, Share string
	Width                      float64
}

type jumpSource struct{ Thread, Kind, Jumps, Share string }

// newVirtualTime is nil for a run that broke before its fidelity was measured.
func newVirtualTime(r metric.Result) *virtualTime {
	run, f := r.Run, r.Run.Fidelity
	if !r.Complete() && f == nil {
		return nil
	}
	v := &virtualTime{Intro: clockIntro(run)}
	v.add("clock", text.OrNothing(trace.ClockText(run.Clock, run.TimeScale, run.ThinkScale)), "")
	if run.Core != nil {
		v.add("processor core", coreText(run), "All of the cluster computes on this core and nowhere else, so that what it computes can be told from what others do.")
	} else {
		v.add("processor core", coreText(run), "The cluster shared the cores of this computer with everything else that ran.")
	}
	if r.Metrics != nil {
		v.addMetrics(*r.Metrics)
	}
	v.addLateness(run)
	if f == nil {
		return v
	}
	if f.Jump != nil {
		v.addJumps(*f)
	}
	v.add("taken by others", takenText(run), "Time on the core that other programs used and that the hypervisor took. It passes as if the cluster had computed, so it should be next to nothing.")
	v.Busy = busyParts(*f)
	return v
}

func (v *virtualTime) add(name, value, meaning string) {
	v.Proofs = append(v.Proofs, proof{name, value, meaning})
}

func clockIntro(run trace.Run) string {
	switch run.Clock {
	case trace.ClockJump:
		intro := "Virtual time runs as fast as real time while anything in the cluster computes, and jumps to the next deadline as soon as nothing does. Waiting costs nothing and changes nothing; thinking costs the time it takes here."
		if run.ThinkScale != 1 {
			intro = fmt.Sprintf("While anything in the cluster computes, %s of virtual time pass per real second, as on a computer of %s times the speed; as soon as nothing does, virtual time jumps to the next deadline.",
				text.Number(1/run.ThinkScale)+" s", text.Number(run.ThinkScale))
		}
		return intro + " What follows says whether that was kept."
	case trace.ClockScaled:
		return fmt.Sprintf("All clocks of the cluster run %s times as fast. Waiting takes less real time, computing does not: a second that a scheduler thinks counts as %s.",
			text.Number(run.TimeScale), text.Number(run.TimeScale))
	case trace.ClockReal:
		return "The cluster ran in real time: nothing is skipped and nothing stretched."
	default:
		return ""
	}
}

func coreText(run trace.Run) string {
	if run.Core == nil {
		return "none of its own"
	}
	return "core " + count(*run.Core)
}

func (v *virtualTime) addMetrics(m metric.Metrics) {
	if m.Speed != nil {
		v.add("speed", fmt.Sprintf("%s virtual seconds per real second (%s s in %s s)", text.Number(*m.Speed), text.Number(m.Runtime), text.Number(m.RealSeconds)),
			"From the first submission to the last end.")
	}
	e := m.ElapsedError
	v.add("elapsed error", fmt.Sprintf("largest %s s, mean %s s; of %s %d exact, %d within 1 s",
		text.Number(e.Max), text.Number(e.Mean), text.Plural(m.Completed, "completed job"), e.Exact, e.WithinSecond),
		"How far the execution that Slurm accounted is from the run time in the workload. Slurm accounts whole seconds, so one second may be rounding.")
}

func (v *virtualTime) addLateness(run trace.Run) {
	v.add("actions in time", inTime(run.Lateness.Actions()), "How late, in virtual time, came what slurmlab itself does: submissions, cancellations, events, ends by the runner of external nodes and cycles of the agent.")
	ends := inTime(run.Lateness.EndsOfJobs())
	if l := run.Lateness; l != nil && l.Unknown > 0 {
		ends += fmt.Sprintf("; of %s nobody knows when they had to end", text.Plural(l.Unknown, "job"))
	}
	v.add("ends in time", ends, "How far the ends that Slurm accounted are from those of the workload, whatever the outcome. A job at its limit has until Slurm's next look, 30 s later.")
}

// inTime counts what was off by more than a second.
func inTime(late trace.Late, known bool) string {
	if !known {
		return nothing
	}
	return fmt.Sprintf("%d of %d, the worst off by %s s", late.Count-late.Over, late.Count, text.Number(math.Abs(late.Most)))
}

func (v *virtualTime) addJumps(f trace.Fidelity) {
	j := *f.Jump
	v.add("jumps", fmt.Sprint(j.Jumps), "How often nothing in the cluster computed and time moved on to the next deadline.")
	v.add("time skipped", fmt.Sprintf("%s s of %s s%s", text.Number(j.SkippedSeconds), text.Number(f.VirtualSeconds), shareText(j.SkippedSeconds, f.VirtualSeconds)),
		"Virtual time in which nothing in the cluster computed. The rest passed while something did.")
	caught := float64(j.CaughtRunning) + float64(j.CaughtBlocked)
	v.add("false idles caught", fmt.Sprintf("%d running, %d blocked, in %d idle tests%s", j.CaughtRunning, j.CaughtBlocked, j.IdleTests, shareText(caught, float64(j.IdleTests))),
		"The core seemed idle, but a look at every thread found one that was about to run or that waited for a disk. Each would have been a jump over time in which the cluster computes, and was prevented.")
	v.add("longest busy stretch", fmt.Sprintf("%s s, until %s s after the start", text.Number(j.LongestBusySeconds), text.Number(j.LongestBusyAt)),
		"The longest real time without an idle moment: the hardest thinking of a scheduler, or a disturbance.")
	v.add("controller restarts", count(j.Restarts), "How often the program that moves the clock died and was replaced. In between, time ran at real speed: truly, but slowly.")
	v.add("standstills", count(j.Standstills), "How often time did not jump for 20 real seconds or more although nothing computed. It then ran at real speed: truly, but slowly.")
	v.add("rounded threads", roundedText(j.Rounded), "Waits of these threads end at the next multiple of the given time, which saves jumps. It moves their waking, so a thread that decides anything should not be here.")
	all := 0.0
	for _, s := range j.Sources {
		all += float64(s.Jumps)
	}
	for _, s := range j.Sources[:min(len(j.Sources), maxSources)] {
		v.Sources = append(v.Sources, jumpSource{text.OrNothing(s.Thread), text.OrNothing(s.Kind), fmt.Sprint(s.Jumps), text.Percent(float64(s.Jumps) / max(all, 1))})
	}
	v.SourcesLeft = len(j.Sources) - len(v.Sources)
}

// shareText is a share such as " (12.5 %)", empty when the whole is 0.
func shareText(part, whole float64) string {
	if whole <= 0 {
		return ""
	}
	return " (" + text.Percent(part/whole) + ")"
}

func roundedText(rounded map[string]float64) string {
	if len(rounded) == 0 {
		return "none"
	}
	var parts []string
	for _, thread := range slices.Sorted(maps.Keys(rounded)) {
		parts = append(parts, fmt.Sprintf("%s to %s s", thread, text.Number(rounded[thread])))
	}
	return strings.Join(parts, ", ")
}

// takenText says how long other programs and the hypervisor used the cluster's
// core. It is not counted for a cluster without a core of its own.
func takenText(run trace.Run) string {
	f := run.Fidelity
	if run.Core == nil {
		return "unknown without a core of its own"
	}
	return fmt.Sprintf("foreign %s s, stolen %s s%s", text.Number(f.ForeignSeconds), text.Number(f.StolenSeconds), shareText(f.ForeignSeconds+f.StolenSeconds, f.RealSeconds))
}

// partText says what the parts of the cluster are.
func partText(part string) string {
	switch part {
	case scheduler:
		return "Slurm's scheduler"
	case "slurmd":
		return "Slurm's daemon of the nodes"
	case "runner":
		return "stands for the nodes: ends the jobs"
	case "slurmdbd":
		return "Slurm's accounting"
	case "mariadbd":
		return "its database"
	case "slurmlabd":
		return "submits the jobs; the auction"
	case "slurmlabd solver-worker":
		return "the auction's solver"
	case "slurmchannel":
		return "submissions, the agent's questions, ends of jobs"
	case "scontrol":
		return "the agent's updates and releases"
	case "vclockd":
		return "the clock itself"
	case "other":
		return "job steps and clients of Slurm"
	default:
		return ""
	}
}

// busyParts lists the parts, the scheduler first, then the busiest.
func busyParts(f trace.Fidelity) []busyPart {
	rank := func(part string) int {
		if part == scheduler {
			return 0
		}
		return 1
	}
	parts := slices.SortedFunc(maps.Keys(f.BusySeconds), func(a, b string) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(f.BusySeconds[b], f.BusySeconds[a]), cmp.Compare(a, b))
	})
	whole := f.RealSeconds
	sum := 0.0
	for _, part := range parts {
		sum += f.BusySeconds[part]
	}
	var out []busyPart
	bar := func(name, what string, seconds float64) {
		b := busyPart{Name: name, What: what, Seconds: text.Number(seconds), Share: nothing}
		if whole > 0 {
			b.Share = text.Percent(seconds / whole)
			// Clusters on several cores can use more than the whole of one.
			b.Width = 100 * seconds / max(whole, sum)
		}
		out = append(out, b)
	}
	for _, part := range parts {
		bar(part, partText(part), f.BusySeconds[part])
	}
	if len(parts) > 0 {
		bar("all", "", sum)
	}
	return out
}

// fidelityText is the record itself, for those who want all digits.
func recordText[T any](field *T) string {
	if field == nil {
		return ""
	}
	data, err := json.MarshalIndent(field, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(data)
}

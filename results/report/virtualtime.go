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

// proofs are a table of facts and what each of them proves.
type proofs struct{ Table }

func (p *proofs) add(what, value, meaning string) {
	p.Rows = append(p.Rows, []Cell{name(what), word(value), soft(meaning)})
}

// virtualTime shows how exactly the virtual time of a run was kept, nothing for a run that broke before its
// fidelity was measured.
func virtualTime(r metric.Result) []Section {
	run, f := r.Run, r.Run.Fidelity
	if !r.Complete() && f == nil {
		return nil
	}
	s := Section{Title: "Fidelity of virtual time"}
	if intro := clockIntro(run); intro != "" {
		s.Words = []string{intro}
	}
	p := proofs{Table{Class: "proofs"}}
	p.add("clock", text.OrNothing(trace.ClockText(run.Clock, run.TimeScale, run.ThinkScale)), "")
	if run.Core != nil {
		p.add("processor core", coreText(run), "The cluster computes on this core only. So slurmlab can tell its computing from that of other programs.")
	} else {
		p.add("processor core", coreText(run), "The cluster shared the cores of this computer with everything else that ran.")
	}
	if r.Metrics != nil {
		p.addMetrics(*r.Metrics)
	}
	p.addLateness(run)
	if f == nil {
		s.Tables = []Table{p.Table}
		return []Section{s}
	}
	if f.Jump != nil {
		p.addJumps(*f)
	}
	p.add("taken by others", takenText(run), "Time on the core that other programs used and that the hypervisor took. Virtual time passes as if the cluster had computed, so this should be close to 0.")
	for _, t := range []Table{p.Table, busyParts(*f), jumpSources(f.Jump)} {
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
	return []Section{s}
}

func clockIntro(run trace.Run) string {
	switch run.Clock {
	case trace.ClockJump:
		intro := "Virtual time runs at real speed while anything in the cluster computes, and jumps to the next deadline as soon as nothing does. Waiting takes no real time; computing takes as long as it takes on this computer."
		if run.ThinkScale != 1 {
			intro = fmt.Sprintf("While anything in the cluster computes, %s of virtual time pass per real second, as on a computer of %s times the speed; as soon as nothing does, virtual time jumps to the next deadline.",
				text.Number(1/run.ThinkScale)+" s", text.Number(run.ThinkScale))
		}
		return intro + " The facts below show how well the run kept to this."
	case trace.ClockScaled:
		return fmt.Sprintf("All clocks of the cluster run %s times as fast. Waiting takes less real time, computing does not: a second that a scheduler thinks counts as %s.",
			text.Number(run.TimeScale), text.Number(run.TimeScale))
	case trace.ClockReal:
		return "The cluster ran in real time: no time was skipped, and no clock ran faster."
	default:
		return ""
	}
}

func coreText(run trace.Run) string {
	if run.Core == nil {
		return "none of its own"
	}
	return fmt.Sprintf("core %d", *run.Core)
}

func (p *proofs) addMetrics(m metric.Metrics) {
	if m.Speed != nil {
		p.add("speed", fmt.Sprintf("%s virtual seconds per real second (%s s in %s s)", text.Number(*m.Speed), text.Number(m.Makespan), text.Number(m.RealSeconds)),
			"From the first submission to the last end.")
	}
	e := m.ElapsedError
	p.add("elapsed error", fmt.Sprintf("largest %s s, mean %s s; of %s %d exact, %d within 1 s",
		text.Number(e.Max), text.Number(e.Mean), text.Plural(m.Completed, "completed job"), e.Exact, e.WithinSecond),
		"Difference between the execution in Slurm's accounting and the run time in the workload. Slurm counts whole seconds, so 1 s may be rounding.")
}

func (p *proofs) addLateness(run trace.Run) {
	p.add("actions in time", inTime(run.Lateness.Actions()), "Actions of slurmlab within 1 s of their virtual time: submissions, cancellations, events, cycles of the agent, and ends of jobs on external nodes.")
	ends := inTime(run.Lateness.EndsOfJobs())
	if l := run.Lateness; l != nil && l.Unknown > 0 {
		ends += fmt.Sprintf("; the planned end of %s is unknown", text.Plural(l.Unknown, "job"))
	}
	p.add("ends in time", ends, "Ends of jobs in Slurm's accounting within 1 s of the end that the workload asks for, whatever the outcome. A job at its time limit may end up to 30 s later, when Slurm looks again.")
}

// inTime counts what was off by more than a second.
func inTime(late trace.Late, known bool) string {
	if !known {
		return nothing
	}
	return fmt.Sprintf("%d of %d, the worst off by %s s", late.Count-late.Over, late.Count, text.Number(math.Abs(late.Most)))
}

func (p *proofs) addJumps(f trace.Fidelity) {
	j := *f.Jump
	p.add("jumps", fmt.Sprint(j.Jumps), "How often nothing in the cluster computed and time moved on to the next deadline.")
	p.add("time skipped", fmt.Sprintf("%s s of %s s%s", text.Number(j.SkippedSeconds), text.Number(f.VirtualSeconds), shareText(j.SkippedSeconds, f.VirtualSeconds)),
		"Virtual time in which nothing in the cluster computed. The rest passed while something did.")
	caught := float64(j.CaughtRunning) + float64(j.CaughtBlocked)
	p.add("false idles caught", fmt.Sprintf("%d running, %d blocked, in %d idle tests%s", j.CaughtRunning, j.CaughtBlocked, j.IdleTests, shareText(caught, float64(j.IdleTests))),
		"The core seemed idle, but a thread was about to run or waited for a disk. slurmlab prevented these jumps, which would have skipped time in which the cluster computes.")
	p.add("longest busy period", fmt.Sprintf("%s s, until %s s after the start", text.Number(j.LongestBusySeconds), text.Number(j.LongestBusyAt)),
		"The longest real time without an idle moment: the longest computation of a scheduler, or a disturbance.")
	p.add("controller restarts", fmt.Sprint(j.Restarts), "How often the program that moves the clock died and was replaced. In between, time ran at real speed: correct, but slow.")
	p.add("standstills", fmt.Sprint(j.Standstills), "How often time did not jump for 20 real seconds or more although nothing computed. It then ran at real speed: correct, but slow.")
	p.add("rounded threads", roundedText(j.Rounded), "Waits of these threads end at the next multiple of the given time, which saves jumps. No thread that decides on jobs should be listed here, because its decisions would come later.")
}

// jumpSources lists the waits at which jumps ended.
func jumpSources(j *trace.JumpFidelity) Table {
	t := Table{Class: "sources", Caption: "Waits at which jumps ended: what wakes the cluster when nothing computes"}
	if j == nil {
		return t
	}
	all := 0.0
	for _, s := range j.Sources {
		all += float64(s.Jumps)
	}
	for _, s := range j.Sources {
		t.Rows = append(t.Rows, []Cell{code(text.OrNothing(s.Thread)), word(text.OrNothing(s.Kind)),
			number(fmt.Sprint(s.Jumps)), number(text.Percent(float64(s.Jumps) / max(all, 1)))})
	}
	return t.first(maxSources).withHeader("Thread", "Waits in", "Jumps", "Share")
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

// busyParts lists the parts of the cluster, the scheduler first, then the busiest, with bars.
func busyParts(f trace.Fidelity) Table {
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
	t := Table{Class: "busy", Caption: "Processor time of the parts of the cluster, and its share of the real time"}
	bar := func(part, what string, seconds float64) {
		share, width := nothing, 0.0
		if whole > 0 {
			share = text.Percent(seconds / whole)
			// Clusters on several cores can use more than the whole of one.
			width = 100 * seconds / max(whole, sum)
		}
		t.Rows = append(t.Rows, []Cell{word(part), soft(what), number(text.Number(seconds)), number(share), {Class: "bar", Bar: width}})
	}
	for _, part := range parts {
		bar(part, partText(part), f.BusySeconds[part])
	}
	if len(parts) > 0 {
		bar("all", "", sum)
	}
	return t.withHeader("Part", "What it is", "Busy [s]", "Share", "")
}

// recordText is a field of run.json with all its digits.
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

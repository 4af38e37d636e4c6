package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// maxListed is the largest number of jobs that a list names one by one; what
// is left out is counted.
const maxListed = 50

// fact is a name and its value.
type fact struct{ Name, Value string }

// runSection is everything about one run.
type runSection struct {
	Anchor, Name, Policy, Path, Status string
	// Ends says how many jobs did not end as planned, empty for none.
	Ends string

	Warnings                 []string
	Provenance               []fact
	WorkloadSpec, Parameters string

	Metrics     []metricRow
	VirtualTime *virtualTime
	// Record and Lateness are the fields fidelity and lateness as in run.json.
	Record, Lateness string
	Fidelity         []fact
	Mismatches       []mismatch
	MismatchesLeft   int
	Failed           []failedRow
	FailedLeft       int
	Held             []heldRow
	HeldLeft         int
	Waits            []waitRow

	CycleFacts []fact
	Cycles     []statistic
}

type metricRow struct{ Name, Value, Unit, Definition string }

type failedRow struct {
	Job, Slurm       int
	State            string
	Submit, Finished string
}

func newRunSection(i int, r metric.Result) runSection {
	run := r.Run
	t := metric.TotalCycles(r.Cycles)
	s := runSection{
		Anchor: fmt.Sprintf("run-%d", i+1), Name: run.ID, Policy: run.Policy, Path: r.Path,
		Status: string(run.Status), Ends: endsText(r),
		Warnings:   WarningsOfRun(r),
		Provenance: provenance(run), WorkloadSpec: jsonText(run.WorkloadSpec), Parameters: jsonText(run.Parameters),
		VirtualTime: newVirtualTime(r), Record: recordText(run.Fidelity), Lateness: recordText(run.Lateness),
		CycleFacts: cycleFacts(r.Cycles, t), Cycles: cycleStatistics(r.Cycles),
	}
	if s.Name == "" {
		s.Name = s.Anchor
	}
	s.Mismatches, s.MismatchesLeft = firstOf(mismatches(t))
	s.Held, s.HeldLeft = firstOf(heldRows(r.Cycles))
	if r.Metrics == nil {
		return s
	}
	for _, m := range metric.Measures() {
		row := metricRow{Name: m.Name, Value: show(m, *r.Metrics), Definition: definition(m)}
		if row.Value != nothing {
			row.Unit = unitText(m)
		}
		s.Metrics = append(s.Metrics, row)
	}
	s.Fidelity = fidelity(r)
	s.Failed, s.FailedLeft = firstOf(failedRows(r.Jobs))
	s.Waits = waitRows(r)
	return s
}

// endsText says how many jobs did not end as planned, empty for none.
func endsText(r metric.Result) string {
	if r.Metrics == nil || r.Metrics.Failed == 0 {
		return ""
	}
	return text.Plural(r.Metrics.Failed, "failed job")
}

// firstOf cuts a list to maxListed and counts the rest.
func firstOf[T any](list []T) (shown []T, left int) {
	n := min(len(list), maxListed)
	return list[:n], len(list) - n
}

// provenance lists the fields of run.json under their names there. workload_spec,
// policy_parameters and fidelity are shown apart, as documents of their own.
func provenance(r trace.Run) []fact {
	facts := []fact{
		{"id", text.OrNothing(r.ID)},
		{"status", string(r.Status)},
		{"reason", text.OrNothing(r.Reason)},
		{"policy", text.OrNothing(r.Policy)},
		{"value_rule", text.OrNothing(r.ValueRule)},
		{"scheduler_type", schedulerText(r)},
		{"scheduler_parameters", parametersText(r)},
		{"priority_type", text.OrNothing(r.PriorityType)},
		{"priority_parameters", text.OrNothing(r.PriorityParameters)},
		{"workload", text.OrNothing(r.Workload)},
		{"seed", fmt.Sprint(r.Seed)},
		{"machine", machineText(r.Machine)},
		{"jobs", count(r.Jobs)},
		{"submitted", count(r.Submitted)},
		{"clock", text.OrNothing(r.Clock)},
		{"time_scale", text.Number(r.TimeScale)},
		{"think_scale", text.Number(r.ThinkScale)},
		{"core", coreText(r)},
		{"started", timeText(r.Started)},
		{"finished", timeText(r.Finished)},
		{"real_s", text.Number(r.RealSeconds)},
		{"arrival_lag_max_s", text.Number(r.ArrivalLagMax)},
		{"tool_version", text.OrNothing(r.ToolVersion)},
		{"git_revision", text.OrNothing(r.GitRevision)},
		{"image_id", text.OrNothing(r.ImageID)},
		{"slurm", text.OrNothing(r.Slurm)},
		{"slurm_version", text.OrNothing(r.SlurmVersion)},
		{"highs_version", text.OrNothing(r.HiGHSVersion)},
		{"schema_version", count(r.SchemaVersion)},
	}
	if r.Engine != nil {
		facts = append(facts, fact{"engine", r.Engine.Host + " (" + r.Engine.Machine + ")"})
	}
	if past := r.Continues; past != nil {
		facts = append(facts, fact{"continues", past.Run + " from " + text.Duration(past.Time)})
	}
	if r.Windows > 0 {
		facts = append(facts, fact{"window", count(r.Window)}, fact{"windows", count(r.Windows)})
	}
	if len(r.SlurmSources) > 0 {
		facts = append(facts, fact{"slurm_sources", strings.Join(r.SlurmSources, ", ")})
	}
	if len(r.SlurmSettings) > 0 {
		facts = append(facts, fact{"slurm_settings", settingsText(r)})
	}
	if r.FullConfiguration != "" {
		facts = append(facts, fact{"full_configuration", r.FullConfiguration})
	}
	return facts
}

// schedulerText names Slurm's scheduler. Under a policy with an agent all jobs are
// held until the agent releases them, so that the scheduler of slurm.conf, whatever its
// name, has nothing to decide.
func schedulerText(r trace.Run) string {
	if !r.HasAgent() {
		return text.OrNothing(r.SchedulerType)
	}
	return "idle: the agent of the policy schedules"
}

// parametersText are those of Slurm's scheduler, nothing where it is idle.
func parametersText(r trace.Run) string {
	if r.HasAgent() {
		return nothing
	}
	return text.OrNothing(r.SchedulerParameters)
}

// settingsText are the other lines of slurm.conf of the policy, each with what the booted Slurm
// made of it where that is known and written in another way.
func settingsText(r trace.Run) string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(r.SlurmSettings)) {
		line := key + "=" + r.SlurmSettings[key]
		if shown := r.EffectiveSettings[key]; shown != "" && shown != r.SlurmSettings[key] {
			line += " (" + shown + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}

// fidelity says how truly the jobs were submitted when the workload says, and
// placed where the agent had planned.
func fidelity(r metric.Result) []fact {
	m := *r.Metrics
	out := []fact{
		{"arrival lag, largest", text.Number(m.ArrivalLagMax) + " s"},
	}
	if p := m.Placement; p != nil {
		exact := fmt.Sprintf("%d of %d checked", p.Exact, p.Checked)
		if p.Checked > 0 {
			exact += " (" + text.Percent(float64(p.Exact)/float64(p.Checked)) + ")"
		}
		out = append(out, fact{"placed exactly as planned", exact})
	}
	if s := r.Sdiag; s != nil {
		out = append(out, fact{"Slurm's backfill passes", BackfillPasses(*s)})
	}
	return out
}

func failedRows(jobs []trace.FinishedJob) []failedRow {
	var out []failedRow
	for _, j := range jobs {
		if j.Lost() {
			out = append(out, failedRow{j.ID, j.SlurmID, j.State, text.Number(j.Submit), text.Number(j.Finish)})
		}
	}
	return out
}

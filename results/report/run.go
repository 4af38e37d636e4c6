package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// maxListed is the largest number of jobs that a list names one by one; what
// is left out is counted.
const maxListed = 50

// runSection is everything about one run but its metrics.
func runSection(i int, r metric.Result) Section {
	run := r.Run
	s := Section{Class: "run", Anchor: fmt.Sprintf("run-%d", i+1), Badges: []string{string(run.Status)}}
	s.Title = run.Policy + ": " + cmp.Or(run.ID, s.Anchor)
	if ends := endsText(r); ends != "" {
		s.Badges = append(s.Badges, ends)
	}
	if r.Path != "" {
		s.Words = append(s.Words, r.Path)
	}
	for _, text := range WarningsOfRun(r) {
		s.Warnings = append(s.Warnings, Warning{Text: text})
	}
	s.Parts = slices.Concat(virtualTime(r), fidelity(r), mismatches(r.Cycles), failedJobs(r), heldJobs(r.Cycles), longestWaits(r), cycles(r.Cycles), provenance(run))
	return s
}

// endsText says how many jobs did not end as planned, empty for none.
func endsText(r metric.Result) string {
	if r.Metrics == nil || r.Metrics.Failed == 0 {
		return ""
	}
	return text.Plural(r.Metrics.Failed, "failed job")
}

// provenance lists the fields of run.json under their names there. workload_spec,
// policy_parameters and fidelity are shown apart, as documents of their own.
func provenance(r trace.Run) []Section {
	facts := [][2]string{
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
		{"jobs", strconv.Itoa(r.Jobs)},
		{"submitted", strconv.Itoa(r.Submitted)},
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
		{"backend", text.OrNothing(r.Form)},
		{"slurm", text.OrNothing(r.Series)},
		{"slurm_version", text.OrNothing(r.SlurmVersion)},
		{"highs_version", text.OrNothing(r.HiGHSVersion)},
		{"schema_version", strconv.Itoa(r.SchemaVersion)},
	}
	if r.Engine != nil {
		facts = append(facts, [2]string{"engine", r.Engine.Host + " (" + r.Engine.Machine + ")"})
	}
	if past := r.Continues; past != nil {
		facts = append(facts, [2]string{"continues", past.Run + " from " + text.Duration(past.Time)})
	}
	if r.Windows > 0 {
		facts = append(facts, [2]string{"window", strconv.Itoa(r.Window)}, [2]string{"windows", strconv.Itoa(r.Windows)})
	}
	if len(r.SlurmSources) > 0 {
		facts = append(facts, [2]string{"slurm_sources", strings.Join(r.SlurmSources, ", ")})
	}
	if len(r.SlurmSettings) > 0 {
		facts = append(facts, [2]string{"slurm_settings", settingsText(r)})
	}
	if r.FullConfiguration != "" {
		facts = append(facts, [2]string{"full_configuration", r.FullConfiguration})
	}
	t := Table{Class: "facts provenance"}
	for _, f := range facts {
		row := fact(f[0], f[1])
		row[0].Code = true
		t.Rows = append(t.Rows, row)
	}
	part := Section{Title: "Provenance", Tables: []Table{t}}
	for _, d := range []Document{
		{"workload_spec", jsonText(r.WorkloadSpec)}, {"policy_parameters", jsonText(r.Parameters)},
		{"fidelity", recordText(r.Fidelity)}, {"lateness", recordText(r.Lateness)},
	} {
		if d.Text != "" {
			part.Documents = append(part.Documents, d)
		}
	}
	return []Section{part}
}

// schedulerText names Slurm's scheduler. Under a policy with an agent all jobs are
// held until the agent releases them, so that the scheduler of slurm.conf, whatever its
// name, has nothing to decide.
func schedulerText(r trace.Run) string {
	if !r.HasAgent() || r.Backfilled() {
		return text.OrNothing(r.SchedulerType)
	}
	return "idle: the agent of the policy schedules"
}

// parametersText are the parameters of Slurm's scheduler, nothing where it is idle.
func parametersText(r trace.Run) string {
	if r.HasAgent() && !r.Backfilled() {
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

// fidelity says how exactly the jobs were submitted when the workload says, and
// placed where the agent had planned.
func fidelity(r metric.Result) []Section {
	if r.Metrics == nil {
		return nil
	}
	t := Table{Class: "facts", Rows: [][]Cell{fact("arrival lag, largest", text.Number(r.Metrics.ArrivalLagMax)+" s")}}
	if p := r.Metrics.Placement; p != nil {
		exact := fmt.Sprintf("%d of %d checked", p.Exact, p.Checked)
		if p.Checked > 0 {
			exact += " (" + text.Percent(float64(p.Exact)/float64(p.Checked)) + ")"
		}
		t.Rows = append(t.Rows, fact("placed exactly as planned", exact))
	}
	if s := r.Sdiag; s != nil {
		t.Rows = append(t.Rows, fact("Slurm's backfill passes", BackfillPasses(*s)))
	}
	return t.part("Fidelity to workload and plan")
}

// failedJobs lists the jobs that did not end as planned.
func failedJobs(r metric.Result) []Section {
	t := Table{Class: "failed"}
	for _, j := range r.Jobs {
		if r.Metrics != nil && j.Lost() {
			t.Rows = append(t.Rows, []Cell{count(j.ID), count(j.SlurmID), word(j.State), number(text.Number(j.Submit)), number(text.Number(j.Finish))})
		}
	}
	return t.first(maxListed).withHeader("Job", "Slurm job", "State", "Submitted [s]", "Ended [s]").part("Jobs that did not end as planned")
}

package report

import (
	"fmt"

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

	Warnings                 []string
	Provenance               []fact
	WorkloadSpec, Parameters string

	Metrics        []metricRow
	VirtualTime    *virtualTime
	Record         string // of the fidelity, as in run.json
	Fidelity       []fact
	Mismatches     []mismatch
	MismatchesLeft int
	Failed         []failedRow
	FailedLeft     int
	Held           []heldRow
	HeldLeft       int
	Waits          []waitRow

	CycleFacts []fact
	Cycles     []statistic
}

type metricRow struct{ Name, Value, Unit, Definition string }

type failedRow struct {
	Job, Slurm       int
	State            string
	Submit, Finished string
}

func newRunSection(i int, r Run) runSection {
	run := r.Data.Run
	t := totals(r.Data.Cycles)
	s := runSection{
		Anchor: fmt.Sprintf("run-%d", i+1), Name: run.ID, Policy: run.Policy, Path: r.Path,
		Status:     string(run.Status),
		Warnings:   runWarnings(r, t),
		Provenance: provenance(run), WorkloadSpec: jsonText(run.WorkloadSpec), Parameters: jsonText(run.Parameters),
		VirtualTime: newVirtualTime(r), Record: fidelityText(run.Fidelity),
		CycleFacts: cycleFacts(r.Data.Cycles, t), Cycles: cycleStatistics(r.Data.Cycles),
	}
	if s.Name == "" {
		s.Name = s.Anchor
	}
	s.Mismatches, s.MismatchesLeft = firstOf(t.mismatches)
	s.Held, s.HeldLeft = firstOf(heldRows(r.Data.Cycles))
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
	s.Failed, s.FailedLeft = firstOf(failedRows(r.Data.Jobs))
	s.Waits = waitRows(r.Path, r.Data.Jobs)
	return s
}

// firstOf cuts a list to maxListed and counts the rest.
func firstOf[T any](list []T) (shown []T, left int) {
	n := min(len(list), maxListed)
	return list[:n], len(list) - n
}

// provenance lists the fields of run.json under their names there, but those
// that are documents of their own.
func provenance(r trace.Run) []fact {
	return []fact{
		{"id", orNothing(r.ID)},
		{"status", string(r.Status)},
		{"reason", orNothing(r.Reason)},
		{"policy", orNothing(r.Policy)},
		{"scheduler_type", orNothing(r.SchedulerType)},
		{"scheduler_parameters", orNothing(r.SchedulerParameters)},
		{"priority_type", orNothing(r.PriorityType)},
		{"priority_parameters", orNothing(r.PriorityParameters)},
		{"workload", orNothing(r.Workload)},
		{"seed", fmt.Sprint(r.Seed)},
		{"machine", machineText(r.Machine)},
		{"jobs", count(r.Jobs)},
		{"submitted", count(r.Submitted)},
		{"clock", orNothing(r.Clock)},
		{"time_scale", number(r.TimeScale)},
		{"think_scale", number(r.ThinkScale)},
		{"core", coreText(r)},
		{"started", timeText(r.Started)},
		{"finished", timeText(r.Finished)},
		{"real_s", number(r.RealSeconds)},
		{"arrival_lag_max_s", number(r.ArrivalLagMax)},
		{"tool_version", orNothing(r.ToolVersion)},
		{"git_revision", orNothing(r.GitRevision)},
		{"image_id", orNothing(r.ImageID)},
		{"slurm_version", orNothing(r.SlurmVersion)},
		{"highs_version", orNothing(r.HiGHSVersion)},
		{"schema_version", count(r.SchemaVersion)},
	}
}

// fidelity says how truly the run did what workload and agent had asked for.
func fidelity(r Run) []fact {
	m := *r.Metrics
	out := []fact{
		{"arrival lag, largest", number(m.ArrivalLagMax) + " s"},
	}
	if p := m.Placement; p != nil {
		exact := fmt.Sprintf("%d of %d checked", p.Exact, p.Checked)
		if p.Checked > 0 {
			exact += " (" + percent(float64(p.Exact)/float64(p.Checked)) + ")"
		}
		out = append(out, fact{"placed exactly as planned", exact})
	}
	if s := r.Data.Sdiag; s != nil {
		out = append(out, fact{"Slurm's backfill passes", backfillPasses(*s)})
	}
	return out
}

func failedRows(jobs []trace.Job) []failedRow {
	var out []failedRow
	for _, j := range jobs {
		if j.State != "COMPLETED" {
			out = append(out, failedRow{j.ID, j.SlurmID, j.State, number(j.Submit), number(j.Finish)})
		}
	}
	return out
}

package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/slurmlab/slurmlab/results/trace"
)

// writeSchedule writes a header and one row, with Batsim's columns (docs/output-schedule.rst) in lexicographic order,
// and two that only version 4 has. These are scheduling_time, the real seconds that the auction computed (-1 for
// backfill, which computes inside Slurm), and simulation_time, the real seconds of the run.
//
// A machine of Batsim is a node here, or a core of byCores; it computes while at least one job has it. Jobs that
// never started count as killed and have no waiting time; jobs that ran for 0 s
// have no slowdown. Energy and power states are not emulated: their sums are 0,
// the energy is -1.
func writeSchedule(w io.Writer, run trace.Data) error {
	makespan := 0.0
	var slowdown, turnaround, waiting, success, killed counter
	for _, j := range run.Jobs {
		makespan = max(makespan, j.Finish)
		switch trace.BatsimState(j.State) {
		case "COMPLETED_SUCCESSFULLY":
			success.add(1)
		case "COMPLETED_KILLED", "COMPLETED_WALLTIME_REACHED":
			killed.add(1)
		}
		if !j.Started() {
			continue
		}
		turnaround.add(j.Finish - j.Submit)
		waiting.add(j.Waiting())
		if execution := j.Finish - j.Start; execution > 0 {
			slowdown.add((j.Finish - j.Submit) / execution)
		}
	}
	scheduling := -1.0
	if len(run.Cycles) > 0 {
		scheduling = 0
	}
	for _, c := range run.Cycles {
		scheduling += (c.SnapshotMS + c.BidsMS + c.SolveMS + c.ReleaseMS) / 1000
	}
	nodes := run.Run.Machine.Nodes
	computing := busySeconds(nodes, run.Jobs)
	row := []struct{ name, value string }{
		{"batsim_version", "slurmlab " + run.Run.ToolVersion},
		{"consumed_joules", "-1"},
		{"makespan", number(makespan)},
		{"max_slowdown", number(slowdown.most)},
		{"max_turnaround_time", number(turnaround.most)},
		{"max_waiting_time", number(waiting.most)},
		{"mean_slowdown", number(slowdown.mean())},
		{"mean_turnaround_time", number(turnaround.mean())},
		{"mean_waiting_time", number(waiting.mean())},
		{"nb_computing_machines", strconv.Itoa(nodes)},
		{"nb_grouped_switches", "0"},
		{"nb_jobs", strconv.Itoa(len(run.Jobs))},
		{"nb_jobs_finished", strconv.Itoa(len(run.Jobs))},
		{"nb_jobs_killed", strconv.Itoa(killed.n)},
		{"nb_jobs_rejected", "0"},
		{"nb_jobs_success", strconv.Itoa(success.n)},
		{"nb_machine_switches", "0"},
		{"scheduling_time", number(scheduling)},
		{"simulation_time", number(run.Run.RealSeconds)},
		{"success_rate", number(float64(success.n) / float64(len(run.Jobs)))},
		{"time_computing", number(computing)},
		{"time_idle", number(float64(nodes)*makespan - computing)},
		{"time_sleeping", "0"},
		{"time_switching_off", "0"},
		{"time_switching_on", "0"},
		{"time_unavailable", "0"},
	}
	var names, values []string
	for _, column := range row {
		names, values = append(names, column.name), append(values, column.value)
	}
	if err := csv.NewWriter(w).WriteAll([][]string{names, values}); err != nil {
		return fmt.Errorf("write schedule: %w", err)
	}
	return nil
}

// busySeconds sums over the nodes the time in which a node had a job.
func busySeconds(nodes int, jobs []trace.FinishedJob) float64 {
	until := make([]float64, nodes)
	total := 0.0
	for _, j := range byStart(jobs) {
		for _, n := range j.Allocated {
			total += max(0, j.Finish-max(j.Start, until[n]))
			until[n] = max(until[n], j.Finish)
		}
	}
	return total
}

// counter has the number, sum and maximum of what was added.
type counter struct {
	n         int
	sum, most float64
}

func (c *counter) add(v float64) {
	c.n++
	c.sum += v
	c.most = max(c.most, v)
}

// mean is 0 when nothing was added, as in Batsim.
func (c *counter) mean() float64 {
	if c.n == 0 {
		return 0
	}
	return c.sum / float64(c.n)
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

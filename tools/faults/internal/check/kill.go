package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// Run is what the files of a run say, of which something was killed at a random instant.
type Run struct {
	Status trace.Status
	Reason string
	// Ended says that all jobs had ended, Failed that some ended otherwise than planned.
	Ended, Failed bool
	Broken        []Broken
}

// JudgeRun judges a run directory by the invariants 2 to 6, which hold whatever was killed. printed is what slurmlab
// printed. An error means that there is no run.json to read, or one that says less than it must: a failed run without a
// reason is one.
func JudgeRun(path, printed string) (r Run, err error) {
	j := judge{printed: printed}
	if j.dir, err = trace.Open(path); err != nil {
		return r, err
	}
	if j.run, err = j.dir.ReadRun(); err != nil {
		return r, err
	}
	j.files()
	return Run{j.run.Status, j.run.Reason, j.run.Ended, j.run.FailedJobs != nil, j.Broken}, nil
}

// ColumnsUp are the columns of sacct that JudgeUp reads.
const ColumnsUp = "JobName,State,Start,End,NCPUS,NodeList"

// JudgeUp judges jobs of a cluster of "slurmlab up" by sacct, without a header: each submitted job has one row and has
// completed (2, 5), and no node had more cores in use than it has (4).
func JudgeUp(sacct string, submitted []string, machine workloads.Machine) ([]Broken, error) {
	j := judge{run: trace.Run{Settings: trace.Settings{Machine: machine}}}
	for line := range strings.Lines(sacct) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != strings.Count(ColumnsUp, ",")+1 {
			return nil, fmt.Errorf("sacct: want the columns %s: %q", ColumnsUp, line)
		}
		r := row{name: fields[0], state: fields[1], start: instant(fields[2]), end: instant(fields[3])}
		var err error
		if r.cores, err = strconv.Atoi(fields[4]); err != nil {
			return nil, fmt.Errorf("sacct: %w", err)
		}
		// A job that never started has the words "None assigned".
		if !strings.Contains(fields[5], " ") {
			if r.nodes, err = values.ExpandHosts(fields[5]); err != nil {
				return nil, fmt.Errorf("sacct: %w", err)
			}
		}
		j.rows = append(j.rows, r)
		if r.state != "COMPLETED" {
			j.breaks(5, "job %s is %s", r.name, r.state)
		}
	}
	for _, name := range submitted {
		j.jobs = append(j.jobs, job{name: name})
	}
	j.accounted()
	j.oversold()
	return j.Broken, nil
}

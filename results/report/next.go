package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Next is a command to type after a run or a comparison, and what it answers.
type Next struct {
	Question string
	Command  []string
}

// AfterRun are the commands that help after a run: its page, and why the job waited that
// waited longest.
func AfterRun(r metric.Result) []Next {
	commands := []Next{{"all of it on one page", []string{"slurmlab", "report", r.Path, "--out", strings.TrimSuffix(r.Path, "/") + "/report.html"}}}
	if waits := r.Waits(); len(waits) > 0 && r.Explainable() {
		commands = append(commands, Next{
			fmt.Sprintf("why job %d waited longest, %s", waits[0].ID, seconds(waits[0].TotalWait())), explainWords(r, waits[0].ID),
		})
	}
	return commands
}

// AfterComparison is the command that helps after a comparison. It explains the job whose waiting differs most
// between the first runs of both sides, in the run where it waited longer. Where no such run can be explained, it
// shows all metrics of both.
func AfterComparison(a, b metric.Result) []Next {
	other := map[int]trace.FinishedJob{}
	for _, j := range trace.Started(b.Jobs) {
		other[j.ID] = j
	}
	most, job, found := 0.0, 0, false
	for _, j := range trace.Started(a.Jobs) {
		o, there := other[j.ID]
		if d := j.TotalWait() - o.TotalWait(); there && math.Abs(d) > math.Abs(most) && longer(d, a, b).Explainable() {
			most, job, found = d, j.ID, true
		}
	}
	if !found {
		return []Next{{"all metrics of two runs", []string{"slurmlab", "metrics", "--all", a.Path, b.Path}}}
	}
	than, in := longer(-most, a, b), longer(most, a, b)
	sides := trace.SidesOf(in.Run.Settings, than.Run.Settings)
	return []Next{{
		fmt.Sprintf("why job %d waited %s longer under %s than under %s", job, seconds(math.Abs(most)), sides.A, sides.B),
		explainWords(in, job),
	}}
}

// longer is the run in which a job waited longer that waited so much longer in a than in b.
func longer(difference float64, a, b metric.Result) metric.Result {
	if difference > 0 {
		return a
	}
	return b
}

func explainWords(r metric.Result, job int) []string {
	return []string{"slurmlab", "explain", r.Path, "--job", fmt.Sprint(job)}
}

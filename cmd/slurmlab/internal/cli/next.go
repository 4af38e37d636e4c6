package cli

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// next is a command to type after a run or a comparison, and what it answers.
type next struct {
	question string
	command  []string
}

// conclusion tells where the results are, and what to type next. It goes to standard
// output below a text, else to standard error.
func (s *State) conclusion(f form, results string, commands ...next) error {
	var b strings.Builder
	b.WriteString("\n" + text.Wrap("Results: "+results, "", s.width()))
	for _, n := range commands {
		b.WriteString(text.Wrap("Next, "+n.question+":", "", s.width()))
		b.WriteString(text.Command(n.command, s.screen()))
	}
	w := s.Stdout
	if f.Format != table.TextFormat {
		w = s.Stderr
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// afterRun are the commands that help after a run: its page, and why the job waited that
// waited longest.
func afterRun(r metric.Result) []next {
	commands := []next{{"all of it on one page", []string{"slurmlab", "report", r.Path, "--out", strings.TrimSuffix(r.Path, "/") + "/report.html"}}}
	if waits := r.Waits(); len(waits) > 0 && r.Explainable() {
		commands = append(commands, next{
			fmt.Sprintf("why job %d waited longest, %s", waits[0].ID, seconds(waits[0].TotalWait())), explainWords(r, waits[0].ID),
		})
	}
	return commands
}

// afterComparison is the command that helps after a comparison. It explains the job whose waiting differs most
// between the first runs of both sides, in the run where it waited longer. Where no such run can be explained, it
// shows all metrics of both.
func afterComparison(a, b metric.Result) []next {
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
		return []next{{"all metrics of two runs", []string{"slurmlab", "metrics", "--all", a.Path, b.Path}}}
	}
	than, in := longer(-most, a, b), longer(most, a, b)
	sides := trace.SidesOf(in.Run.Settings, than.Run.Settings)
	return []next{{
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

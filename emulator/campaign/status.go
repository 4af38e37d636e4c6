package campaign

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// Status is how a campaign stands.
type Status struct {
	Folder   string `json:"folder"`
	Runs     int    `json:"runs"`
	Complete int    `json:"complete"`
	Running  int    `json:"running"`
	Broken   int    `json:"broken"`
	Missing  int    `json:"missing"`
	// LeftSeconds is the real time of the runs that are not complete, on one core.
	LeftSeconds float64 `json:"left_s"`
	// TookSeconds of the complete ones.
	TookSeconds float64 `json:"took_s"`
	// SetAside are the runs in the directory "broken".
	SetAside int `json:"set_aside"`
	// Others are runs in the folder that the campaign file does not ask for.
	Others []string `json:"others"`
	// Until is the aim of a campaign that adds seeds, empty for others. Seeds are the ones that should exist when it
	// looks at its intervals next, Listed of them in the campaign file.
	Until  string `json:"until"`
	Seeds  int    `json:"seeds"`
	Listed int    `json:"listed_seeds"`
	// Reasons say by directory why runs are broken.
	Reasons map[string]string `json:"reasons"`
	// TasksPending and TasksRunning are those of job arrays; nil where none was submitted, or Slurm does not answer here.
	TasksPending *int `json:"tasks_pending"`
	TasksRunning *int `json:"tasks_running"`
	// tasks says the same in words.
	tasks string
	// left is LeftSeconds.
	left    time.Duration
	counted string
	aim     string
	builds  string
}

// Status counts the runs of the campaign by their states.
func (st *Study) Status(entries Entries) Status {
	c := Status{
		Folder: st.Folder, Runs: len(entries), left: entries.left(), LeftSeconds: entries.left().Seconds(), SetAside: len(run.Aside(st.Folder)),
		Others: []string{}, Reasons: map[string]string{}, counted: entries.counts(), Seeds: len(st.Seeds), Listed: st.Listed, aim: st.Aim(), builds: entries.OtherBuilds(),
	}
	if st.Until != nil {
		c.Until = st.Until.String()
	}
	known := make(map[string]bool, len(entries))
	of := map[run.State]*int{run.StateComplete: &c.Complete, run.StateRunning: &c.Running, run.StateBroken: &c.Broken, run.StateMissing: &c.Missing}
	for _, e := range entries {
		*of[e.state]++
		known[e.config.Dir] = true
		c.TookSeconds += e.took.Seconds()
		if e.state == run.StateBroken {
			reason := e.reason
			if reason == "" {
				reason = "slurmlab was killed before the run had begun"
			}
			c.Reasons[filepath.Base(e.config.Dir)] = reason
		}
	}
	for _, path := range otherRuns(st.Folder, known) {
		c.Others = append(c.Others, filepath.Base(path))
	}
	return c
}

// Ask adds what Slurm knows of the tasks that were submitted. The folder alone says what is complete, so that no answer is
// no fault.
func (c *Status) Ask(ctx context.Context, slurm slurmctl.Runner) {
	subs, err := submissions(c.Folder)
	if len(subs) == 0 && err == nil {
		return
	}
	var q queue
	if err == nil {
		q, err = queued(ctx, slurm, subs)
	}
	if err != nil {
		c.tasks = fmt.Sprintf("Whether tasks of job arrays are at work is not known: %v.", err)
		return
	}
	c.TasksPending, c.TasksRunning = &q.pending, &q.running
	c.tasks = fmt.Sprintf("Job arrays: %s pending, %d running.", text.Plural(q.pending, "task"), q.running)
}

// Lines say the same for people, a paragraph each.
func (c Status) Lines() []string {
	var lines []string
	say := func(text string, args ...any) { lines = append(lines, fmt.Sprintf(text, args...)) }
	say("%s: %s: %s", c.Folder, text.Plural(c.Runs, "run"), c.counted)
	for _, text := range []string{c.builds, c.aim, c.tasks} {
		if text != "" {
			say("%s", text)
		}
	}
	if c.Complete > 0 {
		say("The complete runs took %s of one core.", text.Duration(c.TookSeconds))
	}
	if c.LeftSeconds > 0 {
		say("The others take about %s of one core.", progress.About(c.left.Round(time.Second)))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Reasons)) {
		say("%s is broken: %s", name, c.Reasons[name])
	}
	if c.SetAside > 0 {
		say("Set aside in %s: %s.", filepath.Join(c.Folder, run.AsideName), text.Plural(c.SetAside, "run"))
	}
	if n := len(c.Others); n > 0 {
		say("The campaign file does not ask for %s of the folder, such as %s.", text.Plural(n, "run"), c.Others[0])
	}
	return lines
}

package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// Bounds of waiting for tasks.
const (
	// queuePoll is the least pause between two looks at the folder and at squeue. Looks take at most a tenth of the time,
	// as those at very many runs on a slow file system last long.
	queuePoll = 10 * time.Second
	pollShare = 10
	// mostLost is how often the runs of tasks that were lost are submitted again.
	mostLost = 3
	// mostSilent is how many looks one after the other may fail: slurmctld may be started again, and a run may be
	// moved aside while it is looked at.
	mostSilent = 30
	// taskMemory is what slurmlab takes itself in a task, beside its clusters.
	taskMemory = 256 << 20
)

// OnSlurm is the name of the user's own Slurm, as something that makes runs.
const OnSlurm = "slurm"

// ErrDetached is the end of a command that only submits.
var ErrDetached = errors.New("submitted")

// arrays are the job arrays of a campaign on the user's Slurm, and the runs that they are to make.
type arrays struct {
	*Making
	study   *Study
	configs []run.Config
	// takes is the real time that each run is expected to take.
	takes []time.Duration
	ask   Site
	slurm slurmctl.Runner
	board Board
	// most is the largest number of tasks of an array.
	most int
	subs []submission
	// states are the states of the runs at the last look, submitted counts how often this command has submitted each.
	// gone says that no task had a run at the last look.
	states    []run.ExistingRun
	submitted []int
	gone      []bool
}

// submit has job arrays make the runs that are missing of those that were found, and waits for them. Complete is what the
// folder says; Slurm is asked only who is at work.
func (m *Making) submit(ctx context.Context, st *Study, configs []run.Config, found []run.ExistingRun) error {
	entries, err := st.entries(configs, found)
	if err != nil {
		return err
	}
	var missing []run.Config
	var takes []time.Duration
	for _, e := range entries {
		if e.state != run.StateComplete {
			e.config.AnyBuild = false
			missing, takes = append(missing, e.config), append(takes, e.estimate.Real)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err = commandsThere(); err != nil {
		return err
	}
	if err = setImages(ctx, m.Engine.On(), missing); err != nil {
		return err
	}
	// Two commands would submit the same runs.
	reserved, err := run.Reserve(filepath.Join(m.Out, submissionsName), true, run.Disk(missing...))
	if err != nil {
		return faults.Usage(fmt.Errorf("out: %w", err))
	}
	defer reserved.Release()
	shared, err := run.Share(m.Out, 0)
	if err != nil {
		return faults.Usage(fmt.Errorf("out: %w", err))
	}
	defer shared.Release()
	a := &arrays{
		Making: m, study: st, configs: missing, takes: takes, ask: over(m.Ask, st.Site), slurm: slurmctl.Here{},
		states: make([]run.ExistingRun, len(missing)), submitted: make([]int, len(missing)), gone: make([]bool, len(missing)),
	}
	out, err := askSlurm(ctx, a.slurm, nil, "scontrol", "show", "config")
	if err != nil {
		return err
	}
	if a.most, err = MaxArraySize(out); err != nil {
		return err
	}
	if a.subs, err = submissions(m.Out); err != nil {
		return err
	}
	if err = a.identify(ctx); err != nil {
		return err
	}
	a.board = m.Terminal.Show(ctx, "stopping: the tasks go on without this command", 0, missing)
	defer a.board.Close()
	return a.watch(ctx)
}

// watch submits what no task has, until every run is complete.
func (a *arrays) watch(ctx context.Context) error {
	// The last submitter has named the tasks at work; what is gone is gone at the first look.
	for i := range a.gone {
		a.gone[i] = true
	}
	silent := 0
	for {
		began := time.Now()
		// A task that has ended by now has left its runs as they are found.
		q, err := queued(ctx, a.slurm, a.subs)
		if err == nil {
			err = a.look()
		}
		switch {
		case ctx.Err() != nil:
			return a.stopped()
		case errors.Is(err, run.ErrOther) || err != nil && silent == mostSilent:
			return err
		case err != nil:
			if silent++; silent == 1 {
				a.board.Warn(fmt.Sprintf("%v; asked again every %s", err, queuePoll))
			}
		default:
			silent = 0
			if !slices.ContainsFunc(a.states, Left) {
				return nil
			}
			if err = a.again(ctx, q); err != nil {
				return err
			}
			if a.Detach {
				return ErrDetached
			}
		}
		select {
		case <-time.After(max(queuePoll, pollShare*time.Since(began))):
		case <-ctx.Done():
			return a.stopped()
		}
	}
}

// stopped is the error of a user who does not want to wait.
func (a *arrays) stopped() error {
	return fmt.Errorf("%w; the tasks go on: see squeue --me -n %s, and scancel -n %s ends them\n  the same command waits for them again", run.ErrStopped, a.name(), a.name())
}

func (a *arrays) name() string { return ArrayName(filepath.Base(a.study.Folder)) }

// look finds how the runs are that were not complete, and shows it.
func (a *arrays) look() error {
	for i, c := range a.configs {
		before := a.states[i].State
		if before == run.StateComplete {
			continue
		}
		found, err := a.Find([]run.Config{c})
		if err != nil {
			return err
		}
		a.states[i] = found[0]
		begun := found[0].State == run.StateRunning && before != run.StateRunning
		ended := found[0].State == run.StateComplete
		if !begun && !ended {
			continue
		}
		if begun {
			a.board.Follow(i)(progress.Update{Stage: progress.Elsewhere})
			continue
		}
		a.board.Made(i, len(c.Jobs))
	}
	return nil
}

// again submits the runs that no task has. A file system may show what a task has done only after its end: a run
// must be gone at two looks, one after the other.
func (a *arrays) again(ctx context.Context, q queue) error {
	var todo []int
	spent, atWork := 0, false
	for i, c := range a.configs {
		_, live := q.runs[filepath.Base(c.Dir)]
		gone := !live && Left(a.states[i]) && a.states[i].State != run.StateRunning
		ready := gone && a.gone[i]
		a.gone[i] = gone
		switch {
		case !Left(a.states[i]):
		case !ready:
			atWork = true
		case a.submitted[i] > mostLost:
			spent++
		default:
			todo = append(todo, i)
		}
	}
	if len(todo) == 0 {
		if spent > 0 && !atWork {
			return a.lost()
		}
		return nil
	}
	lost := 0
	for _, i := range todo {
		lost = max(lost, a.submitted[i])
	}
	if lost > 0 {
		a.board.Note(fmt.Sprintf("%s not complete, and the tasks have ended: submitted again (%d of %d)", text.Plural(len(todo), "run"), lost, mostLost))
	}
	if err := a.send(ctx, todo, lost); err != nil {
		return err
	}
	for _, i := range todo {
		a.submitted[i]++
		a.gone[i] = false
	}
	return nil
}

// send submits runs as job arrays.
func (a *arrays) send(ctx context.Context, todo []int, lost int) error {
	runs := make([]TaskRun, len(todo))
	chosen := make([]run.Config, len(todo))
	for k, i := range todo {
		chosen[k] = a.configs[i]
		runs[k] = TaskRun{Dir: filepath.Base(chosen[k].Dir), Takes: a.takes[i]}
	}
	memory := int64(run.Together(chosen, a.ask.Cores)) + taskMemory
	for _, tasks := range Arrays(Tasks(runs, a.ask.Cores, a.ask.RunsPerTask), a.most) {
		if err := a.sendOne(ctx, tasks, lost, memory); err != nil {
			return err
		}
	}
	return nil
}

func (a *arrays) sendOne(ctx context.Context, tasks []Task, lost int, memory int64) error {
	lines, err := TaskLines(tasks)
	if err != nil {
		return err
	}
	file, err := filepath.Abs(submissionFile(a.Out, len(a.subs)+1))
	if err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	if err = os.WriteFile(file+TasksEnding, []byte(lines), 0o644); err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	command, err := a.command(file + TasksEnding)
	if err != nil {
		return err
	}
	array := Array{
		Site: a.ask, Name: a.name(), Tasks: len(tasks), Limit: cmp.Or(a.ask.Time, TaskLimit(TasksTake(tasks, a.ask.Cores), lost)),
		Memory: memory, Output: filepath.Dir(file), Command: command,
	}
	sub := submission{Name: array.Name, Submitted: time.Now().UTC(), Minutes: int(array.Limit / time.Minute)}
	// Before sbatch: a submitter that is killed after it, or hears no answer, leaves a submission that the next one identifies.
	if err = sub.write(file); err != nil {
		return err
	}
	// Of an sbatch that is interrupted nobody knows whether there is a job.
	out, err := askSlurm(context.WithoutCancel(ctx), a.slurm, []byte(array.Script()), array.Argv()...)
	if err != nil {
		return err
	}
	if sub.Job, err = JobID(out); err != nil {
		return err
	}
	runs := 0
	for _, t := range tasks {
		var names []string
		for _, r := range t {
			names = append(names, r.Dir)
		}
		sub.tasks, runs = append(sub.tasks, names), runs+len(t)
	}
	a.subs = append(a.subs, sub)
	a.board.Note(fmt.Sprintf("submitted job %s: %s for %s, %s of %s, time limit %s", sub.Job, text.Plural(len(tasks), "task"),
		text.Plural(runs, "run"), text.Plural(a.ask.Cores, "core"), fmt.Sprintf("%d MB", memory>>20), text.Duration(array.Limit.Seconds())))
	return sub.write(file)
}

// identify finds the jobs of submissions without a number, whose submitter was killed as it called sbatch, or heard no answer. Such a job has
// the name of the campaign and is no other submission's. One that Slurm does not have any more has ended, or never was.
func (a *arrays) identify(ctx context.Context) error {
	known := map[string]bool{}
	for _, sub := range a.subs {
		known[sub.Job] = true
	}
	for i := range a.subs {
		sub := &a.subs[i]
		if sub.Job != "" {
			continue
		}
		out, err := askSlurm(ctx, a.slurm, nil, QueueArgv(sub.Name)...)
		if err != nil {
			return err
		}
		live, err := LiveTasks(out)
		if err != nil {
			return err
		}
		for task := range live {
			if !known[task.Job] {
				sub.Job = task.Job
			}
		}
		if sub.Job == "" {
			continue
		}
		known[sub.Job] = true
		if err = sub.write(submissionFile(a.Out, i+1)); err != nil {
			return err
		}
	}
	return nil
}

// command is what a task runs, but for its number. Paths are this machine's, which the nodes share.
func (a *arrays) command(tasks string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("submit: find this program: %w", err)
	}
	folder, err := filepath.Abs(a.Out)
	if err != nil {
		return nil, fmt.Errorf("submit: %w", err)
	}
	image, err := filepath.Abs(a.Image)
	if err != nil {
		return nil, fmt.Errorf("submit: %w", err)
	}
	command := []string{
		self, "campaign", "work", folder, "--batch", tasks, "--engine", run.CharliecloudName, "--image", image,
		"--parallel", strconv.Itoa(a.ask.Cores), "--repeats", strconv.Itoa(a.Repeats),
	}
	if a.Archive != "" {
		command = append(command, "--archive", a.Archive)
	}
	if a.study.Until != nil {
		command = append(command, "--seeds", strconv.Itoa(len(a.study.Seeds)))
	}
	return command, nil
}

// lost is the error of runs that no task has completed.
func (a *arrays) lost() error {
	list := faults.List{}
	for i, c := range a.configs {
		if Left(a.states[i]) {
			list.Add(0, fmt.Errorf("%s is %s%s", c.Dir, a.states[i].State, because(a.states[i].Reason)))
		}
	}
	return fmt.Errorf("no task has completed these runs, which were submitted %d times; what the tasks printed is in %s:\n%w",
		mostLost+1, filepath.Join(a.Out, submissionsName), list.Err())
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// over is ask, and what the campaign file says where ask says nothing.
func over(ask, file Site) Site {
	ask.Account, ask.Partition = cmp.Or(ask.Account, file.Account), cmp.Or(ask.Partition, file.Partition)
	ask.Time, ask.Cores, ask.RunsPerTask = cmp.Or(ask.Time, file.Time), cmp.Or(ask.Cores, file.Cores, 1), cmp.Or(ask.RunsPerTask, file.RunsPerTask)
	return ask
}

// commandsThere refuses a machine that has no commands of Slurm.
func commandsThere() error {
	for _, program := range []string{"sbatch", "squeue", "scontrol"} {
		if _, err := exec.LookPath(program); err != nil {
			return &run.EnvironmentError{
				Fault:  fmt.Sprintf("--on %s runs %s, which is not in the PATH", OnSlurm, program),
				Remedy: "use a machine from which jobs are submitted (a login node), or leave --on out",
			}
		}
	}
	return nil
}

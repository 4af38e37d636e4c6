package campaign

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Site is what a user asks their Slurm for.
type Site struct {
	// Account and Partition are those of sbatch(1), empty for the user's usual ones.
	Account, Partition string
	// Time is the time limit of a task, 0 for one that follows from its runs.
	Time time.Duration
	// Cores of a task, and how many runs it makes at a time.
	Cores int
	// RunsPerTask is 0 for as many as fill ten minutes.
	RunsPerTask int
}

// Array is a job array that is to be submitted.
type Array struct {
	Site
	// Name is the job's.
	Name string
	// Tasks is how many it has.
	Tasks int
	// Limit is the time limit of a task, Memory what it may take of a node in bytes.
	Limit  time.Duration
	Memory int64
	// Output is the directory of what the tasks print.
	Output string
	// Command is what each task runs, without the number of the task.
	Command []string
}

// endWarning is how long before its time limit Slurm signals a task to end. It needs a few seconds to collect what its runs
// have done.
const endWarning = 60

// taskSlack is how much longer than estimated a task may take: estimates hold within a factor of two or three.
const taskSlack = 3

// leastTaskLimit is for a node that is slow to start anything.
const leastTaskLimit = 10 * time.Minute

// TaskLimit is the time limit of tasks that take so long and have been lost so many times before, a whole number of minutes.
func TaskLimit(takes time.Duration, lost int) time.Duration {
	limit := max(leastTaskLimit, taskSlack*takes) << min(lost, 16)
	return (limit + time.Minute - 1).Truncate(time.Minute)
}

// Argv is the call of sbatch, which has Script as its standard input.
func (a Array) Argv() []string {
	argv := []string{
		"sbatch", "--parsable", "--job-name=" + a.Name, fmt.Sprintf("--array=0-%d", a.Tasks-1),
		"--nodes=1", "--ntasks=1", fmt.Sprintf("--cpus-per-task=%d", a.Cores), "--hint=nomultithread",
		fmt.Sprintf("--mem=%dM", (a.Memory+1<<20-1)>>20), fmt.Sprintf("--time=%d", a.Limit/time.Minute),
		"--requeue", "--open-mode=append", fmt.Sprintf("--signal=B:TERM@%d", endWarning),
		// In a path "%" begins a pattern (sbatch(1), filename pattern).
		"--output=" + strings.ReplaceAll(a.Output, "%", "%%") + "/%A_%a.out",
	}
	if a.Account != "" {
		argv = append(argv, "--account="+a.Account)
	}
	if a.Partition != "" {
		argv = append(argv, "--partition="+a.Partition)
	}
	return argv
}

// Script is what each task runs. The shell becomes the command, which then gets Slurm's signal.
func (a Array) Script() string {
	words := make([]string, len(a.Command))
	for i, word := range a.Command {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return "#!/bin/sh\nexec " + strings.Join(words, " ") + ` --task "$SLURM_ARRAY_TASK_ID"` + "\n"
}

// ArrayName is the name of the jobs of a campaign in a folder of that name: squeue(1) takes a list of names with commas.
func ArrayName(folder string) string {
	return "slurmlab-" + regexp.MustCompile(`[^A-Za-z0-9._-]`).ReplaceAllString(folder, "_")
}

// JobID reads what sbatch --parsable prints, the number of the job and, where there are several, its cluster.
func JobID(out string) (string, error) {
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";")
	if n, err := strconv.ParseUint(id, 10, 32); err != nil || n == 0 {
		return "", fmt.Errorf("read answer of sbatch: got %.80q, want the number of a job", out)
	}
	return id, nil
}

// TaskID names a task of an array.
type TaskID struct {
	Job  string
	Task int
}

// QueueArgv asks for all tasks of jobs of that name which have not ended. Each has a line.
func QueueArgv(name string) []string {
	return []string{"squeue", "-h", "-r", "--me", "-n", name, "-o", "%i %T"}
}

// LiveTasks are the tasks that squeue lists, and whether each runs or waits. A job that is no array is none of ours.
func LiveTasks(out string) (map[TaskID]bool, error) {
	live := map[TaskID]bool{}
	n := 0
	for line := range strings.Lines(out) {
		n++
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		job, number, array := strings.Cut(fields[0], "_")
		task, err := strconv.ParseUint(number, 10, 31)
		if _, jobErr := strconv.ParseUint(job, 10, 32); jobErr != nil || len(fields) != 2 || array && err != nil {
			return nil, fmt.Errorf("squeue line %d: got %.80q, want the number of a task and its state, such as 12_3 RUNNING", n, strings.TrimSpace(line))
		}
		if array {
			live[TaskID{job, int(task)}] = fields[1] != "PENDING"
		}
	}
	return live, nil
}

// MaxArraySize reads from what "scontrol show config" prints how many tasks an array may have.
func MaxArraySize(out string) (int, error) {
	found := regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)`).FindStringSubmatch(out)
	if found == nil {
		return 0, errors.New("scontrol show config: MaxArraySize: missing, want the number of tasks that an array may have")
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n < 1 {
		return 0, fmt.Errorf("scontrol show config: MaxArraySize: got %s, want 1 or more: this Slurm takes no job arrays", found[1])
	}
	return n, nil
}

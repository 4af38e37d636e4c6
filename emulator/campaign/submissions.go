package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// submissionsName is the directory of a campaign's folder with what was submitted to a site's Slurm, and what its tasks
// have printed. It says where runs are under way, never what is complete.
const submissionsName = "on"

// TasksEnding ends the names of the files that say what the tasks of an array make.
const TasksEnding = ".tasks"

// submission is a job array that was submitted, as its file in the folder has it.
type submission struct {
	// Job is its number, empty until sbatch has told it, and Name the name of the job.
	Job       string    `json:"job"`
	Name      string    `json:"name"`
	Submitted time.Time `json:"submitted"`
	// Minutes are the time limit of a task.
	Minutes int `json:"limit_min"`
	// tasks are the runs of each task, by the names of their directories.
	tasks [][]string
}

// submissionFile is the path of a submission without its ending, by its number, from 1.
func submissionFile(folder string, number int) string {
	return filepath.Join(folder, submissionsName, fmt.Sprintf("submission-%d", number))
}

// submissions reads the submissions of a folder, in the order of their numbers.
func submissions(folder string) ([]submission, error) {
	for all := []submission(nil); ; {
		file := submissionFile(folder, len(all)+1)
		var sub submission
		text, err := os.ReadFile(file + ".json")
		if errors.Is(err, os.ErrNotExist) {
			return all, nil
		}
		if err == nil {
			err = json.Unmarshal(text, &sub)
		}
		if err == nil {
			text, err = os.ReadFile(file + TasksEnding)
		}
		for task := 0; err == nil && task < strings.Count(string(text), "\n"); task++ {
			var names []string
			if names, err = TaskLine(string(text), task); err == nil {
				sub.tasks = append(sub.tasks, names)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("read submission %s: %w; if its job has ended, remove it", file, err)
		}
		all = append(all, sub)
	}
}

// write keeps the submission beside the file of its tasks.
func (sub submission) write(file string) error {
	return trace.WriteAtomic(file+".json", func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(sub)
	})
}

// queue is what Slurm knows of the tasks of a campaign that have not ended.
type queue struct {
	pending, running int
	// runs are the runs of these tasks, by the names of their directories, and whether the task runs.
	runs map[string]bool
}

// queued asks Slurm for the tasks of the submissions.
func queued(ctx context.Context, slurm slurmctl.Runner, subs []submission) (queue, error) {
	q := queue{runs: map[string]bool{}}
	asked := map[string]map[TaskID]bool{}
	for _, sub := range subs {
		live, known := asked[sub.Name]
		if !known {
			out, err := askSlurm(ctx, slurm, nil, QueueArgv(sub.Name)...)
			if err == nil {
				live, err = LiveTasks(out)
			}
			if err != nil {
				return q, err
			}
			asked[sub.Name] = live
		}
		for task, names := range sub.tasks {
			running, there := live[TaskID{Job: sub.Job, Task: task}]
			if !there {
				continue
			}
			if running {
				q.running++
			} else {
				q.pending++
			}
			for _, name := range names {
				q.runs[name] = running
			}
		}
	}
	return q, nil
}

// askSlurm runs a command of Slurm, whose complaint is the error.
func askSlurm(ctx context.Context, slurm slurmctl.Runner, stdin []byte, argv ...string) (string, error) {
	out, err := slurm.Run(ctx, stdin, argv...)
	var failed *slurmctl.CommandError
	if errors.As(err, &failed) {
		err = slurmctl.Complaint(strings.Join(argv, " "), failed.Stderr)
	}
	return string(out), err
}

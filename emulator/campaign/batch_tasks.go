package campaign

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// TaskRun is a run that is to be made, by the name of its directory, and the real time that it takes on one core.
type TaskRun struct {
	Dir   string
	Takes time.Duration
}

// Task is what one task of an array makes.
type Task []TaskRun

// leastTask is the least time of a task: Slurm starts few tasks a second, and a task that is lost costs one run
// (docs/design/025-thousand-cores.md).
const leastTask = 10 * time.Minute

// Tasks puts the runs into tasks that make so many runs at a time: perTask runs in each, or, where that is 0, as many as
// fill ten minutes.
func Tasks(runs []TaskRun, cores, perTask int) []Task {
	var tasks []Task
	begin, sum := 0, time.Duration(0)
	for i, r := range runs {
		sum += r.Takes
		full := sum >= leastTask*time.Duration(cores)
		if perTask > 0 {
			full = i+1-begin >= perTask
		}
		if full || i == len(runs)-1 {
			tasks = append(tasks, runs[begin:i+1])
			begin, sum = i+1, 0
		}
	}
	return tasks
}

// Arrays cuts tasks into arrays of at most so many.
func Arrays(tasks []Task, most int) [][]Task {
	return slices.Collect(slices.Chunk(tasks, max(1, most)))
}

// TasksTake is the longest real time of the tasks, each with so many cores. A run begins on the core that is free first.
func TasksTake(tasks []Task, cores int) time.Duration {
	longest := time.Duration(0)
	for _, t := range tasks {
		ends := make([]time.Duration, cores)
		for _, r := range t {
			ends[slices.Index(ends, slices.Min(ends))] += r.Takes
		}
		longest = max(longest, slices.Max(ends))
	}
	return longest
}

// TaskLines is the text of the file of an array: a line of JSON for each task, with the directories of its runs.
func TaskLines(tasks []Task) (string, error) {
	var b strings.Builder
	for _, t := range tasks {
		names := make([]string, len(t))
		for i, r := range t {
			names[i] = r.Dir
		}
		line, err := json.Marshal(names)
		if err != nil {
			return "", fmt.Errorf("write tasks: %w", err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String(), nil
}

// TaskLine is the directories of the runs of a task, which are counted from 0 as Slurm counts the tasks of an array.
func TaskLine(text string, task int) ([]string, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if task < 0 || task >= len(lines) {
		return nil, fmt.Errorf("task: got %d, want 0 to %d", task, len(lines)-1)
	}
	var names []string
	if err := json.Unmarshal([]byte(lines[task]), &names); err != nil || len(names) == 0 {
		return nil, fmt.Errorf("line %d: got %.80q, want a list of the names of run directories", task+1, lines[task])
	}
	return names, nil
}

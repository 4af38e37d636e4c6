package check

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// started and ended find the starts and ends of jobs in the log of slurmctld. Its main scheduler logs a start as
// "sched: Allocate JobId=7 NodeList=", its backfill as "Started JobId=7 in"; an end is "_job_complete: JobId=7 done".
// launched finds what slurmd has run, in the words of Slurm 24.11 and of 26.05.
var (
	started  = regexp.MustCompile(`(?:sched: Allocate| Started) JobId=(\d+) `)
	ended    = regexp.MustCompile(`_job_complete: JobId=(\d+) done`)
	launched = regexp.MustCompile(`\] Launching batch (?:job |JobId=)(\d+) `)
)

// began is in the line that slurmctld writes when it starts ("slurmctld version 26.05.5
// started on cluster lab").
const began = "slurmctld version "

// starts is invariant 3, by all that tells of starts: the logs of slurmctld and slurmd,
// sacct.txt, and what the agent saw.
//
// A slurmctld that was killed may have forgotten a start, and the job starts once more. That is one start in effect,
// unless the job has ended, has run on a slurmd, or has two rows with a run in sacct.txt.
func (j *judge) starts() {
	lives := 0
	running, over := map[string]bool{}, map[string]bool{}
	j.lines("slurmctld.log", func(line string) {
		if strings.Contains(line, began) {
			lives++
			clear(running)
		}
		if found := ended.FindStringSubmatch(line); found != nil {
			over[found[1]] = true
		}
		found := started.FindStringSubmatch(line)
		if found == nil {
			return
		}
		switch id := found[1]; {
		case running[id]:
			j.breaks(3, "Slurm's job %s was started twice", id)
		case over[id]:
			j.breaks(3, "Slurm's job %s was started again after its end", id)
		}
		running[found[1]] = true
	})
	runs := map[string]int{}
	for _, name := range j.slurmds() {
		j.lines(name, func(line string) {
			if found := launched.FindStringSubmatch(line); found != nil {
				if runs[found[1]]++; runs[found[1]] == 2 {
					j.breaks(3, "slurmd has run Slurm's job %s twice", found[1])
				}
			}
		})
	}
	rows := map[string]int{}
	for _, r := range j.rows {
		if r.start > 0 && r.end > r.start {
			if rows[r.name]++; rows[r.name] == 2 {
				j.breaks(3, "job %s has run twice by sacct.txt", r.name)
			}
		}
	}
	if lives <= 1 {
		j.verified()
	}
}

// verified is the part of invariant 3 that the agent reports: it looks at each job that has started, once. With a
// slurmctld that has forgotten a start it also looks at the next one.
func (j *judge) verified() {
	count := map[int]int{}
	j.file(j.dir.CyclesFile(), func(line string) {
		var cycle struct {
			Checked []struct {
				Job int `json:"job"`
			} `json:"checked"`
		}
		if err := json.Unmarshal([]byte(line), &cycle); err != nil {
			// Of a run that was cut off the last line may be half there.
			return
		}
		for _, p := range cycle.Checked {
			if count[p.Job]++; count[p.Job] == 2 {
				j.breaks(3, "the agent has seen job %d start twice", p.Job)
			}
		}
	})
}

// slurmds are the names of the logs of slurmd: one, or one of each node (slurmd-n7.log).
func (j *judge) slurmds() []string {
	// The pattern is one.
	paths, _ := filepath.Glob(filepath.Join(j.dir.Logs(), "slurmd-*.log"))
	names := []string{"slurmd.log"}
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// lines hands the lines of a log to take, none if it is not there.
func (j *judge) lines(name string, take func(string)) {
	j.file(filepath.Join(j.dir.Logs(), name), take)
}

func (j *judge) file(path string, take func(string)) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	// A cycle with all its bids is one line.
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		take(lines.Text())
	}
	if err := lines.Err(); err != nil {
		j.breaks(3, "%s cannot be read: %v", filepath.Base(path), err)
	}
}

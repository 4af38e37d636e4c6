package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Progress is one line of progress.jsonl: what became known of a run's jobs while it was
// under way, since the line before. Times are whole virtual seconds of Slurm since the
// start of the run, as in the accounting.
type Progress struct {
	// Time is when the run was looked at.
	Time float64 `json:"time_s"`
	Jobs []Seen  `json:"jobs,omitempty"`
}

// Seen is a start or an end of a job, from what Slurm logs.
type Seen struct {
	Job   int `json:"job"`
	Slurm int `json:"slurm"`
	// State of a job that has ended, empty for one that has started.
	State string `json:"state,omitempty"`
	// Start is exact for a job that has ended, and may be a second late for one that has
	// started.
	Start float64 `json:"start_s"`
	End   float64 `json:"end_s,omitempty"`
	// Nodes are empty for a job that ended before it started.
	Nodes string `json:"nodes,omitempty"`
	// Cores and GPUs of all nodes, 0 where Slurm did not say.
	Cores int `json:"cores,omitempty"`
	GPUs  int `json:"gpus,omitempty"`
}

// WriteProgress appends one line to progress.jsonl, in one write: a writer that is killed
// leaves whole lines, or one that is cut off.
func WriteProgress(w io.Writer, p Progress) error {
	line, err := json.Marshal(p)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write progress: %w", err)
	}
	return nil
}

// Progress reads progress.jsonl of a run that is not complete, nil if it has none. A last
// line that is cut off is left out.
func (d Dir) Progress() ([]Progress, error) {
	lines, err := readFile(d, "progress.jsonl", readProgress)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return lines, err
}

func readProgress(r io.Reader, name string) ([]Progress, error) {
	var all []Progress
	text := bufio.NewReader(r)
	for line := 1; ; line++ {
		data, err := text.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		// Without a time there is nothing that "null" or an empty object could mean.
		var p struct {
			Time *float64 `json:"time_s"`
			Progress
		}
		if err = json.Unmarshal(data, &p); err != nil {
			return nil, fmt.Errorf("%s:%d: want what became known of jobs as JSON: %w", name, line, err)
		}
		if p.Time == nil {
			return nil, fmt.Errorf("%s:%d: field time_s: it is missing, want virtual seconds", name, line)
		}
		p.Progress.Time = *p.Time
		all = append(all, p.Progress)
	}
}

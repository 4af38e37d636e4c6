package external

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Job is a running job as Slurm knows it.
type Job struct {
	ID    int
	Start time.Time
	// GPUs are those per node, 0 for none.
	GPUs int
	// Comment is the admin comment.
	Comment string
}

// ErrGone is a job that has ended already, or that Slurm does not know.
var ErrGone = errors.New("the job has ended already")

// ErrUnanswered is a question that slurmctld did not answer, or an end that it may not
// have heard of.
var ErrUnanswered = errors.New("slurmctld does not answer")

// helper is the program beside this one that speaks to Slurm.
const helper = "slurmjobs"

// Jobs asks for external jobs and ends them. It is not safe for concurrent use.
type Jobs struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// OpenJobs starts the helper with the environment of the cluster's clock beside this
// process's. It ends with ctx or Close.
func OpenJobs(ctx context.Context, env []string) (*Jobs, error) {
	cmd := exec.CommandContext(ctx, helper)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", helper, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", helper, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", helper, err)
	}
	return &Jobs{cmd: cmd, in: in, out: bufio.NewReader(out)}, nil
}

// Close ends the helper.
func (j *Jobs) Close() error {
	return errors.Join(j.in.Close(), j.cmd.Wait())
}

// Running reads all running and suspended jobs.
func (j *Jobs) Running() ([]Job, error) { return j.ask("running") }

// Job reads one job. It is ErrGone if it is neither running nor suspended.
func (j *Jobs) Job(id int) (Job, error) {
	found, err := j.ask("job " + strconv.Itoa(id))
	if err == nil && len(found) != 1 {
		err = ErrGone
	}
	if err != nil {
		return Job{}, fmt.Errorf("ask for job %d: %w", id, err)
	}
	return found[0], nil
}

// End tells Slurm that a job has ended with an exit code, that of wait(2). It is
// ErrGone for a job that has ended otherwise.
func (j *Jobs) End(id, code int) error {
	if _, err := j.ask(fmt.Sprintf("end %d %d", id, code)); err != nil {
		return fmt.Errorf("end job %d: %w", id, err)
	}
	return nil
}

// ask sends a command and reads the answer.
func (j *Jobs) ask(command string) ([]Job, error) {
	if _, err := io.WriteString(j.in, command+"\n"); err != nil {
		return nil, fmt.Errorf("%s: %w", helper, err)
	}
	var jobs []Job
	for {
		line, err := j.out.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: %w", helper, err)
		}
		line = strings.TrimSuffix(line, "\n")
		switch word, rest, _ := strings.Cut(line, " "); {
		case line == "ok":
			return jobs, nil
		case line == "gone":
			return nil, ErrGone
		case word == "error":
			return nil, fmt.Errorf("%w: %s", ErrUnanswered, rest)
		}
		job, err := parseJob(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", helper, err)
		}
		jobs = append(jobs, job)
	}
}

// parseJob reads "job ID START TRES COMMENT", separated by tabs.
func parseJob(line string) (Job, error) {
	fields := strings.SplitN(line, "\t", 5)
	if len(fields) != 5 || fields[0] != "job" {
		return Job{}, fmt.Errorf("line %q is not understood", line)
	}
	id, idErr := strconv.Atoi(fields[1])
	start, startErr := strconv.ParseInt(fields[2], 10, 64)
	gpus, gpuErr := parseGPUs(fields[3])
	if err := errors.Join(idErr, startErr, gpuErr); err != nil {
		return Job{}, fmt.Errorf("line %q is not understood: %w", line, err)
	}
	return Job{ID: id, Start: time.Unix(start, 0).UTC(), GPUs: gpus, Comment: fields[4]}, nil
}

// parseGPUs reads "gres/gpu:2" or "gres:gpu:2", "" for none. Without a number it is one
// (sbatch(1), --gres).
func parseGPUs(tres string) (int, error) {
	if tres == "" {
		return 0, nil
	}
	_, number, found := strings.Cut(tres, "gpu")
	if !found {
		return 0, fmt.Errorf("%q has no GPUs", tres)
	}
	if number == "" {
		return 1, nil
	}
	return strconv.Atoi(strings.TrimLeft(number, ":="))
}

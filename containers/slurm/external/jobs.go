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

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
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

// PID is the process of the helper.
func (j *Jobs) PID() int { return j.cmd.Process.Pid }

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

// Details reads what there is to know of a job in any state. It is ErrGone if Slurm
// does not know the job.
func (j *Jobs) Details(id int) (scripts.Details, error) {
	lines, err := j.lines("details " + strconv.Itoa(id))
	if err != nil {
		return scripts.Details{}, fmt.Errorf("ask for details of job %d: %w", id, err)
	}
	return scripts.ParseDetails(lines)
}

// End tells Slurm that a job has ended with an exit code, that of wait(2). It is
// ErrGone for a job that has ended otherwise.
func (j *Jobs) End(id, code int) error {
	if _, err := j.ask(fmt.Sprintf("end %d %d", id, code)); err != nil {
		return fmt.Errorf("end job %d: %w", id, err)
	}
	return nil
}

// Reconfigure has slurmctld begin anew with its jobs, as "scontrol reconfigure" does.
func (j *Jobs) Reconfigure() error {
	if _, err := j.lines("reconfigure"); err != nil {
		return fmt.Errorf("reconfigure slurmctld: %w", err)
	}
	return nil
}

// ask sends a command and reads the jobs of the answer.
func (j *Jobs) ask(command string) ([]Job, error) {
	lines, err := j.lines(command)
	if err != nil {
		return nil, err
	}
	var jobs []Job
	for _, line := range lines {
		job, err := parseJob(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", helper, err)
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// lines sends a command and reads the answer up to its last line, which is not among
// those returned.
func (j *Jobs) lines(command string) ([]string, error) {
	if _, err := io.WriteString(j.in, command+"\n"); err != nil {
		return nil, fmt.Errorf("%s: %w", helper, err)
	}
	var lines []string
	for {
		line, err := j.out.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: %w", helper, err)
		}
		line = strings.TrimSuffix(line, "\n")
		switch word, rest, _ := strings.Cut(line, " "); {
		case line == "ok":
			return lines, nil
		case line == "gone":
			return nil, ErrGone
		case word == "error":
			return nil, fmt.Errorf("%w: %s", ErrUnanswered, rest)
		}
		lines = append(lines, line)
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

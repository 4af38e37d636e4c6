package slurmctl

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Client calls Slurm's commands through a Runner. It is safe for concurrent
// use if the Runner is.
//
// Every method returns a *RefusedError when Slurm refused, and an error that wraps ErrUnavailable when a daemon did
// not answer. Output that is not understood is a *ParseError. When the command could not be run, the error is the
// Runner's.
type Client struct {
	Runner Runner
}

// Run runs a command by the Runner and sorts out its error.
func (c *Client) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	out, err := c.Runner.Run(ctx, stdin, argv...)
	var failed *CommandError
	if errors.As(err, &failed) {
		return nil, Complaint(strings.Join(argv, " "), failed.Stderr)
	}
	return out, err
}

// Submit submits a batch job and returns its id.
func (c *Client) Submit(ctx context.Context, r sbatch.Request) (int, error) {
	if err := r.Validate(); err != nil {
		return 0, fmt.Errorf("submit job %s: %w", r.Name, err)
	}
	out, err := c.Run(ctx, []byte(r.Script), r.Argv()...)
	if err != nil {
		return 0, fmt.Errorf("submit job %s: %w", r.Name, err)
	}
	return parseJobID(out)
}

// Cancel cancels jobs. Jobs that ended or never existed are ignored, as
// scancel does.
func (c *Client) Cancel(ctx context.Context, ids ...int) error {
	if len(ids) == 0 {
		return nil
	}
	argv := []string{"scancel"}
	for _, id := range ids {
		argv = append(argv, strconv.Itoa(id))
	}
	_, err := c.Run(ctx, nil, argv...)
	return err
}

// Do runs one scontrol command, such as those of UpdateCommands, in a process
// of its own. It has the meaning of Session.Do.
func (c *Client) Do(ctx context.Context, command string) error {
	words, err := commandWords(command)
	if err != nil {
		return err
	}
	_, err = c.Runner.Run(ctx, nil, append([]string{"scontrol"}, words...)...)
	var failed *CommandError
	if errors.As(err, &failed) {
		return Complaint(command, failed.Stderr)
	}
	return err
}

// Update runs "scontrol update" with the words, which may have spaces, as a Reason has.
func (c *Client) Update(ctx context.Context, words ...string) error {
	_, err := c.Run(ctx, nil, append([]string{"scontrol", "update"}, words...)...)
	return err
}

// Annotate tells the owner of a job something, as the Extra that "scontrol show
// job" shows. The comments are not for that: one is the owner's, one has the request,
// and scontrol cannot set the third, SystemComment.
func (c *Client) Annotate(ctx context.Context, id int, text string) error {
	_, err := c.Run(ctx, nil, "scontrol", "update", "JobId="+strconv.Itoa(id), "Extra="+text)
	return err
}

// Nodes reads all nodes, in the order of Slurm's node table.
func (c *Client) Nodes(ctx context.Context) ([]NodeRecord, error) {
	out, err := c.Run(ctx, nil, "scontrol", "-o", "show", "node")
	if err != nil {
		return nil, err
	}
	return ParseNodes(out)
}

// Queue reads all pending, running, suspended and completing jobs, by
// ascending id.
func (c *Client) Queue(ctx context.Context) ([]QueuedJob, error) {
	out, err := c.Run(ctx, nil, QueueArgv()...)
	if err != nil {
		return nil, err
	}
	jobs, err := ParseQueue(out)
	slices.SortFunc(jobs, func(a, b QueuedJob) int { return cmp.Compare(a.ID, b.ID) })
	return jobs, err
}

// Up to fewJobs jobs are asked for one by one. scontrol shows one job or all, finished ones included. On 1408 nodes
// with some hundred wide jobs, all of them take as long as five to twenty-five single ones.
const fewJobs = 5

// JobDetails reads jobs with their placements, by ascending id: those named,
// or without ids all that slurmctld still remembers, finished ones included.
// An unknown id among several is left out, a single unknown one is a
// *RefusedError. A job that is asked for by its id and cannot be read is an error;
// among all jobs it has Unread set.
func (c *Client) JobDetails(ctx context.Context, ids ...int) ([]JobDetail, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) > 1 && len(ids) <= fewJobs {
		return c.eachJob(ctx, ids)
	}
	one := 0
	if len(ids) == 1 {
		one = ids[0]
	}
	out, err := c.Run(ctx, nil, showJobArgv(one)...)
	if err != nil {
		return nil, err
	}
	jobs, err := ParseJobDetails(out)
	if err != nil {
		return nil, err
	}
	if len(ids) > 0 {
		wanted := make(map[int]bool, len(ids))
		for _, id := range ids {
			wanted[id] = true
		}
		jobs = slices.DeleteFunc(jobs, func(j JobDetail) bool { return !wanted[j.ID] })
		for _, j := range jobs {
			if j.Unread != nil {
				return nil, j.Unread
			}
		}
	}
	slices.SortFunc(jobs, func(a, b JobDetail) int { return cmp.Compare(a.ID, b.ID) })
	return jobs, nil
}

// Known reads the ids of all jobs that slurmctld still remembers, finished ones included, by their names. Of jobs
// with one name it is the last one's.
func (c *Client) Known(ctx context.Context) (map[string]int, error) {
	jobs, err := c.JobDetails(ctx)
	if err != nil {
		return nil, err
	}
	ids := make(map[string]int, len(jobs))
	for _, j := range jobs {
		ids[j.Name] = j.ID
	}
	return ids, nil
}

// eachJob is JobDetails for several jobs, one by one.
func (c *Client) eachJob(ctx context.Context, ids []int) ([]JobDetail, error) {
	var all []JobDetail
	for _, id := range ids {
		details, err := c.JobDetails(ctx, id)
		var refused *RefusedError
		if err != nil && !errors.As(err, &refused) {
			return nil, err
		}
		all = append(all, details...)
	}
	return all, nil
}

// Accounting returns the raw table of sacct, with a header, of all
// allocations that were eligible, ran or ended between since and now. A job
// that Slurm requeued has one row for each try (-D). Held jobs have no row
// before their release, and those that were cancelled before it have one only with
// accounting.AllStates. ReqTRES mixes the request with later updates; use AllocTRES. Further fields
// of accounting.SacctArgv are the last columns.
func (c *Client) Accounting(ctx context.Context, since time.Time, further []string, states ...string) ([]byte, error) {
	return c.Run(ctx, nil, accounting.SacctArgv(since, further, states...)...)
}

// Diag returns the raw text of sdiag.
func (c *Client) Diag(ctx context.Context) ([]byte, error) {
	return c.Run(ctx, nil, "sdiag")
}

// Ping returns nil when slurmctld and slurmdbd answer, and otherwise what is
// wrong with each.
func (c *Client) Ping(ctx context.Context) error {
	return errors.Join(
		c.ping(ctx, "scontrol", "ping"),
		c.ping(ctx, "sacctmgr", "ping"))
}

// ping reads a line such as "Slurmctld(primary) at host is UP". A daemon that
// is down makes the exit status 1.
func (c *Client) ping(ctx context.Context, argv ...string) error {
	out, err := c.Runner.Run(ctx, nil, argv...)
	var failed *CommandError
	switch {
	case errors.As(err, &failed):
		return fmt.Errorf("run %s: %w: %s", strings.Join(argv, " "), ErrUnavailable,
			cmp.Or(oneLine(failed.Stderr), "the daemon is down"))
	case err != nil:
		return err
	case !bytes.HasSuffix(bytes.TrimSpace(out), []byte(" is UP")):
		return fmt.Errorf("run %s: %w: %s", strings.Join(argv, " "), ErrUnavailable, oneLine(string(out)))
	}
	return nil
}

// parseJobID reads the output of sbatch --parsable: "7" or "7;cluster".
func parseJobID(out []byte) (int, error) {
	text := strings.TrimSuffix(string(out), "\n")
	first, _, _ := strings.Cut(text, ";")
	id, ok := values.Count(first)
	if !ok || id == 0 {
		return 0, &ParseError{Source: "sbatch", Line: 1, Text: text, Want: "a job id"}
	}
	return id, nil
}

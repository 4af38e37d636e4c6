package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// Ends is the file into which Slurm's plugin jobcomp/filetxt writes one line for each
// job at its end, before its nodes are free again. The file may be made later than
// Follow begins.
type Ends string

// Follow calls ended for each job in the file, from its beginning, until ctx
// ends, whose cause it returns.
func (l Ends) Follow(ctx context.Context, ended func(id int)) error {
	take := func(line []byte) error {
		id, err := endedJob(line)
		if err == nil {
			ended(id)
		}
		return err
	}
	if err := follow(ctx, string(l), 0, take); ctx.Err() == nil {
		return fmt.Errorf("follow completion log: %w", err)
	}
	return context.Cause(ctx)
}

// Starts is the log of slurmctld, which must have DebugFlags=HetJob and SlurmctldDebug=verbose. The first asks for
// the lines of starts by backfill, which are written at the level of the second.
type Starts string

// Size is how long the log is now.
func (l Starts) Size() (int64, error) {
	info, err := os.Stat(string(l))
	if err != nil {
		return 0, fmt.Errorf("follow slurmctld's log: %w", err)
	}
	return info.Size(), nil
}

// Heard is what slurmctld's log tells. A user's text may stand in that log and imitate
// any line of it, so who hears of something asks Slurm whether it is so.
type Heard struct {
	// Started is called for each job that starts, Changed for each that may have been
	// suspended or resumed.
	Started, Changed func(id int)
	// Unreachable is called when slurmctld could not reach a node, Refused when it refused
	// a submission.
	Unreachable, Refused func()
}

// Follow calls heard for what is logged from so many bytes on, until ctx ends, whose cause it returns.
func (l Starts) Follow(ctx context.Context, from int64, heard Heard) error {
	take := func(line []byte) error {
		if id, found := startedJob(line); found {
			heard.Started(id)
		} else if id, found := changedJob(line); found {
			heard.Changed(id)
		} else if bytes.Contains(line, unreachable) {
			heard.Unreachable()
		} else if refusal(line) {
			heard.Refused()
		}
		return nil
	}
	if err := follow(ctx, string(l), from, take); ctx.Err() == nil {
		return fmt.Errorf("follow slurmctld's log: %w", err)
	}
	return context.Cause(ctx)
}

// follow hands every line of a file to take, until ctx ends or something fails.
func follow(ctx context.Context, path string, from int64, take func(line []byte) error) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer func() { _ = watcher.Close() }()
	file, err := open(ctx, path, watcher)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return err
	}
	// From here on every write is noticed, so nothing falls between the first
	// reading and the first event.
	if err := watcher.Add(path); err != nil {
		return err
	}
	lines := lines{take: take}
	for {
		if _, err := io.Copy(&lines, file); err != nil {
			return err
		}
		if err := next(ctx, watcher); err != nil {
			return err
		}
	}
}

// open opens the file as soon as it is there.
func open(ctx context.Context, path string, watcher *fsnotify.Watcher) (*os.File, error) {
	file, err := os.Open(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	// Only while the log is missing: Slurm writes other files into the directory,
	// too, and each would wake the reader.
	dir := filepath.Dir(path)
	if err := watcher.Add(dir); err != nil {
		return nil, err
	}
	for {
		file, err := os.Open(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, errors.Join(err, watcher.Remove(dir))
		}
		if err := next(ctx, watcher); err != nil {
			return nil, err
		}
	}
}

// next waits for an event. Events that the kernel dropped do no harm: the lines that
// they announced are in the file.
func next(ctx context.Context, watcher *fsnotify.Watcher) error {
	select {
	case <-watcher.Events:
		return nil
	case err := <-watcher.Errors:
		if errors.Is(err, fsnotify.ErrEventOverflow) {
			return nil
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// lines takes the log's text as it comes.
type lines struct {
	take func(line []byte) error
	// rest is a line without its end.
	rest []byte
}

// Write implements io.Writer.
func (l *lines) Write(text []byte) (int, error) {
	l.rest = append(l.rest, text...)
	for {
		line, rest, complete := bytes.Cut(l.rest, []byte{'\n'})
		if !complete {
			return len(text), nil
		}
		if err := l.take(line); err != nil {
			return 0, err
		}
		l.rest = rest
	}
}

// endedJob reads a line of jobcomp/filetxt (JOB_FORMAT in
// src/plugins/jobcomp/filetxt/jobcomp_filetxt.c). Later fields are free text of
// users.
func endedJob(line []byte) (int, error) {
	number, _, _ := bytes.Cut(line, []byte{' '})
	digits, labelled := bytes.CutPrefix(number, []byte("JobId="))
	id, err := strconv.Atoi(string(digits))
	if !labelled || err != nil || id <= 0 {
		return 0, fmt.Errorf("line %q does not begin with JobId=NUMBER", line)
	}
	return id, nil
}

// startedJob reads the lines of a start: "sched: Allocate JobId=7 NodeList=" of
// src/slurmctld/job_scheduler.c, and "Started JobId=7 in " of
// src/plugins/sched/backfill/backfill.c.
func startedJob(line []byte) (id int, found bool) {
	for _, before := range []string{" Allocate JobId=", " Started JobId="} {
		_, rest, is := bytes.Cut(line, []byte(before))
		if !is {
			continue
		}
		number, _, _ := bytes.Cut(rest, []byte{' '})
		if id, err := strconv.Atoi(string(number)); err == nil {
			return id, true
		}
	}
	return 0, false
}

// unreachable is in the line of a message to a node that was not delivered, "]
// agent/is_node_resp: node:n4 RPC:REQUEST_SUSPEND_INT : Can't find an address" of _comm_err in
// src/slurmctld/agent.c.
var unreachable = []byte("] agent/is_node_resp: node:")

// submission begins what _slurm_rpc_submit_batch_job of src/slurmctld/proc_req.c says of each
// submission: "JobId=7 InitPrio=1 usec=301", or why it is refused.
var submission = []byte("] _slurm_rpc_submit_batch_job: ")

func refusal(line []byte) bool {
	_, rest, found := bytes.Cut(line, submission)
	return found && !bytes.HasPrefix(rest, []byte("JobId="))
}

// changedJob reads the line of a suspend or resume that was asked for, "] _slurm_rpc_suspend(suspend)
// for 7 usec=301" of src/slurmctld/proc_req.c.
func changedJob(line []byte) (id int, found bool) {
	_, rest, is := bytes.Cut(line, []byte("] _slurm_rpc_suspend("))
	if !is {
		return 0, false
	}
	_, rest, _ = bytes.Cut(rest, []byte(") for "))
	number, _, _ := bytes.Cut(rest, []byte{' '})
	id, err := strconv.Atoi(string(number))
	return id, err == nil
}

// Spool is slurmd's spool directory, or that of what stands for it. It, or its directory
// of each node, has a directory "job..." for each job from its launch to its end, or longer.
type Spool string

// Running tells the ids of the running jobs.
func (s Spool) Running() ([]int, error) {
	const job = "job[0-9]*"
	found, err := filepath.Glob(filepath.Join(string(s), job))
	onNodes, nodesErr := filepath.Glob(filepath.Join(string(s), "n[0-9]*", job))
	if err = errors.Join(err, nodesErr); err != nil {
		return nil, fmt.Errorf("count running jobs: %w", err)
	}
	var ids []int
	for _, dir := range slices.Concat(found, onNodes) {
		// "job%05u" of _make_batch_dir, src/slurmd/slurmstepd/mgr.c.
		if id, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), "job")); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

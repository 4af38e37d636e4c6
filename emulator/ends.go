package emulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// CompletionLog follows the file into which Slurm's plugin jobcomp/filetxt
// writes one line for each job at its end, before its nodes are free again. It
// is a Driver's Ends.
//
// The kernel reports each write, so that a reader costs nothing between two
// ends. The file may be made later than Follow begins.
type CompletionLog string

// Follow calls ended for each job in the log, from its beginning, until ctx
// ends, whose cause it returns.
func (l CompletionLog) Follow(ctx context.Context, ended func(id int)) error {
	if err := l.follow(ctx, ended); ctx.Err() == nil {
		return fmt.Errorf("follow completion log: %w", err)
	}
	return context.Cause(ctx)
}

func (l CompletionLog) follow(ctx context.Context, ended func(id int)) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer func() { _ = watcher.Close() }()
	file, err := l.open(ctx, watcher)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	// From here on every write is noticed, so nothing falls between the first
	// reading and the first event.
	if err := watcher.Add(string(l)); err != nil {
		return err
	}
	lines := lines{ended: ended}
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
func (l CompletionLog) open(ctx context.Context, watcher *fsnotify.Watcher) (*os.File, error) {
	file, err := os.Open(string(l))
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	// Only while the log is missing: Slurm writes other files into the directory,
	// too, and each would wake the reader.
	dir := filepath.Dir(string(l))
	if err := watcher.Add(dir); err != nil {
		return nil, err
	}
	for {
		file, err := os.Open(string(l))
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
	ended func(id int)
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
		id, err := endedJob(line)
		if err != nil {
			return 0, err
		}
		l.ended(id)
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

// Spool is slurmd's spool directory. It has a directory "job..." for each batch
// job from its launch to its end, or longer.
type Spool string

// Running tells the ids of the running jobs without asking Slurm. It is a Driver's
// Running.
func (s Spool) Running() ([]int, error) {
	found, err := filepath.Glob(filepath.Join(string(s), "job[0-9]*"))
	if err != nil {
		return nil, fmt.Errorf("count running jobs: %w", err)
	}
	var ids []int
	for _, dir := range found {
		// "job%05u" of _make_batch_dir, src/slurmd/slurmstepd/mgr.c.
		if id, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), "job")); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// Seen is a start or an end of a job as Slurm wrote it down.
type Seen struct {
	ID int
	// State is Slurm's word for how the job ended, empty for a start.
	State string
	// Started is exact for an end, and for a start the time of its line, which may be a second
	// later. Ended is zero for a start.
	Started, Ended time.Time
	// Nodes is Slurm's list of them, empty for a job that ended before it started.
	Nodes string
	// Cores and GPUs of all nodes, 0 where the line lacks them.
	Cores, GPUs int
}

// Book reads both files from their beginnings, as far as they have been written whenever it
// is asked. In between nothing wakes it: it is for people who look on, and the wait for the
// next line would cost the cluster a wake-up for each.
type Book struct {
	starts, ends tail
}

// NewBook is for these files; an empty name is no file.
func NewBook(starts Starts, ends Ends) *Book {
	return &Book{tail{path: string(starts)}, tail{path: string(ends)}}
}

// News returns what was written since News was called last: starts, then ends, each in their order. slurmctld writes
// an end before the start that it makes room for. So the ends before each returned start are returned as well.
func (b *Book) News() ([]Seen, error) {
	var news []Seen
	err := b.starts.read(func(line []byte) error {
		if s, is := parseStart(line); is {
			news = append(news, s)
		}
		return nil
	})
	if err == nil {
		err = b.ends.read(func(line []byte) error {
			s, lineErr := parseEnd(line)
			news = append(news, s)
			return lineErr
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read starts and ends of jobs: %w", err)
	}
	return news, nil
}

// tail is a file that grows, and how much of it was read.
type tail struct {
	path string
	at   int64
	rest []byte
}

// read hands each line that came since to take. A file that is not there yet has none.
func (t *tail) read(take func(line []byte) error) error {
	file, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if _, err = file.Seek(t.at, io.SeekStart); err != nil {
		return err
	}
	came := lines{take: take, rest: t.rest}
	read, err := io.Copy(&came, file)
	t.at, t.rest = t.at+read, came.rest
	return err
}

// stamp is how Slurm writes an instant, in the log's lines with a fraction of a second.
const stamp = "2006-01-02T15:04:05"

// parseStart reads a line that startedJob knows.
func parseStart(line []byte) (Seen, bool) {
	id, found := startedJob(line)
	at, text, stamped := strings.Cut(strings.TrimPrefix(string(line), "["), "] ")
	when, err := time.Parse(stamp, at)
	if !found || !stamped || err != nil {
		return Seen{}, false
	}
	s := Seen{ID: id, Started: when.Truncate(time.Second), Nodes: value(text, "NodeList=")}
	if s.Nodes == "" {
		s.Nodes = value(text, " on ")
	}
	// Backfill's line does not tell the cores.
	s.Cores, _ = strconv.Atoi(value(text, "#CPUs="))
	return s, s.Nodes != ""
}

// parseEnd reads a line that endedJob knows. In front of its fields stands no text of a
// user but the name of the job.
func parseEnd(line []byte) (Seen, error) {
	id, err := endedJob(line)
	if err != nil {
		return Seen{}, err
	}
	_, text, _ := strings.Cut(string(line), " JobState=")
	s := Seen{ID: id, State: value(" JobState="+text, " JobState="), Nodes: value(text, " NodeList=")}
	if s.Ended, err = time.Parse(stamp, value(text, " EndTime=")); err != nil || s.State == "" {
		return Seen{}, fmt.Errorf("line %q has no JobState or no EndTime", bytes.TrimSpace(line))
	}
	if s.Nodes == noNodes {
		s.Nodes = ""
	}
	if s.Nodes == "" {
		return s, nil
	}
	if s.Started, err = time.Parse(stamp, value(text, " StartTime=")); err != nil {
		return Seen{}, fmt.Errorf("line %q has nodes and no StartTime", bytes.TrimSpace(line))
	}
	s.Cores, _ = strconv.Atoi(value(text, " ProcCnt="))
	for part := range strings.SplitSeq(value(text, " Tres="), ",") {
		if count, is := strings.CutPrefix(part, "gres/gpu="); is {
			s.GPUs, _ = strconv.Atoi(count)
		}
	}
	return s, nil
}

// noNodes is how Slurm prints a list of nodes that is not there.
const noNodes = "(null)"

// value is the word behind a label, empty without the label.
func value(text, label string) string {
	_, rest, _ := strings.Cut(text, label)
	word, _, _ := strings.Cut(rest, " ")
	return word
}

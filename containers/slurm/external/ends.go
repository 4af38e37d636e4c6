package external

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// EndsName is a log beside the daemons' logs. It has the ends that a Runner has reported to Slurm. A runner that takes
// over from one that died adds to it.
const EndsName = "runner-ends.log"

// ToldEnd is a line of that log: the end of a job, when it was due and when Slurm knew.
type ToldEnd struct {
	ID        int
	Due, Done time.Time
}

// write appends the line: Slurm's id and both instants in nanoseconds since 1970.
func (e ToldEnd) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d %d %d\n", e.ID, e.Due.UnixNano(), e.Done.UnixNano())
	return err
}

// ReadEnds reads the log at path; there is none before a runner has started. A last line that is cut off, as a runner that
// is killed may leave it, is left out.
func ReadEnds(path string) ([]ToldEnd, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read ends by the runner: %w", err)
	}
	defer func() { _ = file.Close() }()
	var all []ToldEnd
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, fmt.Errorf("read ends by the runner: %w", err)
		}
		var e ToldEnd
		var due, done int64
		if _, err = fmt.Sscanf(line, "%d %d %d\n", &e.ID, &due, &done); err != nil {
			return all, fmt.Errorf("read ends by the runner: %s:%d: got %q, want a job and two instants", path, len(all)+1, strings.TrimSuffix(line, "\n"))
		}
		e.Due, e.Done = time.Unix(0, due).UTC(), time.Unix(0, done).UTC()
		all = append(all, e)
	}
}

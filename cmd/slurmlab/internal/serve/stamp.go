package serve

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
)

// stampOf tells the states of a run's files apart: it changes when one of them does, or when the run
// ends.
func stampOf(dir trace.Dir) string {
	files := []string{dir.RunFile(), dir.WorkloadFile(), dir.SacctFile(), dir.CyclesFile(), dir.ProgressFile(), dir.SdiagFile(), dir.SnapshotsFile()}
	if dir.Archived() {
		files = []string{dir.Path()}
	}
	sum := fnv.New64a()
	for _, file := range files {
		// A file that is not there counts as well.
		if info, err := os.Stat(file); err == nil {
			_, _ = fmt.Fprintf(sum, "%d %d", info.Size(), info.ModTime().UnixNano())
		}
		_, _ = sum.Write([]byte{0})
	}
	return fmt.Sprintf("\"%x-%t\"", sum.Sum64(), run.UnderWay(dir))
}

// stampOfFolder tells the states of a folder apart: it changes when a run in it does, when one
// comes, goes or is set aside, and when its campaign file changes.
func stampOfFolder(path string) string {
	sum := fnv.New64a()
	// What cannot be read is not there.
	entries, _ := os.ReadDir(path)
	for _, entry := range entries {
		name := filepath.Join(path, entry.Name())
		switch info, err := entry.Info(); {
		case err != nil:
		case !entry.IsDir():
			// Tables and pages that "campaign report" writes say nothing of the runs.
			if trace.IsArchived(name) {
				stampFile(sum, name, info)
			}
		case entry.Name() == run.InputsName:
			_ = filepath.WalkDir(name, func(file string, inside fs.DirEntry, walkErr error) error {
				if walkErr == nil {
					if of, infoErr := inside.Info(); infoErr == nil {
						stampFile(sum, file, of)
					}
				}
				return nil
			})
		case entry.Name() == run.AsideName:
			stampFile(sum, name, info)
		case isRun(name):
			if dir, openErr := trace.Open(name); openErr == nil {
				_, _ = fmt.Fprintf(sum, "%s %s\n", name, stampOf(dir))
			}
		}
	}
	return fmt.Sprintf("\"%x\"", sum.Sum64())
}

func stampFile(sum io.Writer, name string, info fs.FileInfo) {
	_, _ = fmt.Fprintf(sum, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
}

// kept is the number of documents that a cache keeps: documents of the runs or folders that somebody looks at side by
// side. The document of a run of 10,000 jobs has about 3 MB.
const kept = 8

// cache keeps the last documents. So a page that is loaded again, or that asks for the curves of a run or the tables
// of a folder, does not have it read again. It makes one at a time.
type cache[T any] struct {
	mu    sync.Mutex
	order []string // keys, the last asked for last
	of    map[string]cached[T]
}

type cached[T any] struct {
	stamp string
	data  T
	// refused is why there is no data: what a file says will not change while its stamp does not.
	refused error
}

func newCache[T any]() *cache[T] { return &cache[T]{of: map[string]cached[T]{}} }

// get returns what was made for the key at this stamp, or makes it. A refusal is kept as well, so that a hostile file costs
// its time and memory once. One by the system is not: the next file may open.
func (c *cache[T]) get(key, stamp string, make func() (T, error)) (T, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.of[key]
	if !ok || found.stamp != stamp {
		data, err := make()
		if bySystem(err) {
			return data, err
		}
		found = cached[T]{stamp, data, err}
		c.of[key] = found
	}
	order := []string{}
	for _, other := range c.order {
		if other != key {
			order = append(order, other)
		}
	}
	c.order = append(order, key)
	if len(c.order) > kept {
		delete(c.of, c.order[0])
		c.order = c.order[1:]
	}
	return found.data, found.refused
}

// bySystem says that an error is not about what a file says.
func bySystem(err error) bool {
	var path *fs.PathError
	var call *os.SyscallError
	return errors.As(err, &path) || errors.As(err, &call) || errors.Is(err, context.Canceled)
}

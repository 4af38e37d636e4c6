package serve

import (
	"fmt"
	"hash/fnv"
	"os"
	"sync"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/results/trace"
)

// stampOf tells the states of a run's files apart: it changes when one of them does, or when the run
// ends.
func stampOf(dir trace.Dir) string {
	files := []string{dir.RunFile(), dir.WorkloadFile(), dir.SacctFile(), dir.CyclesFile(), dir.SdiagFile(), dir.SnapshotsFile()}
	if dir.Archived() {
		files = []string{dir.Path()}
	}
	sum := fnv.New64a()
	for _, file := range files {
		// A file that is not there counts, too.
		if info, err := os.Stat(file); err == nil {
			_, _ = fmt.Fprintf(sum, "%d %d", info.Size(), info.ModTime().UnixNano())
		}
		_, _ = sum.Write([]byte{0})
	}
	return fmt.Sprintf("\"%x-%t\"", sum.Sum64(), lab.UnderWay(dir))
}

// kept is the number of documents that a cache keeps: those of the runs that somebody
// looks at side by side. That of a run of 10,000 jobs has some 3 MB.
const kept = 8

// cache keeps the last documents, so that a page that is loaded again, or that asks for
// the curves of a run, does not have it read again. It makes one at a time.
type cache struct {
	mu    sync.Mutex
	order []string // keys, the last asked for last
	of    map[string]cached
}

type cached struct {
	stamp string
	data  []byte
}

func newCache() *cache { return &cache{of: map[string]cached{}} }

// get returns what was made for the key at this stamp, or makes it.
func (c *cache) get(key, stamp string, make func() ([]byte, error)) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.of[key]
	if !ok || found.stamp != stamp {
		data, err := make()
		if err != nil {
			return nil, err
		}
		found = cached{stamp, data}
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
	return found.data, nil
}

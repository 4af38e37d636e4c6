package serve

import (
	"fmt"
	"os"
	"sync"

	"github.com/slurmlab/slurmlab/results/trace"
)

// mostRefusals bounds the refusals that are kept. With more, all are forgotten.
const mostRefusals = 10_000

// refusals keep which run.json was refused, and why. The page asks for all runs every few seconds, and a large file
// that is no record would cost its time and memory each time. The zero value has none.
type refusals struct {
	mu sync.Mutex
	of map[string]refusal
}

type refusal struct {
	// stamp is the state of the file that was refused.
	stamp string
	why   error
}

// read reads the record of a run, unless the same file was refused before.
func (r *refusals) read(dir trace.Dir) (trace.Run, error) {
	file := dir.RunFile()
	if dir.Archived() {
		file = dir.Path()
	}
	info, err := os.Stat(file)
	if err != nil {
		return trace.Run{}, err
	}
	stamp := fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	if why := r.known(file, stamp); why != nil {
		return trace.Run{}, why
	}
	run, err := dir.ReadRun()
	if err != nil && !bySystem(err) {
		r.keep(file, refusal{stamp, err})
	}
	return run, err
}

func (r *refusals) known(file, stamp string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found := r.of[file]; found.stamp == stamp {
		return found.why
	}
	return nil
}

func (r *refusals) keep(file string, found refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil || len(r.of) >= mostRefusals {
		r.of = map[string]refusal{}
	}
	r.of[file] = found
}

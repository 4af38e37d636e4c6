package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
)

// deepest is how far below a path runs are looked for: folders of comparisons and
// campaigns lie beside each other, as in "runs", and runs lie in them.
const deepest = 3

// shelf is the runs below some paths. It is looked through again at each question for all
// of them, as runs come and go.
type shelf struct {
	paths []string

	mu   sync.Mutex
	runs map[string]string // paths by key
}

// folder is a place with runs.
type folder struct {
	key, path string
	runs      []string // paths
}

func newShelf(paths []string) *shelf {
	clean := make([]string, len(paths))
	for i, path := range paths {
		clean[i] = filepath.Clean(path)
	}
	return &shelf{paths: clean, runs: map[string]string{}}
}

// check names each path that is neither a run nor has runs below it.
func (s *shelf) check() error {
	var faults []error
	for _, path := range s.paths {
		if isRun(path) {
			continue
		}
		entries, err := os.ReadDir(path)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("serve: %w", err))
		case len(foldersAt(path, entries, deepest)) == 0:
			faults = append(faults, fmt.Errorf("serve: %s is no run and has none below it: want run directories (with a run.json), archives of them, or folders of these", path))
		}
	}
	return errors.Join(faults...)
}

// look lists the folders with their runs, in the order of the paths. A run that was named
// by itself is in the folder that it lies in.
func (s *shelf) look() []folder {
	var all []folder
	add := func(f folder) {
		for i := range all {
			if all[i].path == f.path {
				all[i].runs = append(all[i].runs, f.runs...)
				return
			}
		}
		all = append(all, f)
	}
	for _, path := range s.paths {
		if isRun(path) {
			add(folder{path: filepath.Dir(path), runs: []string{path}})
			continue
		}
		// Who cannot be read any more has no runs.
		entries, _ := os.ReadDir(path)
		for _, f := range foldersAt(path, entries, deepest) {
			add(f)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range all {
		f := &all[i]
		f.key = keyOf(f.path)
		slices.Sort(f.runs)
		f.runs = slices.Compact(f.runs)
		for _, run := range f.runs {
			s.runs[keyOf(run)] = run
		}
	}
	return all
}

// find returns the path of a run that was found before, by its key.
func (s *shelf) find(key string) (string, bool) {
	s.mu.Lock()
	path, known := s.runs[key]
	s.mu.Unlock()
	if known {
		return path, true
	}
	s.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	path, known = s.runs[key]
	return path, known
}

// has says whether a run was found before, by its key.
func (s *shelf) has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, known := s.runs[key]
	return known
}

// foldersAt are path, if it has runs in it, and the folders below it that have.
func foldersAt(path string, entries []os.DirEntry, depth int) []folder {
	here := folder{path: path}
	var below []folder
	for _, entry := range entries {
		name := filepath.Join(path, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), ".") || entry.Name() == run.AsideName:
		case isRun(name):
			here.runs = append(here.runs, trace.Unarchived(name))
		case entry.IsDir() && depth > 1:
			// Who cannot be read has no runs.
			inside, _ := os.ReadDir(name)
			below = append(below, foldersAt(name, inside, depth-1)...)
		}
	}
	if len(here.runs) > 0 {
		return append([]folder{here}, below...)
	}
	return below
}

func isRun(path string) bool {
	if trace.IsArchived(path) {
		return true
	}
	info, err := os.Stat(filepath.Join(path, "run.json"))
	return err == nil && info.Mode().IsRegular()
}

// keyOf names a path in addresses: the same in each process, and no path.
func keyOf(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:6])
}

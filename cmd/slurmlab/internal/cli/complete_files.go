package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/results/trace"
)

// ofFiles completes the path of a file with one of the endings, or of any file without
// endings.
func ofFiles(endings ...string) completions {
	return func(_ *cobra.Command, _ []string, begun string) []cobra.Completion {
		return entries(begun, func(path string, entry os.DirEntry) (cobra.Completion, bool) {
			ends := func(ending string) bool { return strings.HasSuffix(path, ending) }
			return path, !entry.IsDir() && (len(endings) == 0 || slices.ContainsFunc(endings, ends))
		})
	}
}

// ofDirectories completes the path of a directory.
func ofDirectories(_ *cobra.Command, _ []string, begun string) []cobra.Completion {
	return entries(begun, func(string, os.DirEntry) (cobra.Completion, bool) { return "", false })
}

// ofRuns completes the path of a run directory that is not among the arguments yet.
func ofRuns(_ *cobra.Command, args []string, begun string) []cobra.Completion {
	return entries(begun, func(path string, _ os.DirEntry) (cobra.Completion, bool) {
		dir, err := trace.Open(path)
		if err != nil {
			return "", false
		}
		if slices.Contains(args, path) {
			return "", true
		}
		run, err := dir.ReadRun()
		if err != nil {
			return "", false
		}
		return cobra.CompletionWithDesc(path, fmt.Sprintf("%s, %s on %s, %s", run.Policy, run.Workload, run.Machine.Name, run.Status)), true
	})
}

// entries lists what is in the directory that a path has begun with: what take has a
// completion for, or none ("") on purpose, and other directories, which end in a slash. Hidden files are left
// out unless the name begins with a dot.
func entries(begun string, take func(path string, entry os.DirEntry) (cobra.Completion, bool)) []cobra.Completion {
	dir, name := filepath.Split(begun)
	// A directory that cannot be read completes nothing.
	all, _ := os.ReadDir(cmp.Or(dir, "."))
	var list []cobra.Completion
	for _, entry := range all {
		if !strings.HasPrefix(entry.Name(), name) || name == "" && strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path := dir + entry.Name()
		c, ok := take(path, entry)
		switch {
		case ok && c != "":
			list = append(list, c)
		case ok:
		case entry.IsDir():
			list = append(list, path+"/")
		}
	}
	return list
}

// ofThatRun completes something of the run that is the first argument: nothing if there is
// no run, or if it cannot be read.
func ofThatRun(list func(trace.Dir) []cobra.Completion) completions {
	return func(_ *cobra.Command, args []string, _ string) []cobra.Completion {
		if len(args) == 0 {
			return nil
		}
		dir, err := trace.Open(args[0])
		if err != nil {
			return nil
		}
		return list(dir)
	}
}

// ofJobs completes the id of a job of the run that is the first argument.
func ofJobs() completions {
	return ofThatRun(func(dir trace.Dir) []cobra.Completion {
		jobs, _, err := dir.Accounting()
		if err != nil {
			return nil
		}
		var list []cobra.Completion
		for _, j := range jobs {
			list = append(list, cobra.CompletionWithDesc(strconv.Itoa(j.ID),
				fmt.Sprintf("class %s, %d cores, arrives at %d s", j.Class, j.Cores, j.Arrival)))
		}
		return list
	})
}

// ofCycles completes the number of a cycle of the run that is the first argument.
func ofCycles() completions {
	return ofThatRun(func(dir trace.Dir) []cobra.Completion {
		data, err := dir.Partial()
		if err != nil {
			return nil
		}
		var list []cobra.Completion
		for _, c := range data.Cycles {
			list = append(list, cobra.CompletionWithDesc(strconv.Itoa(c.Cycle), fmt.Sprintf("at %.0f s, %d jobs wait", c.Time, c.Pending)))
		}
		return list
	})
}

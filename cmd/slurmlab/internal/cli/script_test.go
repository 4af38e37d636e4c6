package cli_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// TestScript runs the scenarios that need no Docker: DOCKER_HOST names a socket
// that is not there. UPDATE_SCRIPTS=1 in the environment rewrites the files
// that "cmp" compares with; read the difference before you keep it.
//
// Commands besides those of testscript:
//
//   - exits CODE PROGRAM [ARGUMENT...]: the program ends with that exit code
//   - complains LINE...: standard output is empty and standard error is exactly
//     these lines
//   - flags NAME...: standard output, a help text, lists exactly these flags
//   - recorded RUN: copies testdata/runs/RUN here; unchanged knows of it
//   - auctioned RUN: adds the cycles of two auctions to a run directory that has
//     run.json and workload.csv; unchanged knows of it
//   - needs PROGRAM: the rest is for hosts that have the program, as of
//     hosttest.Program; the first command of its script
//   - unchanged [FILE...]: since the start of the script no file or directory
//     has come, gone or changed, but for these
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Condition:           conditions,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
			return remember(env)
		},
		Cmds: commands(),
	})
}

func needs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: needs PROGRAM")
	}
	hosttest.Program(scriptOf(ts), args[0])
}

// scriptOf is the subtest of a script.
func scriptOf(ts *testscript.TestScript) testing.TB { return ts.Value(subtest{}).(testing.TB) }

func commands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"exits": exits, "complains": complains, "flags": flags, "recorded": recorded, "unchanged": unchanged,
		"auctioned": auctioned, "needs": needs,
	}
}

func conditions(name string) (bool, error) {
	if name == "root" {
		return os.Geteuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("run %s: %v", args[1], err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func complains(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: complains LINE...")
	}
	if stdout := ts.ReadFile("stdout"); stdout != "" {
		ts.Fatalf("standard output has %q, want nothing", stdout)
	}
	want := strings.Join(args, "\n") + "\n"
	if got := ts.ReadFile("stderr"); got != want {
		ts.Fatalf("standard error has\n%swant\n%s", got, want)
	}
}

// flags also compares the flags that every command has, --help and -h.
func flags(ts *testscript.TestScript, neg bool, want []string) {
	if neg {
		ts.Fatalf("usage: flags [NAME...]")
	}
	_, text, _ := strings.Cut(ts.ReadFile("stdout"), "\nUsage:\n")
	var got []string
	for _, found := range regexp.MustCompile(`(?m)^ +(?:-[a-z], )?--([a-z-]+)(?: [\w=,]+)?  +\S`).FindAllStringSubmatch(text, -1) {
		got = append(got, found[1])
	}
	want = slices.Sorted(slices.Values(append(want, "help")))
	slices.Sort(got)
	if !slices.Equal(got, want) {
		ts.Fatalf("flags %v, want %v", got, want)
	}
}

func recorded(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: recorded RUN")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(filepath.Join(ts.Value(source{}).(string), args[0]))))
	know(ts, args[0])
}

// know makes what lies at path, below the script's directory, part of what
// unchanged compares with.
func know(ts *testscript.TestScript, path string) {
	now, err := list(ts.Getenv("WORK"))
	ts.Check(err)
	maps.DeleteFunc(now, func(p, _ string) bool { return p != path && !strings.HasPrefix(p, path+"/") })
	maps.Copy(ts.Value(tree{}).(map[string]string), now)
}

// Keys of a script's values: source of the directory of recorded runs, tree of the files at
// its start, subtest of its test.
type (
	source  struct{}
	tree    struct{}
	subtest struct{}
)

// remember notes what "recorded", "unchanged" and "needs" need.
func remember(env *testscript.Env) error {
	dir, err := filepath.Abs("testdata/runs")
	if err != nil {
		return err
	}
	env.Values[source{}], env.Values[subtest{}] = dir, env.T()
	files, err := list(env.WorkDir)
	env.Values[tree{}] = files
	return err
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: unchanged [FILE...]")
	}
	before := ts.Value(tree{}).(map[string]string)
	now, err := list(ts.Getenv("WORK"))
	ts.Check(err)
	var faults []string
	for path, content := range now {
		old, known := before[path]
		switch {
		case slices.Contains(args, path):
		case !known:
			faults = append(faults, path+" has come")
		case content != old:
			faults = append(faults, path+" has changed")
		}
	}
	for path := range before {
		if _, left := now[path]; !left && !slices.Contains(args, path) {
			faults = append(faults, path+" has gone")
		}
	}
	for _, path := range args {
		if _, there := now[path]; !there {
			faults = append(faults, path+" is missing")
		}
	}
	if len(faults) > 0 {
		ts.Fatalf("%s", strings.Join(slices.Sorted(slices.Values(faults)), "\n"))
	}
}

// list maps the paths below root to what is there.
func list(root string) (map[string]string, error) {
	found := make(map[string]string)
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		found[path] = d.Type().String()
		if d.Type().IsRegular() {
			data, readErr := os.ReadFile(filepath.Join(root, path))
			found[path] = fmt.Sprintf("%x", sha256.Sum256(data))
			return readErr
		}
		return nil
	})
	return found, err
}

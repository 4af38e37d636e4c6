package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

func pluginCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Check and write a scheduler of your own, a program of any language",
	}
	cmd.AddCommand(pluginCheckCommand(s), pluginSchemaCommand(s), pluginPythonCommand(s))
	return cmd
}

func pluginSchemaCommand(s *State) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of the protocol",
		Example: "  slurmlab plugin schema > protocol.json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			text, err := plugin.Schema()
			if err == nil {
				_, err = s.Stdout.Write(text)
			}
			return err
		},
	}
}

func pluginPythonCommand(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "python DIR",
		Short: "Write the modules of Python into a directory",
		Long: `Writes slurmlab.py, with which a scheduler is a function, slurmlab_gym.py, an
environment with reset and step, and slurmlab_batsim.py, an adapter to the
schedulers of Batsim, into a directory. A program that slurmlab runs or checks
can import them anyway; your own programs find them with PYTHONPATH=DIR. They
need Python 3.9 and nothing else, but for the adapter, which needs pyzmq.`,
		Example:           "  slurmlab plugin python modules\n  PYTHONPATH=modules python3 train.py",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completions(ofDirectories).cobra,
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := plugin.WritePython(args[0])
			if err == nil {
				_, err = fmt.Fprintln(s.Stdout, strings.Join(files, "\n"))
			}
			return err
		},
	}
}

// limits of plugin check.
const leastTrial, mostTrial = 100 * time.Millisecond, time.Hour

func pluginCheckCommand(s *State) *cobra.Command {
	var limit time.Duration
	var inPlace bool
	var l listing
	cmd := &cobra.Command{
		Use:   "check PROGRAM",
		Short: "Play recorded snapshots against a program and say what is wrong",
		Long: `Starts the program on this machine, hands it snapshots of a recorded run, and
judges its answers as a run would: in time, readable, jobs that wait, places
that Slurm can be asked for and that are free. Each snapshot is judged alone,
as the recorded run went on without the program. The program hears of changes
and results as in a run: a start that is wrong was refused, one whose job still
waits in the next snapshot was returned, and the others started.

The program runs as a copy without the files beside it, since exec:FILE copies
one file into the cluster; with --host it runs where it lies, as under
host:FILE. A cluster has the standard library of Python, while this machine may
have more packages.

The exit code is 3 when something is wrong.`,
		Example:           "  slurmlab plugin check ./my_scheduler.py",
		ValidArgsFunction: ofFiles().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := policy.CheckProgram(args[0])
			if err != nil {
				return usage(fmt.Errorf("%s: %w", args[0], err))
			}
			if limit < leastTrial || limit > mostTrial {
				return usage(fmt.Errorf("time-limit: %s is not allowed, want %s to %s", limit, leastTrial, mostTrial))
			}
			if err = l.check(); err != nil {
				return usage(err)
			}
			file, remove, err := tried(args[0], inPlace)
			if err != nil {
				return err
			}
			defer remove()
			modules, env, err := plugin.PythonEnviron()
			if err != nil {
				return err
			}
			defer func() { _ = os.RemoveAll(modules) }()
			program := plugin.NewProcess(plugin.Command{Argv: []string{file}, Dir: filepath.Dir(file), Env: env, Stderr: s.Stderr})
			defer program.End()
			verdict, err := plugin.Trial(cmd.Context(), program, limit)
			if err != nil {
				return err
			}
			if err = l.print(s, verdictJSON(verdict), func(w io.Writer) error { return printVerdict(w, args[0], verdict) }); err != nil {
				return err
			}
			if len(verdict.Faults) > 0 {
				// What was printed says why.
				return commandError{code: exitCheck}
			}
			return nil
		},
	}
	declare(cmd, headFlags, flag("time-limit", &limit, 5*time.Second, "real time limit of one answer"),
		flag("host", &inPlace, false, "run it where it lies, as host:FILE does"))
	l.flag(cmd)
	return cmd
}

// tried is the file of a program that is checked: itself, or a copy in a directory of its own, which remove removes.
func tried(name string, inPlace bool) (file string, remove func(), err error) {
	if file, err = filepath.Abs(name); err != nil || inPlace {
		return file, func() {}, err
	}
	dir, err := os.MkdirTemp("", "slurmlab-check-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	text, err := os.ReadFile(file)
	if err == nil {
		file = filepath.Join(dir, filepath.Base(file))
		err = os.WriteFile(file, text, 0o755)
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return file, remove, nil
}

// failedFault is one kind of fault in the output of plugin check.
type failedFault struct {
	Kind   string `json:"kind"`
	Count  int    `json:"count"`
	First  string `json:"first"`
	Number int    `json:"snapshot"`
}

// pluginVerdict is the output of plugin check as JSON.
type pluginVerdict struct {
	Snapshots int           `json:"snapshots"`
	Answers   int           `json:"answers"`
	Starts    int           `json:"starts"`
	Longest   float64       `json:"longest_s"`
	Faults    []failedFault `json:"faults"`
}

func verdictJSON(v plugin.Verdict) pluginVerdict {
	out := pluginVerdict{Snapshots: v.Snapshots, Answers: v.Answers, Starts: v.Starts, Longest: v.Longest.Seconds(), Faults: []failedFault{}}
	for _, f := range v.Faults {
		at := slices.IndexFunc(out.Faults, func(o failedFault) bool { return o.Kind == string(f.Kind) })
		if at < 0 {
			out.Faults = append(out.Faults, failedFault{Kind: string(f.Kind), First: f.String(), Number: f.Number})
			at = len(out.Faults) - 1
		}
		out.Faults[at].Count++
	}
	return out
}

func printVerdict(w io.Writer, name string, v plugin.Verdict) error {
	out := verdictJSON(v)
	var text strings.Builder
	fmt.Fprintf(&text, "%s answered %d of %d snapshots of a machine of %d nodes, and started %d jobs; its longest answer took %.3f s.\n",
		name, v.Answers, v.Snapshots, v.Nodes, v.Starts, out.Longest)
	for _, f := range out.Faults {
		where := fmt.Sprintf("in snapshot %d", f.Number)
		if f.Number == 0 {
			where = "before the first snapshot"
		}
		fmt.Fprintf(&text, "%d × %s; the first, %s: %s\n", f.Count, f.Kind, where, strings.TrimPrefix(f.First, f.Kind+": "))
	}
	if v.GivenUp {
		text.WriteString("The other snapshots were not asked about.\n")
	}
	if len(out.Faults) == 0 {
		text.WriteString("Nothing is wrong.\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

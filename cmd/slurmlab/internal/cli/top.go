package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/view"
	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/emulator/watch"
)

func topCommand(s *State) *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use:   "top [NAME]",
		Short: "Watch a running cluster: clock, nodes, queue, last auction",
		Long: `Shows a cluster on the whole terminal, and looks at it every second of real
time: its clock and how fast it goes, cores and GPUs in use node by node, their
use and the queue over time, the last auction, the queue with what each job
waits for, and the running jobs. NAME names a cluster of "slurmlab up" or a run
that is under way. It may be left out if there is only one.

Keys: q leaves, + lets a jump clock skip what is idle, - holds it at the speed
of real time, p freezes the picture and holds a jump clock until you press it
again, ? explains. A run gets its own pace back when you leave, a cluster of
"up" keeps the one that you gave it.

Each look asks Slurm for its nodes and its jobs, on the cluster's own core; what
that costs is in docs/top.md.`,
		Example:           "  slurmlab top\n  slurmlab top --once",
		ValidArgsFunction: ofWatched(s).cobra,
		Args:              cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			container, err := watched(cmd.Context(), strings.Join(args, ""))
			if err != nil {
				return err
			}
			cluster, err := run.Docker{}.Open(container.ID)
			if err != nil {
				return err
			}
			defer cluster.Close()
			ofRun := container.Role == slurm.RoleRun
			if once {
				return lookOnce(cmd.Context(), s, cluster, container.Name, ofRun)
			}
			in, out, ok := s.terminals(s.Stdout)
			if !ok {
				return usage(errors.New("top: standard input and output are not both a terminal; for one look as text: slurmlab top --once"))
			}
			return showCluster(cmd.Context(), in, out, cluster, container.Name, ofRun)
		},
	}
	declare(cmd, headFlags, flag("once", &once, false, "print one look as text and end"))
	return cmd
}

// terminals are the file from which a program that has the whole terminal reads keys, and
// the one on which it draws; ok says that both are a terminal.
func (s *State) terminals(drawn io.Writer) (in, out *os.File, ok bool) {
	in, isFile := s.Stdin.(*os.File)
	if !isFile || !term.IsTerminal(int(in.Fd())) {
		return nil, nil, false
	}
	switch w := drawn.(type) {
	case *output:
		out = w.file.File
	case *os.File:
		out = w
	default:
		return nil, nil, false
	}
	return in, out, term.IsTerminal(int(out.Fd()))
}

// watched finds the running cluster that is meant by a name, or the only one if that is "".
func watched(ctx context.Context, name string) (run.Container, error) {
	if name != "" {
		// Runs have the names of their directories.
		if strings.ContainsAny(name, "/\x00") {
			return run.Container{}, usage(fmt.Errorf("name: %q is not the name of a cluster; the name of a run is the last part of its directory", name))
		}
	}
	all, err := run.Containers(ctx, "", "")
	if err != nil {
		return run.Container{}, err
	}
	return meant(all, name)
}

// meant is the running cluster of that name, or the only one if the name is empty.
func meant(all []run.Container, name string) (run.Container, error) {
	others := running(all)
	all = slices.DeleteFunc(all, func(c run.Container) bool { return c.State != "running" || name != "" && c.Name != name })
	slices.SortFunc(all, func(a, b run.Container) int { return cmp.Compare(a.Name, b.Name) })
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0 && name == "":
		return run.Container{}, usage(errors.New("no cluster is running; start one with: slurmlab up"))
	case len(all) == 0:
		return run.Container{}, usage(fmt.Errorf("name: no cluster %q is running%s", name, others))
	}
	var names []string
	for _, c := range all {
		if c.Role == slurm.RoleUp && c.Name == defaultName {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return run.Container{}, usage(fmt.Errorf("name: which of the clusters that are running? write: slurmlab top NAME, with one of %s", strings.Join(names, ", ")))
}

// ofWatched completes the names of the clusters that are running.
func ofWatched(s *State) completions {
	return func(_ *cobra.Command, args []string, _ string) []cobra.Completion {
		if len(args) > 0 {
			return nil
		}
		ctx, cancel := context.WithTimeout(s.Context, completionLimit)
		defer cancel()
		// Without Docker there are none.
		all, _ := run.Containers(ctx, "", "")
		var list []cobra.Completion
		for _, c := range all {
			if c.State == "running" {
				list = append(list, cobra.CompletionWithDesc(c.Name, fmt.Sprintf("%s since %s", c.Role, c.Created.Format(time.DateTime))))
			}
		}
		return list
	}
}

// lookOnce prints one look as text: all that a terminal of the width shows, and each job
// that the look lists.
func lookOnce(ctx context.Context, s *State, cluster run.Cluster, name string, ofRun bool) error {
	look, err := run.LookOnce(ctx, cluster, ofRun)
	if err != nil {
		return fmt.Errorf("cluster %s: %w", name, err)
	}
	var h view.History
	h.Add(look)
	const aroundJobs = 40
	lines := view.Frame(name, &h, s.screen(), len(look.Queue)+len(look.Running)+aroundJobs)
	text := strings.TrimRight(ansi.Strip(strings.Join(lines, "\n")), "\n")
	_, err = fmt.Fprintln(s.Stdout, text)
	return err
}

// showCluster shows a cluster until the user leaves, or the cluster ends.
func showCluster(ctx context.Context, in, out *os.File, cluster run.Cluster, name string, ofRun bool) error {
	command := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	orders := make(chan string, fewOrders)
	model := view.New(view.Settings{
		Names: []string{name}, Leaving: "leave; the cluster goes on",
		Clock: func(_ int, order string) {
			select {
			case orders <- order:
			default: // Too many are on their way.
			}
		},
	})
	program := tea.NewProgram(model, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler())
	seen := make(chan error, 1)
	go func() {
		seen <- run.Watch(ctx, cluster, orders, ofRun, func(l watch.Look) { program.Send(view.Look{Look: l}) })
		program.Send(view.End{})
	}()
	_, err := program.Run()
	stop()
	if watchErr := <-seen; watchErr != nil {
		return fmt.Errorf("cluster %s: %w", name, watchErr)
	}
	if command.Err() != nil {
		return context.Cause(command)
	}
	if err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	return nil
}

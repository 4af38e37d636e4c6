package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/internal/text"
)

func statusCommand(s *State) *cobra.Command {
	var name string
	var l listing
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say how a cluster that \"up\" started is doing, and its agent",
		Long: `Tells of a cluster that "slurmlab up" started: nodes and jobs by state; of its
agent the last good cycle, the last decision and the last error, the jobs that
it cannot schedule, with the reasons, and those that their owners hold. What is
broken is a FAULT, such as a daemon that died or an agent that hangs, and the
exit code then is 1.`,
		Example: "  slurmlab status\n  slurmlab status --name other --format json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.check(); err != nil {
				return usage(err)
			}
			container, err := kept(cmd.Context(), name)
			if err != nil {
				return err
			}
			answer, err := run.Output(cmd.Context(), container.ID, "slurmlabd", "status")
			if err != nil {
				return fmt.Errorf("cluster %s: %w", name, err)
			}
			var cluster watch.Cluster
			if err = json.Unmarshal(answer, &cluster); err != nil {
				return fmt.Errorf("cluster %s: read its status: %w", name, err)
			}
			age := time.Since(container.Created)
			if err = l.print(s, cluster, func(w io.Writer) error {
				_, printErr := io.WriteString(w, statusText(name, age, cluster, s.width()))
				return printErr
			}); err != nil {
				return err
			}
			if faults := cluster.Faults(); len(faults) > 0 {
				return fmt.Errorf("cluster %s is broken in %d way(s); its logs: slurmlab shell%s -- ls /var/log/slurm",
					name, len(faults), nameFlag(name))
			}
			return nil
		},
	}
	declare(cmd, headFlags, flag("name", &name, defaultName, "name of the cluster").completes(ofClusters(s)))
	l.flag(cmd)
	return cmd
}

// statusText puts the headings of a status beside its paragraphs.
func statusText(name string, age time.Duration, cluster watch.Cluster, width int) string {
	const column = 12
	var out strings.Builder
	fmt.Fprintf(&out, "cluster %s has been up for %s\n", name, age.Round(time.Second))
	for _, p := range cluster.Text() {
		text := text.Wrap(p.Text, strings.Repeat(" ", column), width)
		// A heading stands in the indent of the first line.
		fmt.Fprintf(&out, "%-*s%s", column, p.Heading, text[min(len(text), column):])
	}
	return out.String()
}

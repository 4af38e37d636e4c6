package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

func djsbDescribeCommand(s *State) *cobra.Command {
	var l listing
	var d djsbFlags
	cmd := &cobra.Command{
		Use:   "describe [NAME|FILE]",
		Short: "Say what is run: applications, scenarios, options",
		Long: `Says what a configuration of the benchmark runs: the two applications, the
scenarios with their lines of slurm.conf, and all options as YAML, which is a
configuration file itself.

Tables 1 and 2 of the benchmark's paper are built in as figure3 (the default),
figure4, figure4.5GiB and figure5.`,
		Example: "  slurmlab djsb describe\n" +
			"  slurmlab djsb describe figure5 --num-of-samples 10\n" +
			"  slurmlab djsb describe mine.yaml",
		ValidArgsFunction: ofDJSB().first().cobra,
		Args:              cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := d.load(configuration(args))
			if err = errors.Join(err, l.check()); err != nil {
				return usage(err)
			}
			told, err := newDJSBJSON(c)
			if err != nil {
				return err
			}
			return l.print(s, told, func(w io.Writer) error { return told.write(w, s.width()) })
		},
	}
	d.options(cmd)
	l.flag(cmd)
	return cmd
}

// djsbJSON is what is said of a configuration.
type djsbJSON struct {
	Configuration djsbconfig.DJSB `json:"configuration"`
	Scenarios     []scenarioJSON  `json:"scenarios"`
}

// scenarioJSON is what is said of a scenario. Its lines of slurm.conf are those that a
// cluster for the plain queue has not; where Slurm does not share out nodes there are none.
type scenarioJSON struct {
	Name      djsbconfig.Scenario `json:"name"`
	About     string              `json:"about"`
	SlurmConf []string            `json:"slurm_conf"`
	// The applications of a scenario that has others than the configuration.
	Simulation *djsbconfig.Application `json:"simulation,omitempty"`
	Analysis   *djsbconfig.Application `json:"analysis,omitempty"`
}

func newDJSBJSON(c djsbconfig.DJSB) (djsbJSON, error) {
	told := djsbJSON{Configuration: c}
	if c.On != djsbconfig.SystemCluster && c.On != djsbconfig.SystemSlurm {
		for _, scenario := range c.Scenarios {
			told.Scenarios = append(told.Scenarios, scenarioJSON{Name: scenario, About: scenario.About(), SlurmConf: []string{}})
		}
		return told, nil
	}
	plain, err := djsbLines(c, djsbconfig.ScenarioQueue)
	if err != nil {
		return told, err
	}
	for _, scenario := range c.Scenarios {
		lines, err := djsbLines(c, scenario)
		if err != nil {
			return told, err
		}
		own := slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(plain, line) })
		about := scenarioJSON{Name: scenario, About: scenario.About(), SlurmConf: own}
		if scenario == djsbconfig.ScenarioKeptFree {
			simulation, analysis := c.Applications(scenario)
			about.Simulation, about.Analysis = &simulation, &analysis
		}
		told.Scenarios = append(told.Scenarios, about)
	}
	return told, nil
}

// djsbLines are the lines of slurm.conf of a cluster for the scenario.
func djsbLines(c djsbconfig.DJSB, scenario djsbconfig.Scenario) ([]string, error) {
	backfill, err := policy.Find(policy.WholeQueue)
	if err != nil {
		return nil, err
	}
	chosen, _, err := backend.All().Choose(backend.Choice{}, djsbNeeds(c, false))
	if err != nil {
		return nil, err
	}
	spec := conf.Spec{
		Form: string(chosen.Form), Slurm: chosen.Series, Nodes: c.Machine.Nodes, Cores: c.Machine.Cores, Sharing: djsbSharing(scenario),
		Scheduler: backfill.Scheduler, Priority: backfill.Priority, Clock: clock.Settings{Kind: clock.KindJump},
	}
	files, err := conf.Files(spec, chosen.Nodes(spec).Conf, conf.Root())
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(files, func(f conf.File) bool { return f.Name == "slurm.conf" })
	return slices.Collect(strings.Lines(string(files[at].Data))), nil
}

// djsbSharing is how the jobs of a scenario share nodes.
func djsbSharing(s djsbconfig.Scenario) conf.Sharing {
	return conf.Sharing{JobsPerCore: s.JobsPerCore(), Preemption: conf.Preemption(s.PreemptMode())}
}

func (d djsbJSON) write(w io.Writer, width int) error {
	var b strings.Builder
	line := func(form string, args ...any) { b.WriteString(text.Wrap(fmt.Sprintf(form, args...), "", width)) }
	c := d.Configuration
	line("%s: %s", c.Name, c.About())
	line("on %s: %s", c.On, c.On.About())
	application := func(name string, a djsbconfig.Application) {
		line("%s: %s of %s on %s, %s, %s per node, %s alone", name, text.Plural(a.TotalTasks, "task"), text.Plural(a.CPUsPerTask, "core"),
			text.Plural(a.Nodes(), "node"), text.Plural(a.CPUs(), "core"), a.MemoryPerNode(), a.ExecTime)
	}
	application("simulation", c.Simulation)
	application("analysis", c.Analysis.Application)
	runs := len(c.Scenarios) * len(c.NumOfDynAnalysis) * c.NumOfSamples
	line("%s: %s, %s of analytics, %s each", text.Plural(runs, "execution"), text.Plural(len(c.Scenarios), "scenario"),
		text.Plural(len(c.NumOfDynAnalysis), "number"), text.Plural(c.NumOfSamples, "sample"))
	b.WriteString("\n")
	for _, s := range d.Scenarios {
		line("%s: %s", s.Name, s.About)
		for _, own := range s.SlurmConf {
			b.WriteString("    " + strings.TrimSuffix(own, "\n") + "\n")
		}
		if s.Simulation != nil {
			fmt.Fprintf(&b, "    simulation: %s on %s; analysis: %s on %s\n", text.Plural(s.Simulation.TotalTasks, "task"), text.Plural(s.Simulation.Nodes(), "node"),
				text.Plural(s.Analysis.TotalTasks, "task"), text.Plural(s.Analysis.Nodes(), "node"))
		}
	}
	form, err := json.Marshal(c)
	if err != nil {
		return err
	}
	text, err := yaml.JSONToYAML(form)
	if err != nil {
		return err
	}
	b.WriteString("\n" + string(text))
	_, err = io.WriteString(w, b.String())
	return err
}

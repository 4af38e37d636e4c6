package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

func djsbCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "djsb",
		Short: "Benchmark how a system reacts to short jobs",
		Long: `The Dynamic Job Scheduling Benchmark: a long simulation has the machine, short
analytics come while it runs. How much does each suffer, and what is the
system's dynamicity?`,
	}
	cmd.AddCommand(djsbDescribeCommand(s), djsbRunCommand(s), djsbReportCommand(s))
	return cmd
}

// djsbFlags are the options of the benchmark that a command line sets.
type djsbFlags struct {
	values map[string]*djsbValue
}

// djsbValue is the text of a flag whose value the configuration's reader checks.
type djsbValue struct {
	option djsbconfig.DJSBOption
	text   string
	given  bool
}

// String implements pflag.Value.
func (v *djsbValue) String() string { return v.text }

// Type implements pflag.Value.
func (v *djsbValue) Type() string { return string(v.option.Kind) }

// Set implements pflag.Value.
func (v *djsbValue) Set(text string) error {
	v.text, v.given = text, true
	return nil
}

func (d *djsbFlags) options(cmd *cobra.Command) {
	d.values = map[string]*djsbValue{}
	for _, o := range djsbconfig.DJSBOptions() {
		value := &djsbValue{option: o}
		d.values[o.Path] = value
		spec := flagOf(o.Flag(), value, o.About)
		switch {
		case o.Path == "scenarios":
			spec = spec.completes(ofChoices(djsbconfig.Scenarios()...).separated()).usual()
		case o.Path == "on":
			spec = spec.completes(ofChoices(djsbconfig.Systems()...)).usual()
		case o.Path == "num_of_samples", o.Path == "num_of_dyn_analysis":
			spec = spec.usual()
		case o.Kind == djsbconfig.KindText:
			spec = spec.completes(ofFiles())
		}
		declare(cmd, djsbHeading(o), spec)
		if o.Kind == djsbconfig.KindFlag {
			cmd.Flags().Lookup(o.Flag()).NoOptDefVal = "true"
		}
	}
}

func djsbHeading(o djsbconfig.DJSBOption) heading {
	switch section, _, _ := strings.Cut(o.Path, "."); section {
	case "on", "reservation", "commands", "machine", "simulation", "analysis":
		return headJobs
	default:
		return headRepeat
	}
}

// load returns the configuration with what the flags set.
func (d *djsbFlags) load(nameOrFile string) (djsbconfig.DJSB, error) {
	var set []djsbconfig.DJSBSetting
	for _, o := range djsbconfig.DJSBOptions() {
		if v := d.values[o.Path]; v.given {
			set = append(set, djsbconfig.DJSBSetting{DJSBOption: o, Value: v.text})
		}
	}
	return djsbconfig.LoadDJSB(nameOrFile, set...)
}

// djsbNeeds is what the benchmark needs: Slurm suspends and requeues its jobs, and a real application has the cores of one node.
func djsbNeeds(c djsbconfig.DJSB, realTime bool) backend.Needs {
	return backend.Needs{Nodes: c.Machine.Nodes, Scripts: true, Daemons: realTime}
}

// defaultDJSB is the configuration of a command that names none.
const defaultDJSB = "figure3"

// realDJSB is the name of a benchmark with real applications, agentDJSB of one with an agent.
const (
	realDJSB  = "real"
	agentDJSB = "policy"
)

// configuration is the argument of a command, or what stands for it.
func configuration(args []string) string {
	return slices.Concat(args, []string{defaultDJSB})[0]
}

func ofDJSB() completions {
	return completions(func(*cobra.Command, []string, string) []cobra.Completion {
		var list []cobra.Completion
		for _, c := range djsbconfig.BuiltinDJSB() {
			list = append(list, cobra.CompletionWithDesc(c.Name, c.About()))
		}
		return list
	}).and(ofFiles(workloads.MachineEndings()...))
}

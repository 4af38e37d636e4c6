package cli

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/report"
)

func runCommand(s *State) *cobra.Command {
	var e experiment
	var f form
	var policyName string
	var c checkpointFlags
	var resumed string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run one workload under one policy",
		Long: `Runs one workload under one policy, which "slurmlab policy list" names. A policy
has settings of its own; --set KEY=VALUE takes their place.

--stop-at ends the run at a virtual time and leaves a checkpoint in its
directory. --checkpoint goes on from one, as before or with another policy or
other settings.

At its end it prints the most important metrics, as "slurmlab metrics" does,
where the results are, and what to type next.

--resume completes a run that broke after its last job had ended. If the files
could not be copied, the container was left in place: --resume fetches them and
removes the container. A run in which jobs did not end as planned, say because
somebody cancelled them, stays failed. With --allow-failed it becomes complete,
and every table tells how many of its jobs failed.`,
		Example: `  slurmlab run --machine S --workload V.2 --policy auction
  slurmlab run --machine S --workload V.2 \
    --policy auction1-5s-5b-noslurm --set solve_limit=3s
  slurmlab run --machine cluster.yaml --workload jobs.csv --policy backfill
  slurmlab run --policy backfill --stop-at 2h --out past
  slurmlab run --checkpoint past/checkpoint --set bf_interval=60
  slurmlab run --resume my-run`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.given.Changed("resume") {
				return resumeRun(cmd.Context(), s, f, resumed, e.config.AllowFailed, e.given)
			}
			faults := []error{c.stop(&e), f.Check(), e.checkUI()}
			if c.from != "" {
				faults = append(faults, c.read(&e))
			} else if e.AnyBuild {
				faults = append(faults, errors.New("any-build: has no effect without --checkpoint"))
			}
			chosen, policyErr := c.policy(&e, policyName)
			config, err := e.oneRun(s, &c, chosen, append(faults, policyErr)...)
			if err != nil {
				return err
			}
			configs := []run.Config{config}
			if err = e.on(s).FindImages(cmd.Context(), configs); err != nil {
				return err
			}
			if err = e.on(s).RunAll(cmd.Context(), 1, configs); err != nil {
				return err
			}
			if is, err := stopped(s, e.Out); is || err != nil {
				return err
			}
			if c.stopAt > 0 {
				s.warnf("The run ended before --stop-at %v, so there is no checkpoint.", c.stopAt)
			}
			return concludeRun(s, f, e.Out)
		},
	}
	policyFlag(cmd, &policyName, policy.Auction, policy.ExecPrefix+"FILE or "+policy.HostPrefix+"FILE")
	e.flags(cmd, s, flag("machine", &e.machine, "S", machineHelp()).completes(ofMachines()).usual(), e.eventsFile.flag())
	e.backendFlags(cmd)
	f.flags(cmd)
	c.stopFlag(cmd)
	c.fromFlag(cmd, "go on from the checkpoint of a run that was stopped: its directory, or the directory of the run")
	e.anyBuildFlag(cmd)
	resumeFlag(cmd, &resumed)
	return cmd
}

// oneRun is the configuration of the run, which begins at the beginning or at a checkpoint.
func (e *experiment) oneRun(s *State, c *checkpointFlags, chosen policy.Policy, faults ...error) (run.Config, error) {
	if c.checkpoint != nil || c.from != "" {
		if e.Out != "" {
			faults = append(faults, checkNew(e.Out, "directory"))
		}
		if err := errors.Join(faults...); err != nil {
			return run.Config{}, usage(err)
		}
		if e.Out == "" {
			e.Out = filepath.Join("runs", c.checkpoint.RunName(chosen)+"-"+stamp())
		}
		return c.checkpoint.Continue(chosen, e.Out, e.continued())
	}
	p, err := e.prepare(s, faults...)
	if err != nil {
		return run.Config{}, err
	}
	if e.Out == "" {
		e.Out = filepath.Join("runs", p.Name(chosen.Name)+"-"+stamp())
	}
	config, err := p.Config(e.backends[0].under(chosen), e.Out, e.config)
	if err != nil || p.StopAt == 0 {
		return config, err
	}
	err = config.CheckStop()
	if e.Engine == run.CharliecloudName {
		err = errors.Join(err, fmt.Errorf("stop-at: is not allowed with --engine %s, want %s", e.Engine, run.DockerName))
	}
	if err != nil {
		return config, usage(err)
	}
	return config, nil
}

// concludeRun draws the pictures of a complete run, prints its metrics, where its files
// are and what to type next.
func concludeRun(s *State, f form, dir string) error {
	if err := writePlots(dir); err != nil {
		return err
	}
	runs, err := metric.LoadAll(run.Metrics, dir)
	if err != nil {
		return err
	}
	all := strings.TrimSpace(text.Command([]string{"slurmlab", "metrics", "--all", dir}, math.MaxInt))
	err = metricsView{form: f}.run(s, all, runs...)
	return errors.Join(err, s.conclusion(f, dir+" (metrics.json, jobs.csv, series.csv, pictures)", report.AfterRun(runs[0])...))
}

package cli

import (
	"errors"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/policy"
)

func runCommand(s *State) *cobra.Command {
	var e experiment
	var f form
	var policyName string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run one workload under one policy",
		Long: `Runs one workload under one policy, which "slurmlab policy list" names. A policy
has settings of its own; flags that are given take their place.

At its end it prints the most important metrics, as "slurmlab metrics" does,
where the results are, and what to type next.`,
		Example: `  slurmlab run --machine S --workload V.2 --policy auction
  slurmlab run --machine S --workload V.2 \
    --policy auction1-5s-5b-noslurm --solve-limit 3s
  slurmlab run --machine cluster.yaml --workload jobs.csv --policy backfill`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			chosen, policyErr := e.policy(policyName)
			if policyErr == nil {
				policyErr = e.effects(chosen)
			}
			p, err := e.prepare(s, policyErr, f.check())
			if err != nil {
				return err
			}
			if e.out == "" {
				e.out = filepath.Join("runs", runName(p, chosen.Name, e.seed)+"-"+stamp())
			}
			config, err := e.config(s, p, side{chosen, e.kind}, e.seed, e.out)
			if err != nil {
				return err
			}
			configs := []lab.Config{config}
			if err = e.findImages(cmd.Context(), s, configs); err != nil {
				return err
			}
			if err = e.runAll(cmd.Context(), s, 1, configs); err != nil {
				return err
			}
			return concludeRun(s, f, e.out)
		},
	}
	policyFlag(cmd, &policyName, policy.Auction)
	e.flags(cmd, s)
	e.kind.flags(cmd)
	f.flags(cmd)
	return cmd
}

// concludeRun draws the pictures of a complete run, prints its metrics, where its files
// are and what to type next.
func concludeRun(s *State, f form, dir string) error {
	if err := writePlots(dir); err != nil {
		return err
	}
	runs, err := load(lab.Metrics, dir)
	if err != nil {
		return err
	}
	all := strings.TrimSpace(commandText([]string{"slurmlab", "metrics", "--all", dir}, math.MaxInt))
	err = metricsView{form: f}.run(s, all, runs...)
	return errors.Join(err, s.conclusion(f, dir+" (metrics.json, jobs.csv, series.csv, pictures)", afterRun(runs[0])...))
}

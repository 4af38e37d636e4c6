package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// TestFlagsWithoutEffect: a flag that would change nothing is refused, by name, before
// anything is made. The table has every flag of every command: either command lines in
// which it would change nothing, or why there are none.
func TestFlagsWithoutEffect(t *testing.T) {
	list := filepath.Join(t.TempDir(), "jobs.txt")
	if err := os.WriteFile(list, []byte("60 -n 8 -t 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	csv := filepath.Join("testdata", "runs", "S-V.2-auction-seed1", "workload.csv")
	const always = "has an effect in every command that takes it"
	vain := map[string]struct {
		lines []string
		none  string
	}{
		"allow-failed": {lines: []string{"paper aucsched --allow-failed"}},
		"all":          {lines: []string{"metrics x --all --by size", "metrics --definitions --all"}},
		"all-complete": {lines: []string{"workload import x --format philly --all-complete"}},
		"any-build":    {lines: []string{"paper aucsched --any-build", "compare --any-build", "run --any-build"}},
		"archive":      {none: always},
		"arrivals":     {lines: []string{"run --workload " + list + " --arrivals " + csv, "workload generate " + list + " --arrivals " + csv}},
		"by":           {lines: []string{"metrics --definitions --by size"}},
		"clock":        {none: always},
		"core":         {lines: []string{"paper aucsched --core none"}},
		"cycle":        {lines: []string{"explain testdata/runs/S-V.2-backfill-seed1 --job 1 --cycle 3"}},
		"definitions": {
			none: "it excludes runs and other tables",
		},
		"dry-run":             {lines: []string{"paper aucsched --dry-run"}},
		"events":              {none: "events after the end of the last job do not happen, and the report says so"},
		"theoretical-runtime": {lines: []string{"run --workload " + list + " --theoretical-runtime 1h", "workload describe " + list + " --theoretical-runtime 1h", "paper aucsched --theoretical-runtime 1h"}},
		"fit":                 {none: "which jobs are too large is known at the end of a trace"},
		"force":               {lines: []string{"down --force"}},
		"format":              {none: always},
		"from":                {none: "which jobs came earlier is known at the end of a trace"},
		"full-configuration": {
			lines: []string{"run --workload V.2 --full-configuration Z"},
		},
		"image":          {lines: []string{"paper ipsched --image x"}},
		"backend":        {lines: []string{"paper ipsched --backend external"}},
		"slurm":          {lines: []string{"paper ipsched --slurm 26.05"}},
		"job":            {none: always},
		"json":           {lines: []string{"version --json --format json"}},
		"jobs":           {none: "how many there are is known at the end of a trace"},
		"machine":        {none: always},
		"missing-memory": {none: "whether a node lacks RealMemory is known at the end of slurm.conf"},
		"keep":           {none: always},
		"keep-state":     {none: "which jobs ran and waited is known at the end of a trace"},
		"name":           {lines: []string{"down --all --name x"}},
		"aa":             {lines: []string{"campaign plan testdata --aa", "campaign run testdata --aa"}},
		"out":            {lines: []string{"paper ipsched --out x", "campaign plan testdata --out x"}},
		"raw":            {none: always},
		"pareto":         {none: always},
		"sensitivity":    {lines: []string{"campaign report testdata/runs --sensitivity waiting"}},
		"parallel": {
			lines: []string{"compare --core 0 --parallel 2", "paper aucsched --parallel 2", "paper aucsched --replicas 1 --core 0 --parallel 2"},
		},
		"part":           {none: always},
		"port":           {none: always},
		"partition":      {lines: []string{"workload import x --format swf --partition old=new", "workload import x --format sacct --partition old=new", "campaign run testdata --partition x"}},
		"policies":       {none: always},
		"policy":         {none: always},
		"policy-out":     {none: "a slurm.conf that says nothing of its scheduler has Slurm's defaults"},
		"policy-file":    {none: "it adds names, and no command has to use any"},
		"quiet":          {lines: []string{"paper aucsched --quiet"}},
		"real":           {none: always},
		"renumber":       {none: "whether ids count up from 1 is known at the end of a trace"},
		"engine":         {lines: []string{"paper aucsched --engine charliecloud"}},
		"repeats":        {none: "whether a run is disturbed is known at its end"},
		"replicas":       {lines: []string{"compare --workload " + csv + " --replicas 2 --windows 2"}},
		"resource":       {lines: []string{"workload export V.2 --format swf --resource node", "workload import x --format sacct --resource node", "export testdata/runs/S-V.2-auction-seed1 --format swf --resource core"}},
		"columns":        {lines: []string{"workload import x --format sacct --columns y.yaml"}},
		"rows":           {none: always},
		"seed":           {lines: []string{"run --workload " + list + " --seed 2", "compare --workload " + csv + " --seed 2", "workload generate " + list + " --seed 2", "workload describe " + csv + " --seed 2", "workload export " + list + " --format swf --seed 2", "paper aucsched --seed 2"}},
		"size-factor":    {none: always},
		"skip-bad":       {none: "whether a record is bad is known at the end of a trace"},
		"strongest":      {lines: []string{"paper aucsched --strongest"}},
		"start":          {lines: []string{"run --clock real --start 2030-01-01T00:00:00Z", "up --start 2030-01-01T00:00:00Z"}},
		"table":          {none: always},
		"think-scale":    {lines: []string{"run --clock scaled --think-scale 2", "up --think-scale 2"}},
		"time-limit":     {none: always},
		"time-scale":     {lines: []string{"run --time-scale 20", "up --time-scale 20", "paper aucsched --replicas 1 --time-scale 20"}},
		"ui":             {lines: []string{"run --ui --quiet", "compare --ui --quiet", "campaign run testdata --ui --quiet"}},
		"until":          {none: "which jobs come later is known at the end of a trace"},
		"plan":           {none: always},
		"judged":         {lines: []string{"whatif x.yaml --plan --judged " + compare.WhatIfMeasures()[0]}},
		"spread":         {lines: []string{"whatif x.yaml --plan --spread"}},
		"shake":          {lines: []string{"whatif testdata --shake 2"}},
		"precision":      {lines: []string{"campaign plan testdata --precision waiting=2%"}},
		"checkpoint":     {none: always},
		"resume":         {none: always},
		"max-seeds":      {lines: []string{"campaign plan testdata --max-seeds 20"}},
		"on":             {none: always},
		"account":        {lines: []string{"campaign run testdata --account x"}},
		"time":           {lines: []string{"campaign run testdata --time 4h"}},
		"cores-per-task": {lines: []string{"campaign run testdata --cores-per-task 2"}},
		"runs-per-task":  {lines: []string{"campaign run testdata --runs-per-task 2"}},
		"detach":         {lines: []string{"campaign run testdata --detach"}},
		"batch":          {none: always},
		"task":           {none: always},
		"seeds":          {none: "which seeds there are follows from the folder, too, once runs are there"},
		"trust":          {lines: []string{"compare --trust", "djsb run --trust", "whatif x.yaml --plan --trust"}},
		"raw-cells":      {lines: []string{"metrics x --raw-cells", "metrics x --format json --raw-cells"}},
		"wide":           {lines: []string{"workload describe V.2 --format json --wide", "metrics x --format csv --wide", "metrics --definitions --wide", "run --format json --wide", "compare --format csv --wide", "paper aucsched --format csv --wide"}},
		"windows":        {lines: []string{"compare --workload V.2 --windows 2"}},
		"workload":       {none: always},
		"arrival-factor": {none: always},
		"memory":         {lines: []string{"paper ipsched --memory 8GiB"}},
		"key-file":       {none: always},
		"new-key":        {none: always},
		"once":           {none: always},
		"as":             {none: always},
		"all-users":      {none: "whether a user has one share and no limits is known at the end of the dump"},
		"host":           {none: always},
		"user":           {none: always},
		"variants":       {none: "the policies of the file are all run"},
		"stop-at":        {none: "a run that ends before says so"},
		"set": {lines: []string{
			"run --policy ipsched --set max_bids_per_job=3", "compare --policies auction,ipsched --set bf_window=3", "run --policy ipsched --set slurm_bids=true",
			"run --policy auction1 --set max_bypass=0", "up --policy auction --set PriorityWeightAge=1",
		}},
		"vary":    {lines: []string{"compare --vary window=5,50", "compare --policies auction --vary bf_window=1"}},
		"replace": {none: "which columns are replaced anyway is known when the file is read"},
	}
	for _, name := range []string{"saturating", "switch-loss", "pressure-none", "pressure-full", "pressure-loss"} {
		entry := vain[name]
		entry.none = "it is a parameter of the model of every run that has it"
		vain[name] = entry
	}
	for _, o := range djsbconfig.DJSBOptions() {
		entry := vain[o.Flag()]
		entry.none = "it replaces a value of the configuration"
		vain[o.Flag()] = entry
	}
	for _, p := range policy.ParameterList() {
		entry, value := vain["set"], p.Default
		if p.Key == "fair_share" {
			value = "1h"
		}
		for _, line := range []string{"run --policy backfill", "compare --policies fifo,backfill", "djsb run", "up"} {
			entry.lines = append(entry.lines, line+" --set "+p.Key+"="+value)
		}
		vain["set"] = entry
	}
	walk(func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, known := vain[f.Name]; !known && ours(c) && f.Name != "help" && f.Name != allHelp {
				t.Errorf("%s --%s: say where it would change nothing, or why it always does", c.CommandPath(), f.Name)
			}
		})
	})
	for name, entry := range vain {
		for _, line := range entry.lines {
			var complaint bytes.Buffer
			code := Main(&State{Context: context.Background(), Stop: func() {}, Stdin: &bytes.Buffer{}, Stdout: &bytes.Buffer{}, Stderr: &complaint}, strings.Fields(line))
			if text := complaint.String(); code != exitUsage || !strings.Contains(text, name) && !strings.Contains(text, strings.ReplaceAll(name, "-", " ")) && !strings.Contains(text, "has no effect") {
				t.Errorf("slurmlab %s: exit code %d, %swant %d and a word on %s", line, code, text, exitUsage, name)
			}
		}
	}
}

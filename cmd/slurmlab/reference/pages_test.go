package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
)

// What the pages say of some things, by what we know of these.
func TestPages(t *testing.T) {
	pages, err := Pages(cli.Commands())
	if err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"commands-run-and-compare.md": {
			"\n## slurmlab campaign run\n", "| [`slurmlab run`](#slurmlab-run) | Run one workload under one policy |\n",
			"| `--machine` | string | S, M, L, tsubame, or a YAML file | `S` |\n", "([docs/plugins.md](../plugins.md))",
		},
		"policies.md":      {"| `interval` | virtual time from one cycle to the next | 5s | 1s to 1h | all |\n", "| `fifo` | Slurm's own sched/builtin"},
		"machine-file.md":  {"| `partitions` |", "| `priority_tier` |", "| `fanout` |", "1 to 10000"},
		"workload-file.md": {"| `max_cores` |", "| `quantiles` |", "| `deviation` |", "| `gpu_copies` |"},
		"campaign-file.md": {"| `max_seeds` |", "| `windows` |", "| `settings` |"},
		"files.md":         {"| `gpus_min` |", "| `elapsed_error_s` |", "| `fidelity.jump.skipped_s` |", "| `released[].nodes` |", "| `p_holm` |", "joined by & or by \\| |\n"},
		"slurm-conf.md": {
			"| `SchedulerParameters` | kept | policy |\n", "| `CoreSpecCount` | kept, changed | subtracted", "| `JobRequeue` | left out, and named |", "| `SlurmUser` | without effect",
			"| `MaxCPUsPerNode` | kept, changed | settings of the partition, converted to cores", "| `AllowGroups` | left out, and named |",
			"| `MaxMemPerCPU` | kept, changed | policy, converted to cores", "| left out, and named | it changes", "| `X11Parameters` |",
		},
		"trace-formats.md": {"| `acme` |", "submit_time (submit)", "| CC BY 4.0 | Hu et al.", "| `philly-json` |", "num_gpu (gpus)", "--format acme", "(../../examples/traces/machines/kalos.yaml)"},
		"exit-codes.md":    {"| `2` |", "| `130` |"},
	} {
		page := string(pages[name])
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
}

// The pages name every command and every flag that a help lists.
func TestPagesHaveEveryFlag(t *testing.T) {
	root := cli.Commands()
	pages, err := Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for name, page := range pages {
		if strings.HasPrefix(name, "commands-") {
			all.Write(page)
		}
	}
	flags := 0
	for _, c := range Commands(root)[1:] {
		_, after, found := strings.Cut(all.String(), "\n## "+c.Path+"\n")
		if !found {
			t.Errorf("no page has %s", c.Path)
			continue
		}
		section, _, _ := strings.Cut(after, "\n## ")
		for _, g := range c.Groups {
			for _, f := range g.Flags {
				flags++
				if f.Name != "help" && f.Name != "help-all" && !strings.Contains(section, "--"+f.Name+"` |") {
					t.Errorf("%s has no --%s", c.Path, f.Name)
				}
			}
		}
	}
	if flags < 200 {
		t.Errorf("looked for %d flags; slurmlab has more", flags)
	}
}

// TestReferenceIsFresh: the pages of docs/reference are those that the code writes.
func TestReferenceIsFresh(t *testing.T) {
	const remedy = "write it anew with: make reference"
	pages, err := Pages(cli.Commands())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("..", "..", "..", "docs", "reference")
	for name, want := range pages {
		if got, readErr := os.ReadFile(filepath.Join(dir, name)); readErr != nil || string(got) != string(want) {
			t.Errorf("docs/reference/%s is not what the code says (%v); %s", name, readErr, remedy)
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if pages[filepath.Base(file)] == nil {
			t.Errorf("docs/reference/%s is written by no code; %s", filepath.Base(file), remedy)
		}
	}
}

// TestSchemaIsFresh: the schema of machine files is that which the tags of their types make.
func TestSchemaIsFresh(t *testing.T) {
	want, err := machineSchema()
	if err != nil {
		t.Fatal(err)
	}
	if got, readErr := os.ReadFile(filepath.Join("..", "..", "..", "docs", schemaFile)); readErr != nil || string(got) != string(want) {
		t.Errorf("docs/%s is not what the code says (%v); write it with: make reference", schemaFile, readErr)
	}
}

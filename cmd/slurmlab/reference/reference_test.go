package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// The page of a command has all that its help has: its text, every flag with its default
// below its heading, and its examples line by line.
func TestManOfRun(t *testing.T) {
	pages := Man(Commands(cli.Commands()), "1.2")
	page := string(pages["slurmlab-run.1"])
	for _, want := range []string{
		`.TH "SLURMLAB-RUN" "1" "" "slurmlab 1.2" "slurmlab"`,
		"slurmlab-run \\- Run one workload under one policy\n",
		".SH MACHINE AND JOBS\n.TP\n\\fB--machine\\fP \\fIstring\\fP\nS, M, L, tsubame, or a YAML file (default S)\n",
		".TP\n\\fB-q\\fP, \\fB--quiet\\fP\n",
		"slurmlab run --machine S --workload V.2 \\\\\n  --policy auction1-5s-5b-noslurm --set solve_limit=3s\n",
		"\\fBslurmlab\\fP(1)",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("slurmlab-run.1 has no %q:\n%s", want, page)
		}
	}
	if below := string(pages["slurmlab-campaign.1"]); !strings.Contains(below, `\fBslurmlab-campaign-run\fP(1)`) {
		t.Errorf("slurmlab-campaign.1 names no slurmlab-campaign-run:\n%s", below)
	}
}

// Each page is one that groff(1) takes without a warning, where it is installed.
func TestManIsRoff(t *testing.T) {
	pages := Man(Commands(cli.Commands()), "1.2")
	if len(pages) < 40 {
		t.Errorf("%d pages, want one for each command", len(pages))
	}
	groff := hosttest.Program(t, "groff")
	var all strings.Builder
	for _, page := range pages {
		all.Write(page)
	}
	cmd := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(all.String())
	if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("groff: %v\n%s", err, said)
	}
}

package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/reference"
)

// TestReferenceIsFresh: the pages of docs/reference are those that the code writes.
func TestReferenceIsFresh(t *testing.T) {
	const remedy = "write it anew with: make reference"
	pages, err := reference.Pages(cli.Commands())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(repository, "docs", "reference")
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

// TestCommandsHavePurposes: each command of slurmlab stands below a heading of the help.
func TestCommandsHavePurposes(t *testing.T) {
	groups := cli.CommandGroups(cli.Commands())
	if len(groups) < 4 {
		t.Errorf("%d groups of commands", len(groups))
	}
	for _, g := range groups {
		for _, cmd := range g.Commands {
			if cmd.GroupID == "" {
				t.Errorf("%q stands below %q, want it below a purpose (purposes.go)", cmd.Name(), g.Heading)
			}
		}
	}
}

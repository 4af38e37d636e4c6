package cli_test

import (
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
)

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

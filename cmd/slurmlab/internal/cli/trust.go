package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// trust is the value of --trust: programs that a file names may run with the rights of the user, who typed none of them.
type trust bool

// flag adds --trust to a command that reads such a file.
func (t *trust) flag(cmd *cobra.Command, under heading) {
	declare(cmd, under, flag("trust", (*bool)(t), false, "let programs that the file names run with your rights"))
}

// check refuses the programs of a file without --trust, each with its place, and --trust without any.
func (t trust) check(programs []faults.Fault) error {
	switch {
	case bool(t) && len(programs) == 0:
		return errors.New("trust: has no effect, as no file names a program that would run with your rights; leave it out")
	case bool(t):
		return nil
	default:
		return faults.Join(programs)
	}
}

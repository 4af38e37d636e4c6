package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/results/table"
)

// form holds the flags that say how a table of results is printed.
type form struct{ table.Form }

func (f *form) flags(cmd *cobra.Command) {
	declare(cmd, headResults,
		flag("format", &f.Format, table.TextFormat, "form of the table: text, csv, json or markdown").completes(ofWords(table.Formats()...)),
		flag("wide", &f.Wide, false, "all columns, however wide the screen is (csv and json always have all)"),
	)
}

// print writes a table to standard output; see State.explained.
func (f form) print(s *State, t table.Table, more string) error {
	write := func(w io.Writer) error { return f.Write(w, s.screen(), t, more) }
	if f.Format == table.TextFormat {
		return s.explained(write)
	}
	return write(s.Stdout)
}

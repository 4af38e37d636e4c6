package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const usage = `usage:
  recordings run DIR RUN...
  recordings states FILE RUN...
  recordings programs DIR RUN...
  recordings compare DIR ANSWERS`

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "recordings:", err)
		os.Exit(1)
	}
}

// run carries out a command on its first argument, what is written or compared, and the others.
func run(command, first string, others []string) error {
	switch command {
	case "run":
		return each(others, func(run string) error { return copyRun(filepath.Join(first, filepath.Base(run)), run) })
	case "states":
		return states(first, others)
	case "programs":
		return each(others, func(run string) error { return programs(first, run) })
	case "compare":
		if len(others) == 1 {
			return compare(os.Stdout, first, others[0])
		}
	}
	return fmt.Errorf("got %q\n%s", os.Args[1:], usage)
}

// each calls do for every run until one fails.
func each(runs []string, do func(run string) error) error {
	for _, run := range runs {
		if err := do(run); err != nil {
			return fmt.Errorf("%s: %w", run, err)
		}
	}
	return nil
}

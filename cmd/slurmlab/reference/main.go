package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
)

const usage = "usage: reference man DIR VERSION | reference pages DIR | reference schema DIR"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "man":
		return writeFiles(args[1], Man(Commands(cli.Commands()), args[2]))
	case len(args) == 2 && args[0] == "pages":
		pages, err := Pages(cli.Commands())
		if err != nil {
			return err
		}
		return errors.Join(writeFiles(args[1], pages), removeOthers(args[1], pages))
	case len(args) == 2 && args[0] == "schema":
		text, err := machineSchema()
		if err != nil {
			return err
		}
		return writeFiles(args[1], map[string][]byte{schemaFile: text})
	default:
		return fmt.Errorf("got %q\n%s", args, usage)
	}
}

// writeFiles has a directory hold these files.
func writeFiles(dir string, pages map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// removeOthers removes the pages that are no longer written.
func removeOthers(dir string, pages map[string][]byte) error {
	found, err := fs.Glob(os.DirFS(dir), "*.md")
	for _, name := range found {
		if pages[name] == nil {
			err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
		}
	}
	return err
}

// Command site writes the documentation of the repository that it is called in as static
// pages into a directory.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/tools/site/internal/site"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("got %q\nusage: site DIR", args)
	}
	files, err := site.Build(os.DirFS("."))
	if err != nil {
		return err
	}
	for name, text := range files {
		to := filepath.Join(args[0], filepath.FromSlash(name))
		if err = os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err = os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, filepath.Join(args[0], "index.html"))
	return err
}

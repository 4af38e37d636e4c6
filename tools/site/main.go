// Command site writes the documentation of the repository that it is called in as static
// pages into a directory. A browser opens them from disk.
//
// Flow: build reads README, CONTRIBUTING, CHANGELOG and all Markdown below docs (page.go) and takes the navigation
// from the index docs/README.md (nav.go). It has every link lead to a page or a file of the site (links.go). It makes
// the index of the search (search.go), and each page with the template (render.go). Only main.go writes files.
//
// Invariants: the Markdown stays what a forge shows; nothing in it is for the site alone. A page fetches nothing from
// elsewhere. A link or an anchor that leads nowhere, and a page that the index does not name, are faults. The error
// lists all, and then there is no site. The same pages give the same bytes.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	files, err := build(os.DirFS("."))
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

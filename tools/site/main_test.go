package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestSite writes the site of this repository, opens the page that a browser opens first,
// follows its navigation and scripts, and looks for each page in what the search knows.
func TestSite(t *testing.T) {
	dir := t.TempDir()
	t.Chdir("../..")
	var out bytes.Buffer
	if err := run([]string{dir}, &out); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(dir, "index.html")
	if out.String() != first+"\n" {
		t.Errorf("the command printed %q, want the page to open", out.String())
	}
	pages := map[string]bool{}
	for node := range parsed(t, first).Descendants() {
		for _, a := range node.Attr {
			to, err := url.Parse(a.Val)
			if a.Key != "href" && a.Key != "src" || err != nil || to.IsAbs() || to.Path == "" {
				continue
			}
			if info, statErr := os.Stat(filepath.Join(dir, filepath.FromSlash(to.Path))); statErr != nil || info.Size() == 0 {
				t.Errorf("index.html leads to %s: %v", a.Val, statErr)
			}
			// A folder without a page of its own that a page names is listed, and its files are not searched.
			_, err = os.Stat(filepath.Join("docs", path.Dir(to.Path), "README.md"))
			if path.Ext(to.Path) == ".html" && (path.Base(to.Path) != "index.html" || err == nil) {
				pages[to.Path] = true
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "search-index.js"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct{ P, U, T string }
	list, found := strings.CutPrefix(string(text), "window.searchEntries = ")
	if err = json.Unmarshal([]byte(list), &entries); err != nil || !found {
		t.Fatalf("search-index.js: %v", err)
	}
	known := map[string]string{}
	for _, e := range entries {
		page, _, _ := strings.Cut(e.U, "#")
		known[page] += e.T
		if !pages[page] {
			t.Errorf("the search leads to %s, which the navigation does not name", e.U)
		}
		if e.P == "" {
			t.Errorf("the search has no title for %s", e.U)
		}
	}
	for page := range pages {
		if known[page] == "" {
			t.Errorf("the search knows no words of %s", page)
		}
	}
	if len(pages) < 60 {
		t.Errorf("the navigation has %d pages; the documentation has more", len(pages))
	}
}

// parsed is a page as a browser reads it.
func parsed(t *testing.T, name string) *html.Node {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestNoSite: without a directory, and of a place without documentation, nothing is written.
func TestNoSite(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, args := range map[string][]string{"usage: site DIR": nil, "stat docs": {"out"}} {
		if err := run(args, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", args, err, want)
		}
	}
	if found, err := os.ReadDir("."); err != nil || len(found) > 0 {
		t.Errorf("left %v, %v", found, err)
	}
}

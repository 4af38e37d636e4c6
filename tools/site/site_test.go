package main

import (
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"
)

// small is a repository with one fault-free page of each kind.
func small() fstest.MapFS {
	pages := map[string]string{
		"README.md":              "# tool\n\n[all pages](docs/README.md), [licence](LICENSE)\n\n![a picture](docs/img/a.svg)\n",
		"CONTRIBUTING.md":        "# Contributing\n",
		"CHANGELOG.md":           "# Changelog\n",
		"LICENSE":                "do as you like",
		"docs/README.md":         "# Pages\n\n## How to\n\n- [run](run.md)\n- [two](design/2.md)\n- [c](../CONTRIBUTING.md)\n- [l](../CHANGELOG.md)\n",
		"docs/run.md":            "# Run it\n\n## What's `new`?\n\ntext [again](#whats-new) and [there](design/2.md#two-1)\n\n| a | b |\n|---|---|\n| x | y |\n",
		"docs/design/2.md":       "# Two\n\n## Two\n\n[up](../run.md#whats-new), [data](data)\n",
		"docs/design/data/x.csv": "a,b\n",
		"docs/img/a.svg":         "<svg/>",
	}
	files := fstest.MapFS{}
	for name, text := range pages {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// Where pages, files, folders and anchors of a repository are in its site.
func TestLinksLeadIntoTheSite(t *testing.T) {
	files, err := build(small())
	if err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"index.html":             {`href="pages.html"`, `href="files/LICENSE"`, `src="img/a.svg"`},
		"run.html":               {`<h2 id="whats-new">`, `href="#whats-new"`, `href="design/2.html#two-1"`, `<div class="wide"><table>`, `<a href="#whats-new">What&#39;s new?</a>`},
		"design/2.html":          {`href="../run.html#whats-new"`, `href="data/index.html"`, `href="../style.css"`, `<title>Two · slurmlab</title>`},
		"design/data/index.html": {`href="x.csv"`, `href="../../run.html"`},
		"design/data/x.csv":      {"a,b"},
		"files/LICENSE":          {"do as you like"},
		"search-index.js":        {`{"p":"Run it","h":"What's new?","u":"run.html#whats-new","t":"text again and there a b x y"}`},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[name]), want) {
				t.Errorf("%s has no %s:\n%s", name, want, files[name])
			}
		}
	}
}

// A fault of a page comes with its line, and then there is no site.
func TestFaults(t *testing.T) {
	for name, tt := range map[string]struct{ page, text, want string }{
		"page":    {"docs/run.md", "# Run\n\ntext\n[x](nowhere.md)\n", "docs/run.md:3: link to docs/nowhere.md, which is not there"},
		"anchor":  {"docs/run.md", "# Run\n\n[x](design/2.md#three)\n", "docs/run.md:3: link to design/2.md#three: docs/design/2.md has no heading #three"},
		"here":    {"docs/run.md", "# Run\n\n| a |\n|---|\n| [x](#b) |\n", "docs/run.md:5: link to #b: docs/run.md has no heading #b"},
		"outside": {"docs/run.md", "# Run\n\n[x](../../secret)\n", "docs/run.md:3: link to ../secret, which is not there"},
		"picture": {"docs/run.md", "# Run\n\n![x](https://example.org/x.png)\n", "docs/run.md:3: picture https://example.org/x.png: the site fetches nothing from elsewhere"},
		"orphan":  {"docs/new.md", "# New\n", "docs/new.md: docs/README.md does not name it, so that nobody finds it"},
	} {
		t.Run(name, func(t *testing.T) {
			repository := small()
			repository[tt.page] = &fstest.MapFile{Data: []byte(tt.text)}
			files, err := build(repository)
			if err == nil || !strings.Contains(err.Error()+"\n", tt.want+"\n") || files != nil {
				t.Errorf("got %v and %d files, want %s", err, len(files), tt.want)
			}
		})
	}
}

// built is the site of this repository. What is wrong with a page fails here.
func built(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := build(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every link, picture, style and script of the site is a file of the site, with its anchor,
// by a second reader of the pages; and nothing is fetched from elsewhere.
func TestSiteIsWhole(t *testing.T) {
	files := built(t)
	anchors, links := map[string]bool{}, 0
	documents := map[string]*html.Node{}
	for name, text := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		document, err := html.Parse(strings.NewReader(string(text)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		documents[name] = document
		for node := range document.Descendants() {
			if id := attribute(node, "id"); id != "" {
				if anchors[name+"#"+id] {
					t.Errorf("%s has two elements %q", name, id)
				}
				anchors[name+"#"+id] = true
			}
		}
	}
	for name, document := range documents {
		for node := range document.Descendants() {
			for _, key := range []string{"href", "src"} {
				to, err := url.Parse(attribute(node, key))
				switch {
				case err != nil:
					t.Errorf("%s: %v", name, err)
				case to.String() == "":
				case to.Scheme != "" && node.Data == "a":
				case to.Scheme != "" || strings.HasPrefix(to.Path, "/"):
					t.Errorf("%s: %s %s is fetched from elsewhere", name, node.Data, to)
				default:
					links++
					at := name
					if to.Path != "" {
						at = path.Join(path.Dir(name), to.Path)
					}
					if files[at] == nil || to.Fragment != "" && !anchors[at+"#"+to.Fragment] {
						t.Errorf("%s: %s leads nowhere", name, to)
					}
				}
			}
		}
	}
	if len(documents) < 40 || links < 1000 {
		t.Errorf("%d pages with %d links; the documentation has more", len(documents), links)
	}
	for _, name := range []string{"style.css", "search.js"} {
		if found := regexp.MustCompile(`https?:|@import|url\(`).Find(files[name]); found != nil {
			t.Errorf("%s fetches: %s", name, found)
		}
	}
}

func attribute(node *html.Node, key string) string {
	for _, a := range node.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// The same pages give the same site.
func TestSiteIsTheSameEachTime(t *testing.T) {
	one, other := built(t), built(t)
	for _, name := range slices.Sorted(maps.Keys(one)) {
		if string(one[name]) != string(other[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// The site of a repository that has no index says so.
func TestNoIndex(t *testing.T) {
	repository := small()
	delete(repository, "docs/README.md")
	if _, err := build(repository); err == nil || !strings.Contains(err.Error(), "docs/README.md") {
		t.Errorf("got %v", err)
	}
	var none fs.FS = fstest.MapFS{}
	if _, err := build(none); err == nil {
		t.Error("an empty repository has a site")
	}
}

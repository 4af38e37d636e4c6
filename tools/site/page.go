package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// index is the page that lists all others, home the one that a browser opens first.
const (
	index = "docs/README.md"
	home  = "README.md"
)

// page is one page of Markdown.
type page struct {
	// source is its path in the repository, url that in the site.
	source, url string
	title       string
	text        []byte
	tree        ast.Node
	headings    []heading
	anchors     map[string]bool
}

// heading is a heading of a page below its title.
type heading struct {
	Level        int
	Text, Anchor string
}

// markdown is the Markdown of forges, as far as our pages use it.
func markdown() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		// Comments between tables that programs write are HTML.
		goldmark.WithRendererOptions(html.WithUnsafe()))
}

// readPages reads all pages, in the order of their paths.
func readPages(repository fs.FS) ([]*page, error) {
	sources := []string{"CHANGELOG.md", "CONTRIBUTING.md", home}
	err := fs.WalkDir(repository, "docs", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Ext(name) == ".md" {
			sources = append(sources, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	pages := make([]*page, len(sources))
	for i, source := range sources {
		raw, err := fs.ReadFile(repository, source)
		if err != nil {
			return nil, err
		}
		pages[i] = newPage(source, raw)
	}
	return pages, nil
}

func newPage(source string, raw []byte) *page {
	p := &page{source: source, url: pageURL(source), text: raw, anchors: map[string]bool{}}
	p.tree = markdown().Parser().Parse(text.NewReader(raw))
	p.title = source
	for node := p.tree.FirstChild(); node != nil; node = node.NextSibling() {
		h, is := node.(*ast.Heading)
		if !is {
			continue
		}
		found := heading{Level: h.Level, Text: plain(h, raw)}
		found.Anchor = p.newAnchor(found.Text)
		h.SetAttributeString("id", []byte(found.Anchor))
		if h.Level == 1 {
			p.title = found.Text
		} else {
			p.headings = append(p.headings, found)
		}
	}
	return p
}

// pageURL is where a page is in the site.
func pageURL(source string) string {
	switch source {
	case home:
		return "index.html"
	case index:
		return "pages.html"
	}
	below := strings.TrimSuffix(strings.TrimPrefix(source, "docs/"), ".md")
	if name, found := strings.CutSuffix(below, "/README"); found {
		return name + "/index.html"
	}
	return below + ".html"
}

// newAnchor is the anchor that a forge gives a heading: small letters, digits, hyphens for
// spaces, and a number behind one that the page has already.
func (p *page) newAnchor(text string) string {
	name := regexp.MustCompile(`[^\p{L}\p{M}\p{N}\p{Pc} -]`).ReplaceAllString(strings.ToLower(text), "")
	name = strings.ReplaceAll(name, " ", "-")
	anchor := name
	for n := 1; p.anchors[anchor]; n++ {
		anchor = fmt.Sprintf("%s-%d", name, n)
	}
	p.anchors[anchor] = true
	return anchor
}

// plain is the text of a node without its markup.
func plain(node ast.Node, source []byte) string {
	var b bytes.Buffer
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			// What stands in two cells or two lines is not one word.
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// line is where a node stands on its page, as near as its block tells.
func (p *page) line(node ast.Node) int {
	for ; node != nil; node = node.Parent() {
		if node.Type() == ast.TypeBlock && node.Lines().Len() > 0 {
			return 1 + bytes.Count(p.text[:node.Lines().At(0).Start], []byte("\n"))
		}
	}
	return 1
}

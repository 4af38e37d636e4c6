package main

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// entry is what the search knows of a part of a page: that below one heading.
type entry struct {
	Page    string `json:"p"`
	Heading string `json:"h"`
	URL     string `json:"u"`
	Text    string `json:"t"`
}

// searchIndex is a script that sets the entries of all pages: a page that is opened from
// disk may load scripts, and no other files.
func searchIndex(pages []*page) ([]byte, error) {
	entries := []entry{}
	for _, p := range pages {
		entries = append(entries, p.entries()...)
	}
	var b bytes.Buffer
	b.WriteString("window.searchEntries = ")
	out := json.NewEncoder(&b)
	if err := out.Encode(entries); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// entries divides a page at its headings.
func (p *page) entries() []entry {
	list := []entry{{Page: p.title, URL: p.url}}
	var text []string
	end := func() {
		list[len(list)-1].Text = strings.Join(text, " ")
		text = nil
	}
	n := 0
	for node := p.tree.FirstChild(); node != nil; node = node.NextSibling() {
		h, is := node.(*ast.Heading)
		switch {
		case is && h.Level > 1:
			end()
			found := p.headings[n]
			n++
			list = append(list, entry{Page: p.title, Heading: found.Text, URL: p.url + "#" + found.Anchor})
		case !is:
			text = append(text, plain(node, p.text))
		}
	}
	end()
	return list
}

package main

import (
	"errors"
	"fmt"
	"path"

	"github.com/yuin/goldmark/ast"
)

// section is a part of the navigation: the pages that the index names below one heading.
type section struct {
	title string
	pages []*page
}

// navigation reads the sections from the index, before its links are resolved. A page that
// the index does not name is a fault.
func navigation(pages map[string]*page, ordered []*page) ([]section, error) {
	at := pages[index]
	if at == nil {
		return nil, fmt.Errorf("%s is missing: it lists the pages", index)
	}
	sections := []section{{title: "slurmlab", pages: []*page{pages[home], at}}}
	seen := map[*page]bool{pages[home]: true, at: true}
	_ = ast.Walk(at.tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				sections = append(sections, section{title: plain(n, at.text)})
			}
		case *ast.Link:
			p := pages[path.Join(path.Dir(index), string(n.Destination))]
			if p != nil && !seen[p] {
				seen[p] = true
				last := &sections[len(sections)-1]
				last.pages = append(last.pages, p)
			}
		}
		return ast.WalkContinue, nil
	})
	var faults []error
	for _, p := range ordered {
		if !seen[p] {
			faults = append(faults, fmt.Errorf("%s: %s does not name it, so that nobody finds it", p.source, index))
		}
	}
	return sections, errors.Join(faults...)
}

// neighbours are the pages before and after one in the order of the navigation.
func neighbours(sections []section, p *page) (before, after *page) {
	var all []*page
	for _, s := range sections {
		all = append(all, s.pages...)
	}
	for i, at := range all {
		if at != p {
			continue
		}
		if i > 0 {
			before = all[i-1]
		}
		if i+1 < len(all) {
			after = all[i+1]
		}
	}
	return before, after
}

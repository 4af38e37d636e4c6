package main

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// links has the links of all pages lead into the site, and collects the files that they
// lead to.
type links struct {
	repository fs.FS
	pages      map[string]*page
	// files are files and folders of the repository that become part of the site, by their
	// URL.
	files map[string]string
}

// resolve has all links of a page lead into the site.
func (l *links) resolve(p *page) error {
	var faults []error
	_ = ast.Walk(p.tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := node.(type) {
		case *ast.Link:
			n.Destination, err = l.target(p, string(n.Destination))
		case *ast.Image:
			n.Destination, err = l.picture(p, string(n.Destination))
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", p.source, p.line(node), err))
		}
		return ast.WalkContinue, nil
	})
	return errors.Join(faults...)
}

// target is a link of a page as it stands in the site.
func (l *links) target(p *page, link string) ([]byte, error) {
	parsed, err := url.Parse(link)
	if err != nil {
		return nil, err
	}
	if parsed.Scheme != "" {
		return []byte(link), nil
	}
	at := p
	if parsed.Path != "" {
		source := path.Join(path.Dir(p.source), parsed.Path)
		if at = l.pages[source]; at == nil {
			return l.file(p, source)
		}
	}
	if parsed.Fragment != "" && !at.anchors[parsed.Fragment] {
		return nil, fmt.Errorf("link to %s: %s has no heading #%s", link, at.source, parsed.Fragment)
	}
	to := ""
	if at != p {
		to = relative(p.url, at.url)
	}
	if parsed.Fragment != "" {
		to += "#" + parsed.Fragment
	}
	return []byte(to), nil
}

// picture returns an image of the repository.
func (l *links) picture(p *page, link string) ([]byte, error) {
	if strings.Contains(link, ":") {
		return nil, fmt.Errorf("picture %s: the site fetches nothing from elsewhere", link)
	}
	return l.file(p, path.Join(path.Dir(p.source), link))
}

// file is a link to a file or a folder of the repository.
func (l *links) file(p *page, source string) ([]byte, error) {
	info, err := fs.Stat(l.repository, source)
	if err != nil {
		return nil, fmt.Errorf("link to %s, which is not there", source)
	}
	to := fileURL(source)
	if info.IsDir() {
		to += "/index.html"
	}
	l.files[to] = source
	return []byte(relative(p.url, to)), nil
}

// fileURL is where a file that is no page is in the site.
func fileURL(source string) string {
	if below, found := strings.CutPrefix(source, "docs/"); found {
		return below
	}
	return "files/" + source
}

// copied are the files that pages lead to, and for each folder a page with its files.
func (l *links) copied(render func(p *page, body template.HTML) ([]byte, error)) (map[string][]byte, error) {
	out := map[string][]byte{}
	for to, source := range l.files {
		info, err := fs.Stat(l.repository, source)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if out[to], err = fs.ReadFile(l.repository, source); err != nil {
				return nil, err
			}
			continue
		}
		entries, err := fs.ReadDir(l.repository, source)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, entry := range entries {
			if entry.IsDir() {
				continue
			}
			name := entry.Name()
			names = append(names, name)
			if out[path.Join(path.Dir(to), name)], err = fs.ReadFile(l.repository, path.Join(source, name)); err != nil {
				return nil, err
			}
		}
		body, err := listing(source, names)
		if err != nil {
			return nil, err
		}
		if out[to], err = render(&page{source: source, url: to, title: source}, body); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// relative is the way from one page of the site to another file of it.
func relative(from, to string) string {
	way, err := filepath.Rel(path.Dir(from), to)
	if err != nil {
		// Both are relative paths without "..".
		panic(err)
	}
	return filepath.ToSlash(way)
}

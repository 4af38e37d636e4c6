package main

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"strings"
)

//go:embed assets
var assets embed.FS

// build makes the site of a repository: its files by their paths.
func build(repository fs.FS) (map[string][]byte, error) {
	ordered, err := readPages(repository)
	if err != nil {
		return nil, err
	}
	pages := map[string]*page{}
	for _, p := range ordered {
		pages[p.source] = p
	}
	sections, err := navigation(pages, ordered)
	faults := []error{err}
	l := &links{repository: repository, pages: pages, files: map[string]string{}}
	for _, p := range ordered {
		faults = append(faults, l.resolve(p))
	}
	if err = errors.Join(faults...); err != nil {
		return nil, err
	}
	w, err := newWriter(sections)
	if err != nil {
		return nil, err
	}
	files, err := l.copied(w.page)
	if err != nil {
		return nil, err
	}
	for _, p := range ordered {
		var body bytes.Buffer
		if err = markdown().Renderer().Render(&body, p.text, p.tree); err != nil {
			return nil, err
		}
		if files[p.url], err = w.page(p, scrolling(body.String())); err != nil {
			return nil, err
		}
	}
	if files["search-index.js"], err = searchIndex(ordered); err != nil {
		return nil, err
	}
	own, err := ownFiles()
	maps.Copy(files, own)
	return files, err
}

// ownFiles are style and scripts.
func ownFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{"style.css", "search.js"} {
		text, err := assets.ReadFile(path.Join("assets", name))
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	return files, nil
}

// scrolling has a table that is wider than the page scroll by itself. A "<" of the text is
// escaped, so that each of these words is a tag.
func scrolling(body string) template.HTML {
	body = strings.ReplaceAll(body, "<table>", `<div class="wide"><table>`)
	return template.HTML(strings.ReplaceAll(body, "</table>", "</table></div>"))
}

// writer writes pages with the navigation around them.
type writer struct {
	sections []section
	layout   *template.Template
}

func newWriter(sections []section) (*writer, error) {
	layout, err := template.ParseFS(assets, "assets/*.html")
	return &writer{sections: sections, layout: layout}, err
}

// view is what the template of a page is given. All links are seen from the page.
type view struct {
	Title, Source, Root string
	Sections            []viewSection
	Headings            []heading
	Body                template.HTML
	Before, After       *viewLink
}

type viewSection struct {
	Title string
	Open  bool
	Links []viewLink
}

type viewLink struct {
	Title, URL string
	Here       bool
}

// page writes a page with the body that its Markdown became.
func (w *writer) page(p *page, body template.HTML) ([]byte, error) {
	v := view{Title: p.title, Source: p.source, Body: body, Root: strings.TrimSuffix(relative(p.url, "index.html"), "index.html")}
	for _, s := range w.sections {
		section := viewSection{Title: s.title}
		for _, to := range s.pages {
			link := p.to(to)
			section.Open = section.Open || link.Here
			section.Links = append(section.Links, *link)
		}
		v.Sections = append(v.Sections, section)
	}
	for _, h := range p.headings {
		if h.Level <= 3 {
			v.Headings = append(v.Headings, h)
		}
	}
	before, after := neighbours(w.sections, p)
	v.Before, v.After = p.to(before), p.to(after)
	var b bytes.Buffer
	err := w.layout.ExecuteTemplate(&b, "page.html", v)
	return b.Bytes(), err
}

// to is a link from one page to another, nil to none.
func (p *page) to(other *page) *viewLink {
	if other == nil {
		return nil
	}
	return &viewLink{Title: other.title, URL: relative(p.url, other.url), Here: other == p}
}

// listing is the body of the page of a folder.
func listing(title string, names []string) (template.HTML, error) {
	layout, err := template.ParseFS(assets, "assets/*.html")
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = layout.ExecuteTemplate(&b, "folder.html", struct {
		Title string
		Names []string
	}{title, names})
	return template.HTML(b.String()), err
}

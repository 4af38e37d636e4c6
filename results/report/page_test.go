package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"pgregory.net/rapid"
)

// node is an element of a parsed page, or a text when name is empty.
type node struct {
	name     string
	attr     map[string]string
	text     string
	children []*node
}

// write writes and parses a report. The page is well-formed XML as well as
// HTML, so that a strict parser finds every element that is not closed. What
// holds for all pages is checked here.
func write(t rapid.TB, in Input) *node {
	t.Helper()
	var first, second bytes.Buffer
	if err := errors.Join(Write(&first, in), Write(&second, in)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatal("writing twice gives different bytes")
	}
	root := parse(t, first.Bytes())
	checkSelfContained(t, root, first.String())
	return root
}

func parse(t rapid.TB, data []byte) *node {
	t.Helper()
	root := &node{}
	stack := []*node{root}
	decoder := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return root
		}
		if err != nil {
			t.Fatalf("parse page: %v", err)
		}
		top := stack[len(stack)-1]
		switch e := token.(type) {
		case xml.StartElement:
			n := &node{name: e.Name.Local, attr: make(map[string]string)}
			for _, a := range e.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			top.children = append(top.children, n)
			stack = append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.children = append(top.children, &node{text: string(e)})
		}
	}
}

// checkSelfContained refuses whatever makes a browser fetch or run something,
// and links that lead nowhere.
func checkSelfContained(t rapid.TB, root *node, page string) {
	t.Helper()
	for _, word := range []string{"url(", "@import", "srcset", "ZgotmplZ", "NaN"} {
		if strings.Contains(page, word) {
			t.Errorf("the page contains %q", word)
		}
	}
	ids := make(map[string]bool)
	root.walk(func(n *node) {
		if id := n.attr["id"]; id != "" {
			if ids[id] {
				t.Errorf("two elements have the id %q", id)
			}
			ids[id] = true
		}
	})
	allowed := make(map[string]bool)
	for _, name := range strings.Fields(`html head meta title style body header main section h1 h2 h3 p div span strong
		a code pre table thead tbody tr th td ul li details summary figure figcaption svg g path text`) {
		allowed[name] = true
	}
	root.walk(func(n *node) {
		if n.name != "" && !allowed[n.name] {
			t.Errorf("element <%s> is not expected in a report", n.name)
		}
		for key, value := range n.attr {
			if key == "src" || strings.HasPrefix(key, "on") {
				t.Errorf("<%s> has the attribute %s=%q", n.name, key, value)
			}
			if key == "href" && (!strings.HasPrefix(value, "#") || !ids[value[1:]]) {
				t.Errorf("the link %q leads nowhere", value)
			}
			if strings.Contains(value, "://") && key != "xmlns" {
				t.Errorf("<%s> has an address in %s=%q", n.name, key, value)
			}
		}
	})
	policy := root.find(func(n *node) bool { return n.attr["http-equiv"] == "Content-Security-Policy" })
	if len(policy) != 1 || policy[0].attr["content"] != "default-src 'none'; style-src 'unsafe-inline'" {
		t.Errorf("the page has no content policy that forbids to fetch: %v", policy)
	}
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, c := range n.children {
		c.walk(visit)
	}
}

func (n *node) find(match func(*node) bool) []*node {
	var out []*node
	n.walk(func(c *node) {
		if match(c) {
			out = append(out, c)
		}
	})
	return out
}

func (n *node) all(name string) []*node {
	return n.find(func(c *node) bool { return c.name == name })
}

// class returns the first element of a class, nil for none.
func (n *node) class(class string) *node {
	for _, c := range n.find(func(c *node) bool { return strings.Contains(" "+c.attr["class"]+" ", " "+class+" ") }) {
		return c
	}
	return nil
}

// words is the text inside n, with single spaces.
func (n *node) words() string {
	var b strings.Builder
	n.walk(func(c *node) {
		if c.name != "" {
			b.WriteByte(' ')
		}
		b.WriteString(c.text)
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// rows returns the texts of the cells of a table, headings too.
func (n *node) rows() [][]string {
	var out [][]string
	for _, tr := range n.all("tr") {
		var cells []string
		for _, c := range tr.find(func(c *node) bool { return c.name == "td" || c.name == "th" }) {
			cells = append(cells, c.words())
		}
		out = append(out, cells)
	}
	return out
}

// outline is the page as its reader meets it: headings, rows, warnings,
// captions. Pictures are named by their accessible title.
func outline(root *node) string {
	var b strings.Builder
	var visit func(n *node)
	visit = func(n *node) {
		switch n.name {
		case "head":
			return
		case "h1", "h2", "h3":
			fmt.Fprintf(&b, "%s %s\n", strings.Repeat("#", int(n.name[1]-'0')), n.words())
			return
		case "tr":
			parts := (&node{children: []*node{n}}).rows()[0]
			fmt.Fprintf(&b, "| %s\n", strings.Join(parts, " | "))
			return
		case "svg":
			fmt.Fprintf(&b, "picture: %s\n", n.all("title")[0].words())
			return
		case "p", "figcaption", "summary", "pre", "strong":
			fmt.Fprintf(&b, "%s: %s\n", n.name, n.words())
			return
		case "li":
			fmt.Fprintf(&b, "- %s\n", n.words())
			return
		}
		for _, c := range n.children {
			visit(c)
		}
	}
	visit(root)
	return regexp.MustCompile(` +\n`).ReplaceAllString(b.String(), "\n")
}

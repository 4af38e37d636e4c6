package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"

	"pgregory.net/rapid"
)

// picture is what the tests look at in an SVG document.
type picture struct {
	paths []shape
	texts []string
	size  int
}

// shape is one path element.
type shape struct {
	fill, stroke, d string
	dashed          bool
}

// rectangles counts the parts of a path.
func (s shape) rectangles() int { return strings.Count(s.d, "M") }

// look draws and parses a picture. It checks what holds for every picture: it
// is well-formed, the same arguments give the same bytes, nothing is fetched
// and no coordinate is broken.
func look(t rapid.TB, draw func(io.Writer) error) picture {
	t.Helper()
	var first, second bytes.Buffer
	if err := errors.Join(draw(&first), draw(&second)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatal("drawing twice gives different bytes")
	}
	text := first.String()
	for _, word := range []string{"NaN", "Inf", "href", "url(", "<image", "<script", "@import"} {
		if strings.Contains(text, word) {
			t.Errorf("the picture contains %q", word)
		}
	}
	if n := strings.Count(text, "://"); n != 1 {
		t.Errorf("%d addresses, want only the one of the SVG name space", n)
	}

	p := picture{size: first.Len()}
	decoder := xml.NewDecoder(&first)
	inText := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return p
		}
		if err != nil {
			t.Fatalf("parse picture: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			inText = e.Name.Local == "text" || e.Name.Local == "title"
			if e.Name.Local == "path" {
				p.paths = append(p.paths, parsePath(e))
			}
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				p.texts = append(p.texts, string(e))
			}
		}
	}
}

func parsePath(e xml.StartElement) shape {
	var s shape
	style := regexp.MustCompile(`(fill|stroke):([^;]+)`)
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "d":
			s.d = a.Value
		case "style":
			s.dashed = strings.Contains(a.Value, "stroke-dasharray")
			for _, m := range style.FindAllStringSubmatch(a.Value, -1) {
				if m[1] == "fill" {
					s.fill = m[2]
				} else {
					s.stroke = m[2]
				}
			}
		}
	}
	return s
}

// has reports whether a text of the picture is exactly s.
func (p picture) has(s string) bool {
	for _, t := range p.texts {
		if t == s {
			return true
		}
	}
	return false
}

// strokes returns the lines of a colour.
func (p picture) strokes(hex string) []shape {
	var out []shape
	for _, s := range p.paths {
		if s.stroke == hex {
			out = append(out, s)
		}
	}
	return out
}

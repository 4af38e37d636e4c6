//go:build integration

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// shot keeps what the terminal shows as text and as a picture in the directory that SHOTS
// names; without it, nothing is kept. "make shots-top" makes those of docs/top.md.
func (f *fullScreen) shot(t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	var text []string
	for line := range strings.Lines(f.text()) {
		text = append(text, strings.TrimRight(line, " \n"))
	}
	for ending, data := range map[string]string{".txt": strings.TrimRight(strings.Join(text, "\n"), "\n") + "\n", ".svg": f.svg()} {
		if err := os.WriteFile(filepath.Join(dir, name+ending), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// record keeps what the command drew on the whole terminal, and when, as a recording for asciinema in the directory
// that SHOTS names. The form is asciicast v2: a line with the size, and one for each piece of output.
func (f *fullScreen) record(t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	raw := f.raw.Bytes()
	// What follows the picture names the directories of the test.
	if end := bytes.LastIndex(raw, []byte("\x1b[?1049l")); end >= 0 {
		raw = raw[:end]
	}
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	err := lines.Encode(struct {
		Version int     `json:"version"`
		Width   int     `json:"width"`
		Height  int     `json:"height"`
		Idle    float64 `json:"idle_time_limit"`
		Title   string  `json:"title"`
	}{2, f.screen.Width(), f.screen.Height(), 1, name})
	from := 0
	for _, p := range f.pieces {
		end := min(p.end, len(raw))
		// A sign may be cut in two; its first bytes wait for the others.
		for end < len(raw) && !utf8.RuneStart(raw[end]) {
			end--
		}
		if end > from {
			err = errors.Join(err, lines.Encode([]any{p.at.Sub(f.pieces[0].at).Seconds(), "o", string(raw[from:end])}))
			from = end
		}
	}
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, name+".cast"), out.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// svg draws the cells of the terminal on a dark ground. Neighbours that look alike are one
// text, as wide as its cells whatever the font.
func (f *fullScreen) svg() string {
	const wide, high = 8.4, 17.0
	columns, rows := f.screen.Width(), f.screen.Height()
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="DejaVu Sans Mono, Liberation Mono, monospace" font-size="14">`+"\n",
		float64(columns)*wide+16, float64(rows)*high+16)
	out.WriteString(`<rect width="100%" height="100%" rx="6" fill="#16181d"/>` + "\n")
	for y := range rows {
		for x := 0; x < columns; {
			from, look := x, ""
			var text strings.Builder
			for ; x < columns; x++ {
				cell := f.screen.CellAt(x, y)
				content, style := " ", lookOf(nil)
				if cell != nil && cell.Content != "" {
					content, style = cell.Content, lookOf(cell)
				}
				if x > from && style != look {
					break
				}
				look = style
				text.WriteString(content)
			}
			if strings.TrimSpace(text.String()) == "" {
				continue
			}
			fmt.Fprintf(&out, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve" %s>%s</text>`+"\n",
				8+float64(from)*wide, 8+float64(y+1)*high-4, float64(x-from)*wide, look, html.EscapeString(text.String()))
		}
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// lookOf is the style of a cell as attributes of an SVG text.
func lookOf(cell *uv.Cell) string {
	fill, more := "#d8dce4", ""
	if cell == nil {
		return `fill="` + fill + `"`
	}
	if cell.Style.Fg != nil {
		r, g, b, _ := cell.Style.Fg.RGBA()
		fill = fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
	}
	if cell.Style.Attrs&uv.AttrFaint != 0 {
		more += ` opacity="0.6"`
	}
	if cell.Style.Attrs&uv.AttrBold != 0 {
		more += ` font-weight="bold"`
	}
	return `fill="` + fill + `"` + more
}

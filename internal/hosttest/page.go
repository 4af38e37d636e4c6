package hosttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Block is a block of code of Markdown: between fences, or indented.
type Block struct {
	// Language is empty for an indented block.
	Language, Text string
	// Line is the number of the first line of the text.
	Line     int
	Indented bool

	from, to int
}

// Blocks are the blocks of code of a page.
func Blocks(page string) []Block {
	var all []Block
	source := []byte(page)
	document := goldmark.DefaultParser().Parse(text.NewReader(source))
	// No visit fails.
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock || n.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		lines := n.Lines()
		b := Block{Text: string(lines.Value(source)), from: lines.At(0).Start, to: lines.At(lines.Len() - 1).Stop}
		b.Line = lineOf(page, b.from)
		switch code := n.(type) {
		case *ast.FencedCodeBlock:
			b.Language = string(code.Language(source))
		case *ast.CodeBlock:
			b.Indented = true
		default:
			return ast.WalkContinue, nil
		}
		all = append(all, b)
		return ast.WalkContinue, nil
	})
	return all
}

// lineOf is the number of the line at an offset.
func lineOf(page string, at int) int { return 1 + strings.Count(page[:at], "\n") }

// Output is what a command prints, as it stands on a page.
type Output struct {
	// Line is the line of the marker, and Shown the first line after it.
	Line, Shown int
	// Command is a command, a filter of the output of the step before, which begins with "|", or empty for that output.
	Command string
	// Rows are the beginnings of the rows that stay of a table; all rows stay if there is none.
	Rows []string
	// Shape says that decimal numbers and durations need not agree.
	Shape bool
	// Any matches what need not agree; it may be nil.
	Any *regexp.Regexp
	// Text is what stands on the page.
	Text string

	from, to int
}

// Picture is a picture of a page.
type Picture struct {
	// Page is set in a step, Line is the line of the marker, and Shown the line after it.
	Page        string
	Line, Shown int
	// Made is the file that a step makes, or a command that begins with "make ".
	Made string
	// File is the picture, seen from the page.
	File string
}

var (
	marker  = regexp.MustCompile(`(?ms)^<!-- (output|picture)\b(.*?)-->\n`)
	heading = regexp.MustCompile(`^(?: (by shape))?(?:: ?(.*))?$`)
	table   = regexp.MustCompile(`^(?:\|.*\n)+`)
	picture = regexp.MustCompile(`^!\[[^\]]*\]\(([^)]+)\)`)
)

// Marked are the outputs and pictures of a page.
func Marked(page string) ([]Output, []Picture, error) {
	var outputs []Output
	var pictures []Picture
	all := Blocks(page)
	for _, at := range marker.FindAllStringSubmatchIndex(page, -1) {
		begin, end := at[0], at[1]
		if slices.ContainsFunc(all, func(b Block) bool { return b.from <= begin && begin < b.to }) {
			continue
		}
		kind, rest, line := page[at[2]:at[3]], strings.TrimSpace(page[at[4]:at[5]]), lineOf(page, begin)
		if kind == "picture" {
			made, found := strings.CutPrefix(rest, ": ")
			file := picture.FindStringSubmatch(page[end:])
			if !found || file == nil {
				return nil, nil, fmt.Errorf("line %d: want <!-- picture: FILE --> above a picture", line)
			}
			pictures = append(pictures, Picture{Line: line, Shown: lineOf(page, end), Made: made, File: file[1]})
			continue
		}
		o, err := readOutput(page[at[4]:at[5]])
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", line, err)
		}
		o.Line, o.Shown = line, lineOf(page, end)
		fence := slices.IndexFunc(all, func(b Block) bool {
			return !b.Indented && strings.Count(page[end:max(end, b.from)], "\n") == 1 && b.from > end
		})
		switch rows := table.FindString(page[end:]); {
		case rows != "":
			o.from, o.to = end, end+len(rows)
		case fence >= 0:
			o.from, o.to = all[fence].from, all[fence].to
		default:
			return nil, nil, fmt.Errorf("line %d: want a block of code or a table in the line after the marker of an output", line)
		}
		o.Text = page[o.from:o.to]
		outputs = append(outputs, o)
	}
	return outputs, pictures, nil
}

// readOutput reads a marker after its first word.
func readOutput(text string) (Output, error) {
	lines := strings.Split(strings.TrimRight(text, " \n"), "\n")
	head := heading.FindStringSubmatch(lines[0])
	if head == nil {
		return Output{}, fmt.Errorf("want \"output: COMMAND\" or \"output by shape: COMMAND\", got \"output%s\"", lines[0])
	}
	o := Output{Shape: head[1] != "", Command: strings.TrimSpace(head[2])}
	for _, line := range lines[1:] {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "rows":
			for name := range strings.SplitSeq(value, ";") {
				o.Rows = append(o.Rows, strings.Join(strings.Fields(name), " "))
			}
		case "any":
			pattern, err := regexp.Compile("(?m)" + value)
			if err != nil {
				return Output{}, err
			}
			o.Any = pattern
		default:
			return Output{}, fmt.Errorf("want rows: or any: in a marker, got %q", line)
		}
	}
	return o, nil
}

// Write returns the page with other texts of its outputs, by the lines of their markers.
func Write(page string, texts map[int]string) (string, error) {
	outputs, _, err := Marked(page)
	if err != nil {
		return "", err
	}
	for _, o := range slices.Backward(outputs) {
		if text, found := texts[o.Line]; found {
			page = page[:o.from] + text + page[o.to:]
		}
	}
	return page, nil
}

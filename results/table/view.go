package table

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
)

// View is what people see of a table: columns with their cells. The zero value has
// none.
type View struct {
	// Common is what all rows have in common and no column tells, empty for nothing:
	// "Machine S, workload V.2".
	Common string
	// Left is the number of columns that the view leaves out although something is
	// known in them.
	Left int
	// Omitted are the headings of the columns that Left counts, in their order.
	Omitted []string
	// Complete says that no column of rank 0 is left out.
	Complete bool
	columns  []Column
	// texts are the cells, column by column.
	texts [][]string
	width int
}

// Texts is a view of cells that are texts, of which the first columns are words and the others numbers.
func Texts(words int, header []string, rows [][]string) View {
	v := View{Complete: true, width: math.MaxInt}
	for c, title := range header {
		v.columns = append(v.columns, Column{Title: title, Left: c < words})
		var texts []string
		for _, row := range rows {
			texts = append(texts, row[c])
		}
		v.texts = append(v.texts, texts)
	}
	return v
}

// Header returns the headings.
func (v View) Header() []string {
	titles := make([]string, len(v.columns))
	for c, column := range v.columns {
		titles[c] = column.Title
	}
	return titles
}

// Words says of each column whether it has words, which are aligned to the left, or numbers.
func (v View) Words() []bool {
	words := make([]bool, len(v.columns))
	for c, column := range v.columns {
		words[c] = column.Left
	}
	return words
}

// Rows returns the cells, row by row.
func (v View) Rows() [][]string {
	if len(v.texts) == 0 {
		return nil
	}
	rows := make([][]string, len(v.texts[0]))
	for i := range rows {
		for _, texts := range v.texts {
			rows[i] = append(rows[i], texts[i])
		}
	}
	return rows
}

// gap is the space between the columns of a text.
const gap = 2

// WriteText writes an aligned table for a terminal: headings, a rule, rows. Headings
// are broken over lines where their columns would not fit otherwise. Common and Left are the
// caller's to tell.
func (v View) WriteText(w io.Writer) error {
	if len(v.columns) == 0 {
		return nil
	}
	head := v.header()
	width := widths(slices.Concat(head, v.Rows()))
	rule := make([]string, len(width))
	for c := range rule {
		rule[c] = strings.Repeat("-", width[c])
	}
	var b strings.Builder
	for _, row := range slices.Concat(head, [][]string{rule}, v.Rows()) {
		var line strings.Builder
		for c, text := range row {
			if c > 0 {
				line.WriteString(strings.Repeat(" ", gap))
			}
			line.WriteString(pad(text, width[c], v.columns[c].Left))
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// WriteMarkdown writes a pipe table, aligned so that its source reads well too.
func (v View) WriteMarkdown(w io.Writer) error {
	escape := strings.NewReplacer(`\`, `\\`, "|", `\|`)
	rows := append([][]string{v.Header()}, v.Rows()...)
	for _, row := range rows {
		for c := range row {
			row[c] = escape.Replace(row[c])
		}
	}
	width := widths(rows)
	for c := range width {
		// The rule "--:" needs three characters.
		width[c] = max(width[c], 3)
	}
	var b strings.Builder
	for r, row := range rows {
		for c, text := range row {
			b.WriteString("| " + pad(text, width[c], v.columns[c].Left) + " ")
		}
		b.WriteString("|\n")
		if r > 0 {
			continue
		}
		for c := range row {
			if v.columns[c].Left {
				b.WriteString("| " + strings.Repeat("-", width[c]) + " ")
			} else {
				b.WriteString("| " + strings.Repeat("-", width[c]-1) + ": ")
			}
		}
		b.WriteString("|\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// widths are counted in columns of the terminal, not bytes: "±" takes one.
func widths(rows [][]string) []int {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for c, cell := range row {
			width[c] = max(width[c], text.Width(cell))
		}
	}
	return width
}

// total is the length of a line of columns.
func total(widths []int) int {
	sum := -gap
	for _, width := range widths {
		sum += gap + width
	}
	return sum
}

func pad(cell string, width int, left bool) string {
	space := strings.Repeat(" ", width-text.Width(cell))
	if left {
		return cell + space
	}
	return space + cell
}

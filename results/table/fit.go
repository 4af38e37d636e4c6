package table

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
)

// Wide is the view with every column.
func (t Table) Wide() View {
	v := View{Common: sentence(t.common), Complete: true, columns: t.titled(), width: math.MaxInt}
	for _, c := range v.columns {
		v.texts = append(v.texts, t.texts(c))
	}
	return v
}

// Document is the view for a page: without details and columns in which nothing is known.
func (t Table) Document() View { return t.view(math.MaxInt, false) }

// Fit is the view for a screen with so many characters in a line. Columns that name the thing of a row are left out
// where all rows have the same word, which then stands above the table. Of the others it has as many as fit, by rank;
// see choose. A wider screen never shows fewer.
func (t Table) Fit(width int) View { return t.view(width, true) }

func (t Table) view(width int, common bool) View {
	all := t.titled()
	texts := make([][]string, len(all))
	said := slices.Clone(t.common)
	var candidates []int
	for i, c := range all {
		texts[i] = t.texts(c)
		switch {
		case c.Detail || nothingKnown(texts[i]):
		case common && c.Identity && allEqual(texts[i]):
			said = append(said, c.said(texts[i][0]))
		default:
			candidates = append(candidates, i)
		}
	}
	if len(candidates) == 0 {
		// All rows are alike, or nothing is known: better that than no table.
		said = slices.Clone(t.common)
		for i := range all {
			candidates = append(candidates, i)
		}
	}
	chosen := choose(candidates, width, func(i int) (rank, least int) { return all[i].Rank, leastWidth(all[i].Title, texts[i]) })
	v := View{Common: sentence(said), width: width}
	for i := range all {
		if !nothingKnown(texts[i]) {
			v.Left++
		}
	}
	v.Left -= len(said) - len(t.common)
	for _, i := range chosen {
		if !nothingKnown(texts[i]) {
			v.Left--
		}
		v.columns, v.texts = append(v.columns, all[i]), append(v.texts, texts[i])
	}
	for _, i := range candidates {
		if !slices.Contains(chosen, i) && !nothingKnown(texts[i]) {
			v.Omitted = append(v.Omitted, all[i].Title)
		}
	}
	for i, c := range all {
		if c.Detail && !nothingKnown(texts[i]) {
			v.Omitted = append(v.Omitted, c.Title)
		}
	}
	v.Complete = !slices.ContainsFunc(candidates, func(i int) bool { return all[i].Rank == 0 && !slices.Contains(chosen, i) })
	return v
}

// choose takes, by rank and then in their order, as many of the candidates as fit side by side, and returns them in
// their order. Candidates of one rank belong together, so that all of them fit or none is taken; but of rank 0 it
// takes what fits, and the first in any case.
func choose(candidates []int, width int, of func(int) (rank, least int)) []int {
	order := slices.Clone(candidates)
	slices.SortStableFunc(order, func(a, b int) int {
		rankA, _ := of(a)
		rankB, _ := of(b)
		return cmp.Compare(rankA, rankB)
	})
	taken, used := 0, -gap
	for n, i := range order {
		rank, least := of(i)
		if used += gap + least; used > width && n > 0 {
			break
		}
		last := n == len(order)-1
		if !last {
			next, _ := of(order[n+1])
			last = next != rank
		}
		if last || rank == 0 || n == 0 {
			taken = n + 1
		}
	}
	order = order[:taken]
	slices.Sort(order)
	return order
}

// nothingKnown says that there are cells, and a value in none of them.
func nothingKnown(texts []string) bool {
	return len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool { return text != absent && text != "" })
}

func allEqual(texts []string) bool {
	return len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool { return text != texts[0] })
}

// sentence joins what is said of all rows: "Machine S, workload V.2".
func sentence(said []string) string {
	said = slices.Clone(said)
	for i := 1; i < len(said); i++ {
		title, rest, _ := strings.Cut(said[i], " ")
		if strings.HasPrefix(rest, "= ") {
			continue
		}
		said[i] = strings.ToLower(title) + " " + rest
	}
	return strings.Join(said, ", ")
}

// said is the word of all rows with the title.
func (c Column) said(word string) string {
	if c.Symbol {
		return c.Title + " = " + word
	}
	return c.Title + " " + word
}

// leastWidth is the width of a column with its heading broken over lines.
func leastWidth(title string, texts []string) int {
	least := 0
	for _, piece := range slices.Concat(texts, pieces(title)) {
		least = max(least, text.Width(strings.TrimSuffix(piece, " ")))
	}
	return least
}

// pieces are the parts of a heading that stay in one line, each with what is between it
// and the next one. A unit stays with the word before it; a word may be broken
// after a hyphen or stroke, as in the name of a policy.
func pieces(title string) []string {
	var parts []string
	words := strings.Fields(title)
	for i, word := range words {
		if i > 0 && i == len(words)-1 && text.Width(word) <= 2 {
			parts[len(parts)-1] += word
			break
		}
		for _, part := range strings.SplitAfter(word, "-") {
			for _, piece := range strings.SplitAfter(part, "/") {
				if piece != "" {
					parts = append(parts, piece)
				}
			}
		}
		parts[len(parts)-1] += " "
	}
	return parts
}

// header are the lines of the headings, the last line of each at the bottom: as few as
// the width allows.
func (v View) header() [][]string {
	broken := make([][]string, len(v.columns))
	for height := 1; ; height++ {
		sizes := make([]int, len(v.columns))
		narrowest := true
		for c, column := range v.columns {
			least := leastWidth(column.Title, v.texts[c])
			sizes[c] = least
			for broken[c] = brokenTitle(column.Title, sizes[c]); len(broken[c]) > height; broken[c] = brokenTitle(column.Title, sizes[c]) {
				sizes[c]++
			}
			narrowest = narrowest && sizes[c] == least
		}
		if narrowest || total(sizes) <= v.width {
			return stacked(broken)
		}
	}
}

// stacked are the lines of the headings side by side.
func stacked(titles [][]string) [][]string {
	height := 0
	for _, title := range titles {
		height = max(height, len(title))
	}
	lines := make([][]string, height)
	for i := range lines {
		lines[i] = make([]string, len(titles))
		for c, title := range titles {
			if from := height - len(title); i >= from {
				lines[i][c] = title[i-from]
			}
		}
	}
	return lines
}

// brokenTitle fills lines of at most width characters with the pieces of a heading.
func brokenTitle(title string, width int) []string {
	var lines []string
	line := ""
	for _, piece := range pieces(title) {
		if line != "" && text.Width(line)+text.Width(strings.TrimSuffix(piece, " ")) > width {
			lines = append(lines, strings.TrimSuffix(line, " "))
			line = ""
		}
		line += piece
	}
	return append(lines, strings.TrimSuffix(line, " "))
}

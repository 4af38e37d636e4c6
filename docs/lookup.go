package docs

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
)

// Lines is an entry for a terminal: the word, and below it the meaning, the
// example, the page and the source, if it has them, which begin a line each.
func (e Entry) Lines(width int) string {
	const indent = "    "
	meaning := strings.NewReplacer(" Example: ", "\nExample: ", " See ", "\nSee ", " Source: ", "\nSource: ").Replace(e.Text)
	var b strings.Builder
	b.WriteString(e.Word + "\n")
	for part := range strings.SplitSeq(meaning, "\n") {
		b.WriteString(text.Wrap(part, indent, width))
	}
	return b.String()
}

// Plain is a word without what does not matter when it is looked up. Commas do not, so
// that "arrival lag" is the beginning of "Arrival lag max".
func Plain(word string) string {
	word = strings.NewReplacer("-", " ", "_", " ", ",", " ").Replace(strings.ToLower(word))
	return strings.TrimSuffix(strings.Join(strings.Fields(word), " "), "s")
}

// Find returns the entry of a word, or the only one that begins with it. The
// error names near words.
func Find(entries []Entry, word string) (Entry, error) {
	wanted := Plain(word)
	for _, e := range entries {
		if Plain(e.Word) == wanted {
			return e, nil
		}
	}
	var begins []Entry
	for _, e := range entries {
		if wanted != "" && strings.HasPrefix(Plain(e.Word), wanted) {
			begins = append(begins, e)
		}
	}
	if len(begins) == 1 {
		return begins[0], nil
	}
	near := nearWords(entries, wanted)
	if len(near) == 0 {
		return Entry{}, fmt.Errorf("glossary: %q is not known, allowed are the words that \"slurmlab glossary\" lists", word)
	}
	return Entry{}, fmt.Errorf("glossary: %q is not known, near are: %s\nall words: slurmlab glossary", word, strings.Join(near, ", "))
}

// nearWords lists at most eight words: those that have the wanted one in them, then
// those that few letters distinguish from it. If there are none, it lists words that
// are explained with the wanted one.
func nearWords(entries []Entry, wanted string) []string {
	const (
		most  = 8
		least = 3 // letters, below which half of all words are near
	)
	if wanted == "" {
		return nil
	}
	far := map[string]int{}
	var words, explained []string
	for _, e := range entries {
		far[e.Word] = faults.Distance(Plain(e.Word), wanted)
		switch {
		case strings.Contains(Plain(e.Word), wanted):
			far[e.Word] = 0
			words = append(words, e.Word)
		case far[e.Word] <= 1+len(wanted)/4:
			words = append(words, e.Word)
		case len(wanted) >= least && strings.Contains(Plain(e.Text), wanted):
			explained = append(explained, e.Word)
		}
	}
	if len(words) == 0 {
		words = explained
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	return words[:min(most, len(words))]
}

// JargonIn lists the words of the papers and of slurmlab that a text has and a
// newcomer cannot know, as the glossary has them.
func JargonIn(printed string) []string {
	var words []string
	for _, j := range []struct{ word, form string }{
		{"bid", `(?i)\bbids?\b`},
		{"class A", `\bclass A\b`},
		{"class B", `\bclass B\b`},
		{"class C", `\bclass C\b`},
		{"class F", `\bclass F\b`},
		{"class R", `\bclass R\b`},
		{"FGD", `\bFGD\b`},
		{"fragmentation", `\bFragmentation\b`},
		{"lower bound", `\bLower bound\b`},
		{"packing", `\bPacking\b`},
		{"relaxed program", `\brelaxed program\b`},
		{"slowdown", `(?i)\bslowdown\b`},
		{"spread", `\bSpread\b`},
		{"theoretical runtime", `\bTheoretical runtime\b`},
		{"window", `\bwindow\b`},
	} {
		if regexp.MustCompile(j.form).MatchString(printed) {
			words = append(words, j.word)
		}
	}
	return words
}

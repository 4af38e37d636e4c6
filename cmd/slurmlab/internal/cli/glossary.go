package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/docs"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
)

func glossaryCommand(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "glossary [WORD]",
		Short: "Explain a word of slurmlab or of the papers",
		Long: `Prints the entry of a word in the glossary: what it means, an example or the
page that says more, and the paper that it comes from. Without a word it lists
all words. Capitals, hyphens and a plural s do not matter, and a word may be cut
off ("class A" is "class A bid"). For a metric without an entry it prints the
definition from "slurmlab metrics --definitions".`,
		Example: `  slurmlab glossary
  slurmlab glossary packing
  slurmlab glossary class A
  slurmlab glossary waiting time`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeWord,
		RunE: func(_ *cobra.Command, args []string) error {
			entries := docs.Glossary()
			if len(args) == 0 {
				return listWords(s, entries)
			}
			word := strings.Join(args, " ")
			entry, err := findWord(entries, word)
			answer := entryText(entry, s.width())
			if err != nil {
				named := metricsNamed(word)
				if len(named) == 0 {
					return usage(err)
				}
				answer = definitionsText(named, s.width())
			}
			_, err = io.WriteString(s.Stdout, answer)
			return err
		},
	}
}

// completeWord completes the next part of a word: after "class", the letters.
func completeWord(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var next []cobra.Completion
	for _, entry := range docs.Glossary() {
		parts := strings.Fields(entry.Word)
		if len(parts) <= len(args) || plain(strings.Join(parts[:len(args)], " ")) != plain(strings.Join(args, " ")) {
			continue
		}
		if part := parts[len(args)]; strings.HasPrefix(strings.ToLower(part), strings.ToLower(begun)) && !slices.Contains(next, part) {
			next = append(next, part)
		}
	}
	return next, cobra.ShellCompDirectiveNoFileComp
}

// listWords lists the words: in columns on a terminal, else one a line.
func listWords(s *State, entries []docs.Entry) error {
	words := make([]string, len(entries))
	for i, e := range entries {
		words[i] = e.Word
	}
	width := 0
	if s.terminal() > 0 {
		width = s.screen()
	}
	_, err := io.WriteString(s.Stdout, text.Columns(words, width))
	return err
}

// entryText is an entry for a terminal: the word, and below it the meaning, the
// example, the page and the source, if it has them, which begin a line each.
func entryText(e docs.Entry, width int) string {
	const indent = "    "
	meaning := strings.NewReplacer(" Example: ", "\nExample: ", " See ", "\nSee ", " Source: ", "\nSource: ").Replace(e.Text)
	var b strings.Builder
	b.WriteString(e.Word + "\n")
	for part := range strings.SplitSeq(meaning, "\n") {
		b.WriteString(text.Wrap(part, indent, width))
	}
	return b.String()
}

// plain is a word without what does not matter when it is looked up. Commas do not, so
// that "arrival lag" is the beginning of "Arrival lag max".
func plain(word string) string {
	word = strings.NewReplacer("-", " ", "_", " ", ",", " ").Replace(strings.ToLower(word))
	return strings.TrimSuffix(strings.Join(strings.Fields(word), " "), "s")
}

// findWord returns the entry of a word, or the only one that begins with it. The
// error names near words.
func findWord(entries []docs.Entry, word string) (docs.Entry, error) {
	wanted := plain(word)
	for _, e := range entries {
		if plain(e.Word) == wanted {
			return e, nil
		}
	}
	var begins []docs.Entry
	for _, e := range entries {
		if wanted != "" && strings.HasPrefix(plain(e.Word), wanted) {
			begins = append(begins, e)
		}
	}
	if len(begins) == 1 {
		return begins[0], nil
	}
	near := nearWords(entries, wanted)
	if len(near) == 0 {
		return docs.Entry{}, fmt.Errorf("glossary: %q is not known, allowed are the words that \"slurmlab glossary\" lists", word)
	}
	return docs.Entry{}, fmt.Errorf("glossary: %q is not known, near are: %s\nall words: slurmlab glossary", word, strings.Join(near, ", "))
}

// metricsNamed returns the metric that a table, a CSV file or metrics.json calls by a
// word, or all whose names begin with it.
func metricsNamed(word string) []metric.Measure {
	var exactly, begins []metric.Measure
	for _, m := range metric.Measures() {
		wanted := plain(word)
		called := func(name string) bool { return wanted != "" && plain(name) == wanted }
		switch {
		case slices.ContainsFunc([]string{m.Name, m.Papers, m.Column, m.Key}, called):
			exactly = append(exactly, m)
		case wanted != "" && strings.HasPrefix(plain(m.Name), wanted+" "):
			begins = append(begins, m)
		}
	}
	if len(exactly) > 0 {
		return exactly
	}
	return begins
}

// nearWords lists at most eight words: those that have the wanted one in them, then
// those that few letters distinguish from it. If there are none, it lists words that
// are explained with the wanted one.
func nearWords(entries []docs.Entry, wanted string) []string {
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
		far[e.Word] = faults.Distance(plain(e.Word), wanted)
		switch {
		case strings.Contains(plain(e.Word), wanted):
			far[e.Word] = 0
			words = append(words, e.Word)
		case far[e.Word] <= 1+len(wanted)/4:
			words = append(words, e.Word)
		case len(wanted) >= least && strings.Contains(plain(e.Text), wanted):
			explained = append(explained, e.Word)
		}
	}
	if len(words) == 0 {
		words = explained
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	return words[:min(most, len(words))]
}

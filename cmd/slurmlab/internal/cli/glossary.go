package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/docs"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
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
			entry, err := docs.Find(entries, word)
			answer := entry.Lines(s.width())
			if err != nil {
				named := metricsNamed(word)
				if len(named) == 0 {
					return usage(err)
				}
				answer = table.DefinitionsText(named, s.width())
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
		if len(parts) <= len(args) || docs.Plain(strings.Join(parts[:len(args)], " ")) != docs.Plain(strings.Join(args, " ")) {
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

// metricsNamed returns the metric that a table, a CSV file or metrics.json calls by a
// word, or all whose names begin with it.
func metricsNamed(word string) []metric.Measure {
	var exactly, begins []metric.Measure
	for _, m := range metric.Measures() {
		wanted := docs.Plain(word)
		called := func(name string) bool { return wanted != "" && docs.Plain(name) == wanted }
		switch {
		case slices.ContainsFunc([]string{m.Name, m.Papers, m.Column, m.Key}, called):
			exactly = append(exactly, m)
		case wanted != "" && strings.HasPrefix(docs.Plain(m.Name), wanted+" "):
			begins = append(begins, m)
		}
	}
	if len(exactly) > 0 {
		return exactly
	}
	return begins
}

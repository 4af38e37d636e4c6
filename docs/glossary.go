package docs

import (
	_ "embed" // The glossary becomes part of the program.
	"regexp"
	"strings"
)

//go:embed glossary.md
var glossary string

// Entry is one word of the glossary.
type Entry struct {
	// Word is the heading: "class A bid".
	Word string
	// Text is the paragraph below it without line breaks and with backticks. A link
	// stands as its text, followed by the linked file in parentheses.
	Text string
}

// Glossary returns the entries in the order of the page, which is alphabetical.
func Glossary() []Entry {
	link := regexp.MustCompile(`\[([^\]]+)\]\(([^)]+)\)`)
	var entries []Entry
	for _, section := range strings.Split(glossary, "\n## ")[1:] {
		word, text, _ := strings.Cut(section, "\n")
		text = strings.Join(strings.Fields(text), " ")
		entries = append(entries, Entry{Word: word, Text: link.ReplaceAllString(text, "$1 (docs/$2)")})
	}
	return entries
}

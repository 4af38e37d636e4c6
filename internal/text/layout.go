package text

import "strings"

// LeastProse is the least number of characters in a line of prose that can be read.
const LeastProse = 30

// Wrap breaks a paragraph between words into lines of at most width characters, each
// beginning with indent. A word that is longer has a line of its own.
func Wrap(paragraph, indent string, width int) string {
	var b strings.Builder
	used := 0
	for _, word := range strings.Fields(paragraph) {
		length := Width(word)
		switch {
		case used == 0:
			b.WriteString(indent)
			used = len(indent)
		case used+1+length > width:
			b.WriteString("\n" + indent)
			used = len(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += length
	}
	if used > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// List sets names and what is said about each: beside each other, or where that
// leaves too little room for the words, below the name.
func List(names, about []string, width int) string {
	const gap = 2
	longest := 0
	for _, name := range names {
		longest = max(longest, Width(name))
	}
	indent := strings.Repeat(" ", longest+gap)
	below := width-len(indent) < LeastProse
	if below {
		indent = "    "
	}
	var b strings.Builder
	for i, name := range names {
		wrapped := Wrap(about[i], indent, width)
		if below || wrapped == "" {
			b.WriteString(name + "\n" + wrapped)
			continue
		}
		b.WriteString(name + wrapped[Width(name):])
	}
	return b.String()
}

// Columns sets words column by column as wide as width allows, one a line with width
// 0.
func Columns(words []string, width int) string {
	const gap = 2
	longest := 0
	for _, word := range words {
		longest = max(longest, Width(word))
	}
	across := max(1, (width+gap)/(longest+gap))
	down := (len(words) + across - 1) / across
	var b strings.Builder
	for row := range down {
		for i := row; i < len(words); i += down {
			b.WriteString(words[i])
			if i+down < len(words) {
				b.WriteString(strings.Repeat(" ", longest+gap-Width(words[i])))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Command is an indented command to copy into a shell. Its lines have at most width
// characters where its words allow that.
func Command(words []string, width int) string {
	const indent, goesOn = "  ", ` \`
	var b strings.Builder
	used := 0
	for i, word := range words {
		word = ShellWord(word)
		length := 1 + Width(word)
		room := width
		if i < len(words)-1 {
			room -= len(goesOn)
		}
		switch {
		case i == 0:
			b.WriteString(indent)
			used = len(indent) + length - 1
		case used+length > room:
			b.WriteString(goesOn + "\n" + indent + indent)
			used = 2*len(indent) + length - 1
		default:
			b.WriteByte(' ')
			used += length
		}
		b.WriteString(word)
	}
	return b.String() + "\n"
}

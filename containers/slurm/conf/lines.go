package conf

import (
	"slices"
	"strings"
)

// Lines are lines of slurm.conf.
type Lines []string

// ParseLines cuts lines that have a blank between them.
func ParseLines(text string) Lines { return strings.Fields(text) }

// String puts a blank between the lines.
func (l Lines) String() string { return strings.Join(l, " ") }

// With has a line in the place of the one of its key, or at the end.
func (l Lines) With(key, value string) Lines {
	line := key + "=" + value
	at := slices.IndexFunc(l, func(old string) bool { return keyOf(old) == key })
	if at < 0 {
		return append(slices.Clone(l), line)
	}
	l = slices.Clone(l)
	l[at] = line
	return l
}

// Values are the values by key, nil for none.
func (l Lines) Values() map[string]string {
	var values map[string]string
	for _, line := range l {
		if values == nil {
			values = map[string]string{}
		}
		key, value, _ := strings.Cut(line, "=")
		values[key] = value
	}
	return values
}

func keyOf(line string) string {
	key, _, _ := strings.Cut(line, "=")
	return key
}

// rivals are keys of which Slurm heeds one, whatever the other ones say (read_config.c).
func rivals() [][]string {
	return [][]string{{"DefMemPerCPU", "DefMemPerNode"}, {"MaxMemPerCPU", "MaxMemPerNode"}}
}

// PutLines returns a slurm.conf in which the lines replace lines of the same keys and of their rivals. The others
// stand before the first node, or at the end.
func PutLines(text string, lines Lines) string {
	if len(lines) == 0 {
		return text
	}
	left := slices.Clone(lines)
	var out []string
	for _, old := range strings.Split(text, "\n") {
		key := keyOf(old)
		at := slices.IndexFunc(lines, func(line string) bool { return keyOf(line) == key })
		switch {
		case at >= 0:
			out = append(out, lines[at])
			left = slices.DeleteFunc(left, func(line string) bool { return line == lines[at] })
		case !lines.rival(key):
			out = append(out, old)
		}
	}
	first := slices.IndexFunc(out, func(line string) bool { return keyOf(line) == "NodeName" })
	if first < 0 {
		first = len(out)
	}
	return strings.Join(slices.Insert(out, first, left...), "\n")
}

// rival says whether one of the lines takes the place of a line of another key.
func (l Lines) rival(key string) bool {
	for _, group := range rivals() {
		if slices.Contains(group, key) && slices.ContainsFunc(l, func(line string) bool { return slices.Contains(group, keyOf(line)) }) {
			return true
		}
	}
	return false
}

package site

import (
	"fmt"
	"strings"
)

// place is a line of a file.
type place struct {
	file string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// pair is Key=Value; keys of Slurm's files have no case.
type pair struct{ key, value string }

// record is what a line of a file, or a paragraph of scontrol, says.
type record struct {
	place
	pairs []pair
}

// value is that of a key, of which there may be other spellings.
func (r record) value(keys ...string) (string, bool) {
	for _, p := range r.pairs {
		for _, k := range keys {
			if strings.EqualFold(p.key, k) {
				return p.value, true
			}
		}
	}
	return "", false
}

// is says whether the record begins with the key.
func (r record) is(key string) bool {
	return len(r.pairs) > 0 && strings.EqualFold(r.pairs[0].key, key)
}

// confRecords are the lines of a file such as slurm.conf: comments from # on, \ at the end of a
// line that goes on in the next (slurm.conf(5)).
func confRecords(f File, bad func(at place, problem, allowed string)) []record {
	var out []record
	lines := strings.Split(f.Text, "\n")
	for i := 0; i < len(lines); i++ {
		at := place{f.Name, i + 1}
		text := uncommented(lines[i])
		for strings.HasSuffix(text, `\`) && i+1 < len(lines) {
			i++
			text = strings.TrimSuffix(text, `\`) + " " + uncommented(lines[i])
		}
		if text == "" {
			continue
		}
		if name, ok := included(text); ok {
			out = append(out, record{at, []pair{{includeKey, name}}})
			continue
		}
		pairs, rest := confPairs(text)
		if rest != "" {
			bad(at, fmt.Sprintf("got %.40q", rest), "Key=Value pairs")
		}
		if len(pairs) > 0 {
			out = append(out, record{at, pairs})
		}
	}
	return out
}

// includeKey is that of the record of a line "Include FILE".
const includeKey = "Include"

func included(text string) (name string, ok bool) {
	words := strings.Fields(text)
	if len(words) != 2 || !strings.EqualFold(words[0], includeKey) {
		return "", false
	}
	return words[1], true
}

func uncommented(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] != '\\') {
			line = line[:i]
			break
		}
	}
	return strings.TrimSpace(line)
}

// confPairs splits a line. rest is what is no pair, with what follows it.
func confPairs(text string) (pairs []pair, rest string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		key, after, ok := strings.Cut(text, "=")
		if !ok || !isKey(key) {
			return pairs, text
		}
		value := ""
		if strings.HasPrefix(after, `"`) {
			value, text, ok = strings.Cut(after[1:], `"`)
			if !ok {
				return pairs, key + "=" + after
			}
		} else {
			end := strings.IndexAny(after, " \t")
			if end < 0 {
				end = len(after)
			}
			value, text = after[:end], after[end:]
		}
		pairs = append(pairs, pair{key, value})
	}
	return pairs, ""
}

func isKey(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_'
	})
}

// shownRecords are the paragraphs of "scontrol show", each of which begins with the key. A word
// that is no pair belongs to the value before it, as in Reason=fan is broken [root@...].
func shownRecords(f File, key string) []record {
	var out []record
	for i, line := range strings.Split(f.Text, "\n") {
		for _, word := range strings.Fields(line) {
			name, value, ok := strings.Cut(word, "=")
			switch {
			case ok && name == key:
				out = append(out, record{place{f.Name, i + 1}, []pair{{name, value}}})
			case len(out) == 0:
			case ok && isKey(name):
				last := &out[len(out)-1]
				last.pairs = append(last.pairs, pair{name, value})
			default:
				last := &out[len(out)-1].pairs
				(*last)[len(*last)-1].value += " " + word
			}
		}
	}
	return out
}

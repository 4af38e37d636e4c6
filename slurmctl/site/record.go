package site

import (
	"fmt"
	"slices"
	"strings"
)

// fileLine is a line of a file.
type fileLine struct {
	file string
	line int
}

func (p fileLine) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// pair is Key=Value; keys of Slurm's files have no case.
type pair struct {
	key, value string
	// from is the line DEFAULT that the pair is from, nil for the line of its record.
	from *fileLine
}

// record is what a line of a file, or a paragraph of scontrol, says.
type record struct {
	fileLine
	pairs []pair
}

// value returns the value of the first of the keys that is there.
func (r record) value(keys ...string) (string, bool) {
	for _, k := range keys {
		for _, p := range r.pairs {
			if strings.EqualFold(p.key, k) {
				return p.value, true
			}
		}
	}
	return "", false
}

// at is the line with the first of the keys that is there: the record's own, or a line DEFAULT above it.
func (r record) at(keys ...string) fileLine {
	for _, k := range keys {
		for _, p := range r.pairs {
			if strings.EqualFold(p.key, k) && p.from != nil {
				return *p.from
			}
			if strings.EqualFold(p.key, k) {
				return r.fileLine
			}
		}
	}
	return r.fileLine
}

// byDefault are pairs of a line DEFAULT, which says where they are from.
func byDefault(line fileLine, pairs []pair) []pair {
	pairs = slices.Clone(pairs)
	for i := range pairs {
		pairs[i].from = &line
	}
	return pairs
}

// instead are pairs in the place of older ones with the same keys, and the other older ones. A line DEFAULT changes those before it: what is
// kept of many of them does not grow with their number.
func instead(newer, older []pair) []pair {
	kept := slices.DeleteFunc(slices.Clone(older), func(p pair) bool {
		return slices.ContainsFunc(newer, func(n pair) bool { return strings.EqualFold(n.key, p.key) })
	})
	return append(slices.Clone(newer), kept...)
}

// isOn says whether a key that plainFlags has read is YES.
func (r record) isOn(key string) bool {
	value, _ := r.value(key)
	return value == yes
}

// is says whether the record begins with the key.
func (r record) is(key string) bool {
	return len(r.pairs) > 0 && strings.EqualFold(r.pairs[0].key, key)
}

func isKey(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(c rune) bool { return !isKeyRune(c) })
}

// shownRecords are the paragraphs of "scontrol show", each of which begins with the key. A word
// that is no pair belongs to the value before it, as in Reason=fan is broken [root@...].
func shownRecords(f File, key string) []record {
	var out []record
	// words are the last value's, which are joined once: a reason may have any number.
	var words []string
	join := func() {
		if len(words) > 1 {
			pairs := out[len(out)-1].pairs
			pairs[len(pairs)-1].value = strings.Join(words, " ")
		}
	}
	for i, line := range strings.Split(f.Text, "\n") {
		for _, word := range strings.Fields(line) {
			name, value, ok := strings.Cut(word, "=")
			begins := ok && name == key
			switch {
			case begins || len(out) > 0 && ok && isKey(name):
				join()
				words = []string{value}
				if begins {
					out = append(out, record{fileLine: fileLine{f.Name, i + 1}})
				}
				last := &out[len(out)-1]
				last.pairs = append(last.pairs, pair{key: name, value: value})
			case len(out) > 0:
				words = append(words, word)
			}
		}
	}
	join()
	return out
}

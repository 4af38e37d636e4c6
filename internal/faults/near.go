package faults

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Distance is the number of letters to insert, delete or replace to make b of a.
func Distance(a, b string) int { return levenshtein.ComputeDistance(a, b) }

// isClose says whether a distance from a word is so small that the other word may have been meant. That is two
// letters, as two swapped ones are, or more in a long word, and at least one letter is the same.
func isClose(word string, distance int) bool {
	length := len([]rune(word))
	return distance < length && distance <= max(2, 1+length/4)
}

// Nearest is the one of the known words that was probably meant by one that is not among
// them: the nearest in spelling, else the first that begins with it. It is "" if there
// is none. Capitals do not matter.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	if word == "" {
		return ""
	}
	best, least, begins := "", 0, ""
	for _, candidate := range known {
		small := strings.ToLower(candidate)
		far := Distance(word, small)
		if isClose(word, far) && (best == "" || far < least) {
			best, least = candidate, far
		}
		if begins == "" && strings.HasPrefix(small, word) {
			begins = candidate
		}
	}
	if best == "" {
		return begins
	}
	return best
}

// few is how many words are read at a glance.
const few = 8

// Allowed is the end of a message about a word that is not known. Few known words are all
// named; of many only the one that may have been meant, with the command that lists them.
func Allowed(word string, known []string, command string) string {
	near := DidYouMean(word, known)
	switch {
	case len(known) <= few:
		return ", allowed are " + strings.Join(known, ", ") + near
	case near == "":
		return fmt.Sprintf("; the %d that are known are listed by: %s", len(known), command)
	default:
		return fmt.Sprintf("%s all are listed by: %s", near, command)
	}
}

// DidYouMean is the end of a message about a word that is not known, such as
// `; did you mean "auction"?`, and "" without a near word.
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// Or lists what is allowed: "a", "a or b", "a, b or c".
func Or[T ~string](words []T) string {
	var text strings.Builder
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			text.WriteString(" or ")
		case i > 0:
			text.WriteString(", ")
		}
		text.WriteString(string(w))
	}
	return text.String()
}

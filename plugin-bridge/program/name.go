package program

import (
	"fmt"
	"strings"
)

// maxName is the longest name that glpsol reads.
const maxName = 255

// checkName accepts what all readers of MPS take for one name: printable ASCII
// without spaces and quotation marks, not starting like a comment.
func checkName(name string) error {
	fault := func(text string) error { return fmt.Errorf("field name: %.80q %s", name, text) }
	switch {
	case name == "":
		return fault("is not allowed, want a name")
	case len(name) > maxName:
		return fault(fmt.Sprintf("has %d characters, want at most %d", len(name), maxName))
	case strings.ContainsRune("*$", rune(name[0])):
		return fault("starts like a comment of MPS, want another first character than * and $")
	}
	for i := range len(name) {
		if c := name[i]; !nameByte(c) {
			return fault(fmt.Sprintf("has the character %q, want printable ASCII without spaces and quotation marks", c))
		}
	}
	return nil
}

func nameByte(c byte) bool { return c > ' ' && c < 0x7f && c != '\'' && c != '"' }

// fresh checks a name and notes it as used.
func fresh(name string, seen map[string]bool) error {
	if err := checkName(name); err != nil {
		return err
	}
	if seen[name] {
		return fmt.Errorf("field name: %s is there twice", name)
	}
	seen[name] = true
	return nil
}

// CleanName makes a name of a text: bytes that no name may have become "_", and the
// text is cut at the longest name.
func CleanName(text string) string {
	clean := []byte(text[:min(len(text), maxName)])
	for i, c := range clean {
		if !nameByte(c) || i == 0 && (c == '*' || c == '$') {
			clean[i] = '_'
		}
	}
	if len(clean) == 0 {
		return "_"
	}
	return string(clean)
}

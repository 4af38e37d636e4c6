package workloads

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameRule is what isName allows, in words.
const nameRule = "printable characters other than /"

// isName says whether a workload or a machine can have a name. It is mostly a file's name, in any script. It becomes
// a part of the names of directories and a word in tables and pictures.
func isName(name string) bool {
	return name != "" && name != "." && name != ".." && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '/' || !unicode.IsPrint(r) })
}

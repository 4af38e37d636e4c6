package input

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsFile tells a path from a name: a path has a slash, or one of the endings.
func IsFile(s string, endings ...string) bool {
	return strings.Contains(s, "/") || slices.Contains(endings, filepath.Ext(s))
}

// BaseName is the name that what a file has gets without one of its own.
func BaseName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// NameRule is what IsName allows, in words.
const NameRule = "printable characters other than /"

// IsName says whether what a file has can have a name. It is mostly a file's name, in any script. It becomes
// a part of the names of directories and a word in tables and pictures.
func IsName(name string) bool {
	return name != "" && name != "." && name != ".." && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '/' || !unicode.IsPrint(r) })
}

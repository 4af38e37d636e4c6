package channel

import (
	"fmt"
	"strings"
)

// parseRow splits a row without its line feed into its word and its cells.
func parseRow(row string) (word string, cells []string, err error) {
	word, rest, more := strings.Cut(row, "\t")
	for more {
		var cell string
		cell, rest, more = strings.Cut(rest, "\t")
		if cell, err = unescape(cell); err != nil {
			return "", nil, fmt.Errorf("row %q: %w", row, err)
		}
		cells = append(cells, cell)
	}
	return word, cells, nil
}

// writeRow joins cells, escaped as helper/text.c does it.
func writeRow(cells []string) string {
	escape := strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`)
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = escape.Replace(c)
	}
	return strings.Join(escaped, "\t")
}

// unescape undoes what helper/text.c writes for characters that would end a cell or a
// row.
func unescape(cell string) (string, error) {
	before, rest, escaped := strings.Cut(cell, `\`)
	if !escaped {
		return cell, nil
	}
	var plain strings.Builder
	for escaped {
		plain.WriteString(before)
		code := ""
		if rest != "" {
			code, rest = rest[:1], rest[1:]
		}
		switch code {
		case "t":
			plain.WriteByte('\t')
		case "n":
			plain.WriteByte('\n')
		case "r":
			plain.WriteByte('\r')
		case `\`:
			plain.WriteByte('\\')
		default:
			return "", fmt.Errorf(`cell %q: want t, n, r or \ after a backslash`, cell)
		}
		before, rest, escaped = strings.Cut(rest, `\`)
	}
	plain.WriteString(before)
	return plain.String(), nil
}

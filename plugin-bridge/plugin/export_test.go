package plugin

import (
	"fmt"
	"reflect"
	"strings"
)

// Reference is the part of docs/plugins.md that lists the messages, as Markdown.
func Reference() string {
	var out strings.Builder
	seen := map[reflect.Type]bool{}
	var table func(t reflect.Type, title string)
	table = func(t reflect.Type, title string) {
		if seen[t] {
			return
		}
		seen[t] = true
		fmt.Fprintf(&out, "### %s\n\n| field | type | meaning |\n|---|---|---|\n", title)
		var inner []reflect.Type
		for field := range t.Fields() {
			key, optional := keyOf(field)
			kind, element := wordOf(field.Type)
			if optional {
				kind += ", optional"
			}
			if element != nil {
				inner = append(inner, element)
			}
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", key, kind, field.Tag.Get("about"))
		}
		out.WriteByte('\n')
		for _, e := range inner {
			table(e, strings.ToLower(e.Name()))
		}
	}
	for _, m := range messages() {
		table(m.of, fmt.Sprintf("%s (%s it)", m.name, m.writer))
	}
	return out.String()
}

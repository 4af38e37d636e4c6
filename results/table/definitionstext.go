package table

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
)

// DefinitionsText tells for people what every metric means, one paragraph each: its
// name and unit in tables, its definition, its source, and what it is called in files.
func DefinitionsText(measures []metric.Measure, width int) string {
	const indent = "    "
	var b strings.Builder
	for i, m := range measures {
		if i > 0 {
			b.WriteByte('\n')
		}
		name := m.Name
		if unit := m.Unit.Heading(); unit != "" {
			name += " [" + unit + "]"
		}
		if m.Better != metric.Neither {
			name += fmt.Sprintf(", %s is better", m.Better)
		}
		b.WriteString(text.Wrap(name, "", width))
		b.WriteString(text.Wrap(m.Definition, indent, width))
		b.WriteString(text.Wrap("Source: "+m.Source, indent, width))
		inJSON := m.Key
		if symbol := m.Unit.Symbol(); symbol != "1" {
			inJSON += " (" + symbol + ")"
		}
		names := fmt.Sprintf("In metrics.json %s, in CSV %s", inJSON, m.Column)
		if m.Papers != "" {
			names += ", in the papers " + strings.ToLower(m.Papers)
		}
		b.WriteString(text.Wrap(names, indent, width))
	}
	return b.String()
}

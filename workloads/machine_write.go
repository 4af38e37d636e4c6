package workloads

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// MachineFile is a machine with groups as the text of a machine file; LoadMachine reads the same machine from it.
func MachineFile(m Machine) string {
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "name: %s\ngroups:\n", yamlWord(m.Name))
	for _, g := range m.Layout.Groups {
		_, _ = fmt.Fprintf(&b, "  - %s\n", groupPairs(g).flow())
	}
	b.WriteString("partitions:\n")
	for _, p := range m.Layout.Partitions {
		_, _ = fmt.Fprintf(&b, "  - %s\n", partitionPairs(p).flow())
	}
	if len(m.Layout.Down) > 0 {
		b.WriteString("down_nodes:\n")
	}
	for _, d := range m.Layout.Down {
		_, _ = fmt.Fprintf(&b, "  - {nodes: %q, state: %s, reason: %q}\n", d.Nodes, d.State, d.Reason)
	}
	if !m.Switches.Flat() {
		_, _ = fmt.Fprintf(&b, "switches: {nodes: %d", m.Switches.Nodes)
		if m.Switches.Fanout > 0 {
			_, _ = fmt.Fprintf(&b, ", fanout: %d", m.Switches.Fanout)
		}
		b.WriteString("}\n")
	}
	writeRules(&b, m.Layout)
	return b.String()
}

// pairs collects "key: value", without those that a file may leave out.
type pairs []string

// flow is the mapping on one line.
func (p pairs) flow() string { return "{" + strings.Join(p, ", ") + "}" }

func (p *pairs) add(key, value string) { *p = append(*p, key+": "+value) }

func (p *pairs) number(key string, value, leftOut int) {
	if value != leftOut {
		p.add(key, fmt.Sprint(value))
	}
}

func groupPairs(g layout.Group) pairs {
	var p pairs
	p.add("name", yamlWord(g.Name))
	p.number("count", g.Count, 0)
	p.number("cores", g.Cores, 0)
	p.number("sockets", g.Sockets, 1)
	p.number("threads", g.Threads, 1)
	if g.Memory > 0 {
		p.add("memory", (Memory(g.Memory) * MiB).String())
	}
	if len(g.GPUs) == 1 && g.GPUs[0].Type == "" {
		p.number("gpus", g.GPUs[0].Count, 0)
	} else if len(g.GPUs) > 0 {
		var types pairs
		for _, gpu := range g.GPUs {
			types.number(yamlWord(gpu.Type), gpu.Count, 0)
		}
		p.add("gpus", types.flow())
	}
	if len(g.Features) > 0 {
		p.add("features", yamlWords(g.Features))
	}
	p.number("weight", g.Weight, 1)
	if g.Hosts != "" {
		p.add("hosts", fmt.Sprintf("%q", g.Hosts))
	}
	return p
}

func partitionPairs(part layout.Partition) pairs {
	var p pairs
	p.add("name", yamlWord(part.Name))
	p.add("groups", yamlWords(part.Groups))
	if part.Default {
		p.add("default", "true")
	}
	if part.MaxTime > 0 {
		p.add("max_time", minutesOf(part.MaxTime))
	}
	p.number("max_nodes", part.MaxNodes, 0)
	p.number("priority_tier", part.PriorityTier, 1)
	p.number("priority_job_factor", part.PriorityJobFactor, 1)
	var settings pairs
	for _, key := range slices.Sorted(maps.Keys(part.Settings)) {
		settings.add(key, yamlWord(part.Settings[key]))
	}
	if len(settings) > 0 {
		p.add("settings", settings.flow())
	}
	return p
}

// minutesOf is a time as people write it in a machine file: 90m, 24h, 7-00:00:00.
func minutesOf(minutes int) string {
	const day = 24 * 60
	d := time.Duration(minutes) * time.Minute
	switch {
	case minutes > day && minutes%60 == 0:
		return fmt.Sprintf("%d-%02d:00:00", minutes/day, minutes%day/60)
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", minutes/60)
	}
	return fmt.Sprintf("%dm", minutes)
}

func yamlWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = yamlWord(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// yamlWord is a text that YAML reads as a text, in quotes where it would be something else.
func yamlWord(text string) string {
	// What begins with a digit may be a number, such as 1e5.
	if layout.IsWord(text) && (text[0] < '0' || text[0] > '9') && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(text)) {
		return text
	}
	return fmt.Sprintf("%q", text)
}

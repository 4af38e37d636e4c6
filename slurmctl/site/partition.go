package site

import (
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// sitePartition is one of the site's, with the names of its nodes.
type sitePartition struct {
	record
	layout.Partition
	list  string
	hosts map[string]bool
	// closed is a state in which it takes no jobs.
	closed string
}

// partition takes a line PartitionName= of slurm.conf, or a paragraph of "scontrol show
// partition", which has the last word.
func (r *reader) partition(rec record, shown bool) {
	name, _ := rec.value("PartitionName")
	if strings.EqualFold(name, "DEFAULT") {
		r.partitionDefault = append(slices.Clone(rec.pairs[1:]), r.partitionDefault...)
		return
	}
	if !shown {
		rec.pairs = append(slices.Clone(rec.pairs), r.partitionDefault...)
	}
	if !layout.IsWord(name) {
		r.wrong(rec.place, "PartitionName", name, "1..32 of letters, digits, -, _ and ., the first a letter or digit")
	}
	p := &sitePartition{record: rec, Partition: layout.Partition{Name: name}}
	p.list, _ = rec.value("Nodes")
	p.list = values.Text(p.list)
	isDefault, _ := rec.value("Default")
	p.Default = strings.EqualFold(isDefault, "YES")
	p.PriorityTier = r.number(rec, 1, "PriorityTier", "Priority")
	p.PriorityJobFactor = r.number(rec, 1, "PriorityJobFactor", "Priority")
	if text, _ := rec.value("MaxNodes"); text != "" && !isUnlimited(text) {
		p.MaxNodes = r.number(rec, 0, "MaxNodes")
	}
	p.MaxTime = r.minutes(rec, "MaxTime")
	if state, _ := rec.value("State"); state != "" && !strings.EqualFold(state, "UP") {
		p.closed = strings.ToUpper(state)
	}
	i := slices.IndexFunc(r.partitions, func(q *sitePartition) bool { return q.Name == name })
	switch {
	case i < 0:
		r.partitions = append(r.partitions, p)
	case shown:
		r.partitions[i] = p
	default:
		r.wrong(rec.place, "PartitionName", name, "each partition once; "+r.partitions[i].String()+" has it")
	}
}

func isUnlimited(text string) bool {
	return strings.EqualFold(text, "UNLIMITED") || strings.EqualFold(text, "INFINITE")
}

// minutes is a time limit, 0 for none and for those of more than a year, which no job reaches.
func (r *reader) minutes(rec record, key string) int {
	text, _ := rec.value(key)
	if text == "" || isUnlimited(text) || text == "-1" {
		return 0
	}
	limit, ok := values.TimeLimit(text)
	if !ok {
		r.wrong(rec.place, key, text, "UNLIMITED, minutes, or a time such as 7-00:00:00")
		return 0
	}
	if limit > 365*24*time.Hour {
		return 0
	}
	return int(limit / time.Minute)
}

// members finds the nodes of each partition: ALL, hostlists, and names of NodeSet lines.
func (r *reader) members() {
	for _, p := range r.partitions {
		p.hosts = map[string]bool{}
		rec := record{place: p.place}
		for _, item := range splitList(p.list) {
			for _, name := range r.resolve(rec, item) {
				if r.nodes.known[name] == nil {
					r.wrong(p.place, "Nodes", name, "nodes of NodeName (is the file with them missing?)")
					break
				}
				p.hosts[name] = true
			}
		}
	}
}

// resolve is what an item of Nodes= stands for.
func (r *reader) resolve(rec record, item string) []string {
	if strings.EqualFold(item, "ALL") {
		var all []string
		for _, n := range r.nodes.order {
			all = append(all, n.name)
		}
		return all
	}
	for _, set := range r.nodesets {
		if name, _ := set.value("NodeSet"); name != item {
			continue
		}
		var names []string
		if list, ok := set.value("Nodes"); ok {
			names = r.hosts(set, "Nodes", list)
		}
		if feature, ok := set.value("Feature"); ok {
			for _, n := range r.nodes.order {
				if slices.Contains(n.group.Features, feature) {
					names = append(names, n.name)
				}
			}
		}
		return names
	}
	return r.hosts(rec, "Nodes", item)
}

// splitList splits at commas that are in no brackets.
func splitList(list string) []string {
	depth := 0
	return strings.FieldsFunc(list, func(c rune) bool {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		}
		return c == ',' && depth == 0
	})
}

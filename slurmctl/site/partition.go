package site

import (
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// partition is one of the site's, with the names of its nodes.
type partition struct {
	place
	layout.Partition
	list  string
	hosts map[string]bool
	// closed is a state in which it takes no jobs.
	closed string
}

// partitionDefaults are keys of which a machine file has none, with the values that change
// nothing (slurm.conf(5), "PARTITION CONFIGURATION").
func partitionDefaults() map[string][]string {
	const unlimited, no = "UNLIMITED", "NO"
	return map[string][]string{
		"AllowAccounts": {"ALL"}, "AllowGroups": {"ALL"}, "AllowQos": {"ALL"}, "AllowAllocNodes": {"ALL"}, "AllocNodes": {"ALL"}, "Alternate": {"NONE"},
		"DefaultTime": {"NONE"}, "DefCpuPerGPU": {"0"}, "DefMemPerCPU": {unlimited, "0"}, "DefMemPerGPU": {unlimited, "0"}, "DefMemPerNode": {unlimited, "0"},
		"DenyAccounts": {""}, "DenyQos": {""}, "ExclusiveTopo": {no}, "ExclusiveUser": {no}, "GraceTime": {"0"}, "JobDefaults": {"(null)"}, "LLN": {no},
		"MaxCPUsPerNode": {unlimited}, "MaxCPUsPerSocket": {unlimited}, "MaxMemPerCPU": {unlimited, "0"}, "MaxMemPerNode": {unlimited, "0"}, "MinNodes": {"0", "1"},
		"OverSubscribe": {no}, "OverTimeLimit": {"NONE", "0"}, "PreemptMode": {"OFF"}, "QOS": {"N/A"}, "ReqResv": {no}, "RootOnly": {no},
		"SelectTypeParameters": {"NONE"}, "Shared": {no}, "SuspendTime": {"INFINITE", "NONE"}, "TRESBillingWeights": {""}, "Topology": {""},
	}
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
	p := &partition{place: rec.place, Partition: layout.Partition{Name: name}}
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
	r.noteKeys(rec, name)
	i := slices.IndexFunc(r.partitions, func(q *partition) bool { return q.Name == name })
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

// noteKeys says which keys of a partition were left out although they change something.
func (r *reader) noteKeys(rec record, name string) {
	var left []string
	for key, harmless := range partitionDefaults() {
		value, ok := rec.value(key)
		if ok && !slices.ContainsFunc(append(harmless, ""), func(h string) bool { return strings.EqualFold(h, value) }) {
			left = append(left, key+"="+value)
		}
	}
	slices.Sort(left)
	if len(left) > 0 {
		r.note("partition %s: left out are %s", name, strings.Join(left, " "))
	}
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

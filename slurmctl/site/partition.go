package site

import (
	"slices"
	"strconv"
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
	rec = r.plainFlags(rec)
	if strings.EqualFold(name, "DEFAULT") {
		r.partitionDefault = instead(byDefault(rec.fileLine, inherited(rec.pairs[1:])), r.partitionDefault)
		return
	}
	if !shown {
		rec.pairs = append(rec.pairs, r.partitionDefault...)
	}
	rec = r.plainExclusive(rec)
	if !layout.IsWord(name) {
		r.wrong(rec.at("PartitionName"), "PartitionName", name, layout.WordRule)
	}
	p := &sitePartition{record: rec, Partition: layout.Partition{Name: name}}
	p.list, _ = rec.value("Nodes")
	p.list = strings.Join(strings.Fields(values.Text(p.list)), ",")
	p.Default = rec.isOn("Default")
	p.PriorityTier = r.number(rec, 1, "Priority", "PriorityTier")
	p.PriorityJobFactor = r.number(rec, 1, "Priority", "PriorityJobFactor")
	if text, _ := rec.value("MaxNodes"); text != "" && !isUnlimited(text) {
		p.MaxNodes = r.number(rec, 0, "MaxNodes")
	}
	p.MaxTime = r.minutes(rec, "MaxTime")
	p.closed = r.closed(rec)
	r.addPartition(p, shown)
}

// addPartition puts a partition in the place of one that scontrol shows. The last default partition is the one
// (_build_single_partitionline_info in src/slurmctld/read_config.c).
func (r *reader) addPartition(p *sitePartition, shown bool) {
	if p.Default {
		for _, q := range r.partitions {
			q.Default = false
		}
	}
	i, known := r.places[p.Name]
	switch {
	case !known:
		r.places[p.Name] = len(r.partitions)
		r.partitions = append(r.partitions, p)
	case shown:
		r.partitions[i] = p
	default:
		r.wrong(p.fileLine, "PartitionName", p.Name, "each partition once; "+r.partitions[i].String()+" has it")
	}
}

// closed is the state of a partition that takes no jobs, of which Slurm reads the beginning (_parse_partitionname in
// src/common/read_config.c).
func (r *reader) closed(rec record) string {
	text, _ := rec.value("State")
	state := strings.ToUpper(text)
	if state == "" || strings.HasPrefix(state, "UP") {
		return ""
	}
	if !slices.ContainsFunc([]string{"DOWN", "DRAIN", "INACTIVE"}, func(s string) bool { return strings.HasPrefix(state, s) }) {
		r.wrong(rec.at("State"), "State", text, "UP, DOWN, DRAIN or INACTIVE")
	}
	return state
}

const yes, no = "YES", "NO"

// flags are the keys of partitions that Slurm reads as booleans.
func flags() []string {
	return []string{"Default", "DisableRootJobs", "ExclusiveUser", "ExclusiveTopo", "Hidden", "LLN", "PowerDownOnIdle", "ReqResv", "RootOnly"}
}

// plainFlags returns a record of a partition with booleans as YES and NO (s_p_handle_boolean in src/common/parse_value.c).
func (r *reader) plainFlags(rec record) record {
	rec.pairs = slices.Clone(rec.pairs)
	for i, p := range rec.pairs {
		if !slices.ContainsFunc(flags(), func(key string) bool { return strings.EqualFold(key, p.key) }) {
			continue
		}
		switch strings.ToLower(p.value) {
		case "yes", "up", "true", "1":
			rec.pairs[i].value = yes
		case "no", "down", "false", "0":
			rec.pairs[i].value = no
		default:
			r.wrong(rec.fileLine, p.key, p.value, "yes, up, true or 1, or else no, down, false or 0")
		}
	}
	return rec
}

// plainExclusive writes Exclusive as the keys before Slurm 26.05 (_parse_partitionname).
func (r *reader) plainExclusive(rec record) record {
	text, ok := rec.value(exclusiveKey)
	if !ok {
		return rec
	}
	without := func(key string) {
		rec.pairs = slices.DeleteFunc(rec.pairs, func(p pair) bool { return strings.EqualFold(p.key, key) })
	}
	instead := func(key, value string) {
		without(key)
		rec.pairs = append(rec.pairs, pair{key: key, value: value})
	}
	without("ExclusiveUser")
	without("ExclusiveTopo")
	switch strings.ToUpper(text) {
	case no, "NONE":
		if shared, _ := rec.value(overSubscribe, "Shared"); strings.EqualFold(shared, layout.WholeNodes) {
			instead(overSubscribe, no)
		}
	case "NODE":
		instead(overSubscribe, layout.WholeNodes)
	case "USER":
		instead("ExclusiveUser", yes)
	case "TOPO":
		instead(overSubscribe, layout.WholeNodes)
		instead("ExclusiveTopo", yes)
	default:
		r.wrong(rec.at(exclusiveKey), exclusiveKey, text, "NO, NODE, USER or TOPO")
	}
	return rec
}

const exclusiveKey, overSubscribe = "Exclusive", "OverSubscribe"

// inherited are the pairs of PartitionName=DEFAULT that other partitions get: _parse_partitionname looks for a few keys in the
// partition's own line alone.
func inherited(pairs []pair) []pair {
	own := []string{"DisableRootJobs", "ExclusiveUser", "ExclusiveTopo", "PowerDownOnIdle", "SelectTypeParameters", "SuspendTime"}
	return slices.DeleteFunc(slices.Clone(pairs), func(p pair) bool {
		return slices.ContainsFunc(own, func(key string) bool { return strings.EqualFold(key, p.key) })
	})
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
		r.wrong(rec.at(key), key, text, "UNLIMITED, minutes, or a time such as 7-00:00:00")
		return 0
	}
	if limit > 365*24*time.Hour {
		return 0
	}
	return int(limit / time.Minute)
}

// members finds the nodes of each partition: ALL, hostlists, and names of NodeSet lines.
func (r *reader) members() {
	for _, set := range r.sets {
		name, _ := set.value("NodeSet")
		if n := r.nodes.known[name]; n != nil {
			// slurmctld does not start: "NodeSet with name %s overlaps with an existing NodeName" (_validate_conf_nodeset_vs_nodenames
			// in src/common/read_config.c).
			r.wrong(set.fileLine, "NodeSet", name, "a name that no node has, and "+n.String()+" has a node of it")
		}
	}
	for _, p := range r.partitions {
		p.hosts = map[string]bool{}
		var unknown []string
		rec := record{fileLine: p.fileLine}
		for _, name := range r.resolve(rec, p.list) {
			if r.nodes.known[name] == nil {
				unknown = append(unknown, name)
				continue
			}
			p.hosts[name] = true
		}
		r.unknown(p, unknown)
	}
}

// unknown leaves out the nodes of a partition that no file describes, if these are FUTURE nodes. "scontrol show partition" names FUTURE
// nodes, and TotalNodes does not count them (build_part_bitmap in src/slurmctld/partition_mgr.c). "scontrol show node" needs --future to show them.
func (r *reader) unknown(p *sitePartition, names []string) {
	if len(names) == 0 {
		return
	}
	known := 0
	for name := range p.hosts {
		if r.nodes.known[name].absent == "" {
			known++
		}
	}
	if total, shown := p.value("TotalNodes"); shown && total == strconv.Itoa(known) {
		r.note("partition %s: left out are %s, which TotalNodes=%s does not count: FUTURE nodes", p.Name, values.CompressHosts(names), total)
		return
	}
	if _, isSet := r.setNumbers[names[0]]; isSet {
		r.wrong(p.fileLine, "Nodes", names[0], "each NodeSet once, and only in lines above its own: Slurm replaces each once, in the order of the file")
		return
	}
	r.wrong(p.fileLine, "Nodes", names[0], "nodes of NodeName (is the file with them missing?)")
}

// resolve is what a list of Nodes= stands for: all nodes, or a hostlist in which NodeSets stand for theirs. As nodespec_to_hostlist in
// src/slurmctld/read_config.c does, it replaces each NodeSet once, in the order of their lines: one that a later line names stays a name.
func (r *reader) resolve(rec record, list string) []string {
	if strings.EqualFold(list, allNodes) {
		return names(r.nodes.order)
	}
	var all []string
	// due has the numbers of the sets to replace, in their order.
	var due []int
	take := func(hosts []string, after int) {
		for _, name := range hosts {
			number, ok := r.setNumbers[name]
			at, twice := slices.BinarySearch(due, number)
			if !ok || number <= after || twice {
				all = append(all, name)
				continue
			}
			due = slices.Insert(due, at, number)
		}
	}
	take(r.listed(rec, list), -1)
	for len(due) > 0 {
		number := due[0]
		due = due[1:]
		take(r.inSet(r.sets[number]), number)
	}
	return all
}

// allNodes is a list of Nodes= that stands for all nodes.
const allNodes = "ALL"

// inSet are the nodes of a NodeSet line: those with its feature, and its list, which may have other sets.
func (r *reader) inSet(set record) []string {
	var all []string
	if feature, ok := set.value("Feature"); ok {
		for _, n := range r.nodes.order {
			if slices.Contains(n.group.Features, feature) {
				all = append(all, n.name)
			}
		}
	}
	switch list, _ := set.value("Nodes"); {
	case strings.EqualFold(list, allNodes):
		all = append(all, names(r.nodes.order)...)
	default:
		all = append(all, r.listed(set, list)...)
	}
	return all
}

// listed are the names in a list of Nodes=, none in an empty one. Slurm passes over commas without a name (hostlist_create).
func (r *reader) listed(rec record, list string) []string {
	if list = strings.Join(splitList(list), ","); list == "" {
		return nil
	}
	return r.hosts(rec, "Nodes", list)
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

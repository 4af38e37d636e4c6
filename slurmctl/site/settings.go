package site

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// partitionDefaults are the keys of partitions that are no fields of layout.Partition, with the values that change
// nothing (slurm.conf(5), "PARTITION CONFIGURATION").
func partitionDefaults() map[string][]string {
	const unlimited = "UNLIMITED"
	return map[string][]string{
		"AllowAccounts": {"ALL"}, "AllowGroups": {"ALL"}, "AllowQos": {"ALL"}, "AllowAllocNodes": {"ALL"}, "AllocNodes": {"ALL"}, "Alternate": {"NONE"},
		"DefaultTime": {"NONE"}, "DefCpuPerGPU": {"0"}, "DefMemPerCPU": {unlimited, "0"}, "DefMemPerGPU": {unlimited, "0"}, "DefMemPerNode": {unlimited, "0"},
		"DenyAccounts": {""}, "DenyQos": {""}, "ExclusiveTopo": {no}, "ExclusiveUser": {no}, "GraceTime": {"0"}, "JobDefaults": {"(null)"}, "LLN": {no},
		"MaxCPUsPerNode": {unlimited}, "MaxCPUsPerSocket": {unlimited}, "MaxMemPerCPU": {unlimited, "0"}, "MaxMemPerNode": {unlimited, "0"}, "MinNodes": {"0", "1"},
		overSubscribe: {no}, "OverTimeLimit": {"NONE", "0"}, "PreemptMode": {"OFF"}, "QOS": {"N/A"}, "ReqResv": {no}, "RootOnly": {no},
		"SelectTypeParameters": {"NONE"}, "SuspendTime": {"INFINITE", "NONE"}, "TRESBillingWeights": {""}, "Topology": {""},
	}
}

// partitionSettings gives the partitions of the layout the settings that a machine file has a key for. The layout has
// its QOS and accounts. A setting that is left out and changes something becomes a note.
func (r *reader) partitionSettings(l *layout.Layout) {
	harmless := partitionDefaults()
	harmless["PreemptMode"] = r.preemption()
	for i := range l.Partitions {
		p := &l.Partitions[i]
		at := slices.IndexFunc(r.partitions, func(q *sitePartition) bool { return q.Name == p.Name })
		r.partitions[at].record = r.heeded(p.Name, r.partitions[at].record)
		var left []string
		for _, key := range slices.Sorted(maps.Keys(harmless)) {
			value, ok := r.partitions[at].value(append([]string{key}, otherKeys(key)...)...)
			if key == overSubscribe && r.linear() && (!ok || strings.EqualFold(value, no)) {
				r.note("SelectType=%s gives each job whole nodes: so do partitions that do not share theirs (OverSubscribe=%s)", linear, layout.WholeNodes)
				value, ok = layout.WholeNodes, true
			}
			if !ok || slices.ContainsFunc(append(harmless[key], ""), func(h string) bool { return strings.EqualFold(h, value) }) || key == "Topology" && r.hasTopology(p.Name, value) {
				continue
			}
			kept, rest := fitting(*l, key, value)
			if kept != "" {
				if p.Settings == nil {
					p.Settings = map[string]string{}
				}
				p.Settings[key] = r.cpusOf(*l, "settings of partition "+p.Name, p.Groups...).setting(key, kept)
			}
			if rest != "" {
				left = append(left, key+"="+rest)
			}
		}
		if len(left) > 0 {
			r.note("partition %s: left out are %s", p.Name, strings.Join(left, " "))
		}
	}
}

// linear is the plug-in of SelectType that allocates whole nodes.
const linear = "select/linear"

func (r *reader) linear() bool { return strings.EqualFold(r.setting("SelectType").value, linear) }

// heeded is a record of a partition without the keys that Slurm ignores beside others (_parse_partitionname in
// src/common/read_config.c).
func (r *reader) heeded(partition string, rec record) record {
	for _, pair := range [][2]string{{"DefMemPerNode", "DefMemPerCPU"}, {"MaxMemPerNode", "MaxMemPerCPU"}, {layout.AllowAccounts, layout.DenyAccounts}, {layout.AllowQOS, layout.DenyQOS}} {
		first, ok := rec.value(pair[0])
		second, also := rec.value(pair[1])
		if ok && also && !strings.EqualFold(first, "ALL") {
			r.note("partition %s: %s=%s is left out, as Slurm ignores it beside %s", partition, pair[1], second, pair[0])
			rec.pairs = without(rec.pairs, pair[1])
		}
	}
	return rec
}

// otherKeys are further names of a key of partitions.
func otherKeys(key string) []string {
	if key == overSubscribe {
		return []string{"Shared"}
	}
	return nil
}

// preemption are the values of PreemptMode of a partition that change nothing: without one, the cluster's holds
// (slurm_conf_partition_t.preempt_mode is NO_VAL16 in src/common/read_config.c).
func (r *reader) preemption() []string {
	var modes []string
	for _, mode := range splitList(r.setting("PreemptMode").value) {
		if !strings.EqualFold(mode, "GANG") {
			modes = append(modes, mode)
		}
	}
	if len(modes) == 0 {
		return []string{"OFF"}
	}
	return []string{strings.Join(modes, ",")}
}

// fitting splits the value of a key into what a partition of the layout can have and what it cannot: names that the
// layout lacks, and amounts of memory where it has none.
func fitting(l layout.Layout, key, value string) (kept, left string) {
	var known func(name string) bool
	switch key {
	case layout.PartitionQOS, layout.AllowQOS, layout.DenyQOS:
		known = func(name string) bool { return len(l.QOS) > 0 && slices.Contains(l.QOSNames(), name) }
	case layout.AllowAccounts, layout.DenyAccounts:
		known = func(name string) bool {
			_, ok := l.FindAccount(sbatch.NameOf(name))
			return ok || len(l.Accounts) > 0 && name == layout.RootAccount
		}
	case overSubscribe:
		if strings.EqualFold(value, layout.WholeNodes) {
			return layout.WholeNodes, ""
		}
		return "", value
	default:
		if n, ok := unsigned(value); layout.IsNumeric(key) {
			if !ok {
				return "", value
			}
			value = strconv.Itoa(n)
		}
		if !slices.Contains(layout.PartitionKeys(), key) || strings.Contains(key, "Mem") && l.MemoryPerCore() == 0 || strings.ContainsAny(value, " \t") {
			return "", value
		}
		return value, ""
	}
	var in, out []string
	for _, name := range splitList(value) {
		if low := strings.ToLower(name); known(low) {
			in = append(in, sbatch.NameOf(low))
		} else {
			out = append(out, name)
		}
	}
	return strings.Join(in, ","), strings.Join(out, ",")
}

// schedulingKeys are the beginnings of the keys of slurm.conf that decide who runs when and
// where, and that a machine file does not have.
func schedulingKeys() []string {
	return []string{
		"AccountingStorageEnforce", "AllowSpecResourcesUsage", "BatchStartTimeout", "BurstBufferType", "CompleteWait", "DefCpuPerGPU",
		"DefMemPer", "DependencyParameters", "EnforcePartLimits", "FairShareDampeningFactor", "JobRequeue", "KillWait", "LicenseParameters",
		"MaxArraySize", "MaxJobCount", "MaxMemPer", "MaxNodeCount", "MaxTasksPerNode", "MCS", "NodeFeaturesPlugins", "OverTimeLimit", "Preempt",
		"Priority", "RequeueExit", "ResumeProgram", "ResvOverRun", "SchedulerParameters", "SchedulerTimeSlice", "SchedulerType", "SelectType",
		"SuspendProgram", "TopologyParam", topologyKey,
	}
}

// IsScheduling says whether a key begins as one of schedulingKeys.
func IsScheduling(key string) bool {
	return slices.ContainsFunc(schedulingKeys(), func(k string) bool { return len(key) >= len(k) && strings.EqualFold(key[:len(k)], k) })
}

// submission is the site's job_submit.lua, if slurm.conf says that slurmctld has it, or does not say what it has.
func (r *reader) submission() string {
	const key = "JobSubmitPlugins"
	plugins, lua := r.setting(key), false
	for _, name := range splitList(plugins.value) {
		switch name = strings.TrimPrefix(strings.ToLower(name), "job_submit/"); {
		case name != "lua":
			r.note("%s=%s: left out, what it does to jobs is not done", key, name)
		case r.jobSubmit == "":
			r.note("%s=lua: left out, as no job_submit.lua is among the files", key)
		default:
			lua = true
		}
	}
	if r.jobSubmit != "" && !lua && plugins.value != "" {
		r.note("job_submit.lua: left out, as %s of slurm.conf does not have lua", key)
	}
	if plugins.value == "" || lua {
		return r.jobSubmit
	}
	return ""
}

// scheduling are the settings of the whole cluster that decide who runs when and where, but for those that all
// clusters of slurmlab have, and those that became rules. select/linear became a setting of the partitions, and the plug-in of the topology
// follows from the switches or blocks.
func (r *reader) scheduling(c Cluster) []ConfLine {
	same := []string{"SchedulerType=sched/backfill", "SelectType=select/cons_tres", "SelectType=" + linear, "SelectTypeParameters=CR_Core_Memory"}
	has := flat
	switch {
	case c.LeafNodes > 0 || len(c.Switches) > 0:
		has = tree
	case len(c.Blocks) > 0:
		has = block
	}
	var list []ConfLine
	for _, s := range r.settings {
		if strings.EqualFold(s.key, topologyKey) && (r.topology != "" || r.topologyPlugin() == has) {
			continue
		}
		common := slices.ContainsFunc(same, func(line string) bool { return strings.EqualFold(line, s.key+"="+s.value) })
		ruled := r.hasRules() && slices.ContainsFunc(ruleSettings(), func(key string) bool { return strings.EqualFold(key, s.key) })
		if !IsScheduling(s.key) || !isKeyOfSlurm(s.key) || common || ruled {
			continue
		}
		list = slices.DeleteFunc(list, func(other ConfLine) bool { return strings.EqualFold(other.Key, s.key) })
		list = append(list, ConfLine{s.key, s.value})
	}
	cpus := r.cpusOf(c.Layout, "settings of the cluster")
	for i, s := range list {
		list[i].Value = cpus.setting(s.Key, s.Value)
	}
	slices.SortFunc(list, func(a, b ConfLine) int { return strings.Compare(strings.ToLower(a.Key), strings.ToLower(b.Key)) })
	return list
}

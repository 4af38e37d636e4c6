package site

import (
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// partitionDefaults are the keys of partitions that are no fields of layout.Partition, with the values that change
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

// partitionSettings gives the partitions of the layout, which has its QOS and accounts, the settings that a machine file
// has a key for, and says which ones were left out although they change something.
func (r *reader) partitionSettings(l *layout.Layout) {
	for i := range l.Partitions {
		p := &l.Partitions[i]
		at := slices.IndexFunc(r.partitions, func(q *sitePartition) bool { return q.Name == p.Name })
		var left []string
		for key, harmless := range partitionDefaults() {
			value, ok := r.partitions[at].value(key)
			if !ok || slices.ContainsFunc(append(harmless, ""), func(h string) bool { return strings.EqualFold(h, value) }) {
				continue
			}
			kept, rest := fitting(*l, key, value)
			if kept != "" {
				if p.Settings == nil {
					p.Settings = map[string]string{}
				}
				p.Settings[key] = kept
			}
			if rest != "" {
				left = append(left, key+"="+rest)
			}
		}
		slices.Sort(left)
		if len(left) > 0 {
			r.note("partition %s: left out are %s", p.Name, strings.Join(left, " "))
		}
	}
}

// fitting is what a partition of the layout can have of the value of a key, and what it cannot: names that the layout has not,
// and amounts of memory where it has none.
func fitting(l layout.Layout, key, value string) (kept, left string) {
	var known func(name string) bool
	switch key {
	case layout.PartitionQOS, layout.AllowQOS, layout.DenyQOS:
		known = func(name string) bool { return len(l.QOS) > 0 && slices.Contains(l.QOSNames(), name) }
	case layout.AllowAccounts, layout.DenyAccounts:
		known = func(name string) bool {
			_, ok := l.FindAccount(name)
			return ok || len(l.Accounts) > 0 && name == layout.RootAccount
		}
	default:
		if !slices.Contains(layout.PartitionKeys(), key) || strings.Contains(key, "Mem") && l.MemoryPerCore() == 0 || strings.ContainsAny(value, " \t") {
			return "", value
		}
		return value, ""
	}
	var in, out []string
	for _, name := range splitList(value) {
		if low := strings.ToLower(name); known(low) {
			in = append(in, low)
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
		"AccountingStorageEnforce", "BatchStartTimeout", "DefMemPer", "DefCpuPerGPU", "DependencyParameters", "EnforcePartLimits", "FairShareDampeningFactor",
		"JobRequeue", "KillWait", "MaxArraySize", "MaxJobCount", "MaxMemPer", "OverTimeLimit", "Preempt", "Priority", "ResumeProgram",
		"ResvOverRun", "SchedulerParameters", "SchedulerTimeSlice", "SchedulerType", "SelectType", "SuspendProgram", "TopologyParam", "TopologyPlugin",
	}
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
// clusters of slurmlab have, and those that became rules.
func (r *reader) scheduling() []Setting {
	same := []string{"SchedulerType=sched/backfill", "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core_Memory"}
	var list []Setting
	for _, s := range r.settings {
		decides := slices.ContainsFunc(schedulingKeys(), func(key string) bool { return len(s.key) >= len(key) && strings.EqualFold(s.key[:len(key)], key) })
		common := slices.ContainsFunc(same, func(line string) bool { return strings.EqualFold(line, s.key+"="+s.value) })
		ruled := r.hasRules() && slices.ContainsFunc(ruleSettings(), func(key string) bool { return strings.EqualFold(key, s.key) })
		if !decides || common || ruled {
			continue
		}
		list = slices.DeleteFunc(list, func(other Setting) bool { return strings.EqualFold(other.Key, s.key) })
		list = append(list, Setting{s.key, s.value})
	}
	slices.SortFunc(list, func(a, b Setting) int { return strings.Compare(a.Key, b.Key) })
	return list
}

package site

import (
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Fate is what Read makes of a key of slurm.conf.
type Fate string

// The fates of keys. Notes name what is LeftOut.
const (
	Kept     Fate = "kept"
	Changed  Fate = "kept, changed"
	NoEffect Fate = "without effect in an emulation"
	LeftOut  Fate = "left out, and named"
)

// Key is a key of slurm.conf, and what becomes of it.
type Key struct {
	Name string
	Fate Fate
	// How says where it is kept, how it is changed, or why it has no effect.
	How string
}

// NodeKeys are the keys of NodeName lines (_nodename_options in src/common/read_config.c).
func NodeKeys() []Key {
	const shape, host, power = "cores, sockets and threads of a group", "nodes are emulated in one container", "emulated nodes are always on"
	return []Key{
		{"NodeName", Kept, "hosts of a group"}, {"BcastAddr", NoEffect, host}, {"Boards", Kept, shape},
		{"CoreSpecCount", Changed, "subtracted from the cores"}, {"CoresPerSocket", Kept, shape}, {"CPUs", Kept, shape},
		{"CPUSpecList", Changed, "subtracted from the cores"}, {"CpuBind", NoEffect, "jobs compute nothing"}, {"Feature", Kept, "features"}, {"Features", Kept, "features"},
		{"Gres", Changed, "GPUs and their shards or MPS are kept; notes name other resources"}, {"GresConf", NoEffect, "emulated GPUs have no devices"},
		{"MemSpecLimit", Changed, "subtracted from the memory"}, {"NodeAddr", NoEffect, host}, {"NodeHostname", NoEffect, host},
		{"Parameters", NoEffect, host}, {"Port", NoEffect, host}, {"Procs", Kept, shape}, {"RealMemory", Kept, "memory"},
		{"Reason", Kept, "reason of a node out of service"}, {"RestrictedCoresPerGPU", LeftOut, ""}, {"Sockets", Kept, shape}, {"SocketsPerBoard", Kept, shape},
		{"State", Changed, "down_nodes; FUTURE nodes are left out, and CLOUD nodes are on"}, {"SuspendTime", NoEffect, power}, {"ThreadsPerCore", Kept, shape},
		{"TmpDisk", NoEffect, "jobs write nothing"}, {"Topology", Kept, "switches or blocks"}, {"TRESWeights", NoEffect, "Slurm does not schedule by it"},
		{"Weight", Kept, "weight"},
	}
}

// PartitionKeys are the keys of PartitionName lines (_partition_options in src/common/read_config.c).
func PartitionKeys() []Key {
	const power = "emulated nodes are always on"
	fields := []Key{
		{"PartitionName", Kept, "name"}, {"Nodes", Kept, "groups"}, {"Default", Kept, "default"}, {"MaxTime", Kept, "max_time"}, {"MaxNodes", Kept, "max_nodes"},
		{"Priority", Kept, "priority_tier and priority_job_factor"}, {"PriorityJobFactor", Kept, "priority_job_factor"}, {"PriorityTier", Kept, "priority_tier"},
		{"State", Changed, "partitions that are not UP are left out"}, {overSubscribe, Changed, "EXCLUSIVE is kept; other values are left out, and named"},
		{"Shared", Changed, "as OverSubscribe"}, {exclusiveKey, Changed, "as OverSubscribe, ExclusiveUser and ExclusiveTopo"},
		{"CpuBind", NoEffect, "jobs compute nothing"}, {"DisableRootJobs", NoEffect, "slurmlab may submit jobs as root"}, {"Hidden", NoEffect, "it decides what commands show"},
		{"PowerDownOnIdle", NoEffect, power}, {"ResumeTimeout", NoEffect, power}, {"SuspendTimeout", NoEffect, power},
	}
	known := func(name string) bool {
		return slices.ContainsFunc(fields, func(k Key) bool { return strings.EqualFold(k.Name, name) })
	}
	const settings = "settings of the partition"
	for _, name := range layout.PartitionKeys() {
		switch {
		case known(name):
		case countsCPUs(name):
			fields = append(fields, Key{name, Changed, settings + inCores})
		default:
			fields = append(fields, Key{name, Kept, settings})
		}
	}
	for name := range partitionDefaults() {
		// JobDefaults is how scontrol prints other keys; AllowAllocNodes is an older name.
		if !known(name) && name != "JobDefaults" && name != "AllowAllocNodes" {
			fields = append(fields, Key{name, LeftOut, ""})
		}
	}
	slices.SortFunc(fields[1:], func(a, b Key) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return fields
}

// inCores ends the fate of a key whose value counts CPUs.
const inCores = ", converted to cores where a CPU is a thread"

// ClusterKeys are the keys of the whole cluster that Read takes over or converts, all others being settings of a policy at most.
func ClusterKeys() []Key {
	const weight = "priority_weights if QOS or accounts are imported, otherwise policy"
	return []Key{
		{"AccountingStorageEnforce", Changed, "its words limits and qos decide which rules of sacctmgr are imported"}, {"ClusterName", Kept, "name"},
		{"DefCPUPerGPU", Changed, "policy" + inCores}, {"DefMemPerCPU", Changed, "policy" + inCores}, {"MaxMemPerCPU", Changed, "policy" + inCores},
		{"DownNodes", Kept, "down_nodes"}, {"JobSubmitPlugins", Changed, "lua becomes job_submit; other plug-ins are left out, and named"}, {"Licenses", Kept, "licenses"},
		{"NodeName", Kept, "groups"}, {"NodeSet", Kept, "groups of partitions"}, {"PartitionName", Kept, "partitions"},
		{"PriorityWeightFairshare", Kept, weight}, {"PriorityWeightQOS", Kept, weight},
		{"SelectType", Changed, "select/linear becomes OverSubscribe=EXCLUSIVE of the partitions"},
		{topologyKey, Changed, "it follows from the switches or blocks of the machine; other topologies are left out, and named"},
		{"GresTypes", Changed, "GPUs and their shards or MPS are kept; notes name other resources"},
	}
}

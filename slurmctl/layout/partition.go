package layout

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Partition is slurm.conf's.
type Partition struct {
	Name string `json:"name" about:"{Word}" need:"yes" of:"word"`
	// Groups are the names of the groups whose nodes it has.
	Groups  []string `json:"groups" about:"list of names of groups" need:"yes" of:"word" range:"1..{MaxGroups}"`
	Default bool     `json:"default,omitempty" about:"'true' for the partition of jobs that name none; one that is alone is the default"`
	// MaxTime is the longest time limit in minutes, 0 for any.
	MaxTime int `json:"max_time_min,omitempty" yaml:"max_time" as:"minutes" about:"longest time limit in whole minutes, such as '24h' or '1-00:00:00'; any without it"`
	// MaxNodes is the most nodes of a job, 0 for any.
	MaxNodes          int `json:"max_nodes,omitempty" about:"most nodes of a job, 0 for any" default:"0" range:"0..{MaxNodes}"`
	PriorityTier      int `json:"priority_tier" about:"PriorityTier of slurm.conf(5)" default:"1" range:"0..{MaxTier}"`
	PriorityJobFactor int `json:"priority_job_factor" about:"PriorityJobFactor of slurm.conf(5)" default:"1" range:"0..{MaxTier}"`
	// Settings are further ones of its line in slurm.conf, by their keys there, which
	// PartitionKeys lists.
	Settings map[string]string `json:"settings,omitempty" about:"further settings of its line in slurm.conf(5), by their keys there: {PartitionKeys}" as:"settings"`
}

// Keys of Settings that more than Slurm has to know.
const (
	PartitionQOS  = "QOS"
	AllowAccounts = "AllowAccounts"
	DenyAccounts  = "DenyAccounts"
	AllowQOS      = "AllowQos"
	DenyQOS       = "DenyQos"
	overSubscribe = "OverSubscribe"
	minNodes      = "MinNodes"
	maxCPUs       = "MaxCPUsPerNode"
	maxMemPerCPU  = "MaxMemPerCPU"
	maxMemPerNode = "MaxMemPerNode"
)

// partitionKey is a key of Partition.Settings.
type partitionKey struct {
	name string
	// of says what its values are.
	of valueKind
	// unknown says that an agent cannot keep to it.
	unknown bool
}

// WholeNodes is the value of OverSubscribe by which each job of a partition gets whole nodes.
const WholeNodes = "EXCLUSIVE"

// preemptMode is PreemptMode, of which agents keep to OFF: they preempt nothing.
const preemptMode, preemptOff = "PreemptMode", "OFF"

// valueKind is what values of a key are.
type valueKind int

const (
	text     valueKind = iota
	count              // a whole number from 1
	memory             // MiB
	qos                // a QOS of the layout
	qosList            // several, with commas between them
	accounts           // accounts of the layout, or root
	sharing            // WholeNodes
)

// partitionKeys are the keys of slurm.conf(5), "PARTITION CONFIGURATION", that a partition can
// have beside those with a field of their own. AllowGroups, AllocNodes and RootOnly are about people at a
// terminal, State closes a partition, which then stands in no layout. OverSubscribe has one value
// beside its default, by which jobs share no node; placements are checked against jobs that share no core.
func partitionKeys() []partitionKey {
	return []partitionKey{
		{name: AllowAccounts, of: accounts}, {name: AllowQOS, of: qosList},
		{name: "DefMemPerCPU", of: memory, unknown: true}, {name: "DefMemPerNode", of: memory, unknown: true}, {name: "DefaultTime"},
		{name: DenyAccounts, of: accounts}, {name: DenyQOS, of: qosList},
		{name: "ExclusiveUser", unknown: true}, {name: "GraceTime", of: count}, {name: "LLN", unknown: true},
		{name: maxCPUs, of: count, unknown: true}, {name: "MaxCPUsPerSocket", of: count, unknown: true},
		{name: maxMemPerCPU, of: memory}, {name: maxMemPerNode, of: memory}, {name: minNodes, of: count, unknown: true},
		{name: overSubscribe, of: sharing}, {name: "OverTimeLimit", of: count}, {name: preemptMode, unknown: true}, {name: PartitionQOS, of: qos},
		{name: "SelectTypeParameters", unknown: true}, {name: "TRESBillingWeights"},
	}
}

// PartitionKeys are the keys that Partition.Settings can have.
func PartitionKeys() []string {
	var names []string
	for _, k := range partitionKeys() {
		names = append(names, k.name)
	}
	return names
}

// SettingsLine are the settings as they stand in slurm.conf, each with a blank before it.
func (p Partition) SettingsLine() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(p.Settings)) {
		fmt.Fprintf(&b, " %s=%s", key, p.Settings[key])
	}
	return b.String()
}

// names says that the values of a key are those of QOS or accounts.
func (k partitionKey) names() bool { return k.of == accounts || k.of == qos || k.of == qosList }

// Unnamed is the layout without the settings of partitions that name QOS or accounts. slurmctld does not start with a
// QOS that the accounting lacks. The accounting takes limits on GPUs only after a slurmctld has reported the GPUs to
// it.
func (l Layout) Unnamed() Layout {
	l.Partitions = slices.Clone(l.Partitions)
	for i := range l.Partitions {
		p := &l.Partitions[i]
		p.Settings = maps.Clone(p.Settings)
		for _, k := range partitionKeys() {
			if k.names() {
				delete(p.Settings, k.name)
			}
		}
	}
	return l
}

// Rename puts other names in the place of the QOS and accounts in the settings, which it changes.
func (p Partition) Rename(qosName, account func(string) string) {
	for _, k := range partitionKeys() {
		rename := qosName
		if k.of == accounts {
			rename = account
		}
		names := p.list(k.name)
		if !k.names() || names == nil {
			continue
		}
		for i, n := range names {
			names[i] = rename(n)
		}
		p.Settings[k.name] = strings.Join(names, ",")
	}
}

// number is the value of a setting that is a number, 0 without it.
func (p Partition) number(key string) int {
	n, _ := strconv.Atoi(p.Settings[key])
	return n
}

// list are the names of a setting, nil without it.
func (p Partition) list(key string) []string {
	if p.Settings[key] == "" {
		return nil
	}
	return strings.Split(p.Settings[key], ",")
}

// MinNodes is the least nodes of a job, 0 for any.
func (p Partition) MinNodes() int { return p.number(minNodes) }

// MaxCPUsPerNode are the most cores of a node that jobs of the partition have, 0 for all.
func (p Partition) MaxCPUsPerNode() int { return p.number(maxCPUs) }

// GivesWholeNodes says that jobs of the partition share no node.
func (p Partition) GivesWholeNodes() bool { return p.Settings[overSubscribe] == WholeNodes }

// IsNumeric says whether the value of a key of Settings is a whole number.
func IsNumeric(key string) bool {
	return slices.ContainsFunc(partitionKeys(), func(k partitionKey) bool { return k.name == key && (k.of == count || k.of == memory) })
}

// MaxMemory are the most MiB of a job for each core and on each node, 0 for any.
func (p Partition) MaxMemory() (perCPU, perNode int) {
	return p.number(maxMemPerCPU), p.number(maxMemPerNode)
}

// AdmitsAccount says whether jobs of an account may be in the partition. Slurm looks at DenyAccounts only
// without AllowAccounts (slurm.conf(5)), and takes those below an account with it.
func (l Layout) AdmitsAccount(p Partition, account string) bool {
	line := []string{account}
	for _, a := range l.Line(account) {
		line = append(line, a.Name)
	}
	line = append(line, RootAccount)
	among := func(names []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(line, n) })
	}
	if allowed := p.list(AllowAccounts); allowed != nil {
		return among(allowed)
	}
	return !among(p.list(DenyAccounts))
}

// AdmitsQOS says whether jobs of a QOS may be in the partition.
func (p Partition) AdmitsQOS(name string) bool {
	if allowed := p.list(AllowQOS); allowed != nil {
		return slices.Contains(allowed, name)
	}
	return !slices.Contains(p.list(DenyQOS), name)
}

// settings checks the settings of a partition.
func (c *checker) settings(path string, p Partition, l Layout) {
	keys := partitionKeys()
	for _, name := range slices.Sorted(maps.Keys(p.Settings)) {
		field, value := path+".settings."+name, p.Settings[name]
		at := slices.IndexFunc(keys, func(k partitionKey) bool { return k.name == name })
		if at < 0 {
			c.fail(field, "got an unknown setting", strings.Join(PartitionKeys(), ", "))
			continue
		}
		if value == "" || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'#\`, r) }) {
			c.fail(field, fmt.Sprintf("got %.40q", value), "printable ASCII characters without blanks, quotes, # and \\")
			continue
		}
		c.settingValue(field, value, keys[at].of, l)
	}
	for _, pair := range [][2]string{{AllowAccounts, DenyAccounts}, {AllowQOS, DenyQOS}, {"DefMemPerCPU", "DefMemPerNode"}, {maxMemPerCPU, maxMemPerNode}} {
		if p.Settings[pair[0]] != "" && p.Settings[pair[1]] != "" {
			c.fail(path+".settings."+pair[1], "got it beside "+pair[0], "one of both: Slurm heeds one")
		}
	}
}

func (c *checker) settingValue(field, value string, of valueKind, l Layout) {
	switch of {
	case count, memory:
		most := MaxCount
		if of == memory {
			most = MaxMemory
			if len(l.Groups) > 0 && l.Groups[0].Memory == 0 {
				c.fail(field, "got it on nodes without memory", "it beside memory in groups")
			}
		}
		if n, err := strconv.Atoi(value); err != nil || n < 1 || n > most {
			c.fail(field, fmt.Sprintf("got %.40q", value), fmt.Sprintf("1..%d", most))
		}
	case qos, qosList:
		names := []string{value}
		if of == qosList {
			names = strings.Split(value, ",")
		}
		for _, n := range names {
			if len(l.QOS) == 0 {
				c.fail(field, fmt.Sprintf("got %.40q", n), "nothing: the machine has no qos")
				continue
			}
			c.oneOf(field, n, l.QOSNames())
		}
	case accounts:
		for n := range strings.SplitSeq(value, ",") {
			if _, ok := l.FindAccount(n); !ok && n != RootAccount {
				c.fail(field, fmt.Sprintf("got unknown account %.40q", n), "root, or accounts of the machine")
			}
		}
	case sharing:
		if value != WholeNodes {
			c.fail(field, fmt.Sprintf("got %.40q", value), WholeNodes+", or none: jobs share no core")
		}
	case text:
	}
}

// agentFaults are the settings that an agent cannot keep to.
func (p Partition) agentFaults(path string) []error {
	var faults []error
	for _, k := range partitionKeys() {
		if k.unknown && p.Settings[k.name] != "" && (k.name != preemptMode || !strings.EqualFold(p.Settings[k.name], preemptOff)) {
			faults = append(faults, fmt.Errorf("%s.settings.%s: got %s, allowed is none: the agent chooses nodes without looking at it", path, k.name, p.Settings[k.name]))
		}
	}
	return faults
}

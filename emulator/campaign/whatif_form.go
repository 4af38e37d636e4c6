package campaign

import (
	"github.com/slurmlab/slurmlab/internal/input"
)

// whatIfKeys are the keys of the file of a what-if study.
type whatIfKeys struct {
	Base      input.Value `yaml:"base" about:"[what the scenarios change](#base)" need:"yes"`
	Shakes    input.Value `yaml:"shakes" about:"how often each day is repeated with arrivals that move by seconds, 0 to {MaxShakes}; 0 without it"`
	ShakeBy   input.Value `yaml:"shake_by" about:"by how much an arrival moves at most, such as '30s', which it is without the key"`
	Backend   input.Value `yaml:"backend" about:"backend, as '--backend'; without it what the machine, events and 'slurm' need"`
	Slurm     input.Value `yaml:"slurm" about:"release series of Slurm, as '--slurm'"`
	On        input.Value `yaml:"on" about:"[what is asked of a site's Slurm](campaign-file.md#onslurm) with '--on slurm', where the flags do not say it"`
	Scenarios input.Value `yaml:"scenarios" about:"[scenarios](#a-scenario) by their names; each is compared with 'base', the site as it is" need:"yes"`
}

// baseKeys are the keys of base: the site and its record.
type baseKeys struct {
	Machine    input.Value `yaml:"machine" about:"[machine file](machine-file.md) of the site" need:"yes"`
	PolicyFile input.Value `yaml:"policy_file" about:"file with the [policy](../schedulers.md) of the site's slurm.conf"`
	Policy     input.Value `yaml:"policy" about:"name of the policy; 'site' without it"`
	Trace      input.Value `yaml:"trace" about:"record of the site's jobs, in a format that says when jobs start" need:"yes"`
	Format     input.Value `yaml:"format" about:"form of the trace, as '--format' of 'workload import'; 'sacct' without it"`
	Columns    input.Value `yaml:"columns" about:"file that says what the columns of format csv mean"`
	Partitions input.Value `yaml:"partitions" about:"partitions of the trace with the ones of the machine that their jobs run in: '{OLD: NEW}'"`
	SkipBad    input.Value `yaml:"skip_bad" about:"'true' leaves out bad records of the trace and of 'events', and counts them"`
	Events     input.Value `yaml:"events" about:"record of the nodes that were out of service, as 'sacctmgr -P show event' prints it: it takes the place of 'down_nodes' of the machine, and the events of a scenario add to it"`
	Days       input.Value `yaml:"days" about:"days of the trace: dates such as '2026-03-02', ranges such as '2026-03-02..2026-03-06', or their numbers, of which 1 begins with the first job" need:"yes"`
}

// scenarioKeys are the keys of a scenario: any mix of changes.
type scenarioKeys struct {
	Settings    input.Value `yaml:"settings" about:"lines of slurm.conf and words of SchedulerParameters with their values, as the settings of a [policy](campaign-file.md#an-entry-of-policies)"`
	Partitions  input.Value `yaml:"partitions" about:"[partitions](#a-partition) by their names, with the keys that change"`
	QOS         input.Value `yaml:"qos" about:"[QOS](#a-qos) by their names, with the keys that change"`
	Accounts    input.Value `yaml:"accounts" about:"accounts by their names, with the keys of a [machine file](machine-file.md#an-entry-of-accounts) that change"`
	Users       input.Value `yaml:"users" about:"users by their names, with 'shares' and 'limits' that change in each of their accounts"`
	AddNodes    input.Value `yaml:"add_nodes" about:"list of [nodes](#an-entry-of-add_nodes) that are added"`
	RemoveNodes input.Value `yaml:"remove_nodes" about:"nodes that take no more jobs: names at the site, 'n[3-4]', or a group. A job that runs there at the beginning of a day ends there"`
	Move        input.Value `yaml:"move" about:"list of [jobs](#an-entry-of-move) that go to another partition or QOS"`
	Events      input.Value `yaml:"events" about:"list of [events](#an-entry-of-events) that happen on each day"`
	OverLimit   input.Value `yaml:"over_limit" about:"what happens to jobs whose time limit the scenario no longer allows: 'clip' cuts them to it, 'drop' leaves them out, 'chain' splits them into jobs that follow each other; needed if there are any"`
}

// partitionChangeKeys are the keys of a partition of a scenario beside the ones of a machine file.
type partitionChangeKeys struct {
	Like input.Value `yaml:"like" about:"partition that a new one is like; the other keys are the [keys of a machine file](machine-file.md#an-entry-of-partitions) without the name"`
}

// qosChangeKeys are the keys of a QOS of a scenario beside the ones of a machine file.
type qosChangeKeys struct {
	Like input.Value `yaml:"like" about:"QOS that a new one is like; the other keys are the [keys of a machine file](machine-file.md#an-entry-of-qos) without the name, where 'cpu' of a limit counts cores and no threads"`
}

// addKeys are the keys of an entry of add_nodes.
type addKeys struct {
	Like  input.Value `yaml:"like" about:"node that the added ones are like, in all its partitions and below its switch of 'switches.list': its name at the site, 'n3', or a group for its first node" need:"yes"`
	Nodes input.Value `yaml:"nodes" about:"number of nodes" need:"yes"`
}

// moveKeys are the keys of an entry of move: which jobs go where.
type moveKeys struct {
	Partition input.Value `yaml:"partition" about:"partition of the jobs; any without it"`
	QOS       input.Value `yaml:"qos" about:"QOS of the jobs; any without it"`
	Account   input.Value `yaml:"account" about:"account of the jobs; any without it"`
	UpTo      input.Value `yaml:"up_to" about:"longest time limit of the jobs, such as '4h'; any without it"`
	To        input.Value `yaml:"to" about:"partition that the jobs go to"`
	ToQOS     input.Value `yaml:"to_qos" about:"QOS that the jobs get"`
}

// whatIfEventKeys are the keys of an entry of events.
type whatIfEventKeys struct {
	At      input.Value `yaml:"at" about:"time after the beginning of the day, such as '6h'; 0s without it"`
	Event   input.Value `yaml:"event" about:"what happens, as in a [file of events](../events.md)" need:"yes"`
	Nodes   input.Value `yaml:"nodes" about:"names at the site, 'n[3-4]', or a group"`
	Reason  input.Value `yaml:"reason" about:"what sinfo -R shows"`
	Setting input.Value `yaml:"setting" about:"words of 'scontrol update' for 'update', the limits that change for 'modify'"`
	Until   input.Value `yaml:"until" about:"time after the beginning of the day at which drained or failed nodes come back"`
}

// WhatIfParts are the mappings of the file of a what-if study, with their keys.
func WhatIfParts() []input.Part {
	return input.Parts{
		{Title: "At the top", Keys: input.Keys[whatIfKeys]()},
		{Title: "base", Path: "base", Keys: input.Keys[baseKeys]()},
		{Title: "A scenario", Path: "scenarios.NAME", Keys: input.Keys[scenarioKeys]()},
		{Title: "A partition", Path: "scenarios.NAME.partitions.NAME", Keys: input.Keys[partitionChangeKeys]()},
		{Title: "A QOS", Path: "scenarios.NAME.qos.NAME", Keys: input.Keys[qosChangeKeys]()},
		{Title: "An entry of add_nodes", Path: "scenarios.NAME.add_nodes[0]", Keys: input.Keys[addKeys]()},
		{Title: "An entry of move", Path: "scenarios.NAME.move[0]", Keys: input.Keys[moveKeys]()},
		{Title: "An entry of events", Path: "scenarios.NAME.events[0]", Keys: input.Keys[whatIfEventKeys]()},
	}.Say(whatIfPhrases())
}

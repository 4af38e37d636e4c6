package sbatch

import (
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// The numbers of fields of Options and Terms. Their rows are arrays, which stay on the stack: each job of a workload goes through them.
const (
	optionCount = 11
	termCount   = 9
)

// Options are the options of sbatch that say more about where a job may run than how many
// nodes, cores and GPUs it needs. The zero value asks for nothing. Its JSON has the names of
// the columns of workload.csv, which are in the order of the fields.
type Options struct {
	// Partition is --partition, "" for the default one. Of several, as batch&long, Slurm takes one when the job starts; the & is as in NodeList.
	Partition string `json:"partition,omitempty"`
	// MemPerNode is --mem and MemPerCPU --mem-per-cpu, both in MiB. A job has at most one.
	MemPerNode int `json:"mem_per_node,omitempty"`
	MemPerCPU  int `json:"mem_per_cpu,omitempty"`
	// Features is --constraint: features joined by &, all of which a node must have, or by |,
	// of which it must have one.
	Features string `json:"features,omitempty"`
	// GPUType is TYPE of --gres=gpu:TYPE:COUNT, "" for GPUs of any type.
	GPUType string `json:"gpu_type,omitempty"`
	// Shards is --gres=shard:N and MPS --gres=mps:N, for each node, where one GPU has them. A job has one of them, or GPUs.
	Shards int `json:"shards,omitempty"`
	MPS    int `json:"mps,omitempty"`
	// Exclusive is --exclusive: the job gets its nodes with all their cores and GPUs.
	Exclusive bool `json:"exclusive,omitempty"`
	// NodeList is --nodelist, nodes that are among the job's, as n[1-3&7]; the & stands for the comma of a
	// hostlist, which ends a cell of workload.csv.
	NodeList string `json:"nodelist,omitempty"`
	// Segment is --segment: each so many nodes of the job are within a block (topology/block). 0 for none.
	Segment int `json:"segment,omitempty"`
	// Switches is --switches: the most leaf switches below which the job's nodes are (topology/tree). 0 for any number.
	Switches int `json:"switches,omitempty"`
}

// OptionColumns are the rows of the Options.
func OptionColumns() [optionCount]Option {
	return [optionCount]Option{
		{Name: "partition", Long: "--partition", Short: "-p", field: "partition", inLines: true, list: true,
			of:   func(o *Options, _ *Terms) Value { return (*Text)(&o.Partition) },
			rule: ArePartitions, allowed: "none, or names joined by &, each once: " + WordRule,
			takes: func(word string) bool { return ArePartitions(strings.ReplaceAll(word, ",", "&")) },
			want:  "names of partitions with commas between them, each once",
			About: "partition (`-p`), or several joined by &, in one of which the job starts"},
		{Name: "mem_per_node", Long: "--mem", inLines: true, high: layout.MaxMemory, unit: "M",
			of:    func(o *Options, _ *Terms) Value { return (*Count)(&o.MemPerNode) },
			read:  func(r *Request, word string) string { return memory(&r.MemPerNode, word) },
			About: "memory of each node in MiB (`--mem`)"},
		{Name: "mem_per_cpu", Long: "--mem-per-cpu", inLines: true, high: layout.MaxMemory, unit: "M",
			of:    func(o *Options, _ *Terms) Value { return (*Count)(&o.MemPerCPU) },
			read:  func(r *Request, word string) string { return memory(&r.MemPerCPU, word) },
			About: "memory of each core in MiB (`--mem-per-cpu`)"},
		{Name: "features", Long: "--constraint", Short: "-C", field: "features", inLines: true, Public: true,
			of:   func(o *Options, _ *Terms) Value { return (*Text)(&o.Features) },
			rule: AreFeatures, allowed: "features joined by & or by |, not by both, each " + WordRule,
			takes: func(word string) bool { return word != "" && strings.Trim(word, featureLetters) == "" },
			want:  "features joined by & or by |",
			About: "features of the nodes (`--constraint`), joined by & or by |"},
		{Name: "gpu_type", Public: true, // A part of --gres.
			of:   func(o *Options, _ *Terms) Value { return (*Text)(&o.GPUType) },
			rule: layout.IsWord, allowed: WordRule,
			About: "type of the GPUs (`--gres=gpu:TYPE:N`)"},
		{Name: "shards", high: layout.MaxShared, // --gres, as gpu_type.
			of:    func(o *Options, _ *Terms) Value { return (*Count)(&o.Shards) },
			About: "shards of a GPU on each node (`--gres=shard:N`)"},
		{Name: "mps", high: layout.MaxShared,
			of:    func(o *Options, _ *Terms) Value { return (*Count)(&o.MPS) },
			About: "MPS of a GPU on each node (`--gres=mps:N`)"},
		{Name: "exclusive", Long: "--exclusive", bare: true, inLines: true,
			of:    func(o *Options, _ *Terms) Value { return (*Flag)(&o.Exclusive) },
			About: "1 if the job shares no node (`--exclusive`)"},
		{Name: "nodelist", Long: "--nodelist", Short: "-w", field: "req_nodes", turn: 1, inLines: true, list: true, Public: true,
			of:    func(o *Options, _ *Terms) Value { return (*Text)(&o.NodeList) },
			takes: func(word string) bool { _, err := values.ExpandHosts(word); return err == nil && word != "" },
			want:  "nodes like n[1-3,7]",
			About: "nodes that are among the job's (`--nodelist`): n[1-3&7]"},
		{Name: "segment", Long: "--segment", field: "segment_size", inLines: true, high: MaxSegment,
			of:    func(o *Options, _ *Terms) Value { return (*Count)(&o.Segment) },
			About: "nodes that are within a [block](machine-file.md#blocks) together (`--segment`)"},
		{Name: "switches", Long: "--switches", field: "req_switch", inLines: true, high: layout.MaxNodes,
			of:    func(o *Options, _ *Terms) Value { return (*Count)(&o.Switches) },
			About: "most leaf [switches](machine-file.md#switches) that the job's nodes are below (`--switches`), until max_switch_wait has passed, or for good under an agent"},
	}
}

// Terms are options of sbatch: on whose account a job runs, how urgent it is, when it may begin, and what limits and
// reservations of the cluster hold for it. The zero value asks for nothing. Its JSON has the names of the columns of
// workload.csv, which are in the order of the fields, after the columns of Options.
type Terms struct {
	// Account is --account, the Slurm account that is charged; "" for the default one. Slurm takes the default one also for
	// an account that its user does not belong to.
	Account string `json:"account,omitempty"`
	// Nice is --nice, which Slurm takes off the job's priority; a negative one makes the job more urgent.
	Nice int `json:"nice,omitempty"`
	// Priority is --priority, 0 for the one that Slurm gives the job. A job with a Priority has no Nice.
	Priority int `json:"priority,omitempty"`
	// BeginAfter are the seconds from the arrival of a workload's job to the earliest start. A Request has Begin.
	BeginAfter int `json:"begin_after_s,omitempty"`
	// Dependency is --dependency, KIND:ID such as afterok:7. In a workload the id belongs to another job of the
	// workload, in a Request it is Slurm's.
	Dependency string `json:"dependency,omitempty"`
	// QOS is --qos, "" for the default one of the account.
	QOS string `json:"qos,omitempty"`
	// Licenses is --licenses, names with their numbers, as matlab:2&ansys:1; the & stands for the comma of
	// sbatch, which ends a cell of workload.csv.
	Licenses string `json:"licenses,omitempty"`
	// Reservation is --reservation.
	Reservation string `json:"reservation,omitempty"`
	// Array names the job array of which a workload's job is a task, "" for a job by itself. Behind it, %NUMBER is
	// the most tasks that may run at a time (sbatch(1), "--array"), as in 117%4. A Request has none, as each task is
	// a job.
	Array string `json:"array,omitempty"`
}

// TermColumns are the rows of the Terms.
func TermColumns() [termCount]Option {
	return [termCount]Option{
		{Name: "account", Long: "--account", field: "account",
			of:   func(_ *Options, t *Terms) Value { return (*Text)(&t.Account) },
			rule: IsUser, allowed: UserRule,
			About: "Slurm account that is charged (`--account`); without it the one of the user's name"},
		{Name: "nice", Long: "--nice", turn: 2, low: -nineDigits, high: nineDigits,
			of:    func(_ *Options, t *Terms) Value { return (*Signed)(&t.Nice) },
			About: "what Slurm takes off the job's priority (`--nice`); negative to make it more urgent"},
		{Name: "priority", Long: "--priority", turn: 2, high: nineDigits,
			of:    func(_ *Options, t *Terms) Value { return (*Count)(&t.Priority) },
			About: "priority in the place of the one that Slurm computes (`--priority`)"},
		{Name: "begin_after_s", high: MaxSeconds,
			of:    func(_ *Options, t *Terms) Value { return (*Count)(&t.BeginAfter) },
			About: "seconds from the arrival to the earliest start (`--begin`)"},
		{Name: "dependency", Long: "--dependency", field: "dependency", turn: 4, Public: true,
			of:   func(_ *Options, t *Terms) Value { return (*Text)(&t.Dependency) },
			word: Request.Dependencies, read: readDependencies,
			About: "[what the job waits for](../my-jobs.md#when-and-for-whom-jobs-run) (`--dependency`): " +
				"afterok:ID, afterany:ID or after:ID with the job_id of an earlier row"},
		{Name: "qos", Long: "--qos", Short: "-q", field: "qos", inLines: true,
			of:   func(_ *Options, t *Terms) Value { return (*Text)(&t.QOS) },
			rule: layout.IsWord, allowed: oneWord, takes: layout.IsWord, want: "the name of one QOS",
			About: "QOS (`--qos`) of [a machine that has some](../machines.md#qos-accounts-licences-reservations); " +
				"without it the default one of the account"},
		{Name: "licenses", Long: "--licenses", Short: "-L", field: "licenses", inLines: true, list: true,
			of:   func(_ *Options, t *Terms) Value { return (*Text)(&t.Licenses) },
			rule: areLicenses, allowed: "none, or NAME:NUMBER joined by &, each name once", read: readLicenses,
			About: "licences of the machine (`--licenses`): NAME:NUMBER, joined by &"},
		{Name: "reservation", Long: "--reservation", field: "reservation", inLines: true,
			of:   func(_ *Options, t *Terms) Value { return (*Text)(&t.Reservation) },
			rule: layout.IsWord, allowed: oneWord, takes: layout.IsWord, want: "the name of one reservation",
			About: "reservation of the machine (`--reservation`) in which the job runs"},
		{Name: "array", Public: true, // The tasks of an array are jobs by themselves.
			of:    func(_ *Options, t *Terms) Value { return (*Text)(&t.Array) },
			About: "[array of which the job is a task](../my-jobs.md#job-arrays), as 117%4 if at most four of its tasks may run at a time"},
	}
}

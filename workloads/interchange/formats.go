package interchange

import (
	"io"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/workloads/records"
)

// Described is a format for the documentation: what it is, which columns the import reads, and on whose terms the trace is there.
type Described struct {
	Name, Title string
	// Columns are those that the import reads, with what they mean where their names do not say it.
	Columns string
	// Help are lines of the help of an import; "" where Title says enough.
	Help string
	// Licence and Citation are of the published trace, "" for a format that anybody writes, or where no licence is named.
	Licence, Citation string
}

// phillyTerms is what the README of Philly's trace allows, which names no licence.
const phillyTerms = "none named; as is, says its README"

// phillyCitation is asked for by the README of Philly's trace.
const phillyCitation = "Jeon et al., Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads, USENIX ATC '19"

// walker opens a trace and hands it to use, and every byte of the source to raw, if not nil.
type walker func(src records.Source, o ImportOptions, raw io.Writer, use func(trace) error) error

// builtin is a format that its own code reads. The flags say whether it tells how jobs ended, when they started, and in which
// partitions they ran.
type builtin struct {
	Described
	outcomes, starts, partitions bool
	walk                         walker
}

// builtins are the formats with code of their own.
func builtins() []builtin {
	return []builtin{
		{Described{
			Name: "swf", Title: "Standard Workload Format, with 18 fields, or 21 as of Frontier",
			Columns: "job number, submit, wait and run time, allocated and requested processors, requested time, status, user; of 21 fields also used GPUs and properties",
			Help: `the Standard Workload Format 2.2; a processor is a core. The extended
format of 21 fields, which Frontier's trace has, also tells nodes
and GPUs`,
		}, true, true, true, opened(func(name string, in io.Reader) (trace, error) { return newSWF(name, in), nil })},
		{Described{
			Name: "sacct", Title: "Slurm's accounting: `sacct -P`, `--json`, CSV and the default table",
			Columns: "the columns that `slurmlab workload import --help` has in its sacct command, if the dump has them",
			Help: `the fields of
sacct -a -X -P --delimiter='~|~' --format=JobIDRaw,State,Submit,\
Start,End,Elapsed,Timelimit,NNodes,NCPUS,ReqTRES,AllocTRES,User,\
Partition,ReqMem,Constraints,Account,QOS,Eligible,Reason,Licenses,\
Reservation,JobID,NodeList,SubmitLine
in any order and more of them, with any separator, or sacct --json.
Of requeued jobs (sacct -D) the last run counts. Account is charged,
or the user of a dump without User. A job begins no earlier than it
was Eligible, unless Reason says that a dependency was the cause. A
machine file with groups of nodes makes partitions, memory,
features, types of GPUs and QOS count, and the threads of its cores,
which NCPUS of sacct counts; jobs of partitions that it does not
have are left out unless --partition says which one theirs is`,
		}, true, true, true, opened(newSacctTrace)},
		{Described{
			Name: "helios", Title: "Helios of SenseTime (cluster_log.csv)",
			Columns: "job_id, user, vc, gpu_num, cpu_num, node_num, state, submit_time, start_time, end_time, duration",
			Help:    `cluster_log.csv of SenseTime's Helios traces`,
			Licence: "CC BY 4.0", Citation: "Hu et al., Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters, SC '21",
		}, true, true, true, opened(newHelios)},
		{Described{
			Name: "philly", Title: "Philly of Microsoft as CSV",
			Columns: "timestamp, duration, num_gpus, cluster",
			Help: `the trace of Microsoft's Philly with the columns of ElasticFlow's
copy; a job has a core with each GPU, on nodes of 8`,
			Licence: phillyTerms, Citation: phillyCitation,
		}, false, false, true, opened(newPhilly)},
		{Described{
			Name: phillyJSON, Title: "Philly of Microsoft (cluster_job_log)",
			Columns: "status, vc, submitted_time, user; start_time, end_time and detail of the last attempt",
			Help: `cluster_job_log of that trace. The last attempt of a job is the job;
its earlier ones are counted. A virtual cluster is a partition`,
			Licence: phillyTerms, Citation: phillyCitation,
		}, true, true, true, opened(newPhillyJSON)},
		{Described{
			Name: "batsim", Title: "Batsim's workload in JSON",
			Columns: "id, subtime, res, walltime, and the profile's delay; extra_data of slurmlab's own files",
			Help:    `Batsim's JSON with delay profiles; --resource says what a resource is`,
		}, true, false, false, walkBatsim},
	}
}

// published is what the record of an import says of a trace that somebody published. What is unknown is "".
func published(title, licence, citation string) []string {
	var out []string
	for _, each := range [][2]string{{"", title}, {"licence ", licence}, {"cite ", citation}} {
		if each[1] != "" {
			out = append(out, each[0]+each[1])
		}
	}
	return out
}

// findBuiltin is the built-in format of that name, nil without one.
func findBuiltin(format string) *builtin {
	all := builtins()
	if i := slices.IndexFunc(all, func(b builtin) bool { return b.Name == format }); i >= 0 {
		return &all[i]
	}
	return nil
}

// opened is the walker of a format that is read from its beginning to its end.
func opened[T trace](open func(name string, in io.Reader) (T, error)) walker {
	return func(src records.Source, _ ImportOptions, raw io.Writer, use func(trace) error) error {
		return src.Read(raw, func(in io.Reader) error {
			t, err := open(src.Name, in)
			if err != nil {
				return err
			}
			return use(t)
		})
	}
}

// Describe lists the formats of Import, but for the table whose columns a user names.
func Describe() []Described {
	var list []Described
	for _, b := range builtins() {
		list = append(list, b.Described)
	}
	for _, t := range Tables() {
		read, fixed := t.Columns()
		var columns []string
		for _, c := range append(read, fixed...) {
			columns = append(columns, c.about())
		}
		list = append(list, Described{Name: t.Name, Title: t.Title, Columns: strings.Join(columns, ", "), Licence: t.Licence, Citation: t.Citation})
	}
	return list
}

// about names a column, and its meaning if its name is another word.
func (m Meaning) about() string {
	if m.Name == m.About {
		return m.Name
	}
	return m.Name + " (" + m.About + ")"
}

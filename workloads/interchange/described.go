package interchange

import "strings"

// Described is a format for the documentation: what it is, which columns the import reads, and on whose terms the trace is there.
type Described struct {
	Name, Title string
	// Columns are those that the import reads, with what they mean where their names do not say it.
	Columns string
	// Licence and Citation are of the published trace, "" for a format that anybody writes, or where no licence is named.
	Licence, Citation string
}

// What the READMEs of Helios and Philly allow; neither names a licence.
const (
	heliosTerms = "none named; academic use, says its README"
	phillyTerms = "none named; as is, says its README"
)

// phillyCitation is asked for by the README of Philly's trace.
const phillyCitation = "Jeon et al., Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads, USENIX ATC '19"

// Describe lists the formats of Import, but for the table whose columns a user names.
func Describe() []Described {
	list := []Described{
		{"swf", "Standard Workload Format, with 18 fields, or 21 as of Frontier", "job number, submit, wait and run time, allocated and requested processors, requested time, status, user; of 21 fields also used GPUs and properties", "", ""},
		{"sacct", "Slurm's accounting: `sacct -P`, `--json`, CSV and the default table", "the columns that `slurmlab workload import --help` has in its sacct command, if the dump has them", "", ""},
		{"helios", "Helios of SenseTime (cluster_log.csv)", "job_id, user, vc, gpu_num, cpu_num, node_num, state, submit_time, start_time, end_time, duration", heliosTerms, "Hu et al., Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters, SC '21"},
		{"philly", "Philly of Microsoft as CSV", "timestamp, duration, num_gpus, cluster", phillyTerms, phillyCitation},
		{phillyJSON, "Philly of Microsoft (cluster_job_log)", "status, vc, submitted_time, user; start_time, end_time and detail of the last attempt", phillyTerms, phillyCitation},
		{"batsim", "Batsim's workload in JSON", "id, subtime, res, walltime, and the profile's delay; extra_data of slurmlab's own files", "", ""},
	}
	for _, t := range Tables() {
		read, fixed := t.Columns()
		var columns []string
		for _, c := range append(read, fixed...) {
			columns = append(columns, c.about())
		}
		list = append(list, Described{t.Name, t.Title, strings.Join(columns, ", "), t.Licence, t.Citation})
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

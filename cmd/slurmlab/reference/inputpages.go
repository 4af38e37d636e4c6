package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// allowed are the keys of a mapping, in the words of the error that a user reads of an
// unknown one at that path.
func allowed(of, path string, err error) ([]string, error) {
	if err == nil {
		return nil, fmt.Errorf("%s: the unknown key %s is no fault", of, path)
	}
	found := regexp.MustCompile(`(?m): ` + regexp.QuoteMeta(path) + `: unknown key, allowed (?:are )?([\w, ]+)$`).FindStringSubmatch(err.Error())
	if found == nil {
		return nil, fmt.Errorf("%s: %w: want the keys that are allowed in the place of %s", of, err, path)
	}
	return strings.Split(found[1], ", "), nil
}

// mapping is a part of a YAML file: one that is at fault for the unknown key at path alone
// says which keys it may have.
type mapping struct {
	title, about, path string
	fault              error
	meanings           map[string]string
}

// write has a table for each mapping of a file.
func write(w *writer, file string, parts []mapping) error {
	var faults []error
	for _, p := range parts {
		keys, err := allowed(file+", "+p.title, p.path, p.fault)
		rows, errMeaning := described(file+", "+p.title, keys, p.meanings)
		if faults = append(faults, err); err == nil {
			faults = append(faults, errMeaning)
		}
		w.heading(2, p.title)
		if p.about != "" {
			w.paragraph(p.about)
		}
		w.table([]string{"key", "meaning"}, rows)
	}
	return errors.Join(faults...)
}

// upTo is the range of a number.
func upTo(low, high int) string { return fmt.Sprintf("%d to %d", low, high) }

// machineFile is the page of the keys of a machine file.
func machineFile() ([]byte, error) {
	w := newPage("Keys of a machine file",
		"A machine file is YAML. [Your machine](../my-jobs.md) has an example of equal nodes, [unequal nodes](../machines.md) one of groups. "+
			"`slurmlab machine check FILE` lists all faults of a file with their lines.")
	_, equal := workloads.ParseMachine("machine.yaml", []byte("nodes: 1\ncores: 1\nunknown: 1\nswitches: {unknown: 1}\n"))
	_, unequal := workloads.ParseMachine("machine.yaml", []byte("groups: [{unknown: 1}]\npartitions: [{unknown: 1}]\ndown_nodes: [{unknown: 1}]\nunknown: 1\n"+
		"qos: [{unknown: 1, limits: {unknown: 1}}]\naccounts: [{unknown: 1, limits: {unknown: 1}, users: [{unknown: 1}]}]\npriority_weights: {unknown: 1}\nreservations: [{unknown: 1}]\n"))
	const (
		nameText   = "name in tables and folders, that of the file without its ending if left out"
		switchText = "[tree of switches](#switches), none if left out"
		wordText   = "1 to 32 letters, digits, -, _ and ., the first a letter"
		lowText    = "1 to 32 small letters, digits, -, _ and .; this key is needed"
		shareText  = "fair share among its siblings, Fairshare of sacctmgr(1); 1 without it"
		tresText   = "numbers of `cpu`, `node`, `gres/gpu`, `gres/gpu:TYPE`, and `mem` such as `64G`: `{cpu: 64}`; none without it"
	)
	err := write(w, "machine file", []mapping{
		{"With equal nodes", "", "unknown", equal, map[string]string{
			"name": nameText, "switches": switchText,
			"nodes":  "number of nodes, " + upTo(1, layout.MaxNodes) + "; this key is needed",
			"cores":  "cores of each node, " + upTo(1, layout.MaxCores) + "; this key is needed",
			"gpus":   "GPUs of each node, " + upTo(0, layout.MaxGPUs) + "; 0 without it",
			"groups": "nodes that differ, in the place of `nodes`, `cores` and `gpus`: see below",
		}},
		{"With groups of nodes", "", "unknown", unequal, map[string]string{
			"name": nameText, "switches": switchText,
			"groups":           "list of [groups](#an-entry-of-groups), whose nodes are numbered in this order; this key is needed",
			"partitions":       "list of [partitions](#an-entry-of-partitions); `main` with all groups without it",
			"down_nodes":       "list of [nodes out of service](#an-entry-of-down_nodes)",
			"qos":              "list of [QOS](#an-entry-of-qos) beside `normal`, which each cluster has",
			"accounts":         "list of [accounts](#an-entry-of-accounts), a parent before its children",
			"licenses":         "licences of the cluster with their numbers: `{matlab: 10}`",
			"priority_weights": "[weights](#priority_weights) of QOS and fair share",
			"reservations":     "list of [reservations](#an-entry-of-reservations)",
			"job_submit":       "text of [the site's job_submit.lua](../machines.md#the-sites-job_submitlua)",
		}},
		{"An entry of groups", "", "groups[0].unknown", unequal, map[string]string{
			"name":     wordText + "; this key is needed",
			"count":    "number of nodes, " + upTo(1, layout.MaxNodes) + " over all groups; this key is needed",
			"cores":    "cores of a node over all its sockets, " + upTo(1, layout.MaxCores) + "; this key is needed",
			"sockets":  "sockets of a node, which divide its cores; 1 without it",
			"threads":  "threads of a core, " + upTo(1, layout.MaxThreads) + "; jobs get whole cores; 1 without it",
			"memory":   "memory of a node with its unit, such as `64GiB`; for all groups or for none",
			"gpus":     "GPUs of a node, up to " + fmt.Sprint(layout.MaxGPUs) + ", as a number or by type: `{a100: 4}`; none without it",
			"features": "list of words that `--constraint` of sbatch names",
			"weight":   "Slurm takes nodes of lower weight first; 1 without it",
			"hosts":    "the names that the nodes have at their site, in their order, such as cn[001-040]",
		}},
		{"An entry of partitions", "", "partitions[0].unknown", unequal, map[string]string{
			"name":                wordText + "; this key is needed",
			"groups":              "list of names of groups; this key is needed",
			"default":             "`true` for the partition of jobs that name none; one that is alone is the default",
			"max_time":            "longest time limit in whole minutes, such as `24h` or `1-00:00:00`; any without it",
			"max_nodes":           "most nodes of a job, 0 for any; 0 without it",
			"priority_tier":       "PriorityTier of slurm.conf(5); 1 without it",
			"priority_job_factor": "PriorityJobFactor of slurm.conf(5); 1 without it",
			"settings":            "further settings of its line in slurm.conf(5), by their keys there: " + strings.Join(layout.PartitionKeys(), ", "),
		}},
		{"An entry of down_nodes", "", "down_nodes[0].unknown", unequal, map[string]string{
			"nodes":  "name of a group, or nodes such as `n[3-4,8]`; this key is needed",
			"state":  "`drain` or `down`; `drain` without it",
			"reason": "what sinfo -R shows; `out of service` without it",
		}},
		{"An entry of qos", "", "qos[0].unknown", unequal, map[string]string{
			"name":         lowText,
			"priority":     "its part of the highest one is what `priority_weights.qos` is a weight of; 0 without it",
			"usage_factor": "by how much the use of its jobs counts in fair share; 1 without it",
			"flags":        "list of flags: " + strings.Join(layout.QOSFlags(), ", "),
			"limits":       "[limits](#limits-of-a-qos)",
		}},
		{"Limits of a QOS", "By their names in sacctmgr(1).", "qos[0].limits.unknown", unequal, map[string]string{
			"GrpTRES":           "what all running jobs of the QOS may have: " + tresText,
			"GrpJobs":           "how many of its jobs may run",
			"MaxTRESPerJob":     "what a job may have, as GrpTRES",
			"MaxTRESPerUser":    "what the running jobs of a user may have, as GrpTRES",
			"MaxTRESPerAccount": "what the running jobs of an account may have, as GrpTRES",
			"MaxJobsPerUser":    "how many jobs of a user may run",
			"MaxJobsPerAccount": "how many jobs of an account may run",
			"MaxWall":           "longest time limit in whole minutes, such as `24h`",
		}},
		{"An entry of accounts", "", "accounts[0].unknown", unequal, map[string]string{
			"name":        lowText,
			"parent":      "account above it in the file; `root` without it",
			"shares":      shareText,
			"qos":         "list of the QOS that its jobs may have; those of its parent without it",
			"default_qos": "QOS of its jobs that name none; that of its parent, or `normal`, without it",
			"limits":      "[limits](#limits-of-an-account-or-a-user)",
			"users":       "list of users with `name`, `shares`, `usage` and `limits`; the first account that has a user is the user's default one",
		}},
		{"Limits of an account or a user", "By their names in sacctmgr(1).", "accounts[0].limits.unknown", unequal, map[string]string{
			"GrpTRES":       "what the running jobs of the account and of those below it may have: " + tresText,
			"GrpJobs":       "how many of these jobs may run",
			"MaxTRESPerJob": "what a job may have, as GrpTRES",
			"MaxJobs":       "how many jobs of each user may run in the account",
			"MaxWall":       "longest time limit in whole minutes, such as `24h`",
		}},
		{"A user of an account", "", "accounts[0].users[0].unknown", unequal, map[string]string{
			"name": lowText, "shares": shareText, "limits": "[limits](#limits-of-an-account-or-a-user)",
			"usage": "what the user has used in the account when the cluster begins, in seconds of resources: RawUsage of sshare(1); 0 without it",
		}},
		{"priority_weights", "They count under orders of the queue with several factors, such as `--priority multifactor`.", "priority_weights.unknown", unequal, map[string]string{
			"qos":       "PriorityWeightQOS of slurm.conf(5); 0 without it",
			"fairshare": "PriorityWeightFairshare of slurm.conf(5); 0 without it",
		}},
		{"An entry of reservations", "", "reservations[0].unknown", unequal, map[string]string{
			"name":      wordText + "; this key is needed",
			"nodes":     "name of a group, or nodes such as `n[3-4,8]`",
			"count":     "so many nodes of Slurm's choice, in the place of `nodes`",
			"partition": "partition of the nodes of `count`; the default one without it",
			"start":     "time from the beginning of the run, such as `2h`; 0s without it",
			"duration":  "whole minutes, such as `90m`; this key is needed",
			"users":     "list of users whose jobs may use it; root, for whom jobs without `user` run, without it and `accounts`",
			"accounts":  "list of accounts whose jobs may use it; beside `users` a job needs both",
			"flags":     "list of flags: " + strings.Join(layout.ReservationFlags(), ", "),
		}},
		{"Switches", "", "switches.unknown", equal, map[string]string{
			"nodes":  "nodes below each switch of the lowest level; this key is needed",
			"fanout": "switches below each higher one, 2 or more; one above all without it",
		}},
	})
	return w.bytes(), err
}

// workloadFile is the page of the keys of a file that describes a workload.
func workloadFile() ([]byte, error) {
	w := newPage("Keys of a workload's description",
		"A file of YAML describes a workload that is drawn from a seed. `slurmlab workload describe V.2` prints the description of a built-in one with "+
			"comments, from which to write your own; times have their unit, such as `90s` or `4h`. [Lists of jobs](../my-jobs.md) are other files.")
	_, spec := workloads.ParseSpec("workload.yaml",
		[]byte("unknown: 1\nruntime: {unknown: 1}\ntypes: [{unknown: 1}]\narrival: {unknown: 1}\nlimit: {unknown: 1}\n"))
	_, esp := workloads.ParseESP("workload.yaml", []byte("generator: esp\nunknown: 1\ntypes: [{unknown: 1}]\n"))
	const (
		nameText    = "name in tables and folders, that of the file without its ending if left out"
		classText   = "name of the type, which results show; this key is needed"
		arrivalText = "[when jobs arrive](#arrival); at once without it"
		limitText   = "[time limits](#limit); 1.5 run times and 2 minutes without it"
		types       = "types[0].unknown"
	)
	err := write(w, "workload file", []mapping{
		{"At the top", "", "unknown", spec, map[string]string{
			"name": nameText, "arrival": arrivalText, "limit": limitText,
			"max_cores":         "cores of the largest job as a part of all cores of the machine; a whole node is always allowed; 0.2 without it",
			"jobs":              "number of jobs, " + upTo(0, workloads.MaxJobs) + "; as many as `estimated_runtime` needs without it",
			"estimated_runtime": "theoretical run time, the sum of run time × cores over all cores; 4h without it and `jobs`. With `jobs`, run times are scaled to it",
			"runtime":           "[run times](#runtime); 60s to 600s without it",
			"contiguous":        "part of the jobs that ask for neighbouring nodes, 0 to 1; 0 without it",
			"types":             "list of [types of jobs](#an-entry-of-types); this key is needed",
		}},
		{"An entry of types", "", types, spec, map[string]string{
			"class":          classText,
			"share":          "part of the jobs; all shares are 1 in sum, up to a hundredth; this key is needed",
			"cores_per_node": "list of cores on each node, one of which is drawn for a job (`-N`, `-n`, `--ntasks-per-node`); a job asks for cores alone without it",
			"gpus":           "GPUs on each node; 0 without it",
			"gpus_max":       "the most GPUs of a [range](../design/005-gpu-ranges.md) that begins with `gpus`",
			"cores_per_gpu":  "list of cores on each node for each GPU; a type with `gpus` needs it",
			"total_only":     "`true` leaves out `--ntasks-per-node`",
		}},
		{"Runtime", "", "runtime.unknown", spec, map[string]string{
			"min":       "the shortest run time; with `max`, run times are uniform",
			"max":       "the longest run time",
			"quantiles": "list of equally spaced quantiles, in the place of `min` and `max`: `[10s, 60s, 5m, 30m, 4h]`",
		}},
		{"Arrival", "", "arrival.unknown", spec, map[string]string{
			"process":   "`at-once`, `fixed`, `gaussian`, `poisson` or `trace`",
			"interval":  "gap between two jobs, or its mean; `fixed`, `gaussian` and `poisson` need it",
			"deviation": "standard deviation of the gap; `gaussian` needs it",
			"first":     "number of jobs that arrive together before the gaps begin",
			"times":     "list of seconds at which jobs arrive; `trace` needs it",
		}},
		{"Limit", "A limit is `factor` × run time + `add`, rounded up to whole minutes.", "limit.unknown", spec, map[string]string{
			"factor":  "1.5 without it",
			"factors": "list of equally spaced quantiles of the factor, in its place: `[1, 1.2, 2, 4, 10]`",
			"add":     "2m without it",
		}},
		{"At the top of an ESP workload", "A file with `generator: esp` is a table of jobs, as that of the benchmark ESP-2, with so many of each type.", "unknown", esp, map[string]string{
			"generator": "`esp`; this key is needed",
			"name":      nameText, "arrival": arrivalText, "limit": limitText,
			"types":           "list of [types of ESP jobs](#an-entry-of-types-of-an-esp-workload); this key is needed",
			"gpu_copies":      "GPUs on each node of a copy that each job gets, but for those with `earliest`; no copies without it",
			"size_change":     "the most cores by which the size of a job is changed, up or down, as the seed says; 0 without it",
			"minimum_runtime": "published run time on a machine without an idle core, for ESP's efficiency; none without it",
		}},
		{"An entry of types of an ESP workload", "", types, esp, map[string]string{
			"class":    classText,
			"size":     "cores of a job as a part of all cores of the machine",
			"count":    "number of such jobs",
			"runtime":  "run time of such a job",
			"earliest": "list with an earliest submission for each of the jobs, which come after all others in this order",
		}},
	})
	return w.bytes(), err
}

package scripts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// variables are those that Slurm sets for a batch script (sbatch(1), OUTPUT ENVIRONMENT
// VARIABLES; env_array_for_batch_job and setup_env in src/common/env.c), as far as there
// is something to set.
func variables(d Details, id int, user string, cpus []int) []string {
	var all []string
	add := func(value string, names ...string) {
		for _, name := range names {
			all = append(all, name+"="+value)
		}
	}
	count := func(value int, names ...string) {
		if value > 0 {
			add(strconv.Itoa(value), names...)
		}
	}
	add(strconv.Itoa(id), "SLURM_JOB_ID", "SLURM_JOBID")
	add(d.Name, "SLURM_JOB_NAME")
	add(d.Nodes, "SLURM_JOB_NODELIST", "SLURM_NODELIST")
	count(d.Count, "SLURM_JOB_NUM_NODES", "SLURM_NNODES")
	add(d.Partition, "SLURM_JOB_PARTITION")
	add("slurmlab", "SLURM_CLUSTER_NAME")
	add(strconv.Itoa(d.UID), "SLURM_JOB_UID")
	add(strconv.Itoa(d.GID), "SLURM_JOB_GID")
	add(user, "SLURM_JOB_USER")
	add(strconv.FormatInt(d.Start.Unix(), 10), "SLURM_JOB_START_TIME")
	add(strconv.FormatInt(d.End.Unix(), 10), "SLURM_JOB_END_TIME")
	if d.Account != "" {
		add(d.Account, "SLURM_JOB_ACCOUNT")
	}
	if d.QOS != "" {
		add(d.QOS, "SLURM_JOB_QOS")
	}
	tasks := d.Tasks
	if tasks == 0 {
		tasks = d.TasksPerNode * d.Count
	}
	count(tasks, "SLURM_NTASKS", "SLURM_NPROCS")
	if len(cpus) > 0 {
		add(compress(cpus), "SLURM_JOB_CPUS_PER_NODE")
		count(cpus[0], "SLURM_CPUS_ON_NODE")
		add(compress(layout(tasks, max(1, d.CPUsPerTask), cpus)), "SLURM_TASKS_PER_NODE")
	}
	count(d.GPUs, "SLURM_GPUS_ON_NODE")
	add("0", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_GTIDS")
	add(d.First, "SLURMD_NODENAME", "SLURM_TOPOLOGY_ADDR", "HOSTNAME")
	add("node", "SLURM_TOPOLOGY_ADDR_PATTERN")
	add("BATCH", "ENVIRONMENT")
	return all
}

// compress writes equal neighbours once: 8,8,4 becomes 8(x2),4.
func compress(counts []int) string {
	var parts []string
	for i := 0; i < len(counts); {
		same := i
		for same < len(counts) && counts[same] == counts[i] {
			same++
		}
		part := strconv.Itoa(counts[i])
		if same-i > 1 {
			part += fmt.Sprintf("(x%d)", same-i)
		}
		parts = append(parts, part)
		i = same
	}
	return strings.Join(parts, ",")
}

// layout says how many tasks a node gets: one each, and then as many as its CPUs carry,
// node by node (SLURM_DIST_BLOCK). Without a number of tasks there is one for all CPUs
// of a task.
func layout(tasks, perTask int, cpus []int) []int {
	room := make([]int, len(cpus))
	for i, n := range cpus {
		room[i] = max(1, n/perTask)
	}
	if tasks == 0 {
		return room
	}
	all := slices.Repeat([]int{1}, len(cpus))
	left := tasks - len(cpus)
	for i := range all {
		more := max(0, min(left, room[i]-1))
		all[i] += more
		left -= more
	}
	// More tasks than CPUs (--overcommit) go round.
	for i := 0; left > 0; i = (i + 1) % len(all) {
		all[i]++
		left--
	}
	return all
}

// merge puts variables over others: the later ones hold.
func merge(lists ...[]string) []string {
	at := map[string]int{}
	var all []string
	for _, list := range lists {
		for _, variable := range list {
			name, _, _ := strings.Cut(variable, "=")
			if i, found := at[name]; found {
				all[i] = variable
				continue
			}
			at[name] = len(all)
			all = append(all, variable)
		}
	}
	return all
}

/* The queue, the nodes and the licences. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"

/*
 * Slurm compares the time of the last load with the time of the last change, which a
 * thread of slurmctld may have looked up before it waited for a lock.
 */
#define LATE 10

/* The name of a job's user, which slurmctld does not always tell. */
static void add_user(struct text *t, const slurm_job_info_t *job)
{
	const char *name = job->user_name ? job->user_name : name_of_user(job->user_id);

	if (name)
		add_cell(t, name);
	else
		add_number(t, job->user_id);
}

/*
 * The cells of one job, in the order of queueColumns (slurmctl/queue.go) and in the
 * notation of squeue, with the account, the user and the QOS after them.
 */
void add_queued(struct text *t, const slurm_job_info_t *job)
{
	add_number(t, job->job_id);
	add_cell(t, job->name);
	add_cell(t, slurm_job_state_string(job->job_state));
	add_cell(t, job->state_desc ? job->state_desc : slurm_job_state_reason_string(job->state_reason));
	add_number(t, job->priority);
	add_time(t, job->submit_time);
	add_time(t, job->start_time);
	add_number(t, job->num_tasks);
	add_number(t, job->num_cpus);
	if (job->ntasks_per_node == NO_VAL16 || job->ntasks_per_node == INFINITE16)
		add_cell(t, "N/A");
	else
		add_number(t, job->ntasks_per_node);
	add_number(t, job->pn_min_cpus);
	add_cell(t, job->tres_alloc_str ? job->tres_alloc_str : job->tres_req_str);
	add_cell(t, job->tres_per_node);
	add_number(t, job->contiguous);
	add_minutes(t, job->time_limit);
	add_cell(t, job->nodes);
	add_cell(t, job->admin_comment);
	add_cell(t, job->comment);
	add_cell(t, job->partition);
	add_cell(t, job->features);
	add_cell(t, job->licenses);
	add_cell(t, job->dependency);
	add_cell(t, job->account);
	add_user(t, job);
	add_cell(t, job->qos);
}

/* squeue shows these jobs if nobody asks for others. */
static bool is_live(const slurm_job_info_t *job)
{
	uint32_t state = job->job_state & JOB_STATE_BASE;

	return state == JOB_PENDING || state == JOB_RUNNING || state == JOB_SUSPENDED || job->job_state & JOB_COMPLETING;
}

void ask_jobs(void)
{
	static struct picture seen, now;
	/* Slurm notes no change when a job that is waited for begins or ends. */
	static bool depends;
	job_info_msg_t *jobs = NULL;

	if (slurm_load_jobs(depends || seen.loaded < LATE ? 0 : seen.loaded - LATE, &jobs, SHOW_ALL) != SLURM_SUCCESS) {
		if (errno == SLURM_NO_CHANGE_IN_DATA)
			answer_ok(seen.count);
		else
			answer_errno(errno);
		return;
	}
	depends = false;
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const slurm_job_info_t *job = &jobs->job_array[i];
		struct text *t;

		if (!is_live(job))
			continue;
		depends = depends || (job->dependency && *job->dependency);
		t = add_row(&now, job->job_id);
		add_word(t, "job");
		add_queued(t, job);
	}
	now.loaded = jobs->last_update;
	slurm_free_job_info_msg(jobs);
	show(&seen, &now);
	answer_ok(seen.count);
}

/* The cells of ReadNode (slurmctl/node.go), after the place in the node table. */
static void add_node(struct picture *p, uint32_t place, const node_info_t *node)
{
	struct text *t = add_row(p, place);
	struct allocated a = allocated_on(node);
	char *state = slurm_node_state_string_complete(node->node_state);

	add_word(t, "node");
	add_number(t, place);
	add_cell(t, node->name);
	add_cell(t, state);
	add_number(t, node->cpus_efctv);
	add_number(t, a.cpus);
	add_number(t, node->real_memory);
	add_number(t, a.memory);
	add_cell(t, node->features_act);
	add_cell(t, node->partitions);
	add_cell(t, node->tres_fmt_str);
	add_cell(t, a.tres);
	add_cell(t, node->gres);
	add_number(t, node->weight);
	slurm_xfree((void **) &state);
	forget_allocated(&a);
}

void ask_nodes(void)
{
	static struct picture seen, now;
	node_info_msg_t *nodes = NULL;
	partition_info_msg_t *partitions = NULL;

	if (slurm_load_node(seen.loaded < LATE ? 0 : seen.loaded - LATE, &nodes, SHOW_ALL | SHOW_MIXED) != SLURM_SUCCESS) {
		if (errno == SLURM_NO_CHANGE_IN_DATA)
			answer_ok(seen.count);
		else
			answer_errno(errno);
		return;
	}
	if (slurm_load_partitions(0, &partitions, SHOW_ALL) != SLURM_SUCCESS) {
		answer_errno(errno);
		slurm_free_node_info_msg(nodes);
		return;
	}
	slurm_populate_node_partitions(nodes, partitions);
	for (uint32_t i = 0; i < nodes->record_count; i++) {
		/* Slurm leaves gaps where dynamic nodes may come. */
		if (nodes->node_array[i].name)
			add_node(&now, now.count, &nodes->node_array[i]);
	}
	now.loaded = nodes->last_update;
	slurm_free_partition_info_msg(partitions);
	slurm_free_node_info_msg(nodes);
	show(&seen, &now);
	answer_ok(seen.count);
}

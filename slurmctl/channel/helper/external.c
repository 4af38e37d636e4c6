/* Jobs of external nodes, for the program that runs them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"

/* loaded says whether there are jobs to print, and has answered otherwise. */
static bool loaded(int rc)
{
	if (rc == SLURM_SUCCESS)
		return true;
	if (is_gone(errno))
		answer_ok(0);
	else
		answer_errno(errno);
	return false;
}

void ask_running(const char *id)
{
	job_info_msg_t *jobs = NULL;
	size_t count = 0;

	if (!loaded(id ? slurm_load_job(&jobs, (uint32_t) strtoul(id, NULL, 10), SHOW_ALL | SHOW_LOCAL) : slurm_load_jobs(0, &jobs, SHOW_ALL)))
		return;
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const slurm_job_info_t *job = &jobs->job_array[i];
		uint32_t state = job->job_state & JOB_STATE_BASE;
		struct text t = { 0 };

		if (state != JOB_RUNNING && state != JOB_SUSPENDED)
			continue;
		add_word(&t, "run");
		add_number(&t, job->job_id);
		add_number(&t, job->start_time);
		add_cell(&t, job->tres_per_node);
		add_cell(&t, job->admin_comment);
		put(&t);
		count++;
	}
	slurm_free_job_info_msg(jobs);
	answer_ok(count);
}

static void put_value(const char *key, const char *value)
{
	struct text t = { 0 };

	add_word(&t, key);
	add_cell(&t, value);
	put(&t);
}

static void put_number(const char *key, uint64_t number)
{
	struct text t = { 0 };

	add_word(&t, key);
	add_number(&t, number);
	put(&t);
}

/* The first host of a list, as n1 of n[1-4]. */
static void put_first(const char *key, const char *list)
{
	hostlist_t *hosts = slurm_hostlist_create(list ? list : "");
	char *first = slurm_hostlist_shift(hosts);

	put_value(key, first);
	free(first);
	slurm_hostlist_destroy(hosts);
}

void ask_batch(const char *id)
{
	job_info_msg_t *jobs = NULL;
	const slurm_job_info_t *job;
	uint32_t state;

	if (!loaded(slurm_load_job(&jobs, (uint32_t) strtoul(id, NULL, 10), SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL)))
		return;
	if (jobs->record_count == 0) {
		slurm_free_job_info_msg(jobs);
		answer_ok(0);
		return;
	}
	job = &jobs->job_array[0];
	state = job->job_state & JOB_STATE_BASE;
	put_value("state", state == JOB_RUNNING ? "running" : state == JOB_SUSPENDED ? "suspended" :
		  state == JOB_PENDING ? "pending" : "ended");
	put_value("admin_comment", job->admin_comment);
	put_value("name", job->name);
	put_number("uid", job->user_id);
	put_number("gid", job->group_id);
	put_value("work_dir", job->work_dir);
	put_value("std_in", job->std_in);
	put_value("std_out", job->std_out);
	put_value("std_err", job->std_err);
	put_value("nodes", job->nodes);
	put_first("first_node", job->nodes);
	put_number("num_nodes", job->num_nodes);
	put_number("num_cpus", job->num_cpus);
	put_number("num_tasks", job->bitflags & JOB_NTASKS_SET ? job->num_tasks : 0);
	put_number("tasks_per_node", job->ntasks_per_node == NO_VAL16 ? 0 : job->ntasks_per_node);
	put_number("cpus_per_task", job->cpus_per_task == NO_VAL16 ? 0 : job->cpus_per_task);
	put_value("partition", job->partition);
	put_value("account", job->account);
	put_value("qos", job->qos);
	put_value("gres", job->gres_detail_cnt > 0 ? job->gres_detail_str[0] : "");
	put_number("start", job->start_time);
	put_number("end", job->end_time);
	put_value("job_state", slurm_job_state_string(job->job_state));
	put_value("reason", slurm_job_state_reason_string(job->state_reason));
	put_number("exit_code", job->exit_code);
	put_number("submit", job->submit_time);
	put_number("suspend", job->suspend_time);
	put_number("pre_suspend", job->pre_sus_time);
	put_number("restarts", job->restart_cnt);
	slurm_free_job_info_msg(jobs);
	answer_ok(1);
}

void end_job(const char *id_and_code)
{
	uint32_t id, code;

	if (sscanf(id_and_code, "%" SCNu32 "\t%" SCNu32, &id, &code) != 2)
		answer_errno(EINVAL);
	else if (complete_job(id, code) == SLURM_SUCCESS)
		answer_ok(1);
	else if (is_gone(errno))
		answer_ok(0);
	else
		answer_errno(errno);
}

void reconfigure(void)
{
	if (slurm_reconfigure() == SLURM_SUCCESS)
		answer_ok(0);
	else
		answer_errno(errno);
}

/*
 * _slurm_rpc_update_node queues slurmctld's scheduler, whatever was updated: here nothing of a
 * node.
 */
void wake_scheduler(const char *node)
{
	update_node_msg_t update;

	slurm_init_update_node_msg(&update);
	update.node_names = (char *) node;
	if (slurm_update_node(&update) == SLURM_SUCCESS)
		answer_ok(0);
	else
		answer_errno(errno);
}

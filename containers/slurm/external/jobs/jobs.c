/*
 * slurmjobs tells which external jobs run, and ends them, through libslurm.
 * Package external starts it on the cluster's clock, because the tokens of
 * auth/slurm have the time in them.
 *
 * It reads commands from standard input, one a line, and answers each with
 *
 *   job ID START TRES ADMINCOMMENT   separated by tabs, for each job that was asked
 *                                    for and runs; TRES is --gres, empty without
 *   KEY VALUE                        separated by a tab, for a job whose details were
 *                                    asked for; \\, \n and \t in the value stand for a
 *                                    backslash, a line break and a tab
 *   ok | gone | error TEXT           always the last line; gone: the job has ended, or
 *                                    is not known
 *
 * Commands:
 *
 *   job ID       one job
 *   running      all jobs
 *   details ID   what there is to know of a job in any state
 *   reconfigure  slurmctld is to read its configuration and its state anew
 *   end ID CODE  the job has ended with CODE, that of wait(2)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

/* A line break or a tab in a comment would end its line or column. */
static void print_text(const char *text)
{
	for (; text && *text; text++)
		putchar(*text == '\n' || *text == '\t' || *text == '\r' ? ' ' : *text);
}

static void print_job(const slurm_job_info_t *job)
{
	uint32_t state = job->job_state & JOB_STATE_BASE;

	if (state != JOB_RUNNING && state != JOB_SUSPENDED)
		return;
	printf("job\t%" PRIu32 "\t%lld\t", job->step_id.job_id, (long long) job->start_time);
	print_text(job->tres_per_node);
	putchar('\t');
	print_text(job->admin_comment);
	putchar('\n');
}

static void answer(int rc)
{
	int code = errno;

	if (rc == SLURM_SUCCESS)
		puts("ok");
	else if (code == ESLURM_ALREADY_DONE || code == ESLURM_INVALID_JOB_ID)
		puts("gone");
	else
		printf("error %s\n", slurm_strerror(code));
	fflush(stdout);
}

static void print_jobs(int rc, job_info_msg_t *jobs, void (*print)(const slurm_job_info_t *))
{
	if (rc == SLURM_SUCCESS) {
		for (uint32_t i = 0; i < jobs->record_count; i++)
			print(&jobs->job_array[i]);
		slurm_free_job_info_msg(jobs);
	}
	answer(rc);
}

static void print_value(const char *key, const char *value)
{
	printf("%s\t", key);
	for (; value && *value; value++) {
		switch (*value) {
		case '\\':
			fputs("\\\\", stdout);
			break;
		case '\n':
			fputs("\\n", stdout);
			break;
		case '\t':
			fputs("\\t", stdout);
			break;
		default:
			putchar(*value);
		}
	}
	putchar('\n');
}

static void print_number(const char *key, long long number)
{
	printf("%s\t%lld\n", key, number);
}

/* The first host of a list, as n1 of n[1-4]. */
static void print_first(const char *key, const char *list)
{
	hostlist_t *hosts = slurm_hostlist_create(list ? list : "");
	char *first = slurm_hostlist_shift(hosts);

	print_value(key, first);
	free(first);
	slurm_hostlist_destroy(hosts);
}

static void print_details(const slurm_job_info_t *job)
{
	uint32_t state = job->job_state & JOB_STATE_BASE;

	print_value("state", state == JOB_RUNNING ? "running" : state == JOB_SUSPENDED ? "suspended" :
		    state == JOB_PENDING ? "pending" : "ended");
	print_value("admin_comment", job->admin_comment);
	print_value("name", job->name);
	print_number("uid", job->user_id);
	print_number("gid", job->group_id);
	print_value("work_dir", job->work_dir);
	print_value("std_in", job->std_in);
	print_value("std_out", job->std_out);
	print_value("std_err", job->std_err);
	print_value("nodes", job->nodes);
	print_first("first_node", job->nodes);
	print_number("num_nodes", job->num_nodes);
	print_number("num_cpus", job->num_cpus);
	print_number("num_tasks", job->bitflags & JOB_NTASKS_SET ? job->num_tasks : 0);
	print_number("tasks_per_node", job->ntasks_per_node == NO_VAL16 ? 0 : job->ntasks_per_node);
	print_number("cpus_per_task", job->cpus_per_task == NO_VAL16 ? 0 : job->cpus_per_task);
	print_value("partition", job->partition);
	print_value("account", job->account);
	print_value("qos", job->qos);
	print_value("gres", job->gres_detail_cnt > 0 ? job->gres_detail_str[0] : "");
	print_number("start", (long long) job->start_time);
	print_number("end", (long long) job->end_time);
}

static slurm_step_id_t job(uint32_t id)
{
	slurm_step_id_t step = SLURM_STEP_ID_INITIALIZER;

	step.job_id = id;
	return step;
}

static void end(uint32_t id, uint32_t code)
{
	slurm_step_id_t step = job(id);

	answer(slurm_complete_job(&step, code));
}

int main(void)
{
	char line[256];

	slurm_init(NULL);
	while (fgets(line, sizeof(line), stdin)) {
		job_info_msg_t *jobs = NULL;
		uint32_t id, code;

		if (sscanf(line, "end %" SCNu32 " %" SCNu32, &id, &code) == 2) {
			end(id, code);
		} else if (sscanf(line, "job %" SCNu32, &id) == 1) {
			int rc = slurm_load_job(&jobs, job(id), SHOW_ALL);
			print_jobs(rc, jobs, print_job);
		} else if (sscanf(line, "details %" SCNu32, &id) == 1) {
			int rc = slurm_load_job(&jobs, job(id), SHOW_ALL | SHOW_DETAIL);
			print_jobs(rc, jobs, print_details);
		} else if (strcmp(line, "reconfigure\n") == 0) {
			answer(slurm_reconfigure());
		} else if (strcmp(line, "running\n") == 0) {
			int rc = slurm_load_jobs(0, &jobs, SHOW_ALL);
			print_jobs(rc, jobs, print_job);
		} else {
			puts("error unknown command");
			fflush(stdout);
		}
	}
	slurm_fini();
	return 0;
}

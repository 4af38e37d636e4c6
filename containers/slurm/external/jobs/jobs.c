/*
 * slurmjobs tells which external jobs run, and ends them, through libslurm.
 * Package external starts it on the cluster's clock, because the tokens of
 * auth/slurm have the time in them.
 *
 * It reads commands from standard input, one a line, and answers each with
 *
 *   job ID START TRES ADMINCOMMENT   separated by tabs, for each job that was asked
 *                                    for and runs; TRES is --gres, empty without
 *   ok | gone | error TEXT           always the last line; gone: the job has ended
 *
 * Commands:
 *
 *   job ID       one job
 *   running      all jobs
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

static void print_jobs(int rc, job_info_msg_t *jobs)
{
	if (rc == SLURM_SUCCESS) {
		for (uint32_t i = 0; i < jobs->record_count; i++)
			print_job(&jobs->job_array[i]);
		slurm_free_job_info_msg(jobs);
	}
	answer(rc);
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
			print_jobs(rc, jobs);
		} else if (strcmp(line, "running\n") == 0) {
			int rc = slurm_load_jobs(0, &jobs, SHOW_ALL);
			print_jobs(rc, jobs);
		} else {
			puts("error unknown command");
			fflush(stdout);
		}
	}
	slurm_fini();
	return 0;
}

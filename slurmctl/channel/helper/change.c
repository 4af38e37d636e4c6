/* Changes existing jobs. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channel.h"

/* How often scancel tries while Slurm cannot change a job for the moment (MAX_CANCEL_RETRY in src/scancel/scancel.c). */
#define MOST_RETRIES 10

void ask_known(void)
{
	job_info_msg_t *jobs = NULL;

	if (slurm_load_jobs(0, &jobs, SHOW_ALL) != SLURM_SUCCESS) {
		answer_errno(errno);
		return;
	}
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		struct text t = { 0 };

		add_word(&t, "known");
		add_number(&t, jobs->job_array[i].job_id);
		add_cell(&t, jobs->job_array[i].name);
		put(&t);
	}
	answer_ok(jobs->record_count);
	slurm_free_job_info_msg(jobs);
}

/* The user of a job that has not ended. Otherwise the error is the one that slurm_kill_job gives. */
static int find_owner(uint32_t id, uid_t *owner)
{
	job_info_msg_t *jobs = NULL;
	int code = 0;

	if (slurm_load_job(&jobs, id, SHOW_ALL | SHOW_LOCAL) != SLURM_SUCCESS)
		return errno;
	if (jobs->record_count == 0)
		code = ESLURM_INVALID_JOB_ID;
	else if ((jobs->job_array[0].job_state & JOB_STATE_BASE) > JOB_SUSPENDED)
		code = ESLURM_ALREADY_DONE;
	else
		*owner = jobs->job_array[0].user_id;
	slurm_free_job_info_msg(jobs);
	return code;
}

/*
 * As "scancel ID" of the job's owner: accounting names the user who cancelled a job, and auth/slurm takes that from the
 * user who connects. Where there is one user only, as in Charliecloud, that is who we are.
 */
static int cancel(uint32_t id)
{
	uid_t owner = geteuid();
	int code = find_owner(id, &owner);

	if (code)
		return code;
	if (seteuid(owner) != 0)
		owner = geteuid();
	for (unsigned tries = 0; tries < MOST_RETRIES; tries++) {
		code = slurm_kill_job(id, SIGKILL, 0) == SLURM_SUCCESS ? 0 : errno;
		if (code != ESLURM_TRANSITION_STATE_NO_UPDATE)
			break;
		sleep(5 + tries);
	}
	if (geteuid() != getuid() && seteuid(getuid()) != 0)
		abort();
	return code;
}

void cancel_jobs(char *ids)
{
	size_t count = 0;

	for (char *word = strtok(ids, "\t"); word; word = strtok(NULL, "\t")) {
		int code = cancel(strtoul(word, NULL, 10));

		if (code && !is_gone(code)) {
			answer_errno(code);
			return;
		}
		count += code == 0;
	}
	answer_ok(count);
}

void annotate_job(char *id_and_text)
{
	char *text = id_and_text, *id = strsep(&text, "\t");
	job_desc_msg_t job;

	if (!text) {
		answer_errno(EINVAL);
		return;
	}
	slurm_init_job_desc_msg(&job);
	name_job(&job, strtoul(id, NULL, 10));
	job.extra = unescape(text);
	if (slurm_update_job(&job) == SLURM_SUCCESS)
		answer_ok(1);
	else
		answer_errno(errno);
}

/*
 * job_submit/names is a plugin of slurmctld that runs before job_submit/lua and puts
 * into a submission's environment what Lua cannot see of it. Lua finds a variable by its
 * name and cannot list the names; and some options it does not have at all:
 *
 *   SLURMLAB_NAMES      the names of all variables, one a line
 *   SLURMLAB_OPEN_MODE  "a" or "t" of --open-mode, empty without
 *   SLURMLAB_SIGNAL     "NUMBER SECONDS FLAGS" of --signal, empty without
 *
 * A variable of the same name that a user sets is overwritten. --signal is taken from
 * the job: slurmctld would look for a slurmd to deliver it, and then count the nodes of
 * the job as not responding.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

/* Of libslurmfull, which slurmctld is linked with (src/common/env.h). */
extern int slurm_env_array_overwrite(char ***array, const char *name, const char *value);

/* The names by which slurmctld finds a plugin (src/common/plugin.h). */
const char plugin_name[] = "Names of the variables of a submission";
const char plugin_type[] = "job_submit/names";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void)
{
	return SLURM_SUCCESS;
}

void fini(void)
{
}

/* A name with a line break is read as two that nobody has. */
static char *join_names(char **environment)
{
	size_t size = 1;
	char *all, *end;

	for (char **v = environment; *v; v++)
		size += strlen(*v) + 1;
	all = end = malloc(size);
	if (!all)
		return NULL;
	for (char **v = environment; *v; v++) {
		size_t length = strcspn(*v, "=");

		memcpy(end, *v, length);
		end += length;
		*end++ = '\n';
	}
	*end = '\0';
	return all;
}

static const char *mode_letter(uint8_t mode)
{
	if (mode == OPEN_MODE_APPEND)
		return "a";
	return mode == OPEN_MODE_TRUNCATE ? "t" : "";
}

int job_submit(job_desc_msg_t *job, uint32_t submit_uid, char **error)
{
	char warn[64] = "";
	char *names;

	(void) submit_uid;
	(void) error;
	/* Only batch jobs have an environment. */
	if (!job->environment)
		return SLURM_SUCCESS;
	names = join_names(job->environment);
	if (!names)
		return ENOMEM;
	if (job->warn_signal && job->warn_signal != NO_VAL16)
		snprintf(warn, sizeof(warn), "%" PRIu16 " %" PRIu16 " %" PRIu16,
			 job->warn_signal, job->warn_time, job->warn_flags);
	job->warn_signal = job->warn_time = job->warn_flags = 0;
	slurm_env_array_overwrite(&job->environment, "SLURMLAB_NAMES", names);
	slurm_env_array_overwrite(&job->environment, "SLURMLAB_OPEN_MODE", mode_letter(job->open_mode));
	slurm_env_array_overwrite(&job->environment, "SLURMLAB_SIGNAL", warn);
	free(names);
	job->env_size = 0;
	while (job->environment[job->env_size])
		job->env_size++;
	return SLURM_SUCCESS;
}

int job_modify(job_desc_msg_t *job, void *record, uint32_t submit_uid, char **error)
{
	(void) job;
	(void) record;
	(void) submit_uid;
	(void) error;
	return SLURM_SUCCESS;
}

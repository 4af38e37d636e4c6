/*
 * slurmchannel tells the state of Slurm, submits, annotates and cancels batch jobs, and tells
 * Slurm of the ends of external jobs, through libslurm. slurmlabd starts it on the cluster's clock, because the tokens of
 * auth/slurm have the time in them, and asks for as long as it lives.
 *
 * It reads questions from standard input, one a line, and answers each with rows,
 * one a line. Cells are separated by tabs; in a cell \t, \n, \r and \\ stand for a
 * tab, a line feed, a carriage return and a backslash. The last row of an answer is
 *
 *   ok COUNT | error TEXT           TEXT as slurm_strerror has it
 *
 * Questions, and the rows of their answers before the last one:
 *
 *   jobs            job ID ...      pending, running, suspended and completing jobs
 *                   gone ID         that are new or other than in the last answer to
 *                                   this question, or are such no more; COUNT is how
 *                                   many there are
 *   nodes           node PLACE ...  the same for nodes, by their places in Slurm's
 *                   gone PLACE      node table from 0
 *   details ID...   detail ID ...   jobs with placements; unknown ones are left out,
 *                                   COUNT is how many were asked for
 *   licences        licence NAME FREE RESERVED
 *   reservations    reservation NAME START END NODES PARTS MAINT OVERLAP FLEX
 *                                   times as scontrol has them; PARTS is 1 if it has some
 *                                   cores of its nodes alone, the others if it has the flag
 *
 *   running [ID]    run ID START TRES ADMINCOMMENT
 *                                   all running and suspended jobs, or one if it is
 *                                   such; START is Unix time, TRES is --gres
 *   batch ID        KEY VALUE ...   what the script of a job in any state needs, and how
 *                                   the job stands; COUNT is 0 for an unknown job
 *   known           known ID NAME   all jobs that slurmctld remembers, in any state
 *   cancel ID...                    jobs, each as its owner; COUNT is how many had not
 *                                   ended. Unknown ones are ignored
 *   note ID TEXT                    TEXT is a job's Extra from now on
 *   end ID CODE                     an external job has ended with CODE, that of
 *                                   wait(2); COUNT is 0 for a job that had ended
 *   reconfigure                     slurmctld is to read its configuration again
 *   wake NODE                       slurmctld's scheduler is to look at its queue; NODE is
 *                                   any node there is
 *   submit NAME=VALUE...
 *                   submitted ID    a batch job; the names are the names of its options in
 *                                   the table of slurmctl/sbatch, and command and
 *                                   script. Cells are escaped as those of rows are.
 *                                   TEXT of an error is what sbatch prints
 *
 * An error leaves what "jobs" and "nodes" have answered before as it was.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"

static void answer(char *line)
{
	if (strcmp(line, "jobs") == 0)
		ask_jobs();
	else if (strcmp(line, "nodes") == 0)
		ask_nodes();
	else if (strcmp(line, "licences") == 0)
		ask_licences();
	else if (strcmp(line, "reservations") == 0)
		ask_reservations();
	else if (strncmp(line, "details\t", 8) == 0)
		ask_details(line + 8);
	else if (strcmp(line, "running") == 0)
		ask_running(NULL);
	else if (strncmp(line, "running\t", 8) == 0)
		ask_running(line + 8);
	else if (strncmp(line, "batch\t", 6) == 0)
		ask_batch(line + 6);
	else if (strcmp(line, "known") == 0)
		ask_known();
	else if (strncmp(line, "cancel\t", 7) == 0)
		cancel_jobs(line + 7);
	else if (strncmp(line, "note\t", 5) == 0)
		annotate_job(line + 5);
	else if (strncmp(line, "end\t", 4) == 0)
		end_job(line + 4);
	else if (strncmp(line, "wake\t", 5) == 0)
		wake_scheduler(line + 5);
	else if (strncmp(line, "submit\t", 7) == 0)
		ask_submit(line + 7);
	else if (strcmp(line, "reconfigure") == 0)
		reconfigure();
	else
		answer_errno(EINVAL);
}

/*
 * An answer of slurmctld with all nodes of a large machine takes some MiB for a moment.
 * Without this the kernel takes them back each time, and has to clear others.
 */
#define KEPT (32 << 20)

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	mallopt(M_TRIM_THRESHOLD, KEPT);
	mallopt(M_MMAP_THRESHOLD, KEPT);
	slurm_init(NULL);
	while ((length = getline(&line, &room, stdin)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = 0;
		answer(line);
		if (fflush(stdout) != 0)
			break;
	}
	free(line);
	slurm_fini();
	return 0;
}

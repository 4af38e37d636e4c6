/* Batch jobs, submitted as sbatch does it (src/sbatch/sbatch.c of 24.11 and 26.05). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel.h"

extern char **environ;

/* How often sbatch tries when Slurm cannot take a job for the moment. */
#define MOST_RETRIES 15

static void set(const char *name, const char *value)
{
	if (setenv(name, value, 1) != 0)
		abort();
}

static void set_number(const char *name, unsigned long value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%lu", value);
	set(name, digits);
}

/* What sbatch adds to the environment of every job. */
static void prepare_environment(void)
{
	static const struct { const char *name; int resource; } limits[] = {
		{ "SLURM_RLIMIT_CPU", RLIMIT_CPU }, { "SLURM_RLIMIT_FSIZE", RLIMIT_FSIZE },
		{ "SLURM_RLIMIT_DATA", RLIMIT_DATA }, { "SLURM_RLIMIT_STACK", RLIMIT_STACK },
		{ "SLURM_RLIMIT_CORE", RLIMIT_CORE }, { "SLURM_RLIMIT_RSS", RLIMIT_RSS },
		{ "SLURM_RLIMIT_NPROC", RLIMIT_NPROC }, { "SLURM_RLIMIT_NOFILE", RLIMIT_NOFILE },
		{ "SLURM_RLIMIT_MEMLOCK", RLIMIT_MEMLOCK }, { "SLURM_RLIMIT_AS", RLIMIT_AS },
	};
	char text[PATH_MAX];
	mode_t mask = umask(0);

	umask(mask);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rlimit limit;

		if (getrlimit(limits[i].resource, &limit) == 0)
			set_number(limits[i].name, limit.rlim_cur);
	}
	snprintf(text, sizeof(text), "%d", getpriority(PRIO_PROCESS, 0));
	set("SLURM_PRIO_PROCESS", text);
	snprintf(text, sizeof(text), "0%d%d%d", mask >> 6 & 7, mask >> 3 & 7, mask & 7);
	set("SLURM_UMASK", text);
	if (getcwd(text, sizeof(text)))
		set("SLURM_SUBMIT_DIR", text);
	if (gethostname(text, sizeof(text)) == 0)
		set("SLURM_SUBMIT_HOST", text);
	/* For an mpirun in the script (set_env_from_opts in src/common/env.c). */
	set("OMPI_MCA_plm_slurm_args", "--external-launcher");
	set("PRTE_MCA_plm_slurm_args", "--external-launcher");
	set("HYDRA_BOOTSTRAP", "slurm");
	set("HYDRA_LAUNCHER_EXTRA_ARGS", "--external-launcher");
	set("I_MPI_HYDRA_BOOTSTRAP", "slurm");
	set("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "--external-launcher");
}

/* This process's own environment becomes that of the job, as in sbatch. */
static void set_environment(job_desc_msg_t *job)
{
	static bool prepared;

	if (!prepared)
		prepare_environment();
	prepared = true;
	set_number("SLURM_NPROCS", job->num_tasks);
	set_number("SLURM_NTASKS", job->num_tasks);
	unsetenv("SLURM_NTASKS_PER_NODE");
	if (job->ntasks_per_node != NO_VAL16)
		set_number("SLURM_NTASKS_PER_NODE", job->ntasks_per_node);
	unsetenv("SLURM_JOB_DEPENDENCY");
	if (job->dependency)
		set("SLURM_JOB_DEPENDENCY", job->dependency);
	job->environment = environ;
	while (environ[job->env_size])
		job->env_size++;
}

/* The cells of a submission, in the order of Submit (slurmctl/channel/submit.go). */
enum {
	NAME, TASKS, NODES, NODES_MAX, TASKS_PER_NODE, GRES, CONTIGUOUS, ACCOUNT, PARTITION, MEM_NODE, MEM_CPU, FEATURES, EXCLUSIVE,
	QOS, LICENSES, RESERVATION, NODE_LIST, USER, NICE, PRIORITY, MINUTES, HOLD, DEPENDENCY, BEGIN, COMMAND, SCRIPT, CELLS
};

static uint32_t count(const char *cell)
{
	return (uint32_t) strtoul(cell, NULL, 10);
}

static char *if_any(char *cell)
{
	return *cell ? cell : NULL;
}

/* What sbatch makes of its options (slurm_opt_create_job_desc in src/common/slurm_opt.c). False for a user who is none. */
static bool fill(job_desc_msg_t *job, char **cells)
{
	static char directory[PATH_MAX], null[] = "/dev/null";
	uint32_t nodes = count(cells[NODES]), per_node = count(cells[TASKS_PER_NODE]);

	slurm_init_job_desc_msg(job);
	job->name = cells[NAME];
	job->bitflags = JOB_NTASKS_SET;
	job->num_tasks = job->min_cpus = count(cells[TASKS]);
	if (per_node) {
		job->ntasks_per_node = per_node;
		job->min_nodes = (job->num_tasks + per_node - 1) / per_node;
	}
	if (nodes) {
		job->min_nodes = nodes;
		job->max_nodes = count(cells[NODES_MAX]);
	}
	job->tres_per_node = if_any(cells[GRES]);
	job->contiguous = count(cells[CONTIGUOUS]);
	job->account = if_any(cells[ACCOUNT]);
	job->partition = if_any(cells[PARTITION]);
	if (count(cells[MEM_NODE]))
		job->pn_min_memory = count(cells[MEM_NODE]);
	else if (count(cells[MEM_CPU]))
		job->pn_min_memory = count(cells[MEM_CPU]) | MEM_PER_CPU;
	job->features = if_any(cells[FEATURES]);
	if (count(cells[EXCLUSIVE]))
		job->shared = JOB_SHARED_NONE;
	job->qos = if_any(cells[QOS]);
	job->licenses = if_any(cells[LICENSES]);
	job->reservation = if_any(cells[RESERVATION]);
	job->req_nodes = if_any(cells[NODE_LIST]);
	if (strcmp(cells[NICE], "0") != 0)
		job->nice = NICE_OFFSET + (uint32_t) strtol(cells[NICE], NULL, 10);
	if (count(cells[PRIORITY]))
		job->priority = count(cells[PRIORITY]);
	job->time_limit = count(cells[MINUTES]);
	if (count(cells[HOLD]))
		job->priority = 0;
	job->dependency = if_any(cells[DEPENDENCY]);
	job->begin_time = (time_t) strtoull(cells[BEGIN], NULL, 10);
	job->submit_line = cells[COMMAND];
	job->script = cells[SCRIPT];
	job->work_dir = getcwd(directory, sizeof(directory));
	job->std_in = job->std_out = job->std_err = null;
	job->user_id = getuid();
	job->group_id = getgid();
	if (*cells[USER] && !id_of_user(cells[USER], &job->user_id))
		return false;
	job->task_dist = SLURM_DIST_UNKNOWN;
	job->mail_type = job->mem_bind_type = 0;
	job->resv_port_cnt = job->oom_kill_step = NO_VAL16;
	return true;
}

/* A refusal in the words of sbatch: libslurm writes what job_submit.lua said to standard error. */
static void refuse(int said, int code)
{
	char words[4096];
	ssize_t length = pread(said, words, sizeof(words) - 1, 0);
	struct text t = { 0 }, whole = { 0 };

	words[length > 0 ? length : 0] = 0;
	add_word(&whole, words);
	add_word(&whole, "Batch job submission failed: ");
	add_word(&whole, slurm_strerror(code));
	add_word(&t, "error");
	add_cell(&t, whole.s);
	puts(t.s);
	free(t.s);
	free(whole.s);
}

/* May Slurm take the job if it is asked again? */
static bool passes(int code)
{
	return code == queue_full || code == ESLURM_NODES_BUSY || code == ESLURM_PORTS_BUSY || code == EAGAIN;
}

/* As slurm_submit_batch_job; what libslurm says goes into the file said. */
static int submit(job_desc_msg_t *job, submit_response_msg_t **response, int said)
{
	int errors = dup(STDERR_FILENO), rc, code;

	if (errors < 0 || dup2(said, STDERR_FILENO) < 0)
		return SLURM_ERROR;
	for (unsigned tries = 1; (rc = slurm_submit_batch_job(job, response)) != SLURM_SUCCESS && passes(errno) && tries <= MOST_RETRIES; tries++)
		sleep(tries);
	code = errno;
	dup2(errors, STDERR_FILENO);
	close(errors);
	errno = code;
	return rc;
}

void ask_submit(char *line)
{
	submit_response_msg_t *response = NULL;
	job_desc_msg_t job;
	char *cells[CELLS], *rest = line;
	int said, rc;

	for (size_t i = 0; i < CELLS; i++) {
		cells[i] = rest ? unescape(strsep(&rest, "\t")) : NULL;
		if (!cells[i]) {
			answer_errno(EINVAL);
			return;
		}
	}
	if (!fill(&job, cells)) {
		answer_errno(ESLURM_USER_ID_MISSING);
		return;
	}
	said = memfd_create("said", 0);
	set_environment(&job);
	rc = submit(&job, &response, said);
	if (rc == SLURM_SUCCESS && response) {
		printf("submitted\t%" PRIu32 "\n", submitted_id(response));
		answer_ok(1);
	} else {
		refuse(said, errno);
	}
	slurm_free_submit_response_response_msg(response);
	close(said);
}

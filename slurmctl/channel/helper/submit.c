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

/* The job gets this process's own environment, as in sbatch. */
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

/* A cell NAME=VALUE of a submission. taken says that somebody asked for it. */
struct cell {
	const char *name;
	char *value;
	bool taken;
};

/* The cells of a submission (sbatch.Request.Cells in Go), with a last one without a name. */
#define MOST_CELLS 64

/* Cuts a question into cells. */
static bool split(char *line, struct cell *cells)
{
	char *word;

	for (size_t n = 0; (word = strsep(&line, "\t")); n++) {
		char *value = strchr(unescape(word), '=');

		if (!value || n == MOST_CELLS - 1)
			return false;
		*value = 0;
		cells[n] = (struct cell) { .name = word, .value = value + 1 };
	}
	return true;
}

/* The value of a cell, NULL for one that is not there. */
static char *take(struct cell *cells, const char *name)
{
	for (; cells->name; cells++) {
		if (strcmp(cells->name, name) == 0) {
			cells->taken = true;
			return cells->value;
		}
	}
	return NULL;
}

static bool all_taken(const struct cell *cells)
{
	while (cells->name && cells->taken)
		cells++;
	return !cells->name;
}

/* A number, or that at the beginning of "2-4" and "100M"; 0 for none. */
static uint32_t count(const char *value)
{
	return value ? (uint32_t) strtoul(value, NULL, 10) : 0;
}

/* -N: one number, or the least and the most. */
static void set_nodes(job_desc_msg_t *job, const char *nodes)
{
	const char *most = strchr(nodes, '-');

	job->min_nodes = count(nodes);
	job->max_nodes = most ? count(most + 1) : job->min_nodes;
}

/*
 * What sbatch makes of its options (slurm_opt_create_job_desc in src/common/slurm_opt.c). An error for a user who is none, and
 * for a cell that nobody knows.
 */
static int fill(job_desc_msg_t *job, struct cell *cells)
{
	static char directory[PATH_MAX], null[] = "/dev/null";
	const char *value, *user;

	slurm_init_job_desc_msg(job);
#define TEXT(cell, field) job->field = take(cells, #cell);
#define NUMBER(cell, field) if ((value = take(cells, #cell))) job->field = count(value);
#include "options.h"
	job->bitflags = JOB_NTASKS_SET;
	job->num_tasks = job->min_cpus = count(take(cells, "tasks"));
	if ((value = take(cells, "tasks_per_node"))) {
		job->ntasks_per_node = count(value);
		job->min_nodes = (job->num_tasks + job->ntasks_per_node - 1) / job->ntasks_per_node;
	}
	if ((value = take(cells, "nodes")))
		set_nodes(job, value);
	job->contiguous = count(take(cells, "contiguous"));
	if ((value = take(cells, "mem_per_node")))
		job->pn_min_memory = count(value);
	if ((value = take(cells, "mem_per_cpu")))
		job->pn_min_memory = count(value) | MEM_PER_CPU;
	if (take(cells, "exclusive"))
		job->shared = JOB_SHARED_NONE;
	if ((value = take(cells, "nice")))
		job->nice = NICE_OFFSET + (uint32_t) strtol(value, NULL, 10);
	if ((value = take(cells, "priority")))
		job->priority = count(value);
	job->time_limit = count(take(cells, "minutes"));
	if (take(cells, "hold"))
		job->priority = 0;
	value = take(cells, "begin");
	job->begin_time = value ? (time_t) strtoull(value, NULL, 10) : 0;
	job->submit_line = take(cells, "command");
	job->script = take(cells, "script");
	job->work_dir = getcwd(directory, sizeof(directory));
	job->std_in = job->std_out = job->std_err = null;
	job->user_id = getuid();
	job->group_id = getgid();
	user = take(cells, "user");
	job->task_dist = SLURM_DIST_UNKNOWN;
	job->mail_type = job->mem_bind_type = 0;
	job->resv_port_cnt = job->oom_kill_step = NO_VAL16;
	if (!all_taken(cells) || !job->name || !job->num_tasks || !job->script)
		return EINVAL;
	return user && !id_of_user(user, &job->user_id) ? ESLURM_USER_ID_MISSING : 0;
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
	struct cell cells[MOST_CELLS] = { 0 };
	int said, rc;

	rc = split(line, cells) ? fill(&job, cells) : EINVAL;
	if (rc != 0) {
		answer_errno(rc);
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

/* slurmchannel: what its parts know of each other. main.c describes the protocol. */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

/* Job ids instead of slurm_step_id_t where Slurm 26.05 wants the latter. */
#define SLURM_BACKWARD_COMPAT
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

/* Functions that libslurm exports and slurm.h does not declare. */
extern char *slurm_job_state_string(uint32_t state);
extern char *slurm_job_state_reason_string(uint32_t reason);
extern char *slurm_node_state_string_complete(uint32_t state);
extern void slurm_xfree(void **item);

/* text is a row that grows. */
struct text {
	char *s;
	size_t length, room;
};

/* A cell begins with a tab; NULL is an empty one. */
void add_word(struct text *t, const char *word);
void add_cell(struct text *t, const char *value);
void add_number(struct text *t, uint64_t value);
void add_time(struct text *t, time_t value);
void add_minutes(struct text *t, uint32_t minutes);
/* Undoes what add_cell does to a value, in its place. */
char *unescape(char *cell);

/* picture is a row for each number: what the reader of our output has seen. */
struct row {
	uint32_t number;
	/* Where it begins in the text of all rows. It ends with a zero byte. */
	size_t start;
};
struct picture {
	struct row *rows;
	size_t count, room;
	struct text all;
	/* Slurm's time of the last load. */
	time_t loaded;
};

/* Begins another row; its word and cells are to be added to what is returned. */
struct text *add_row(struct picture *p, uint32_t number);

/*
 * Prints the rows of now that are new or other than in seen, and "gone" with the number
 * for each one that is there no more. Then seen is what now was, and now is empty.
 */
void show(struct picture *seen, struct picture *now);

/* Prints a row, and frees it. */
void put(struct text *t);

/* The last row of an answer. */
void answer_ok(size_t count);
void answer_errno(int code);

/* A job that is not known is one that is not there. */
static inline bool is_gone(int code)
{
	return code == ESLURM_ALREADY_DONE || code == ESLURM_INVALID_JOB_ID;
}

/* NULL if there is no such user. */
const char *name_of_user(uid_t id);

/* False if there is no such user. */
bool id_of_user(const char *name, uid_t *id);

void add_queued(struct text *t, const slurm_job_info_t *job);

/* What jobs have of a node; version.c hides how Slurm tells it. */
struct allocated {
	uint16_t cpus;
	uint64_t memory;
	char *tres;
};
struct allocated allocated_on(const node_info_t *node);
void forget_allocated(struct allocated *a);

/* As slurm_complete_job. */
int complete_job(uint32_t id, uint32_t code);

/* Says of which job an update is. */
void name_job(job_desc_msg_t *job, uint32_t id);

/* The error of a Slurm that has as many jobs as it may have. */
extern const int queue_full;
uint32_t submitted_id(const submit_response_msg_t *response);

/* The questions. */
void ask_jobs(void);
void ask_nodes(void);
void ask_licences(void);
void ask_reservations(void);
void ask_details(char *ids);
/* NULL for all jobs. */
void ask_running(const char *id);
void ask_batch(const char *id);
void ask_known(void);
void end_job(const char *id_and_code);
void cancel_jobs(char *ids);
void annotate_job(char *id_and_text);
void reconfigure(void);
void wake_scheduler(const char *node);
void ask_submit(char *line);

#endif

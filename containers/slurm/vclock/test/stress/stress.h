/*
 * stress.h: a cluster of processes that only wait, in every possible way, for
 * random times, while some of them are killed.
 *
 * supervisor.c starts vclockd and the workers, kills some, and looks on in real
 * time; worker.c and waits.c run preloaded with the library and check each wait
 * from inside. They share the board.
 */
#ifndef STRESS_H
#define STRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SECOND 1000000000LL
#define MS 1000000LL
#define US 1000LL

#define MOST_PROCESSES 200
#define MOST_THREADS 16

/* A wait is over by more than the real time since it began only if the clock has
 * jumped beyond its end. A jump may do so by a little, if an interrupt takes the core
 * from vclockd in the middle of it. By more than this it is a lost wake-up. */
#define BEYOND (3 * SECOND)

enum kind {
	SLEEP,
	POLL,
	SELECT,
	EPOLL,
	COND,
	SIGNAL, /* condition without a time limit, signalled by a sleeper */
	SEM,
	ALARM,
	SPAWN, /* /bin/sleep */
	KINDS
};
extern const char *const kind_name[KINDS];

struct record {
	_Atomic int64_t deadline; /* virtual monotonic, 0 = not waiting */
	_Atomic int64_t begin;    /* real monotonic */
	_Atomic int kind;
	_Atomic int tid;
};

struct board {
	_Atomic int64_t latest; /* virtual monotonic time somebody has seen */
	_Atomic uint64_t waits[KINDS];
	_Atomic uint64_t timeouts[KINDS]; /* of them ended by the clock */
	_Atomic int64_t late[KINDS];      /* most */
	_Atomic uint64_t failures;
	struct record record[MOST_PROCESSES][MOST_THREADS];
};

/* Descriptors that workers inherit. */
#define BOARD_FD 10
#define PIPE_FD(process, end) (20 + 2 * (process) + (end))

struct worker {
	struct board *board;
	int process, processes, threads;
};
extern struct worker worker;

/* One thread's place and dice. */
struct self {
	struct record *record;
	uint64_t random;
};

int worker_main(int count, char **argument);

/* waits.c */
int64_t now(struct self *self);
int64_t real_now(void);
uint64_t dice(struct self *self, uint64_t below);
int64_t some_time(struct self *self);
/* Between these two lies a wait that may not end by the clock before it has
 * lasted that long, nor much later. */
int64_t wait_begins(struct self *self, enum kind kind, int64_t lasts);
void wait_ends(struct self *self, enum kind kind, int64_t begin, int64_t lasts, bool by_clock);
void failure(const struct self *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
extern void (*const wait_once[])(struct self *);
extern const int wait_ways;
void wait_for_alarm(struct self *self);
void spawn_sleep(struct self *self);
void poke(struct self *self);
void *pair_sleeper(void *self);
void pair_wait(struct self *self);

#endif

/*
 * vclockd.h: what the parts of vclockd share.
 *
 * main.c     options, start
 * page.c     creates the page or takes it over
 * control.c  the loop: is the cluster idle? then jump
 * core.c     is anybody else runnable on this core? (yield test)
 * threads.c  do all threads sleep? (looks at those that ran)
 * proc.c     reads /proc
 * jump.c     the jump, and waking whom it makes due
 * reap.c     frees slots of dead processes
 * dump.c     prints the page
 * fail.c     one line to stderr, and the end
 */
#ifndef VCLOCKD_H
#define VCLOCKD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "../vclock.h"
#include "fail.h"

#define SECOND 1000000000LL

struct options {
	const char *path;
	int64_t start; /* virtual CLOCK_REALTIME at the start, -1 = the real one */
	double think;
	bool hold;
	bool attach;
	bool dump;
	struct vclock_round round[VCLOCK_ROUNDS];
	int rounds;
};

struct vclock_page *page_create(const struct options *options);
struct vclock_page *page_attach(const char *path);
const struct vclock_page *page_read(const char *path);
/* True of a group whose processes must not change the time: users' programs, which the
 * cluster stops and continues. */
bool page_withheld_from(gid_t group);

_Noreturn void control(struct vclock_page *page);

/* core.c */
void core_start(void);
bool core_idle(void);
bool core_still_idle(void);
void core_sleep(int us);
void core_rest(void);
void core_disturbed(void);
int64_t core_idle_since(void);
int64_t core_foreign(void);

/* threads.c */
enum verdict { ASLEEP, RUNNING, BLOCKED, UNSURE /* somebody may not be in the list */ };
void threads_start(struct vclock_page *page, bool one_core);
void threads_changed(pid_t process);
enum verdict threads_look(void);
bool threads_untouched(void);
bool threads_alone(void);

/* jump.c */
void jump_start(struct vclock_page *page);
bool jump_wanted(void);
/* Looks for the next deadline, and jumps to it if it is to come. Between the two the
 * core is seen idle once more. Otherwise the clock would jump over a thread that takes
 * the core from vclockd in the microseconds of the search. */
void jump_find(void);
void jump(void);
void jump_wake(void);
void jump_mark_woken(void);

void reap(struct vclock_page *page);

int dump(const struct vclock_page *page);

static inline int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t))
		return -1;
	return t.tv_sec * SECOND + t.tv_nsec;
}

static inline int64_t real_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline void add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

#endif

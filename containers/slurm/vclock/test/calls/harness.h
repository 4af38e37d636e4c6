/*
 * harness.h: cases for the preload library, each in a process of its own with a
 * page of its own. There is no vclockd: a case jumps when it wants to, so that
 * it is the same each time.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../vclock.h"

#define SECOND INT64_C(1000000000)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof *(a))

enum case_kind {
	VIRTUAL, /* under the library with a page */
	COMPARED /* prints the same under the library, without page and without library */
};

struct test_case {
	struct test_case *next;
	const char *name;
	enum case_kind kind;
	void (*run)(void);
};
void add_case(struct test_case *c);

#define CASE(name, kind)                                                               \
	static void name(void);                                                        \
	__attribute__((constructor)) static void add_##name(void)                      \
	{                                                                              \
		static struct test_case c = {NULL, #name, kind, name};                 \
		add_case(&c);                                                          \
	}                                                                              \
	static void name(void)

#define CHECK(condition)                                                               \
	do {                                                                           \
		if (!(condition))                                                      \
			fail(__FILE__, __LINE__, #condition);                          \
	} while (0)
_Noreturn void fail(const char *file, int line, const char *condition);

/* What the failure message says the case was doing. */
extern _Thread_local const char *doing;

extern struct vclock_page *page;
struct vclock_page *make_page(const char *path);

int64_t now(void); /* CLOCK_MONOTONIC as the program sees it */
struct timespec after(clockid_t clock, double seconds);
struct timespec length(double seconds);
/* Real time since the case began: without a jump too many, nothing is later by more. */
int64_t passed(void);
/* The virtual time since start is what was asked, and more only by real time. */
void check_elapsed(int64_t start, double seconds);
void check_elapsed_between(int64_t start, double least, double most);
/* What is left of a time is no more than all of it, and less only by real time. */
void check_left(int64_t left, double seconds);
void begin_case(void);
void real_pause(void);

/* Waits until a thread sleeps that has a deadline; its slot. */
uint32_t await_sleeper(void);
void await_sleeping(pid_t pid, pid_t tid);
/* Jumps to the next deadline and wakes all that are due, as vclockd does. */
void jump_once(void);
/* A thread that does so again and again until stop_jumps. */
void start_jumps(void);
void stop_jumps(void);
unsigned registered(void); /* number of deadlines */

extern const char *own_program; /* to be executed with arguments --helper NAME */

#endif

/*
 * client.h: the waiter's side of the page, as small as the protocol allows, so
 * that vclockd is tested without the library.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>

#include "../../vclock.h"

#define SECOND 1000000000LL
#define MS 1000000LL

extern struct vclock_page *page;

/* Starts vclockd with these arguments after --page, and waits until it is
 * ready. */
void daemon_start(const char *const *arguments);
void daemon_kill(int signal);
int daemon_status(void); /* exit status of a vclockd that ends by itself */
extern int daemon_pid;
/* Returns when vclockd has been through its loop several times, in which it naps. */
void until_daemon_napped(void);

int64_t real_now(void);
int64_t virtual_now(void);
void burn(int64_t ns);       /* computes for that long, real */
void real_sleep(int64_t ns); /* sleeps where vclockd does not know of it */

uint32_t slot_take(const char *thread, enum vclock_kind kind);
/* Waits until a virtual time, woken by the slot's word. */
void slot_wait(uint32_t slot, int64_t deadline);
/* Sets a deadline that nobody waits for. */
void slot_deadline(uint32_t slot, int64_t deadline);
/* Returns when somebody waits in one of the first slots. */
void until_somebody_waits(void);
/* Virtual time that passes without a jump. */
int64_t virtual_length(int64_t real);
/* Forks a process that does this and ends. */
int child(void (*work)(void));
void join(int pid);

/* Ends the test as failed unless the condition holds. */
#define want(condition, ...)                                            \
	do {                                                            \
		if (!(condition))                                       \
			test_failed(__FILE__, __LINE__, #condition, __VA_ARGS__); \
	} while (0)
_Noreturn void test_failed(const char *file, int line, const char *condition, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif

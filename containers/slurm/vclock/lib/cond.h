/* cond.h: what a pthread_cond_t holds, and a wait for it. */
#ifndef VCLOCK_COND_H
#define VCLOCK_COND_H

#include <limits.h>

#include "lib.h"

enum { WAITING, CLAIMED, SIGNALLED, LEAVING };

struct waiter {
	struct waiter *next, *prev;
	_Atomic uint32_t *word;
	bool slot_word;
	bool handed; /* a single signal's: to be handed on if not used */
	_Atomic uint32_t state;
};

enum { MONOTONIC = 1, SHARED = 2 };

/* All zero is PTHREAD_COND_INITIALIZER. */
struct cond {
	/* 0 free, 1 locked, 2 locked and awaited; above these two bits the fork
	 * generation: the child has neither the lock's owner nor the waiters. */
	_Atomic uint32_t lock;
	uint32_t flags;
	union {
		struct {
			struct waiter *first, *last;
			_Atomic uint32_t handed; /* signalled, not yet gone */
		};
		struct {
			_Atomic uint32_t seq;
			_Atomic uint32_t sleepers;
		};
	};
};
_Static_assert(sizeof(struct cond) <= sizeof(pthread_cond_t), "fits");

struct cond_wait {
	struct cond *cond;
	pthread_mutex_t *mutex;
	struct waiter node;
	struct wait *timed; /* NULL: until it is signalled */
};

/* cond_queue.c: of one process. 0, ETIMEDOUT, or why the mutex was not unlocked. */
int wait_in_queue(struct cond_wait *w);
void signal_waiters(struct cond *c, int most);
bool has_waiters(struct cond *c, uint32_t *handed);

#endif

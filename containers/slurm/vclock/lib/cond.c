/*
 * cond.c: condition variables.
 *
 * libc's own cannot wake a thread for two reasons, a signal and a jump, from
 * one futex word. So a pthread_cond_t holds a queue of waiters here, whose
 * nodes are on the waiters' stacks, and each node names the one word on which
 * its thread sleeps: the slot's, which vclockd also wakes, or its own state if
 * no jump can end the wait.
 *
 * Who takes a node from WAITING owns the decision how the wait ends: a
 * signaller (CLAIMED, then SIGNALLED when it will not touch the node again) or
 * the waiter itself, by time or cancellation (LEAVING, then it unlinks itself).
 * Claimed nodes leave the queue before the lock does, and become SIGNALLED
 * after it, so that a waiter may destroy the condition variable at once. A
 * waiter that leaves, or that may have to hand on its signal because it is
 * cancelled, still needs it: pthread_cond_destroy waits for those, as libc's
 * does.
 *
 * Process-shared ones cannot hold pointers. They count their signals in seq
 * instead, and waiters sleep on seq and their slot's word at once.
 */
#include <limits.h>
#include <string.h>

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

static void lock(struct cond *c)
{
	uint32_t own = atomic_load_explicit(&fork_generation, memory_order_relaxed) << 2;
	uint32_t seen = atomic_load_explicit(&c->lock, memory_order_relaxed);
	uint32_t to = 1;
	for (;;) {
		bool stale = (seen & ~3u) != own;
		if (!stale && (seen & 3)) {
			to = 2;
			if ((seen & 3) == 1 &&
			    !atomic_compare_exchange_weak(&c->lock, &seen, own | 2))
				continue;
			futex_wait(&c->lock, own | 2, false, NULL, NO_CANCEL);
			seen = atomic_load(&c->lock);
			continue;
		}
		if (!atomic_compare_exchange_weak(&c->lock, &seen, own | to))
			continue;
		if (stale) {
			c->first = c->last = NULL;
			atomic_store(&c->handed, 0);
		}
		return;
	}
}

static void unlock(struct cond *c)
{
	uint32_t own = atomic_load_explicit(&fork_generation, memory_order_relaxed) << 2;
	if ((atomic_exchange(&c->lock, own) & 3) == 2)
		futex_wake(&c->lock, false, 1);
}

static void link_waiter(struct cond *c, struct waiter *n)
{
	n->prev = c->last;
	if (c->last)
		c->last->next = n;
	else
		c->first = n;
	c->last = n;
}

static void unlink_waiter(struct cond *c, struct waiter *n)
{
	*(n->prev ? &n->prev->next : &c->first) = n->next;
	*(n->next ? &n->next->prev : &c->last) = n->prev;
}

/* Takes up to most waiters, first come first served, and wakes them. */
static void signal_waiters(struct cond *c, int most)
{
	struct waiter *claimed = NULL, **end = &claimed;
	lock(c);
	for (struct waiter *n = c->first, *next; n && most > 0; n = next) {
		next = n->next;
		uint32_t waiting = WAITING;
		if (!atomic_compare_exchange_strong(&n->state, &waiting, CLAIMED))
			continue;
		unlink_waiter(c, n);
		n->handed = most == 1;
		if (n->handed)
			atomic_fetch_add(&c->handed, 1);
		n->next = NULL;
		*end = n;
		end = &n->next;
		most -= most != INT_MAX;
	}
	unlock(c);
	while (claimed) {
		struct waiter *next = claimed->next;
		_Atomic uint32_t *word = claimed->word;
		bool shared = claimed->slot_word;
		/* The slot's word, unlike the node, is always there, and must change
		 * last: a waiter that saw the new word has to see the new state. */
		atomic_store(&claimed->state, SIGNALLED);
		if (shared)
			atomic_fetch_add(word, 1);
		futex_wake(word, shared, 1);
		claimed = next;
	}
}

static bool leave(struct cond *c, struct waiter *n)
{
	uint32_t waiting = WAITING;
	if (!atomic_compare_exchange_strong(&n->state, &waiting, LEAVING))
		return false;
	lock(c);
	unlink_waiter(c, n);
	unlock(c);
	return true;
}

/* The last touch of the condition variable by a signalled waiter. */
static void release(struct cond *c, struct waiter *n)
{
	if (n->handed && atomic_fetch_sub(&c->handed, 1) == 1)
		futex_wake(&c->handed, false, INT_MAX);
}

static void await_signaller(struct waiter *n)
{
	uint32_t state;
	while ((state = atomic_load(&n->state)) != SIGNALLED) {
		if (!n->slot_word) {
			futex_wait(&n->state, state, false, NULL, NO_CANCEL);
			continue;
		}
		uint32_t seen = atomic_load(n->word);
		if (atomic_load(&n->state) != SIGNALLED)
			futex_wait(n->word, seen, true, NULL, NO_CANCEL);
	}
}

struct cond_wait {
	struct cond *cond;
	pthread_mutex_t *mutex;
	struct waiter node;
	struct wait *timed; /* NULL: until it is signalled */
};

/* Ends a wait whose thread no longer wants the signal. */
static void abandon(struct cond_wait *w)
{
	if (leave(w->cond, &w->node))
		return;
	await_signaller(&w->node);
	if (w->node.handed)
		signal_waiters(w->cond, 1);
	release(w->cond, &w->node);
}

static void cancelled(void *p)
{
	struct cond_wait *w = p;
	if (w->timed)
		end_wait(w->timed);
	abandon(w);
	pthread_mutex_lock(w->mutex);
}

static int await(struct cond_wait *w)
{
	struct waiter *n = &w->node;
	struct wait *t = w->timed;
	pthread_testcancel(); /* also if the deadline is past */
	for (;;) {
		uint32_t state = atomic_load(&n->state);
		if (!t) {
			if (state == SIGNALLED)
				return 0;
			futex_wait(&n->state, state, false, NULL, CANCEL);
			continue;
		}
		uint32_t seen = n->slot_word ? atomic_load(n->word) : state;
		if (atomic_load(&n->state) == SIGNALLED)
			return 0;
		if (virtual_monotonic(t->page) < t->rounded) {
			struct timespec limit;
			futex_wait(n->word, seen, n->slot_word,
				   real_limit(t->page, t->rounded, &limit), CANCEL);
			continue;
		}
		if (leave(w->cond, n))
			return ETIMEDOUT;
		await_signaller(n);
		return 0;
	}
}

static int wait_private(struct cond_wait *w)
{
	struct waiter *n = &w->node;
	n->slot_word = w->timed && w->timed->slot;
	n->word = n->slot_word ? w->timed->word : &n->state;
	lock(w->cond);
	link_waiter(w->cond, n);
	unlock(w->cond);
	int r = pthread_mutex_unlock(w->mutex);
	if (r) {
		abandon(w);
		return r;
	}
	pthread_cleanup_push(cancelled, w);
	r = await(w);
	pthread_cleanup_pop(0);
	if (!r)
		release(w->cond, n);
	return r;
}

static void cancelled_shared(void *p)
{
	struct cond_wait *w = p;
	if (w->timed)
		end_wait(w->timed);
	atomic_fetch_sub(&w->cond->sleepers, 1);
	futex_wake(&w->cond->seq, true, 1);
	pthread_mutex_lock(w->mutex);
}

static int await_shared(struct cond_wait *w, uint32_t seq)
{
	struct wait *t = w->timed;
	pthread_testcancel();
	while (atomic_load(&w->cond->seq) == seq) {
		if (!t) {
			futex_wait(&w->cond->seq, seq, true, NULL, CANCEL);
			continue;
		}
		uint32_t seen = atomic_load(t->word);
		if (virtual_monotonic(t->page) >= t->rounded)
			return ETIMEDOUT;
		futex_wait_two(&w->cond->seq, seq, true, t, seen);
	}
	return 0;
}

static int wait_shared(struct cond_wait *w)
{
	atomic_fetch_add(&w->cond->sleepers, 1);
	uint32_t seq = atomic_load(&w->cond->seq);
	int r = pthread_mutex_unlock(w->mutex);
	if (!r) {
		pthread_cleanup_push(cancelled_shared, w);
		r = await_shared(w, seq);
		pthread_cleanup_pop(0);
	}
	atomic_fetch_sub(&w->cond->sleepers, 1);
	return r;
}

static int wait_for_signal(pthread_cond_t *cond, pthread_mutex_t *mutex, struct wait *timed)
{
	struct cond_wait w = {.cond = (struct cond *)cond, .mutex = mutex, .timed = timed};
	int e = errno;
	int r = w.cond->flags & SHARED ? wait_shared(&w) : wait_private(&w);
	if (timed)
		end_wait(timed);
	bool unlocked = !r || r == ETIMEDOUT;
	int locked = unlocked ? pthread_mutex_lock(mutex) : 0;
	errno = e;
	return locked ? locked : r;
}

static int wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
		      const struct timespec *when)
{
	struct vclock_page *page = vclock();
	struct wait timed;
	if (!valid_nanoseconds(when))
		return EINVAL;
	begin_wait(&timed, page, VCLOCK_COND, deadline_of(page, clock, when));
	return wait_for_signal(cond, mutex, &timed);
}

EXPORT int pthread_cond_init(pthread_cond_t *restrict cond,
			     const pthread_condattr_t *restrict attributes)
{
	if (!vclock())
		return real.pthread_cond_init(cond, attributes);
	struct cond *c = (struct cond *)cond;
	memset(cond, 0, sizeof *cond);
	if (attributes) {
		clockid_t clock;
		int shared;
		pthread_condattr_getclock(attributes, &clock);
		pthread_condattr_getpshared(attributes, &shared);
		c->flags = (clock == CLOCK_MONOTONIC ? MONOTONIC : 0) |
			   (shared == PTHREAD_PROCESS_SHARED ? SHARED : 0);
	}
	return 0;
}

static bool is_used(struct cond *c, uint32_t *handed)
{
	*handed = 0;
	if (c->flags & SHARED)
		return atomic_load(&c->sleepers);
	lock(c);
	bool used = c->first;
	*handed = atomic_load(&c->handed);
	unlock(c);
	return used || *handed;
}

EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
	if (!vclock())
		return real.pthread_cond_destroy(cond);
	struct cond *c = (struct cond *)cond;
	uint32_t handed;
	while (is_used(c, &handed)) {
		/* Those that leave are quick and wake nobody. */
		struct timespec soon = timespec_of(real_monotonic() + MILLISECOND);
		futex_wait(&c->handed, handed, false, &soon, NO_CANCEL);
	}
	return 0;
}

EXPORT int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
	if (!vclock())
		return real.pthread_cond_wait(cond, mutex);
	return wait_for_signal(cond, mutex, NULL);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
				  const struct timespec *restrict when)
{
	if (!vclock())
		return real.pthread_cond_timedwait(cond, mutex, when);
	bool monotonic = ((struct cond *)cond)->flags & MONOTONIC;
	return wait_until(cond, mutex, monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, when);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
				  clockid_t clock, const struct timespec *restrict when)
{
	if (!vclock())
		return real.pthread_cond_clockwait(cond, mutex, clock, when);
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	return wait_until(cond, mutex, clock, when);
}

static int wake(pthread_cond_t *cond, int most)
{
	struct cond *c = (struct cond *)cond;
	if (!(c->flags & SHARED)) {
		signal_waiters(c, most);
	} else if (atomic_load(&c->sleepers)) {
		atomic_fetch_add(&c->seq, 1);
		futex_wake(&c->seq, true, most);
	}
	return 0;
}

EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	return vclock() ? wake(cond, 1) : real.pthread_cond_signal(cond);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	return vclock() ? wake(cond, INT_MAX) : real.pthread_cond_broadcast(cond);
}

/*
 * cond.c: condition variables: libc's functions, and those that processes share.
 *
 * The latter cannot hold pointers to waiters. They count their signals in seq
 * instead, and waiters sleep on seq and their slot's word at once.
 */
#include <string.h>

#include "cond.h"

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
	int r = w.cond->flags & SHARED ? wait_shared(&w) : wait_in_queue(&w);
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
	return c->flags & SHARED ? atomic_load(&c->sleepers) : has_waiters(c, handed);
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

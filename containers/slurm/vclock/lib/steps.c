/*
 * steps.c: calls with a limit for which there is no second way to wake them.
 *
 * They are tried without waiting, and again after a sleep that a jump can end.
 * Trying means libc's own call with a limit that is past, so that errors are
 * libc's. Virtual time moves by at most one step more than it would otherwise.
 */
#include "lib.h"

static const struct timespec past = {0};

void begin_steps(struct steps *s, struct vclock_page *page, int64_t deadline)
{
	*s = (struct steps){.page = page, .deadline = deadline, .next = MILLISECOND};
	s->last = virtual_monotonic(page) >= deadline;
}

int step(struct steps *s, enum cancel cancel)
{
	if (s->last)
		return ETIMEDOUT;
	int64_t until = virtual_monotonic(s->page) + s->next;
	if (until > s->deadline)
		until = s->deadline;
	int r = sleep_until(s->page, VCLOCK_STEP, until, cancel);
	s->last = virtual_monotonic(s->page) >= s->deadline;
	if (s->next < 10 * MILLISECOND)
		s->next += MILLISECOND;
	return r;
}

/* For the pthread functions: try(), which gives ETIMEDOUT if it would wait. */
#define TRY_UNTIL(clock, when, cancel, try)                                            \
	do {                                                                           \
		struct steps s;                                                        \
		int r = (try);                                                         \
		if (r != ETIMEDOUT)                                                    \
			return r;                                                      \
		begin_steps(&s, vclock(), deadline_of(vclock(), clock, when));         \
		while (r == ETIMEDOUT && step(&s, cancel) != ETIMEDOUT)                \
			r = (try);                                                     \
		return r;                                                              \
	} while (0)

/* What libc refuses is libc's to refuse, which may depend on the lock. */
static bool can_wait(clockid_t clock, const struct timespec *when)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && valid_nanoseconds(when);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
				   const struct timespec *when)
{
	if (!vclock() || !can_wait(clock, when))
		return real.pthread_mutex_clocklock(mutex, clock, when);
	TRY_UNTIL(clock, when, NO_CANCEL, real.pthread_mutex_timedlock(mutex, &past));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex,
				   const struct timespec *restrict when)
{
	if (!vclock())
		return real.pthread_mutex_timedlock(mutex, when);
	return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, when);
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict rwlock, clockid_t clock,
				      const struct timespec *restrict when)
{
	if (!vclock() || !can_wait(clock, when))
		return real.pthread_rwlock_clockrdlock(rwlock, clock, when);
	TRY_UNTIL(clock, when, NO_CANCEL, real.pthread_rwlock_timedrdlock(rwlock, &past));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict rwlock,
				      const struct timespec *restrict when)
{
	if (!vclock())
		return real.pthread_rwlock_timedrdlock(rwlock, when);
	return pthread_rwlock_clockrdlock(rwlock, CLOCK_REALTIME, when);
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict rwlock, clockid_t clock,
				      const struct timespec *restrict when)
{
	if (!vclock() || !can_wait(clock, when))
		return real.pthread_rwlock_clockwrlock(rwlock, clock, when);
	TRY_UNTIL(clock, when, NO_CANCEL, real.pthread_rwlock_timedwrlock(rwlock, &past));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict rwlock,
				      const struct timespec *restrict when)
{
	if (!vclock())
		return real.pthread_rwlock_timedwrlock(rwlock, when);
	return pthread_rwlock_clockwrlock(rwlock, CLOCK_REALTIME, when);
}

EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
				const struct timespec *when)
{
	if (!vclock() || !when || !can_wait(clock, when))
		return real.pthread_clockjoin_np(thread, result, clock, when);
	TRY_UNTIL(clock, when, CANCEL, real.pthread_timedjoin_np(thread, result, &past));
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *when)
{
	if (!vclock())
		return real.pthread_timedjoin_np(thread, result, when);
	return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, when);
}

static bool is_real_timeout(const struct timespec *t)
{
	return !vclock() || !t || !valid_nanoseconds(t) || nanoseconds(t) <= 0;
}

/* The same for system calls with a relative limit, which set errno. */
#define TRY_FOR(timeout, would_wait, try)                                              \
	do {                                                                           \
		struct steps s;                                                        \
		int64_t now = virtual_monotonic(vclock());                             \
		begin_steps(&s, vclock(), now + nanoseconds(timeout));                 \
		for (;;) {                                                             \
			int r = (try);                                                 \
			if (r >= 0 || errno != (would_wait))                           \
				return r;                                              \
			int e = step(&s, CANCEL);                                      \
			if (e) {                                                       \
				errno = e == EINTR ? EINTR : (would_wait);             \
				return -1;                                             \
			}                                                              \
		}                                                                      \
	} while (0)

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			const struct timespec *restrict timeout)
{
	if (is_real_timeout(timeout))
		return real.sigtimedwait(set, info, timeout);
	TRY_FOR(timeout, EAGAIN, real.sigtimedwait(set, info, &past));
}

EXPORT int semtimedop(int set, struct sembuf *ops, size_t count, const struct timespec *timeout)
{
	if (is_real_timeout(timeout))
		return real.semtimedop(set, ops, count, timeout);
	for (size_t i = 0; i < count; i++)
		if (ops[i].sem_flg & IPC_NOWAIT)
			return real.semtimedop(set, ops, count, timeout);
	TRY_FOR(timeout, EAGAIN, real.semtimedop(set, ops, count, &past));
}

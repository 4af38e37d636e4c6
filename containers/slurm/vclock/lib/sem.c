/*
 * sem.c: semaphores, and waiting on two futex words at once.
 *
 * sem_post and sem_wait stay libc's; so the layout of sem_t, stable since glibc
 * 2.21, is used here: value below, number of waiters above, then whether other
 * processes use it.
 */
#include <linux/futex.h>
#include <sys/syscall.h>

#include "lib.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(long) == 8,
	       "the layout of sem_t is another on other machines");

struct semaphore {
	_Atomic uint64_t count;
	int shared;
};

static const uint64_t one_waiter = UINT64_C(1) << 32;

/* Kernels before 5.16 and sandboxes have no futex_waitv; then the thread looks
 * again in steps. */
int futex_wait_two(_Atomic uint32_t *word, uint32_t seen, bool shared, struct wait *w,
		   uint32_t slot_seen)
{
	static _Atomic bool missing;
	struct timespec t;
	const struct timespec *until = real_limit(w->page, w->rounded, &t);
	if (!w->slot)
		return futex_wait(word, seen, shared, until, CANCEL);
	if (!atomic_load(&missing)) {
		struct futex_waitv both[2] = {
			{.uaddr = (uintptr_t)word,
			 .val = seen,
			 .flags = FUTEX_32 | (shared ? 0 : FUTEX_PRIVATE_FLAG)},
			{.uaddr = (uintptr_t)w->word, .val = slot_seen, .flags = FUTEX_32},
		};
		int type;
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
		long r = syscall(SYS_futex_waitv, both, 2, 0, until, CLOCK_MONOTONIC);
		int e = r < 0 ? errno : 0;
		pthread_setcanceltype(type, NULL);
		if (e != ENOSYS && e != EPERM)
			return e;
		atomic_store(&missing, true);
	}
	return sleep_until(w->page, VCLOCK_STEP, virtual_monotonic(w->page) + 10 * MILLISECOND,
			   CANCEL);
}

static bool take(struct semaphore *s, uint64_t waiter)
{
	uint64_t seen = atomic_load(&s->count);
	while ((uint32_t)seen)
		if (atomic_compare_exchange_weak(&s->count, &seen, seen - 1 - waiter))
			return true;
	return false;
}

struct sem_wait {
	struct semaphore *sem;
	struct wait wait;
};

/* Somebody may have posted for this thread; the others would never wake. */
static void cancelled(void *p)
{
	struct sem_wait *w = p;
	atomic_fetch_sub(&w->sem->count, one_waiter);
	futex_wake((_Atomic uint32_t *)&w->sem->count, w->sem->shared, 1);
	end_wait(&w->wait);
}

static int wait_for_post(struct sem_wait *w)
{
	_Atomic uint32_t *value = (_Atomic uint32_t *)&w->sem->count;
	int r = 0;
	pthread_testcancel();
	for (;;) {
		uint32_t seen = atomic_load(w->wait.word);
		if (take(w->sem, one_waiter))
			return 0;
		if (r == EINTR)
			break;
		if (virtual_monotonic(w->wait.page) >= w->wait.deadline) {
			r = ETIMEDOUT;
			break;
		}
		r = futex_wait_two(value, 0, w->sem->shared, &w->wait, seen);
	}
	atomic_fetch_sub(&w->sem->count, one_waiter);
	return r;
}

EXPORT int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict when)
{
	struct vclock_page *page = vclock();
	if (!page || !valid_nanoseconds(when) ||
	    (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
		return real.sem_clockwait(sem, clock, when);
	struct sem_wait w = {.sem = (struct semaphore *)sem};
	if (take(w.sem, 0))
		return 0;
	int before = errno;
	begin_wait(&w.wait, page, VCLOCK_SEM, deadline_of(page, clock, when));
	atomic_fetch_add(&w.sem->count, one_waiter);
	int r;
	pthread_cleanup_push(cancelled, &w);
	r = wait_for_post(&w);
	pthread_cleanup_pop(0);
	end_wait(&w.wait);
	errno = r ? r : before;
	return r ? -1 : 0;
}

EXPORT int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict when)
{
	if (!vclock())
		return real.sem_timedwait(sem, when);
	return sem_clockwait(sem, CLOCK_REALTIME, when);
}

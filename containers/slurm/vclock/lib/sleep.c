/* sleep.c: nanosleep and its relatives. */
#include "lib.h"

static void leave(void *w)
{
	end_wait(w);
}

static int sleep_in(struct wait *w, enum cancel cancel)
{
	for (;;) {
		uint32_t seen = atomic_load(w->word);
		if (virtual_monotonic(w->page) >= w->rounded)
			return 0;
		if (wait_on_word(w, seen, cancel) == EINTR)
			return EINTR;
	}
}

int sleep_until(struct vclock_page *page, enum vclock_kind kind, int64_t deadline,
		enum cancel cancel)
{
	struct wait w;
	int r;
	begin_wait(&w, page, kind, deadline);
	pthread_cleanup_push(leave, &w);
	r = sleep_in(&w, cancel);
	pthread_cleanup_pop(1);
	return r == EINTR && virtual_monotonic(page) < deadline ? EINTR : 0;
}

static bool can_sleep_on(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
	       clock == CLOCK_TAI;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
			   struct timespec *left)
{
	struct vclock_page *page = vclock();
	if (!page || !can_sleep_on(clock) || !valid_nanoseconds(t) || t->tv_sec < 0)
		return real.clock_nanosleep(clock, flags, t, left);
	bool absolute = flags & TIMER_ABSTIME;
	int64_t now = virtual_monotonic(page);
	int64_t deadline = absolute ? deadline_of(page, clock, t) : now + nanoseconds(t);
	if (deadline <= now) {
		const struct timespec zero = {0};
		return real.clock_nanosleep(CLOCK_MONOTONIC, 0, &zero, NULL);
	}
	int e = errno;
	int r = sleep_until(page, VCLOCK_SLEEP, deadline, CANCEL);
	errno = e;
	if (r && left && !absolute)
		*left = timespec_of(deadline - virtual_monotonic(page));
	return r;
}

EXPORT int nanosleep(const struct timespec *t, struct timespec *left)
{
	if (!vclock())
		return real.nanosleep(t, left);
	int r = clock_nanosleep(CLOCK_MONOTONIC, 0, t, left);
	if (!r)
		return 0;
	errno = r;
	return -1;
}

EXPORT int usleep(useconds_t us)
{
	if (!vclock())
		return real.usleep(us);
	struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};
	return nanosleep(&t, NULL);
}

EXPORT unsigned sleep(unsigned seconds)
{
	if (!vclock())
		return real.sleep(seconds);
	struct timespec t = {.tv_sec = seconds};
	return nanosleep(&t, &t) ? (unsigned)t.tv_sec : 0;
}

/* The name under which libc also has it. */
EXPORT int __nanosleep(const struct timespec *t, struct timespec *left)
	__attribute__((alias("nanosleep")));

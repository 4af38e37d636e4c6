/* ptimer.c: timer_create and what belongs to it. */
#include <stdlib.h>

#include "timers.h"

static void look(struct timer *t, struct itimerspec *left)
{
	real.timer_gettime(t->id, left);
}

static int arm(struct timer *t, const struct itimerspec *when)
{
	return real.timer_settime(t->id, TIMER_ABSTIME, when, NULL);
}

/* The kernel tells 1 ns as long as an expired timer has not fired. */
static bool has_fired(struct timer *t, int64_t *left)
{
	struct itimerspec now;
	look(t, &now);
	int64_t before = *left;
	*left = nanoseconds(&now.it_value);
	return !*left || *left > before;
}

static bool has_id(const struct timer *t, const void *id)
{
	return t->arm == arm && t->id == *(const timer_t *)id;
}

/* Those that wake a suspended machine need a privilege, and stay real. */
static bool is_timer_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
	       clock == CLOCK_TAI;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict id)
{
	sigset_t mask;
	if (!vclock() || !is_timer_clock(clock))
		return real.timer_create(clock, event, id);
	struct timer *t = calloc(1, sizeof *t);
	if (!t) {
		errno = EAGAIN;
		return -1;
	}
	*t = (struct timer){.look = look, .arm = arm, .has_fired = has_fired, .clock = clock};
	t->silent = event && event->sigev_notify == SIGEV_NONE;
	if (real.timer_create(CLOCK_MONOTONIC, event, id)) {
		free(t);
		return -1;
	}
	t->id = *id;
	lock_timers(&mask);
	add_timer(t);
	unlock_timers(&mask);
	return 0;
}

EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *restrict to,
			 struct itimerspec *restrict old)
{
	sigset_t mask;
	if (!vclock())
		return real.timer_settime(id, flags, to, old);
	lock_timers(&mask);
	struct timer *t = find_timer(has_id, &id);
	int r = t && valid_setting(to) ? set_timer(t, flags & TIMER_ABSTIME, to, old)
				       : real.timer_settime(id, flags, to, old);
	unlock_timers(&mask);
	return r;
}

EXPORT int timer_gettime(timer_t id, struct itimerspec *left)
{
	sigset_t mask;
	int r = 0;
	if (!vclock())
		return real.timer_gettime(id, left);
	lock_timers(&mask);
	struct timer *t = find_timer(has_id, &id);
	if (t)
		get_timer(t, left);
	else
		r = real.timer_gettime(id, left);
	unlock_timers(&mask);
	return r;
}

EXPORT int timer_delete(timer_t id)
{
	sigset_t mask;
	if (!vclock())
		return real.timer_delete(id);
	lock_timers(&mask);
	struct timer *t = find_timer(has_id, &id);
	if (t) {
		remove_timer(t);
		tell_timer_service();
	}
	int r = real.timer_delete(id);
	unlock_timers(&mask);
	free(t);
	return r;
}

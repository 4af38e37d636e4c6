/* timerfd.c: timers that are read. Those inherited through exec, or got from
 * another process, are not known here and stay on real time. */
#include <stdlib.h>

#include "timers.h"

/* The descriptor may be closed by now, and its number belong to another file;
 * if that is not a timer, the kernel says so. */
static void look(struct timer *t, struct itimerspec *left)
{
	if (!real.timerfd_gettime(t->fd, left))
		return;
	*left = (struct itimerspec){0};
	t->interval = 0;
}

static int arm(struct timer *t, const struct itimerspec *when)
{
	return real.timerfd_settime(t->fd, TFD_TIMER_ABSTIME, when, NULL);
}

static bool has_fired(struct timer *t, int64_t *left)
{
	const struct timespec zero = {0};
	struct pollfd set = {.fd = t->fd, .events = POLLIN};
	(void)left;
	return real.ppoll(&set, 1, &zero, NULL) != 0;
}

bool is_inherited(const struct timer *t)
{
	return t->arm == arm;
}

static bool has_fd(const struct timer *t, const void *fd)
{
	return t->arm == arm && t->fd == *(const int *)fd;
}

EXPORT int timerfd_create(__clockid_t clock, int flags)
{
	sigset_t mask;
	bool shifted = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ||
		       clock == CLOCK_BOOTTIME;
	int fd;
	if (!vclock() || !shifted)
		return real.timerfd_create(clock, flags);
	struct timer *fresh = calloc(1, sizeof *fresh);
	if (!fresh) {
		errno = ENOMEM;
		return -1;
	}
	lock_timers(&mask);
	fd = real.timerfd_create(CLOCK_MONOTONIC, flags);
	int e = errno;
	if (fd >= 0) {
		struct timer *t = find_timer(has_fd, &fd);
		if (!t) {
			t = fresh;
			fresh = NULL;
			*t = (struct timer){
				.look = look, .arm = arm, .has_fired = has_fired, .fd = fd};
			add_timer(t);
		}
		t->clock = clock;
		t->deadline = t->interval = 0;
	}
	unlock_timers(&mask);
	free(fresh);
	errno = e;
	return fd;
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *to, struct itimerspec *old)
{
	const int known = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
	sigset_t mask;
	if (!vclock())
		return real.timerfd_settime(fd, flags, to, old);
	lock_timers(&mask);
	struct timer *t = find_timer(has_fd, &fd);
	struct itimerspec kernel;
	int r;
	if (t && valid_setting(to) && !(flags & ~known) && !real.timerfd_gettime(fd, &kernel))
		r = set_timer(t, flags & TFD_TIMER_ABSTIME, to, old);
	else
		r = real.timerfd_settime(fd, flags, to, old);
	unlock_timers(&mask);
	return r;
}

EXPORT int timerfd_gettime(int fd, struct itimerspec *left)
{
	sigset_t mask;
	if (!vclock())
		return real.timerfd_gettime(fd, left);
	lock_timers(&mask);
	struct timer *t = find_timer(has_fd, &fd);
	int r = real.timerfd_gettime(fd, left);
	if (t && !r)
		get_timer(t, left);
	unlock_timers(&mask);
	return r;
}

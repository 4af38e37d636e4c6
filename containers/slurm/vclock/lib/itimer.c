/* itimer.c: alarm, ualarm and setitimer(ITIMER_REAL), which are one timer. */
#include "timers.h"

static int64_t of_timeval(const struct timeval *t)
{
	struct timespec s = {.tv_sec = t->tv_sec, .tv_nsec = t->tv_usec * 1000};
	return nanoseconds(&s);
}

/* Up, as nothing may come early; and 0 means off. */
static struct timeval to_timeval(int64_t ns)
{
	int64_t us = (ns + 999) / 1000;
	return (struct timeval){.tv_sec = us / 1000000, .tv_usec = us % 1000000};
}

static void look(struct timer *t, struct itimerspec *left)
{
	struct itimerval v;
	(void)t;
	real.getitimer(ITIMER_REAL, &v);
	left->it_value = timespec_of(of_timeval(&v.it_value));
	left->it_interval = timespec_of(of_timeval(&v.it_interval));
}

static int arm(struct timer *t, const struct itimerspec *when)
{
	struct itimerval v = {0};
	(void)t;
	if (when->it_value.tv_sec || when->it_value.tv_nsec) {
		int64_t left = nanoseconds(&when->it_value) - real_monotonic();
		v.it_value = to_timeval(left > 0 ? left : 1);
		v.it_interval = to_timeval(nanoseconds(&when->it_interval));
	}
	return real.setitimer(ITIMER_REAL, &v, NULL);
}

/* Whether the kernel's timer has fired cannot be seen: it shows what is left in
 * microseconds, so none also when less is left. */
static void send_alarm(void)
{
	kill(getpid(), SIGALRM);
}

static struct timer itimer = {
	.look = look,
	.arm = arm,
	.signal = send_alarm,
	.late = MILLISECOND,
	.clock = CLOCK_MONOTONIC,
};

static bool is_itimer(const struct timer *t, const void *unused)
{
	(void)unused;
	return t == &itimer;
}

static void add_itimer(void)
{
	if (!find_timer(is_itimer, NULL))
		add_timer(&itimer);
}

int64_t itimer_deadline(void)
{
	return itimer.deadline;
}

/* A jump before exec may have left the kernel's timer behind the deadline. */
void adopt_timer(int64_t deadline)
{
	struct vclock_page *page = vclock();
	struct itimerspec left;
	sigset_t mask;
	lock_timers(&mask);
	look(&itimer, &left);
	int64_t latest = virtual_monotonic(page) +
			 vclock_scale(nanoseconds(&left.it_value), page->rate);
	itimer.deadline = deadline && deadline < latest ? deadline : latest;
	itimer.interval = vclock_scale(nanoseconds(&left.it_interval), page->rate);
	itimer.jumped = -1;
	add_itimer();
	tell_timer_service();
	unlock_timers(&mask);
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict to,
		     struct itimerval *restrict old)
{
	sigset_t mask;
	if (!vclock() || which != ITIMER_REAL || to->it_value.tv_usec < 0 ||
	    to->it_value.tv_usec >= 1000000 || to->it_interval.tv_usec < 0 ||
	    to->it_interval.tv_usec >= 1000000 || to->it_value.tv_sec < 0 ||
	    to->it_interval.tv_sec < 0)
		return real.setitimer(which, to, old);
	struct itimerspec before;
	struct itimerspec spec = {
		.it_value = timespec_of(of_timeval(&to->it_value)),
		.it_interval = timespec_of(of_timeval(&to->it_interval)),
	};
	lock_timers(&mask);
	add_itimer();
	int r = set_timer(&itimer, false, &spec, &before);
	unlock_timers(&mask);
	if (!r && old) {
		old->it_value = to_timeval(nanoseconds(&before.it_value));
		old->it_interval = to_timeval(nanoseconds(&before.it_interval));
	}
	return r;
}

EXPORT int getitimer(__itimer_which_t which, struct itimerval *now)
{
	sigset_t mask;
	if (!vclock() || which != ITIMER_REAL)
		return real.getitimer(which, now);
	struct itimerspec left;
	lock_timers(&mask);
	get_timer(&itimer, &left);
	unlock_timers(&mask);
	now->it_value = to_timeval(nanoseconds(&left.it_value));
	now->it_interval = to_timeval(nanoseconds(&left.it_interval));
	return 0;
}

/* What was left is rounded to the next second, but never to none. */
EXPORT unsigned alarm(unsigned seconds)
{
	if (!vclock())
		return real.alarm(seconds);
	struct itimerval old = {0};
	struct itimerval to = {.it_value.tv_sec = seconds};
	if (setitimer(ITIMER_REAL, &to, &old))
		return 0;
	unsigned left = (unsigned)old.it_value.tv_sec;
	if (old.it_value.tv_usec >= 500000 || (!left && old.it_value.tv_usec))
		left++;
	return left;
}

EXPORT useconds_t ualarm(useconds_t value, useconds_t interval)
{
	if (!vclock())
		return real.ualarm(value, interval);
	struct itimerval old;
	struct itimerval to = {.it_value = to_timeval(value * INT64_C(1000)),
			       .it_interval = to_timeval(interval * INT64_C(1000))};
	if (setitimer(ITIMER_REAL, &to, &old))
		return (useconds_t)-1;
	return (useconds_t)(old.it_value.tv_sec * 1000000 + old.it_value.tv_usec);
}

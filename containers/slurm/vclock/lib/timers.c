/*
 * timers.c: what all timers have in common.
 *
 * The kernel's timer fires, so that signals, overruns and helper threads are as
 * ever; it is armed for the real time that equals the virtual deadline if no
 * jump comes. If one does, the service (timer_service.c) makes it fire at once.
 */
#include <string.h>

#include "timers.h"

static _Atomic uint32_t locked; /* 2: awaited */
struct timer *timers;
static sigset_t mask_before_fork;

void lock_timers(sigset_t *mask)
{
	sigset_t all;
	uint32_t unlocked = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, mask);
	if (atomic_compare_exchange_strong(&locked, &unlocked, 1))
		return;
	while (atomic_exchange(&locked, 2))
		futex_wait(&locked, 2, false, NULL, NO_CANCEL);
}

void unlock_timers(const sigset_t *mask)
{
	if (atomic_exchange(&locked, 0) == 2)
		futex_wake(&locked, false, 1);
	pthread_sigmask(SIG_SETMASK, mask, NULL);
}

void add_timer(struct timer *t)
{
	t->next = timers;
	timers = t;
}

void remove_timer(struct timer *t)
{
	struct timer **p = &timers;
	while (*p && *p != t)
		p = &(*p)->next;
	if (*p)
		*p = t->next;
}

struct timer *find_timer(bool (*matches)(const struct timer *t, const void *key), const void *key)
{
	struct timer *t = timers;
	while (t && !matches(t, key))
		t = t->next;
	return t;
}

bool valid_setting(const struct itimerspec *s)
{
	return valid_nanoseconds(&s->it_value) && valid_nanoseconds(&s->it_interval) &&
	       s->it_value.tv_sec >= 0 && s->it_interval.tv_sec >= 0;
}

static int64_t real_length(struct vclock_page *page, int64_t length)
{
	return (int64_t)((((__int128)length << 32) + page->rate - 1) / page->rate);
}

int arm_for(struct timer *t, struct vclock_page *page)
{
	struct itimerspec when = {0};
	t->jumped = atomic_load(&page->jumped);
	if (t->deadline) {
		if (!real_limit(page, t->deadline, &when.it_value))
			when.it_value = timespec_of(real_monotonic() + FOREVER);
		when.it_value = timespec_of(nanoseconds(&when.it_value) + t->late);
		when.it_interval = timespec_of(real_length(page, t->interval));
	}
	return t->arm(t, &when);
}

int64_t next_period(const struct timer *t, int64_t now)
{
	if (!t->interval)
		return 0;
	return t->deadline + ((now - t->deadline) / t->interval + 1) * t->interval;
}

void get_timer(struct timer *t, struct itimerspec *left)
{
	int64_t now = virtual_monotonic(vclock());
	int64_t deadline = t->deadline;
	memset(left, 0, sizeof *left);
	left->it_interval = timespec_of(t->interval);
	if (deadline && deadline <= now) {
		deadline = next_period(t, now);
		if (!deadline && !t->silent) {
			struct itimerspec kernel;
			t->look(t, &kernel);
			if (kernel.it_value.tv_sec || kernel.it_value.tv_nsec)
				deadline = now + 1;
		}
	}
	if (deadline)
		left->it_value = timespec_of(deadline - now);
}

int set_timer(struct timer *t, bool absolute, const struct itimerspec *to, struct itimerspec *old)
{
	struct vclock_page *page = vclock();
	int64_t value = nanoseconds(&to->it_value);
	if (old)
		get_timer(t, old);
	t->deadline = 0;
	t->interval = 0;
	if (value) {
		t->deadline = absolute ? deadline_of(page, t->clock, &to->it_value)
				       : virtual_monotonic(page) + value;
		if (t->deadline <= 0)
			t->deadline = 1;
		t->interval = nanoseconds(&to->it_interval);
	}
	int r = arm_for(t, page);
	int e = errno;
	tell_timer_service();
	errno = e;
	return r;
}

static void before_fork(void)
{
	sigset_t mask;
	lock_timers(&mask);
	mask_before_fork = mask;
}

static void keep_inherited_timers(void)
{
	bool armed = false;
	for (struct timer **p = &timers; *p;) {
		struct timer *t = *p;
		if (is_inherited(t)) {
			armed |= t->deadline != 0;
			p = &t->next;
			continue;
		}
		*p = t->next;
		t->deadline = 0;
	}
	forget_timer_service();
	if (armed)
		tell_timer_service();
}

static void after_fork(bool child)
{
	sigset_t mask = mask_before_fork;
	if (child)
		keep_inherited_timers();
	unlock_timers(&mask);
}

PART(timers_part) = {.before_fork = before_fork, .after_fork = after_fork};

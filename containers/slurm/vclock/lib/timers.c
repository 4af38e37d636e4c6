/*
 * timers.c: what all timers have in common.
 *
 * The kernel's timer fires, so that signals, overruns and helper threads are as
 * ever; it is armed for the real time that equals the virtual deadline if no
 * jump comes. One thread per process, started with its first timer, waits for
 * the earliest deadline, and makes the kernel's timer fire at once if a jump
 * has come before it.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "timers.h"

/* If the kernel's timer fires this soon, it is left to do so: to arm it again
 * at the moment in which it fires would make it fire twice. */
#define SOON (SECOND / 20000)

static _Atomic uint32_t locked; /* 2: awaited */
static struct timer *timers;
static bool service_started;
static struct vclock_slot *service_slot; /* NULL: not there yet, or without slot */
static _Atomic uint32_t *service_word;   /* NULL: not there yet */
static int64_t service_deadline;         /* what it waits for, 0: for ever */
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

static int arm_for(struct timer *t, struct vclock_page *page)
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

static int64_t next_period(const struct timer *t, int64_t now)
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

/* Stores it also if that is not the service's doing: a deadline that is taken
 * back shall not end a jump. */
static void publish(struct vclock_page *page, int64_t deadline)
{
	struct vclock_slot *slot = service_slot;
	service_deadline = deadline;
	if (!slot)
		return;
	int64_t itimer = itimer_deadline();
	slot->kind = VCLOCK_TIMER;
	slot->asked = deadline ? deadline - virtual_monotonic(page) : 0;
	memcpy(slot->name, &itimer, sizeof itimer);
	atomic_store(&page->deadline[slot - page->slot], deadline);
}

/* No socket has a name here, so there is room for what the next image of this
 * process has to know: ITIMER_REAL survives exec, but this list does not. */
int64_t kept_deadline(const struct vclock_slot *slot)
{
	int64_t itimer;
	memcpy(&itimer, slot->name, sizeof itimer);
	return itimer;
}

static int64_t earliest_deadline(int64_t now)
{
	int64_t earliest = 0;
	for (struct timer *t = timers; t; t = t->next)
		if (!t->silent && t->deadline && t->deadline - now <= FOREVER &&
		    (!earliest || t->deadline < earliest))
			earliest = t->deadline;
	return earliest;
}

void tell_timer_service(void)
{
	struct vclock_page *page = vclock();
	int64_t earliest = earliest_deadline(virtual_monotonic(page));
	int64_t before = service_deadline;
	if (!service_started) {
		if (earliest)
			start_timer_service();
		return;
	}
	publish(page, earliest);
	if (service_word && earliest && (!before || earliest < before)) {
		atomic_fetch_add(service_word, 1);
		futex_wake(service_word, true, 1);
	}
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

static int64_t kernel_left(struct timer *t)
{
	struct itimerspec left;
	t->look(t, &left);
	return nanoseconds(&left.it_value);
}

/* Returns when the timer has fired: a moment before, perhaps no thread is
 * runnable, and the next jump would come too early. */
static void fire(struct timer *t, struct vclock_page *page, int64_t now)
{
	int64_t next = next_period(t, now);
	int64_t left = kernel_left(t);
	bool jumped = atomic_load(&page->jumped) != t->jumped;
	bool fired = !left || (left > t->late + SOON && !jumped);
	if (!fired && t->signal) {
		t->deadline = next;
		arm_for(t, page);
		t->signal();
	} else if (!fired) {
		if (left > SOON)
			arm_for(t, page);
		int64_t give_up = real_monotonic() + MILLISECOND;
		while (!t->has_fired(t, &left) && real_monotonic() < give_up)
			;
	}
	t->deadline = next;
}

static void fire_due_timers(struct vclock_page *page, int64_t now)
{
	for (struct timer *t = timers; t; t = t->next)
		if (!t->silent && t->deadline && t->deadline <= now)
			fire(t, page, now);
}

static void *serve(void *unused)
{
	static _Atomic uint32_t own;
	struct vclock_page *page = vclock();
	struct vclock_slot *slot = own_slot();
	_Atomic uint32_t *word = slot ? &slot->word : &own;
	(void)unused;
	for (;;) {
		struct timespec t;
		sigset_t mask;
		lock_timers(&mask);
		service_word = word;
		service_slot = slot;
		uint32_t seen = atomic_load(word);
		int64_t now = virtual_monotonic(page);
		fire_due_timers(page, now);
		int64_t next = earliest_deadline(now);
		publish(page, next);
		unlock_timers(&mask);
		if (!next || virtual_monotonic(page) < next)
			futex_wait(word, seen, true, next ? real_limit(page, next, &t) : NULL,
				   NO_CANCEL);
	}
	return NULL;
}

/* Without the thread timers still fire, at the speed of real time. */
void start_timer_service(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 64 * 1024 + (size_t)sysconf(_SC_THREAD_STACK_MIN));
	service_started = !pthread_create(&thread, &attributes, serve, NULL);
	pthread_attr_destroy(&attributes);
}

void timers_before_fork(void)
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
	service_started = false;
	service_word = NULL;
	service_slot = NULL;
	if (armed)
		start_timer_service();
}

void timers_after_fork(bool child)
{
	sigset_t mask = mask_before_fork;
	if (child)
		keep_inherited_timers();
	unlock_timers(&mask);
}

/*
 * timer_service.c: the thread that makes timers fire after a jump. A process
 * starts it with its first timer; it waits for the earliest deadline.
 */
#include <string.h>

#include "timers.h"

/* If the kernel's timer fires this soon, it is left to do so: to arm it again
 * at the moment in which it fires would make it fire twice. */
#define SOON (SECOND / 20000)

static bool service_started, service_ended;
static struct vclock_slot *service_slot; /* NULL: not there yet, or without slot */
static _Atomic uint32_t *service_word;   /* NULL: not there yet */
static int64_t service_deadline;         /* what it waits for, 0: no deadline */

/* Stores it also if that is not the service's doing: a deadline that is taken
 * back shall not end a jump. */
static void publish(struct vclock_page *page, int64_t deadline)
{
	struct vclock_slot *slot = service_slot;
	service_deadline = deadline;
	if (!slot)
		return;
	slot->kind = VCLOCK_TIMER;
	slot->asked = deadline ? deadline - virtual_monotonic(page) : 0;
	keep_deadline(slot, itimer_deadline());
	atomic_store(&page->deadline[slot - page->slot], deadline);
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
	int64_t left = kernel_left(t);
	int64_t next = next_period(t, now);
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
		if (service_ended)
			slot = NULL;
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
static void start_service(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 64 * 1024 + (size_t)sysconf(_SC_THREAD_STACK_MIN));
	service_started = !pthread_create(&thread, &attributes, serve, NULL);
	pthread_attr_destroy(&attributes);
}

void tell_timer_service(void)
{
	struct vclock_page *page = vclock();
	int64_t earliest = earliest_deadline(virtual_monotonic(page));
	int64_t before = service_deadline;
	if (!service_started) {
		if (earliest)
			start_service();
		return;
	}
	publish(page, earliest);
	if (service_word && earliest && (!before || earliest < before)) {
		atomic_fetch_add(service_word, 1);
		futex_wake(service_word, true, 1);
	}
}

/* In a child, which has none of its parent's other threads. */
void forget_timer_service(void)
{
	service_started = false;
	service_slot = NULL;
	service_word = NULL;
	service_deadline = 0;
}

/* At exit, after which nobody waits for the deadline. */
void end_timer_service(void)
{
	sigset_t mask;
	lock_timers(&mask);
	service_ended = true;
	if (service_slot)
		free_slot(service_slot);
	service_slot = NULL;
	unlock_timers(&mask);
}

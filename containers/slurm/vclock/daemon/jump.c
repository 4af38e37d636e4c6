/*
 * jump.c: the jump to the next deadline, and waking whom it makes due.
 *
 * Two threads wake. The main one, which jumps, is SCHED_IDLE: any process it wakes
 * takes the core away from it at once, for as long as the cluster computes. So
 * it does everything else first and wakes at most one; if a jump makes several
 * waits due, it leaves them to the second thread, which has ordinary priority
 * and sleeps on a timer. That timer is also set to the next deadline that is
 * still to come: jumps have brought it nearer than the real limit with which its
 * owner went to sleep, and the cluster may compute until then.
 *
 * There is no lock: the main thread could be stopped inside it for seconds. A
 * due wait belongs to the thread that clears its deadline. The timer may be set to what
 * one thread saw a moment ago; then it rings too early, which is harmless, or
 * misses a deadline that was set since, which has an exact limit of its own as
 * no jump came after it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "vclockd.h"

/* A wait until then is one without end, and nothing to jump to. */
#define NEVER (INT64_MAX / 2)

static struct vclock_page *page;
static int timer, signals, datagrams;
/* The next deadline that jump_find has found, and whose it is. */
static int64_t target;
static uint32_t target_slot;
/* Slots woken since the main thread looked, one bit each. */
static _Atomic uint64_t woken[VCLOCK_SLOTS / 64];

static int64_t deadline_of(uint32_t i)
{
	return atomic_load_explicit(&page->deadline[i], memory_order_seq_cst);
}

static uint32_t slots_used(void)
{
	uint32_t high = atomic_load_explicit(&page->high, memory_order_acquire);

	return high < VCLOCK_SLOTS ? high : VCLOCK_SLOTS;
}

static int64_t virtual_now(void)
{
	return vclock_monotonic(page, real_now());
}

/* Sets the timer; the first moment there is rings at once. */
static void set_timer(int64_t deadline)
{
	struct itimerspec at = {0};

	if (deadline < NEVER) {
		int64_t real = vclock_real(page, deadline);
		at.it_value.tv_sec = real / SECOND;
		at.it_value.tv_nsec = real % SECOND;
	}
	timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static void wake(uint32_t i)
{
	struct vclock_slot *slot = &page->slot[i];

	atomic_fetch_add(&slot->word, 1);
	if (slot->kind == VCLOCK_POLL) {
		struct sockaddr_un to = {.sun_family = AF_UNIX};
		size_t length = slot->name_len;
		if (length > sizeof slot->name)
			return;
		memcpy(to.sun_path + 1, slot->name, length);
		sendto(datagrams, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
		       offsetof(struct sockaddr_un, sun_path) + 1 + length);
	} else {
		syscall(SYS_futex, &slot->word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}

static void wake_due(uint32_t i, int64_t seen)
{
	if (!atomic_compare_exchange_strong(&page->deadline[i], &seen, 0))
		return;
	atomic_fetch_or(&woken[i / 64], UINT64_C(1) << i % 64);
	add(&page->wakes, 1);
	wake(i);
}

/* Number of waits due at a virtual time, one of them, and when the next is. */
static uint32_t find_due(int64_t now, uint32_t *due, int64_t *seen, int64_t *next)
{
	uint32_t used = slots_used(), n = 0;

	*next = NEVER;
	for (uint32_t i = 0; i < used; i++) {
		int64_t deadline = deadline_of(i);
		if (deadline && deadline <= now) {
			*due = i;
			*seen = deadline;
			n++;
		} else if (deadline && deadline < *next) {
			*next = deadline;
		}
	}
	return n;
}

static void wake_all_due(void)
{
	int64_t now = virtual_now(), seen, next;
	uint32_t used = slots_used(), due;

	find_due(now, &due, &seen, &next);
	set_timer(next);
	for (uint32_t i = 0; i < used; i++) {
		int64_t deadline = deadline_of(i);
		if (deadline && deadline <= now)
			wake_due(i, deadline);
	}
}

/* Makes every waiter recompute its real limit, as no more wake-ups come. */
static _Noreturn void leave(void)
{
	uint32_t used = slots_used();

	for (uint32_t i = 0; i < used; i++)
		if (deadline_of(i))
			wake(i);
	page->controller = 0;
	/* Not exit(3), which writes again what the main thread is just writing: that it
	 * is ready, to a pipe that its reader may have closed. */
	_exit(0);
}

static void *second_thread(void *unused)
{
	struct pollfd fds[] = {{.fd = timer, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	uint64_t rings;

	(void)unused;
	for (;;) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[1].revents)
			leave();
		if (read(timer, &rings, sizeof rings) == sizeof rings)
			wake_all_due();
	}
	return NULL;
}

/* Is there a deadline to jump to, or one that has passed? */
bool jump_wanted(void)
{
	uint32_t used = slots_used();

	for (uint32_t i = 0; i < used; i++) {
		int64_t deadline = deadline_of(i);
		if (deadline && deadline < NEVER)
			return true;
	}
	return false;
}

static void count_source(uint32_t i)
{
	char thread[VCLOCK_NAME] = {0};
	uint32_t kind = page->slot[i].kind, s = 0;

	strncpy(thread, page->slot[i].thread, sizeof thread - 1);
	for (; s < VCLOCK_SOURCES - 1 && page->source[s].jumps; s++)
		if (page->source[s].kind == kind && !memcmp(page->source[s].thread, thread, sizeof thread))
			break;
	struct vclock_source *source = &page->source[s];
	if (!source->jumps) {
		bool full = s == VCLOCK_SOURCES - 1;
		memcpy(source->thread, full ? "(others)" : thread, full ? sizeof "(others)" : sizeof thread);
		source->kind = full ? VCLOCK_FREE : kind;
	}
	atomic_fetch_add_explicit(&source->jumps, 1, memory_order_release);
}

void jump_find(void)
{
	uint32_t used = slots_used();

	target = NEVER;
	for (uint32_t i = 0; i < used; i++) {
		int64_t deadline = deadline_of(i);
		if (deadline && deadline < target) {
			target = deadline;
			target_slot = i;
		}
	}
}

void jump(void)
{
	int64_t now = virtual_now();

	if (target == NEVER || target <= now || atomic_load(&page->hold) > 0)
		return;
	atomic_fetch_add(&page->jumped, target - now);
	add(&page->jumps, 1);
	count_source(target_slot);
}

/* Wakes whom a jump made due. The table is looked at again, because a deadline
 * set just before the jump counts too. */
void jump_wake(void)
{
	int64_t now = virtual_now(), seen, next;
	uint32_t due, n = find_due(now, &due, &seen, &next);

	set_timer(n > 1 ? now : next);
	if (n == 1)
		wake_due(due, seen);
}

/* Threads woken by vclockd became runnable without any other thread's work. */
void jump_mark_woken(void)
{
	for (uint32_t w = 0; w * 64 < slots_used(); w++) {
		if (!atomic_load_explicit(&woken[w], memory_order_relaxed))
			continue;
		uint64_t bits = atomic_exchange(&woken[w], 0);
		for (; bits; bits &= bits - 1) {
			struct vclock_slot *slot = &page->slot[w * 64 + __builtin_ctzll(bits)];
			threads_changed(slot->owner);
		}
	}
}

void jump_start(struct vclock_page *shared)
{
	pthread_t thread;
	sigset_t end;

	page = shared;
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigaddset(&end, SIGINT);
	pthread_sigmask(SIG_BLOCK, &end, NULL);
	signals = signalfd(-1, &end, SFD_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	datagrams = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (signals < 0 || timer < 0 || datagrams < 0)
		fail(1, "open signal, timer and socket descriptors: %s", strerror(errno));
	int error = pthread_create(&thread, NULL, second_thread, NULL);
	if (error)
		fail(1, "start second thread: %s", strerror(error));
	wake_all_due();
}

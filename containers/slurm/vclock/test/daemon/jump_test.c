/* jump_test.c: where jumps lead, and who is woken. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"
#include "tests.h"

/* A jump goes to the deadline and no further. After it virtual time passes as real
 * time does, of which no more has passed than since the wait began. */
static void want_late(int64_t deadline, int64_t begin)
{
	int64_t late = virtual_now() - deadline, most = virtual_length(real_now() - begin);

	want(late >= 0 && late <= most, "%ld ns late, at most %ld", late, most);
}

void test_sleeper(void)
{
	daemon_start(ARGUMENTS());
	uint32_t slot = slot_take("sleeper", VCLOCK_SLEEP);
	for (int i = 0; i < 1000; i++) {
		int64_t begin = real_now(), deadline = virtual_now() + 3600 * SECOND + random() % SECOND;
		slot_wait(slot, deadline);
		want_late(deadline, begin);
	}
	want(page->jumps >= 1000, "%lu jumps", page->jumps);
	/* One thread ran between two jumps: more need not be read. */
	want(page->threads_read < 3 * page->tests, "%lu threads read in %lu tests", page->threads_read, page->tests);
}

static void wait_an_hour(void)
{
	slot_wait(slot_take("hour", VCLOCK_SLEEP), virtual_now() + 3600 * SECOND);
}

void test_hold(void)
{
	daemon_start(ARGUMENTS("--hold"));
	want(page->hold == 1, "hold is %d", page->hold);
	int waiter = child(wait_an_hour);
	until_somebody_waits();
	until_daemon_napped();
	want(!page->jumps, "%lu jumps", page->jumps);
	atomic_fetch_add(&page->hold, 1);
	atomic_fetch_sub(&page->hold, 1);
	until_daemon_napped();
	want(!page->jumps, "%lu jumps", page->jumps);
	atomic_fetch_sub(&page->hold, 1);
	join(waiter);
	want(page->jumps > 0, "%lu jumps", page->jumps);
}

static void think(const char *scale, uint64_t rate)
{
	daemon_start(ARGUMENTS("--think-scale", scale));
	want(page->rate == rate, "think scale %s: rate %lu instead of %lu", scale, page->rate, rate);
	uint32_t slot = slot_take("think", VCLOCK_SLEEP);
	for (int i = 0; i < 100; i++) {
		int64_t begin = real_now(), deadline = virtual_now() + 3600 * SECOND + random() % SECOND;
		slot_wait(slot, deadline);
		want_late(deadline, begin);
	}
	want(page->jumps >= 100, "%lu jumps", page->jumps);
	daemon_kill(SIGTERM);
	page = NULL;
}

void test_think_scale(void)
{
	think("1", UINT64_C(1) << 32);
	think("2", UINT64_C(1) << 31);
	think("0.5", UINT64_C(1) << 33);
	think("3", 1431655765);
	think("1000", 4294967);
	think("0.1", 42949672960);
}

void test_poll(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	socklen_t length = sizeof name;
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	char byte;

	daemon_start(ARGUMENTS());
	want(!bind(fd, (struct sockaddr *)&name, sizeof(sa_family_t)) &&
		     !getsockname(fd, (struct sockaddr *)&name, &length),
	     "autobind: %s", strerror(errno));
	uint32_t slot = slot_take("poller", VCLOCK_POLL);
	page->slot[slot].name_len = length - offsetof(struct sockaddr_un, sun_path) - 1;
	memcpy(page->slot[slot].name, name.sun_path + 1, page->slot[slot].name_len);
	for (int i = 0; i < 100; i++) {
		int64_t deadline = virtual_now() + 1000 * SECOND;
		slot_deadline(slot, deadline);
		want(poll(&poller, 1, -1) == 1 && recv(fd, &byte, 1, 0) == 1, "datagram");
		want(virtual_now() >= deadline && !page->deadline[slot], "woken at the deadline");
	}
}

#define SLEEPERS 20
static int64_t moment;

static bool somebody_waits(void)
{
	for (uint32_t i = 0; i < page->high; i++)
		if (page->deadline[i] == moment)
			return true;
	return false;
}

static void *burn_at_moment(void *unused)
{
	slot_wait(slot_take("same", VCLOCK_SLEEP), moment);
	while (somebody_waits())
		;
	return unused;
}

/* All that wait for the same moment become runnable together, not each after the
 * work of the one before, which would never end. */
void test_same_moment(void)
{
	pthread_t thread[SLEEPERS];

	daemon_start(ARGUMENTS());
	moment = virtual_now() + 100 * SECOND;
	for (int i = 0; i < SLEEPERS; i++)
		pthread_create(&thread[i], NULL, burn_at_moment, NULL);
	for (int i = 0; i < SLEEPERS; i++)
		pthread_join(thread[i], NULL);
	want(page->jumps >= 1 && page->wakes >= SLEEPERS, "%lu jumps, %lu wakes", page->jumps, page->wakes);
}

static void *wait_moment(void *unused)
{
	slot_wait(slot_take("later", VCLOCK_SLEEP), moment + 50 * MS);
	return unused;
}

/* A deadline that a jump brought nearer comes while the cluster computes. */
void test_due_while_busy(void)
{
	pthread_t thread;

	daemon_start(ARGUMENTS());
	uint32_t slot = slot_take("busy", VCLOCK_SLEEP), other = slot + 1;
	moment = virtual_now() + 100 * SECOND;
	pthread_create(&thread, NULL, wait_moment, NULL);
	slot_wait(slot, moment);
	int64_t left = page->deadline[other];
	want(left == moment + 50 * MS || virtual_now() >= moment + 50 * MS, "the other waits until %ld", left);
	/* It is woken while this thread computes, or this would never end. */
	while (page->deadline[other])
		;
	pthread_join(thread, NULL);
	want(page->jumps == 1, "%lu jumps", page->jumps);
}

void test_sources(void)
{
	daemon_start(ARGUMENTS());
	uint32_t slot = slot_take("", VCLOCK_COND);
	for (unsigned i = 0; i < VCLOCK_SOURCES + 10; i++) {
		snprintf(page->slot[slot].thread, VCLOCK_NAME, "thread %u", i % (VCLOCK_SOURCES + 5));
		slot_wait(slot, virtual_now() + 3600 * SECOND);
	}
	want(page->source[0].jumps == 2 && !strcmp(page->source[0].thread, "thread 0") &&
		     page->source[0].kind == VCLOCK_COND,
	     "%s: %lu jumps", page->source[0].thread, page->source[0].jumps);
	struct vclock_source *last = &page->source[VCLOCK_SOURCES - 1];
	want(last->jumps == 6 && !strcmp(last->thread, "(others)"), "%s: %lu jumps", last->thread, last->jumps);
}

/* A deadline in the past is no jump, but its owner is woken. */
void test_passed_deadline(void)
{
	daemon_start(ARGUMENTS());
	uint32_t slot = slot_take("past", VCLOCK_SLEEP);
	slot_deadline(slot, virtual_now() - SECOND);
	while (page->deadline[slot])
		real_sleep(MS);
	want(!page->jumps && page->wakes == 1, "%lu jumps, %lu wakes", page->jumps, page->wakes);
}

void test_forever(void)
{
	daemon_start(ARGUMENTS());
	slot_deadline(slot_take("forever", VCLOCK_SLEEP), INT64_MAX);
	until_daemon_napped();
	want(!page->jumps, "%lu jumps", page->jumps);
	slot_wait(slot_take("sleeper", VCLOCK_SLEEP), virtual_now() + 3600 * SECOND);
	want(page->jumps == 1 && page->jumped <= 3600 * SECOND, "%lu jumps", page->jumps);
}

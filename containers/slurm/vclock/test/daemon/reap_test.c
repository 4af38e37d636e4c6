/* reap_test.c: slots of processes that were killed. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tests.h"

static void wait_an_hour(void)
{
	slot_wait(slot_take("killed", VCLOCK_SLEEP), virtual_now() + 3600 * SECOND);
}

static uint32_t slots_taken(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < page->high; i++)
		n += page->slot[i].owner != 0;
	return n;
}

static void until_freed(uint32_t left)
{
	while (slots_taken() > left)
		real_sleep(10 * MS);
}

#define KILLED 50

void test_reaper(void)
{
	int waiter[KILLED];

	daemon_start(ARGUMENTS("--hold"));
	uint32_t mine = slot_take("alive", VCLOCK_SLEEP);
	for (int i = 0; i < KILLED; i++)
		waiter[i] = child(wait_an_hour);
	while (slots_taken() < KILLED + 1)
		real_sleep(MS);
	for (int i = 0; i < KILLED; i++) {
		kill(waiter[i], SIGKILL);
		waitpid(waiter[i], NULL, 0);
	}
	until_freed(1);
	want(page->reaped == KILLED && page->slot[mine].owner == getpid(), "%lu reaped", page->reaped);
	atomic_store(&page->hold, 0);
	for (uint32_t i = 0; i < page->high; i++)
		want(!page->deadline[i], "slot %u has a deadline of a dead process", i);
	slot_wait(mine, virtual_now() + 3600 * SECOND);
	want(page->jumps == 1, "%lu jumps", page->jumps);
}

static void take_nearly_all(void)
{
	for (uint32_t i = 0; i < VCLOCK_SLOTS - 2; i++)
		slot_deadline(slot_take("hoarder", VCLOCK_STEP), virtual_now() + 3600 * SECOND);
	pause();
}

void test_full_table(void)
{
	daemon_start(ARGUMENTS("--hold"));
	int hoarder = child(take_nearly_all);
	while (!page->deadline[VCLOCK_SLOTS - 3])
		real_sleep(MS);
	uint32_t before_last = slot_take("last but one", VCLOCK_SLEEP), last = slot_take("last", VCLOCK_SLEEP);
	want(last == VCLOCK_SLOTS - 1 && page->high == VCLOCK_SLOTS, "last slot %u", last);
	kill(hoarder, SIGKILL);
	waitpid(hoarder, NULL, 0);
	atomic_store(&page->hold, 0);
	slot_wait(last, virtual_now() + 7200 * SECOND);
	slot_wait(before_last, virtual_now() + 7200 * SECOND);
	until_freed(2);
	want(page->reaped == VCLOCK_SLOTS - 2, "%lu reaped", page->reaped);
	want(slot_take("again", VCLOCK_SLEEP) == 0, "the first slot is free");
}

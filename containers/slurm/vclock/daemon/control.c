/*
 * control.c: the loop that decides when to jump.
 *
 * A jump happens only if
 *   1. nobody else was runnable on the core, for long enough (core.c),
 *   2. no thread of the cluster was seen runnable or in D state (threads.c), and
 *   3. nobody of the cluster runs when vclockd leaves the core for a moment, and
 *      nobody else takes it then (core.c).
 * Whatever is unclear counts as not idle: the clock then goes on at 1x.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

#include "vclockd.h"

/* Real pauses while there is nothing to jump to, while a thread waits for a
 * disk, and between looks when the yield test cannot be used. */
#define PAUSE_US 200
#define PAUSE_BLOCKED_US 20
#define PAUSE_SCAN_US 100

#define REAP_EVERY SECOND
#define REAP_CROWDED (SECOND / 10)
#define CROWDED (VCLOCK_SLOTS / 4 * 3)

static struct vclock_page *page;
static int64_t idle_end; /* of the last idle moment */

static bool one_core(void)
{
	cpu_set_t set;

	/* Fails if the machine has more cores than fit into the set. */
	return !sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) == 1;
}

static void count_busy(int64_t until)
{
	uint64_t busy = until > idle_end ? until - idle_end : 0;

	add(&page->busy_ns, busy);
	if (busy <= atomic_load(&page->longest_ns))
		return;
	atomic_store(&page->longest_ns, busy);
	atomic_store(&page->longest_at, vclock_monotonic(page, until));
}

static void count_idle(int64_t begin)
{
	idle_end = real_now();
	add(&page->idle_ns, idle_end - begin);
}

static bool all_asleep(void)
{
	add(&page->tests, 1);
	jump_mark_woken();
	switch (threads_look()) {
	case RUNNING:
		add(&page->caught_running, 1);
		return false;
	case BLOCKED:
		add(&page->caught_blocked, 1);
		core_sleep(PAUSE_BLOCKED_US);
		return false;
	case UNSURE:
		return false;
	case ASLEEP:
		break;
	}
	return true;
}

static void reap_sometimes(void)
{
	static int64_t last;
	int64_t now = real_now();
	bool crowded = atomic_load(&page->high) > CROWDED;

	if (now - last < (crowded ? REAP_CROWDED : REAP_EVERY))
		return;
	last = now;
	reap(page);
}

void control(struct vclock_page *shared)
{
	bool single = one_core();

	page = shared;
	if (!single)
		fputs("vclockd: not pinned to one core: looks at all threads before each jump, which is slow\n",
		      stderr);
	threads_start(page, single);
	jump_start(page);
	core_start();
	puts("vclockd: ready");
	fflush(stdout);

	idle_end = real_now();
	for (;;) {
		reap_sometimes();
		if (atomic_load(&page->hold) > 0) {
			core_sleep(PAUSE_US);
			idle_end = real_now(); /* not one long busy stretch */
			continue;
		}
		if (!single)
			core_sleep(PAUSE_SCAN_US);
		if (!core_idle() && single)
			continue;
		int64_t begin = single ? core_idle_since() : real_now();
		if (begin < idle_end)
			begin = idle_end;
		if (!jump_wanted()) {
			count_busy(begin);
			core_sleep(PAUSE_US);
			count_idle(begin);
			continue;
		}
		if (!all_asleep())
			continue;
		if (single && !threads_alone()) {
			core_rest();
			if (!threads_untouched()) {
				core_disturbed();
				continue;
			}
		}
		jump_find();
		if (single && !core_still_idle())
			continue;
		count_busy(begin);
		jump();
		count_idle(begin);
		jump_wake(); /* the woken process takes the core */
	}
}

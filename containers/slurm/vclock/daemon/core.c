/*
 * core.c: is any other thread runnable on this core?
 *
 * vclockd's main thread is SCHED_IDLE and shares one core with the cluster. It
 * gives the core away with sched_yield(2) and looks at its own count of context
 * switches: unchanged means that the scheduler found nobody else. This takes a
 * microsecond and needs no polling, because the scheduler runs this thread at
 * the very moment the last other thread blocks.
 *
 * The test has one hole: fairness. A SCHED_IDLE thread has weight 3, an ordinary
 * one 1024, so after W ns of other threads' work the scheduler may owe this one
 * up to W * 3/1027 and run it, through its yields, while others are runnable.
 * Therefore the test counts only once that debt is burnt. The debt grows by
 * W / 256 (more than 3/1027, so that rounding and clock granularity are covered)
 * and shrinks by this thread's own CPU time; it is carried over from one test to
 * the next. Burning costs 0.4 % of the cluster's computing time. What it buys:
 *
 * - CFS (before 6.6). Runtimes are absolute, and a debt is a runtime below the
 *   others'. Once it is burnt this thread's is the largest, so a yield picks any
 *   other runnable thread. What a sleeper used before it slept counts in W.
 * - EEVDF (6.6 on). A thread runs only while eligible: while its lag, the share
 *   it is owed, is not negative. The lags of the runnable threads sum to zero,
 *   and this thread's is at most W * 3/1027 less what it burnt. After that it is
 *   not eligible while another thread with lag of its own waits. From 6.12 a
 *   thread that blocks with negative lag stays queued until that is made up for,
 *   that is, while this thread burns; so a thread that was asleep when the debt
 *   was zero wakes up with lag, and is picked at the next yield.
 * - EEVDF with forfeit on yield (6.18 and some stable kernels). Yielding gives
 *   up the rest of the slice, 1024/3 slices of an ordinary thread, so each yield
 *   burns a whole slice of the debt. The count here is then only slower.
 * - EEVDF from 6.6 to 6.11 stores negative lag over a sleep, and burning does
 *   not reach it: such a thread may wait up to two slices (or a tick) behind
 *   this one after it was woken. threads.c reads all threads there.
 *
 * It is assumed that the cluster's threads are not niced and not SCHED_IDLE (with
 * nice 19 the share is 3/18), and are in the same cpu cgroup or in children of
 * it.
 *
 * Kernel threads that work for the cluster on this core, such as ksoftirqd with
 * a message on the loopback device, are in no group at all, and against them
 * this thread counts as much as its whole group: they may wait for a slice of
 * milliseconds in which it yields in vain and, a thousand times faster than real
 * time, whole seconds would be skipped. So unless /proc/loadavg says that nothing
 * else is runnable on the whole machine, this thread leaves the core altogether
 * before a jump (core_rest). All that is runnable then runs, kernel thread or not,
 * and threads.c sees whether a thread of the cluster was among them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vclockd.h"

#define SHARE 256

/* Kernel threads need some microseconds for a message. The rest costs about
 * twice its length and is paid at each jump on a machine with other work. */
#define REST_US 50

static long switches;   /* of this thread, at the last reading */
static int64_t foreign; /* time at which this thread did not run, so far */
static int64_t burnt;   /* CPU time of this thread, so far */
static int64_t owed;
static int64_t since; /* when others were last seen to have run */

static long count_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

void core_start(void)
{
	struct sched_param none = {0};

	if (sched_setscheduler(0, SCHED_IDLE, &none))
		fail(1, "set scheduler to SCHED_IDLE: %s", strerror(errno));
	/* Otherwise the kernel may make each sleep longer by 50 us. */
	prctl(PR_SET_TIMERSLACK, 1);
	burnt = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	since = real_now();
	foreign = since - burnt;
	switches = count_switches();
}

/* Gives the core away. True if nobody took it since the last call. */
static bool undisturbed(void)
{
	sched_yield();
	long n = count_switches();
	if (n == switches)
		return true;
	/* What others do after this reading is charged when it is noticed. */
	switches = n;
	since = real_now();
	burnt = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	owed = (owed > 0 ? owed : 0) + (since - burnt - foreign) / SHARE;
	foreign = since - burnt;
	return false;
}

/* True if nobody else ran since the last call and nothing is owed. */
bool core_idle(void)
{
	if (!undisturbed())
		return false;
	if (owed > 0) {
		int64_t own = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		owed -= own - burnt;
		burnt = own;
	}
	return owed <= 0;
}

/* True if nobody else ran since core_idle() said so: not at this yield, before
 * which the debt was burnt, and not while the threads were looked at, so that
 * their states are one consistent picture. */
bool core_still_idle(void)
{
	return undisturbed();
}

/* Sleeps. The time asked for is none in which this thread waited for the core,
 * so it is owed nothing for it. */
void core_sleep(int us)
{
	usleep(us);
	foreign += us * 1000LL;
}

/* Lets everybody else run; others than the cluster may then have run without a
 * disturbance. */
void core_rest(void)
{
	core_sleep(REST_US);
	switches = count_switches();
}

/* The cluster has run, which this thread could not see. */
void core_disturbed(void)
{
	since = real_now();
}

/* When others were last seen to have run. */
int64_t core_idle_since(void)
{
	return since;
}

/* Time at which this thread did not run, since it exists. */
int64_t core_foreign(void)
{
	return foreign;
}

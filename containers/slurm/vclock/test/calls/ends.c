/* ends.c: every wait, ended in every way. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "harness.h"
#include "waits.h"

#define FOR_EACH_WAIT(w)                                                               \
	for (const struct wait_call *w = wait_calls; w->name && (doing = w->name); w++)

/* Calls in steps make a jump each 10 ms. */
static double long_wait(const struct wait_call *w)
{
	return w->flags & STEPS ? 1 : 1000;
}

static _Atomic int handled;

/* Some calls end early without any handler, when somebody stops the process and lets
 * it go on: signal(7). Then the wait starts again. */
static int wait_whole(const struct wait_call *w, double seconds)
{
	int before = handled, r;
	do
		r = w->wait(seconds);
	while (r == EINTR && w->flags & BREAKS && handled == before);
	return r;
}

CASE(jump_ends_wait, VIRTUAL)
{
	prepare_waits();
	start_jumps();
	FOR_EACH_WAIT(w) {
		int64_t start = now();
		CHECK(wait_whole(w, long_wait(w)) == 0);
		check_elapsed(start, long_wait(w));
		if (!strstr(w->name, "timerfd"))
			CHECK(registered() == 0);
	}
	stop_jumps();
}

/* As on kernels before 5.16. */
static void forbid_futex_waitv(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex_waitv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = ARRAY_SIZE(code), .filter = code};
	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	CHECK(syscall(SYS_futex_waitv) < 0 && errno == ENOSYS);
}

CASE(jump_ends_wait_without_futex_waitv, VIRTUAL)
{
	forbid_futex_waitv();
	start_jumps();
	FOR_EACH_WAIT(w) {
		int64_t start = now();
		if (strcmp(w->name, "sem") && strcmp(w->name, "cond_shared"))
			continue;
		CHECK(wait_whole(w, 1) == 0);
		check_elapsed(start, 1);
	}
	stop_jumps();
}

CASE(wait_ends_without_jumps, VIRTUAL)
{
	prepare_waits();
	FOR_EACH_WAIT(w) {
		int64_t start = now();
		CHECK(wait_whole(w, w->shortest) == 0);
		check_elapsed(start, w->shortest);
	}
}

CASE(wait_ends_with_full_table, VIRTUAL)
{
	prepare_waits();
	for (uint32_t i = 0; i < VCLOCK_SLOTS; i++)
		page->slot[i].owner = 1;
	FOR_EACH_WAIT(w) {
		int64_t start = now();
		CHECK(wait_whole(w, w->shortest) == 0);
		check_elapsed(start, w->shortest);
	}
	CHECK(page->slotless > 0);
}

CASE(wait_ends_without_page, COMPARED)
{
	prepare_waits();
	FOR_EACH_WAIT(w) {
		int64_t start = now();
		CHECK(wait_whole(w, w->shortest) == 0);
		check_elapsed(start, w->shortest);
		printf("%s\n", w->name);
	}
}

struct waiter {
	const struct wait_call *call;
	double seconds;
	_Atomic pid_t tid;
	int result;
};

static void *wait_in_thread(void *p)
{
	struct waiter *w = p;
	doing = w->call->name;
	w->tid = gettid();
	w->result = wait_whole(w->call, w->seconds);
	return p;
}

static pthread_t start_waiter(struct waiter *w)
{
	pthread_t t;
	CHECK(!pthread_create(&t, NULL, wait_in_thread, w));
	while (!w->tid)
		real_pause();
	return t;
}

CASE(cancelled_waits, VIRTUAL)
{
	prepare_waits();
	FOR_EACH_WAIT(w) {
		struct waiter waiter = {.call = w, .seconds = 1000};
		void *result;
		if (!(w->flags & CANCELS))
			continue;
		pthread_t t = start_waiter(&waiter);
		await_sleeping(getpid(), waiter.tid);
		CHECK(!pthread_cancel(t));
		CHECK(!pthread_join(t, &result));
		CHECK(result == PTHREAD_CANCELED);
		if (!strstr(w->name, "timerfd"))
			CHECK(registered() == 0);
		/* The mutexes are free again, and the slot too. */
		CHECK(wait_whole(w, w->shortest) == 0);
	}
}

CASE(uncancelled_waits, VIRTUAL)
{
	prepare_waits();
	start_jumps();
	FOR_EACH_WAIT(w) {
		struct waiter waiter = {.call = w, .seconds = long_wait(w)};
		void *result;
		if (w->flags & CANCELS)
			continue;
		pthread_t t = start_waiter(&waiter);
		CHECK(!pthread_cancel(t));
		CHECK(!pthread_join(t, &result));
		/* glibc cancels by a signal, which ends some calls early even where
		 * they are no point of cancellation: signal(7). */
		bool broken = w->flags & BREAKS && waiter.result == EINTR;
		CHECK(result == PTHREAD_CANCELED || waiter.result == 0 || broken);
	}
	stop_jumps();
}

static void count_signal(int signal)
{
	(void)signal;
	handled++;
}

static void sleep_in_handler(int signal)
{
	count_signal(signal);
	usleep(5000000);
}

static void poll_in_handler(int signal)
{
	const struct wait_call *w = wait_calls;
	count_signal(signal);
	while (strcmp(w->name, "ppoll"))
		w++;
	CHECK(w->wait(5) == 0);
}

static void interrupt_all(void (*handler)(int), bool jumps)
{
	struct sigaction action = {.sa_handler = handler};
	prepare_waits();
	sigaction(SIGUSR1, &action, NULL);
	FOR_EACH_WAIT(w) {
		struct waiter waiter = {.call = w, .seconds = long_wait(w)};
		bool breaks = w->flags & BREAKS;
		int64_t start = now();
		int before = handled;
		pthread_t t = start_waiter(&waiter);
		if (w->flags & STEPS)
			real_pause();
		else
			await_sleeping(getpid(), waiter.tid);
		CHECK(!pthread_kill(t, SIGUSR1));
		if (jumps || !breaks)
			start_jumps();
		CHECK(!pthread_join(t, NULL));
		if (jumps || !breaks)
			stop_jumps();
		CHECK(handled == before + 1);
		if (!(w->flags & STEPS))
			CHECK(waiter.result == (breaks ? EINTR : 0));
		else
			CHECK(waiter.result == 0 || (breaks && waiter.result == EINTR));
		/* The handler may be in its sleep when a short wait is over. */
		double handler = jumps && w->flags & STEPS ? 5 : 0;
		if (waiter.result == 0)
			check_elapsed_between(start, waiter.seconds, waiter.seconds + handler);
		else if (strcmp(w->name, "timerfd")) /* its timer goes on */
			check_elapsed(start, jumps ? 5 : 0);
	}
}

CASE(interrupted_waits, VIRTUAL)
{
	interrupt_all(count_signal, false);
}

CASE(handler_sleeps, VIRTUAL)
{
	interrupt_all(sleep_in_handler, true);
}

CASE(handler_polls, VIRTUAL)
{
	interrupt_all(poll_in_handler, true);
}

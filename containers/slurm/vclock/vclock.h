/*
 * vclock.h: the page by which all processes of a cluster share virtual time.
 *
 * Virtual time runs at the speed of real time, divided by the CPU speed factor,
 * while anything in the cluster computes, and jumps to the next deadline as
 * soon as nothing is runnable. libvclock.so (preloaded into every C program)
 * reads the clock and registers waits here; vclockd (one per cluster) decides
 * when to jump and wakes whom a jump makes due; Go programs do as the library
 * does (package containers/slurm/clock has this layout in Go, with a test that compares
 * the two).
 *
 * Time. With m a reading of the real CLOCK_MONOTONIC, all in nanoseconds:
 *
 *     monotonic(m) = epoch + ((m - epoch) * rate >> 32) + jumped
 *     realtime(m)  = wall  + (monotonic(m) - epoch)
 *
 * epoch, wall and rate never change after the page is published; jumped only
 * grows. So virtual time never runs backwards, and is the same in all
 * processes. All shifted clocks are one of these two; CPU-time clocks are real.
 *
 * Waits. A thread that waits with a timeout owns a slot. It
 *   1. reads the slot's word,
 *   2. stores its virtual monotonic deadline in deadline[i] (sequentially
 *      consistent),
 *   3. reads jumped, and waits in the kernel on word with the real time limit
 *      that equals the deadline if no jump comes,
 *   4. looks at virtual time again; if the deadline is not reached and nothing
 *      else ends the wait, it reads word again and goes on with 3,
 *   5. stores 0 in deadline[i].
 * vclockd adds to jumped first and looks for due deadlines then; so either it
 * sees the deadline or the waiter sees the jump. It claims a due slot by
 * changing deadline[i] from the value it saw to 0, adds 1 to word, and wakes
 * word; for a wait in poll(2) it sends a datagram to the slot's socket instead
 * of waking the word. Each of these may come late, when the slot has another
 * wait or owner: a wake-up is a hint to look again, never an answer.
 *
 * Fail-safe. As every wait also has its real limit, a cluster whose vclockd has
 * died goes on at the speed of real time. So does a wait for which no slot is
 * left: others jump over its deadline, and it ends late. The waiter counts it in
 * slotless.
 */
#ifndef VCLOCK_H
#define VCLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#define VCLOCK_MAGIC 0x6b636c76u /* "vlck" in memory order */
#define VCLOCK_VERSION 1u
#define VCLOCK_SLOTS 16384u
#define VCLOCK_SOURCES 64u
#define VCLOCK_ROUNDS 4u
#define VCLOCK_NAME 16 /* TASK_COMM_LEN */

/* Where the page is, unless the environment variable VCLOCK_PAGE says so. An
 * empty VCLOCK_PAGE keeps a process on real time. */
#define VCLOCK_PATH "/dev/shm/vclock"

/* What a slot waits in. */
enum vclock_kind {
	VCLOCK_FREE = 0,
	VCLOCK_SLEEP = 1, /* nanosleep and its relatives */
	VCLOCK_COND = 2,  /* condition variable */
	VCLOCK_POLL = 3,  /* poll, select, epoll, and Go programs: woken through the socket */
	VCLOCK_SEM = 4,   /* semaphore */
	VCLOCK_TIMER = 5, /* the library's thread that fires a process's timers */
	VCLOCK_STEP = 6   /* a call without timeout of its own, tried in steps */
};

struct vclock_slot {
	_Atomic int32_t owner; /* process id in the cluster's namespace, 0 = free */
	int32_t tid;
	_Atomic uint32_t word; /* futex, shared between processes */
	uint8_t kind;
	uint8_t name_len;          /* of the socket's abstract name, after its NUL */
	/* The kernel's autobind gives 5 characters. A TIMER's holds the deadline of
	 * the process's ITIMER_REAL, which survives exec. */
	char name[10];
	char thread[VCLOCK_NAME];  /* thread name, for the statistics */
	int64_t asked;             /* the wait's length, for the statistics */
	char pad[16];
};

/* One line of the statistics: jumps that ended at a wait of this thread name
 * and kind. */
struct vclock_source {
	char thread[VCLOCK_NAME];
	uint32_t kind;
	uint32_t pad;
	_Atomic uint64_t jumps;
};

/* Waits of threads of this name end no earlier than asked and at the next whole
 * multiple of grain (virtual CLOCK_REALTIME), as kernels round timers that can
 * wait so that many of them share one wake-up. An empty name ends the list. */
struct vclock_round {
	char thread[VCLOCK_NAME];
	int64_t grain;
};

struct vclock_page {
	/* Written once; magic last, with release order. */
	_Atomic uint32_t magic;
	uint32_t version;
	uint32_t slots;
	int32_t controller; /* process id of vclockd */
	int64_t epoch;      /* real CLOCK_MONOTONIC at the start */
	int64_t wall;       /* virtual CLOCK_REALTIME at the start */
	uint64_t rate;      /* virtual per 2^32 real nanoseconds, 2^32 / CPU speed factor */
	struct vclock_round round[VCLOCK_ROUNDS];
	char pad0[56];

	/* Changing. */
	_Atomic int64_t jumped; /* virtual nanoseconds skipped */
	_Atomic int32_t hold;   /* above 0: no jumps */
	_Atomic uint32_t high;  /* all slots ever taken are below */
	char pad1[48];

	/* Statistics, written by vclockd alone, since its start. Nanoseconds are
	 * real. */
	_Atomic uint64_t jumps;
	_Atomic uint64_t wakes;
	_Atomic uint64_t tests;          /* times the core seemed idle */
	_Atomic uint64_t caught_running; /* of them refuted: a thread was runnable */
	_Atomic uint64_t caught_blocked; /* of them refuted: a thread was in D state */
	_Atomic uint64_t threads_read;   /* thread states read */
	_Atomic uint64_t births;         /* times the thread lists were remade */
	_Atomic uint64_t reaped;         /* slots taken from dead processes */
	_Atomic uint64_t idle_ns;        /* vclockd's own testing and jumping */
	_Atomic uint64_t busy_ns;        /* everything else */
	/* Longest time between two idle moments, and the virtual monotonic time at
	 * its end. A program that starts a measurement may set both to 0. */
	_Atomic uint64_t longest_ns;
	_Atomic int64_t longest_at;
	_Atomic uint64_t takeovers; /* controllers that replaced one that is gone */
	_Atomic uint64_t slotless; /* waits for which no slot was left; not by vclockd */
	char pad2[16];

	struct vclock_source source[VCLOCK_SOURCES];
	_Atomic int64_t deadline[VCLOCK_SLOTS]; /* virtual monotonic, 0 = none */
	struct vclock_slot slot[VCLOCK_SLOTS];
};

_Static_assert(sizeof(struct vclock_slot) == 64, "one cache line a slot");
_Static_assert(sizeof(struct vclock_source) == 32, "sources have no padding");
_Static_assert(sizeof(_Atomic int64_t) == 8, "atomics are plain words");

/* (a * b) >> 32 without overflow. */
static inline int64_t vclock_scale(int64_t a, uint64_t b)
{
	return (int64_t)(((__int128)a * (__int128)b) >> 32);
}

/* Virtual CLOCK_MONOTONIC at the real reading m. */
static inline int64_t vclock_monotonic(const struct vclock_page *p, int64_t m)
{
	return p->epoch + vclock_scale(m - p->epoch, p->rate) +
	       atomic_load_explicit(&p->jumped, memory_order_seq_cst);
}

/* Earliest real CLOCK_MONOTONIC at which virtual time v is reached if no jump
 * comes. */
static inline int64_t vclock_real(const struct vclock_page *p, int64_t v)
{
	int64_t left = v - p->epoch - atomic_load_explicit(&p->jumped, memory_order_seq_cst);
	if (left <= 0)
		return p->epoch;
	__int128 up = ((__int128)left << 32) + (__int128)p->rate - 1;
	return p->epoch + (int64_t)(up / (__int128)p->rate);
}

#endif

/*
 * lib.h: what the parts of the preload library share.
 *
 * The library replaces libc calls that read a clock or end at a time. Each
 * replacement asks vclock() first: without a page the process is on real time
 * and every call goes to libc unchanged.
 *
 * page.c     page, slots and libc's own functions
 * parts.c    forks and ends of threads   process.c  start and exit
 * wait.c     the one way in which a thread waits for a virtual deadline
 * clocks.c   reading clocks            sleep.c    nanosleep and its relatives
 * cond.c     condition variables       cond_queue.c, c11.c
 * polling.c  waits for descriptors     poll.c, select.c, mqueue.c
 * sem.c      semaphores                steps.c    calls that are tried again
 * timers.c   timers                    timer_service.c, ptimer.c, itimer.c, timerfd.c
 * socket.c   no wait of the kernel's own
 *
 * Slurm 24.11 and 26.05 and their plugins, bash, coreutils and libmariadb import no
 * other function that ends at a time (TestImportsAreReplaced). What stays on real time, on purpose:
 *
 *  - CPU time: its clocks and timers, ITIMER_VIRTUAL and ITIMER_PROF, limits.
 *  - Setting and adjusting the clock.
 *  - Times of files, and those that libc takes for itself (syslog).
 *  - SO_RCVTIMEO and SO_SNDTIMEO, TCP's own timers, name service: used only
 *    towards mariadbd, which is on real time and so counts as busy.
 *  - recvmmsg, aio_suspend, io_getevents.
 *  - Timers that wake a suspended machine, and timerfds inherited through exec.
 *  - Programs without libc's functions: static ones, Go, futexes by syscall(2).
 */
#ifndef VCLOCK_LIB_H
#define VCLOCK_LIB_H

#include <errno.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "../vclock.h"

#define EXPORT __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)

#define SECOND INT64_C(1000000000)
#define MILLISECOND INT64_C(1000000)

/* Longer waits (9 years) are waits without end: a jump to a deadline that a
 * program only gave because it had to give one would end the cluster's time. */
#define FOREVER (INT64_C(1) << 58)

/* All replaced functions, with the symbol version in which libc last changed
 * what they do: without it dlsym may find the oldest. */
#define REAL_FUNCTIONS(X) \
	X(clock_gettime, 0) X(gettimeofday, 0) X(time, 0) X(timespec_get, 0) \
	X(times, 0) X(sysinfo, 0) \
	X(nanosleep, 0) X(clock_nanosleep, 0) X(usleep, 0) X(sleep, 0) \
	X(pthread_cond_init, "GLIBC_2.3.2") X(pthread_cond_destroy, "GLIBC_2.3.2") \
	X(pthread_cond_wait, "GLIBC_2.3.2") X(pthread_cond_timedwait, "GLIBC_2.3.2") \
	X(pthread_cond_signal, "GLIBC_2.3.2") X(pthread_cond_broadcast, "GLIBC_2.3.2") \
	X(pthread_cond_clockwait, 0) \
	X(poll, 0) X(ppoll, 0) X(select, 0) X(pselect, 0) \
	X(epoll_wait, 0) X(epoll_pwait, 0) X(epoll_pwait2, 0) \
	X(timer_create, "GLIBC_2.3.3") X(timer_settime, "GLIBC_2.3.3") \
	X(timer_gettime, "GLIBC_2.3.3") X(timer_delete, "GLIBC_2.3.3") \
	X(alarm, 0) X(ualarm, 0) X(setitimer, 0) X(getitimer, 0) \
	X(timerfd_create, 0) X(timerfd_settime, 0) X(timerfd_gettime, 0) \
	X(sem_timedwait, 0) X(sem_clockwait, 0) \
	X(pthread_mutex_timedlock, 0) X(pthread_mutex_clocklock, 0) \
	X(pthread_rwlock_timedrdlock, 0) X(pthread_rwlock_clockrdlock, 0) \
	X(pthread_rwlock_timedwrlock, 0) X(pthread_rwlock_clockwrlock, 0) \
	X(pthread_timedjoin_np, 0) X(pthread_clockjoin_np, 0) \
	X(socket, 0) X(sigtimedwait, 0) X(mq_timedsend, 0) X(mq_timedreceive, 0) X(semtimedop, 0)

/* The check variants have no declaration outside of fortified headers. */
int __poll_chk(struct pollfd *set, nfds_t count, int milliseconds, size_t size);
int __ppoll_chk(struct pollfd *set, nfds_t count, const struct timespec *timeout,
		const sigset_t *mask, size_t size);

struct real {
#define MEMBER(name, symbol_version) __typeof__(&name) name;
	REAL_FUNCTIONS(MEMBER)
#undef MEMBER
	__typeof__(&__poll_chk) poll_chk;
	__typeof__(&__ppoll_chk) ppoll_chk;
};
extern struct real real;

/* page.c */
struct vclock_page *vclock(void); /* NULL: this process is on real time */
struct vclock_slot *own_slot(void); /* NULL: the table is full */
void free_slot(struct vclock_slot *slot);
void end_thread(void);
extern _Atomic uint32_t fork_generation;
/* Of ITIMER_REAL. The timer service keeps it for the process image after exec. */
void keep_deadline(struct vclock_slot *slot, int64_t itimer);
extern int64_t deadline_before_exec; /* 0: not known */

/* parts.c: a part has its functions called, unless NULL, after PART(x) = {...}; */
struct part {
	void (*before_fork)(void);
	void (*after_fork)(bool child); /* which has its own slots by then */
	void (*ends_thread)(void);      /* its slot is freed after that */
};
/* The section has pointers: between structs the compiler may leave gaps. */
#define PART(x) \
	static const struct part x; \
	static const struct part *const x##_entry \
		__attribute__((used, section("vclock_parts"))) = &x; \
	static const struct part x
void parts_before_fork(void);
void parts_after_fork(bool child);
void parts_end_thread(void);

/* clocks.c */
int64_t real_monotonic(void);
int64_t virtual_monotonic(struct vclock_page *page);
bool is_shifted(clockid_t clock);
int64_t read_clock(struct vclock_page *page, clockid_t clock);
/* Virtual monotonic time at which the clock shows when. */
int64_t deadline_of(struct vclock_page *page, clockid_t clock, const struct timespec *when);
int64_t nanoseconds(const struct timespec *t); /* FOREVER * 8 at most */
struct timespec timespec_of(int64_t ns);       /* 0 at least */
static inline bool valid_nanoseconds(const struct timespec *t)
{
	return t->tv_nsec >= 0 && t->tv_nsec < SECOND;
}

/* wait.c: one wait. A signal handler may wait while the thread already does;
 * begin_wait keeps what the slot holds and end_wait puts it back. */
struct wait {
	struct vclock_page *page;
	struct vclock_slot *slot;
	_Atomic uint32_t *word; /* the slot's, or own if there is no slot */
	_Atomic uint32_t own;
	int64_t deadline; /* virtual monotonic */
	int64_t rounded;  /* when the thread shall wake, deadline at least */
	int64_t outer_deadline;
	int64_t outer_asked;
	uint8_t outer_kind;
};
enum cancel { NO_CANCEL, CANCEL };

void begin_wait(struct wait *w, struct vclock_page *page, enum vclock_kind kind,
		int64_t deadline);
void end_wait(struct wait *w);
/* Sleeps until the deadline, or until word differs from seen, or EINTR, which
 * is returned. */
int wait_on_word(struct wait *w, uint32_t seen, enum cancel cancel);
/* The limit for the kernel that equals deadline; NULL if there is none. */
const struct timespec *real_limit(struct vclock_page *page, int64_t deadline,
				  struct timespec *t);
int futex_wait(_Atomic uint32_t *word, uint32_t seen, bool shared, const struct timespec *until,
	       enum cancel cancel);
void futex_wake(_Atomic uint32_t *word, bool shared, int count);

/* sleep.c */
int sleep_until(struct vclock_page *page, enum vclock_kind kind, int64_t deadline,
		enum cancel cancel);

/* polling.c, poll.c */
int poll_until(struct vclock_page *page, struct pollfd *set, nfds_t count, int64_t deadline,
	       const sigset_t *mask);

/* sem.c */
int futex_wait_two(_Atomic uint32_t *word, uint32_t seen, bool shared, struct wait *w,
		   uint32_t slot_seen);

/* steps.c */
struct steps {
	struct vclock_page *page;
	int64_t deadline;
	int64_t next;
	bool last;
};
void begin_steps(struct steps *s, struct vclock_page *page, int64_t deadline);
int step(struct steps *s, enum cancel cancel); /* 0: try again; ETIMEDOUT; EINTR */

/* timer_service.c, itimer.c */
void adopt_timer(int64_t deadline); /* after exec; 0: not known */
void end_timer_service(void);

#endif

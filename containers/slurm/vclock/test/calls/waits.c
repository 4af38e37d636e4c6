/* waits.c: every call that ends at a time, waiting for what never happens. Each
 * is tried in every way in which a wait may end. */
#include <limits.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>

#include "harness.h"
#include "waits.h"

/* The error that says how the wait ended: 0 for by time. */
static int ended(int error, int at_time)
{
	return error == at_time ? 0 : error;
}

static int of_errno(int r, int at_time)
{
	return ended(r < 0 ? errno : 0, at_time);
}

static int wait_clock_nanosleep(double s)
{
	struct timespec t = length(s);
	return clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static int wait_clock_nanosleep_absolute(double s)
{
	struct timespec t = after(CLOCK_REALTIME, s);
	return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
}

static int wait_nanosleep(double s)
{
	struct timespec t = length(s);
	return of_errno(nanosleep(&t, NULL), 0);
}

static int wait_usleep(double s)
{
	return of_errno(usleep((useconds_t)(s * 1000000)), 0);
}

static int wait_sleep(double s)
{
	return sleep((unsigned)s) ? EINTR : 0;
}

static int wait_thrd_sleep(double s)
{
	struct timespec t = length(s);
	return thrd_sleep(&t, NULL) ? EINTR : 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void unlock(void *m)
{
	pthread_mutex_unlock(m);
}

static int wait_on(pthread_cond_t *cond, clockid_t own, clockid_t clock, double s)
{
	struct timespec t = after(clock, s);
	int r;
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	r = own == clock ? pthread_cond_timedwait(cond, &mutex, &t)
			 : pthread_cond_clockwait(cond, &mutex, clock, &t);
	pthread_cleanup_pop(1);
	return ended(r, ETIMEDOUT);
}

static int wait_cond(double s)
{
	static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	return wait_on(&cond, CLOCK_REALTIME, CLOCK_REALTIME, s);
}

static int wait_cond_clock(double s)
{
	static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	return wait_on(&cond, CLOCK_REALTIME, CLOCK_MONOTONIC, s);
}

static int wait_cond_with(int shared, double s)
{
	static pthread_cond_t cond;
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_condattr_setpshared(&attributes, shared);
	pthread_cond_init(&cond, &attributes);
	return wait_on(&cond, CLOCK_MONOTONIC, CLOCK_MONOTONIC, s);
}

static int wait_cond_monotonic(double s)
{
	return wait_cond_with(PTHREAD_PROCESS_PRIVATE, s);
}

static int wait_cond_shared(double s)
{
	return wait_cond_with(PTHREAD_PROCESS_SHARED, s);
}

static int wait_cnd(double s)
{
	cnd_t cond;
	mtx_t m;
	struct timespec t = after(CLOCK_REALTIME, s);
	cnd_init(&cond);
	mtx_init(&m, mtx_plain);
	mtx_lock(&m);
	return ended(cnd_timedwait(&cond, &m, &t), thrd_timedout);
}

static int never_readable(void)
{
	static int fds[2];
	if (!fds[1])
		CHECK(!pipe(fds));
	return fds[0];
}

static int wait_poll(double s)
{
	struct pollfd p = {.fd = never_readable(), .events = POLLIN};
	return of_errno(poll(&p, 1, (int)(s * 1000)), 0);
}

static int wait_poll_many(double s)
{
	static struct pollfd p[300];
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		p[i] = (struct pollfd){.fd = never_readable(), .events = POLLIN};
	return of_errno(poll(p, ARRAY_SIZE(p), (int)(s * 1000)), 0);
}

static int wait_ppoll(double s)
{
	struct timespec t = length(s);
	return of_errno(ppoll(NULL, 0, &t, NULL), 0);
}

static int wait_select(double s)
{
	struct timespec t = length(s);
	struct timeval tv = {.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
	fd_set in;
	FD_ZERO(&in);
	FD_SET(never_readable(), &in);
	int r = of_errno(select(never_readable() + 1, &in, NULL, NULL, &tv), 0);
	if (!r)
		CHECK(!tv.tv_sec && !tv.tv_usec && !FD_ISSET(never_readable(), &in));
	return r;
}

static int wait_pselect(double s)
{
	struct timespec t = length(s);
	return of_errno(pselect(0, NULL, NULL, NULL, &t, NULL), 0);
}

static int never_ready(void)
{
	static int set;
	if (!set) {
		struct epoll_event e = {.events = EPOLLIN};
		set = epoll_create1(0);
		CHECK(!epoll_ctl(set, EPOLL_CTL_ADD, never_readable(), &e));
	}
	return set;
}

static int wait_epoll(double s)
{
	struct epoll_event e;
	return of_errno(epoll_wait(never_ready(), &e, 1, (int)(s * 1000)), 0);
}

static int wait_epoll_pwait(double s)
{
	struct epoll_event e;
	sigset_t mask;
	sigemptyset(&mask);
	return of_errno(epoll_pwait(never_ready(), &e, 1, (int)(s * 1000), &mask), 0);
}

static int wait_epoll_pwait2(double s)
{
	struct epoll_event e;
	struct timespec t = length(s);
	return of_errno(epoll_pwait2(never_ready(), &e, 1, &t, NULL), 0);
}

static int wait_sem(double s)
{
	static sem_t sem;
	struct timespec t = after(CLOCK_REALTIME, s);
	return of_errno(sem_timedwait(&sem, &t), ETIMEDOUT);
}

static int wait_sem_clock(double s)
{
	static sem_t sem;
	struct timespec t = after(CLOCK_MONOTONIC, s);
	sem_init(&sem, 1, 0);
	return of_errno(sem_clockwait(&sem, CLOCK_MONOTONIC, &t), ETIMEDOUT);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t held_rwlock = PTHREAD_RWLOCK_INITIALIZER;

static int wait_mutex(double s)
{
	struct timespec t = after(CLOCK_REALTIME, s);
	return ended(pthread_mutex_timedlock(&held, &t), ETIMEDOUT);
}

static int wait_mutex_clock(double s)
{
	struct timespec t = after(CLOCK_MONOTONIC, s);
	return ended(pthread_mutex_clocklock(&held, CLOCK_MONOTONIC, &t), ETIMEDOUT);
}

static int wait_mtx(double s)
{
	struct timespec t = after(CLOCK_REALTIME, s);
	return ended(mtx_timedlock((mtx_t *)&held, &t), thrd_timedout);
}

static int wait_rwlock_read(double s)
{
	struct timespec t = after(CLOCK_REALTIME, s);
	return ended(pthread_rwlock_timedrdlock(&held_rwlock, &t), ETIMEDOUT);
}

static int wait_rwlock_write(double s)
{
	struct timespec t = after(CLOCK_MONOTONIC, s);
	return ended(pthread_rwlock_clockwrlock(&held_rwlock, CLOCK_MONOTONIC, &t), ETIMEDOUT);
}

static pthread_t endless;

static int wait_join(double s)
{
	struct timespec t = after(CLOCK_REALTIME, s);
	return ended(pthread_timedjoin_np(endless, NULL, &t), ETIMEDOUT);
}

static int wait_join_clock(double s)
{
	struct timespec t = after(CLOCK_MONOTONIC, s);
	return ended(pthread_clockjoin_np(endless, NULL, CLOCK_MONOTONIC, &t), ETIMEDOUT);
}

static int wait_sigtimedwait(double s)
{
	struct timespec t = length(s);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return of_errno(sigtimedwait(&set, NULL, &t), EAGAIN);
}

static int wait_semtimedop(double s)
{
	struct timespec t = length(s);
	struct sembuf op = {.sem_op = -1};
	int set = semget(IPC_PRIVATE, 1, 0600);
	int r = of_errno(semtimedop(set, &op, 1, &t), EAGAIN);
	semctl(set, 0, IPC_RMID);
	return r;
}

static int wait_mq(bool send, double s)
{
	char name[32], message[8] = "";
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof message};
	struct timespec t = after(CLOCK_REALTIME, s);
	snprintf(name, sizeof name, "/vclock-test.%d", getpid());
	mqd_t q = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
	mq_unlink(name);
	CHECK(q >= 0);
	if (send)
		CHECK(!mq_send(q, message, sizeof message, 0));
	ssize_t r = send ? mq_timedsend(q, message, sizeof message, 0, &t)
			 : mq_timedreceive(q, message, sizeof message, NULL, &t);
	return of_errno((int)r, ETIMEDOUT);
}

static int wait_mq_send(double s)
{
	return wait_mq(true, s);
}

static int wait_mq_receive(double s)
{
	return wait_mq(false, s);
}

static int wait_timerfd(double s)
{
	struct itimerspec t = {.it_value = length(s)};
	uint64_t times = 0;
	int fd = timerfd_create(CLOCK_REALTIME, 0);
	CHECK(!timerfd_settime(fd, 0, &t, NULL));
	int r = of_errno((int)read(fd, &times, sizeof times), 0);
	close(fd);
	return r ? r : times != 1;
}

const struct wait_call wait_calls[] = {
#define WAIT(name, ...) {#name, wait_##name, __VA_ARGS__}
	WAIT(clock_nanosleep, CANCELS | BREAKS, 0.03),
	WAIT(clock_nanosleep_absolute, CANCELS | BREAKS, 0.03),
	WAIT(nanosleep, CANCELS | BREAKS, 0.03),
	WAIT(usleep, CANCELS | BREAKS, 0.03),
	WAIT(sleep, CANCELS | BREAKS, 1),
	WAIT(thrd_sleep, CANCELS | BREAKS, 0.03),
	WAIT(cond, CANCELS, 0.03),
	WAIT(cond_clock, CANCELS, 0.03),
	WAIT(cond_monotonic, CANCELS, 0.03),
	WAIT(cond_shared, CANCELS, 0.03),
	WAIT(cnd, CANCELS, 0.03),
	WAIT(poll, CANCELS | BREAKS, 0.03),
	WAIT(poll_many, CANCELS | BREAKS, 0.03),
	WAIT(ppoll, CANCELS | BREAKS, 0.03),
	WAIT(select, CANCELS | BREAKS, 0.03),
	WAIT(pselect, CANCELS | BREAKS, 0.03),
	WAIT(epoll, CANCELS | BREAKS, 0.03),
	WAIT(epoll_pwait, CANCELS | BREAKS, 0.03),
	WAIT(epoll_pwait2, CANCELS | BREAKS, 0.03),
	WAIT(sem, CANCELS | BREAKS, 0.03),
	WAIT(sem_clock, CANCELS | BREAKS, 0.03),
	WAIT(mutex, STEPS, 0.03),
	WAIT(mutex_clock, STEPS, 0.03),
	WAIT(mtx, STEPS, 0.03),
	WAIT(rwlock_read, STEPS, 0.03),
	WAIT(rwlock_write, STEPS, 0.03),
	WAIT(join, CANCELS | STEPS, 0.03),
	WAIT(join_clock, CANCELS | STEPS, 0.03),
	WAIT(sigtimedwait, CANCELS | BREAKS | STEPS, 0.03),
	WAIT(semtimedop, BREAKS | STEPS, 0.03),
	WAIT(mq_send, CANCELS | BREAKS, 0.03),
	WAIT(mq_receive, CANCELS | BREAKS, 0.03),
	WAIT(timerfd, CANCELS | BREAKS | STEPS, 0.03),
	{NULL, NULL, 0, 0},
};

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* Held by a thread that is not the waiter's. */
static void *hold_locks(void *unused)
{
	pthread_mutex_lock(&held);
	pthread_rwlock_wrlock(&held_rwlock);
	return unused;
}

void prepare_waits(void)
{
	pthread_t holder;
	CHECK(!pthread_create(&holder, NULL, hold_locks, NULL));
	CHECK(!pthread_join(holder, NULL));
	CHECK(!pthread_create(&endless, NULL, wait_for_ever, NULL));
}

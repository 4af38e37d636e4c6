/* edges.c: arguments at and beyond the edge, compared with libc's answers. */
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>

#include "harness.h"

#define SHOW(call)                                                                     \
	do {                                                                           \
		errno = 0;                                                             \
		long r_ = (long)(call);                                                \
		printf("%s: %ld errno %d\n", #call, r_, errno);                        \
	} while (0)

static struct timespec zero, negative = {.tv_sec = -1}, bad = {.tv_nsec = SECOND},
		       bad_too = {.tv_nsec = -1}, tiny = {.tv_nsec = 1};

CASE(sleep_edges, COMPARED)
{
	SHOW(nanosleep(&zero, NULL));
	SHOW(nanosleep(&tiny, NULL));
	SHOW(nanosleep(&negative, NULL));
	SHOW(nanosleep(&bad, NULL));
	SHOW(nanosleep(&bad_too, NULL));
	SHOW(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &tiny, NULL));
	SHOW(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &negative, NULL));
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL));
	SHOW(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &tiny, NULL));
	SHOW(clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &tiny, NULL));
	SHOW(clock_nanosleep(CLOCK_TAI, 0, &tiny, NULL));
	SHOW(clock_nanosleep(77, 0, &tiny, NULL));
	SHOW(usleep(0));
	SHOW(usleep(1));
	SHOW(sleep(0));
	SHOW(thrd_sleep(&tiny, NULL));
	SHOW(thrd_sleep(&bad, NULL));
}

static void ignore(int signal)
{
	(void)signal;
}

CASE(interrupted_sleep_tells_what_is_left, COMPARED)
{
	struct sigaction action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
	struct timespec t = {.tv_sec = 100}, left = {0}, when = after(CLOCK_MONOTONIC, 100);
	sigaction(SIGALRM, &action, NULL);
	ualarm(20000, 20000);
	SHOW(nanosleep(&t, &left));
	printf("left %ld\n", (long)left.tv_sec);
	left.tv_sec = 7;
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &left));
	printf("left %ld\n", (long)left.tv_sec);
	left.tv_sec = 7;
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, &left));
	printf("left %ld\n", (long)left.tv_sec);
	SHOW(sleep(100));
	SHOW(poll(NULL, 0, 100000));
}

CASE(poll_edges, COMPARED)
{
	volatile nfds_t too_many = 300000000, far_too_many = UINT64_MAX / 4;
	int fds[2];
	CHECK(!pipe(fds));
	struct pollfd p[3] = {{.fd = fds[0], .events = POLLIN, .revents = 99},
			      {.fd = fds[1], .events = POLLOUT, .revents = 99},
			      {.fd = 555, .events = POLLIN, .revents = 99}};
	struct timeval t = {.tv_sec = 5}, strange = {.tv_usec = 2500000}, minus = {.tv_sec = -1};
	struct epoll_event e[2];
	fd_set in, out;
	SHOW(poll(p, 1, 0));
	SHOW(poll(p, 1, 1));
	SHOW(p[0].revents);
	SHOW(poll(p, 2, 1000));
	SHOW(p[1].revents);
	SHOW(poll(p, 3, -5));
	SHOW(p[2].revents);
	SHOW(poll(p, 3, 5));
	SHOW(ppoll(p, 1, &zero, NULL));
	SHOW(ppoll(p, 1, &bad, NULL));
	SHOW(ppoll(p, 1, &negative, NULL));
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(fds[0], &in);
	FD_SET(fds[1], &out);
	SHOW(select(fds[1] + 1, &in, &out, NULL, &t));
	SHOW(FD_ISSET(fds[0], &in));
	SHOW(FD_ISSET(fds[1], &out));
	SHOW(t.tv_sec);
	SHOW(select(-1, &in, NULL, NULL, &t));
	SHOW(select(0, NULL, NULL, NULL, &minus));
	FD_SET(fds[1], &out);
	SHOW(select(fds[1] + 1, NULL, &out, NULL, &strange));
	SHOW(strange.tv_sec);
	FD_ZERO(&in);
	FD_SET(9, &in);
	t.tv_sec = 5;
	SHOW(select(10, &in, NULL, NULL, &t));
	SHOW(FD_ISSET(9, &in));
	FD_ZERO(&in);
	FD_SET(fds[0], &in);
	SHOW(pselect(1024, &in, NULL, NULL, &tiny, NULL));
	SHOW(pselect(1024, &in, NULL, NULL, &bad, NULL));
	SHOW(epoll_wait(555, e, 1, 10));
	SHOW(epoll_wait(fds[0], e, 1, 10));
	int set = epoll_create1(0);
	SHOW(epoll_wait(set, e, 0, 10));
	SHOW(epoll_pwait2(set, e, 1, &bad, NULL));
	e[0] = (struct epoll_event){.events = EPOLLOUT};
	SHOW(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &e[0]));
	SHOW(epoll_wait(set, e, 2, 1000));
	SHOW(e[0].events);
	SHOW(poll(p, too_many, 5));
	SHOW(ppoll(p, far_too_many, &tiny, NULL));
}

CASE(signals_unblocked_while_polling, COMPARED)
{
	struct sigaction action = {.sa_handler = ignore};
	struct timespec t = {.tv_sec = 100};
	struct epoll_event e;
	sigset_t blocked, none, now_blocked;
	sigemptyset(&none);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigaction(SIGUSR1, &action, NULL);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGUSR1);
	SHOW(ppoll(NULL, 0, &t, &none));
	raise(SIGUSR1);
	SHOW(pselect(0, NULL, NULL, NULL, &t, &none));
	raise(SIGUSR1);
	SHOW(epoll_pwait(epoll_create1(0), &e, 1, 1000, &none));
	raise(SIGUSR1);
	SHOW(poll(NULL, 0, 5));
	sigpending(&now_blocked);
	SHOW(sigismember(&now_blocked, SIGUSR1));
	sigprocmask(SIG_BLOCK, NULL, &now_blocked);
	SHOW(sigismember(&now_blocked, SIGUSR1));
	SHOW(sigismember(&now_blocked, SIGUSR2));
	SHOW(sigtimedwait(&blocked, NULL, &t));
	SHOW(sigtimedwait(&blocked, NULL, &tiny));
	SHOW(sigtimedwait(&blocked, NULL, &bad));
}

CASE(timer_edges, COMPARED)
{
	struct itimerspec s = {.it_value = bad}, off = {0}, on = {.it_value = {.tv_sec = 100}};
	struct itimerval v = {.it_value.tv_usec = 1000000}, large = {.it_value.tv_sec = 100};
	struct itimerval past_use = {.it_value.tv_sec = -1}, old;
	struct sigevent event = {.sigev_notify = 77};
	timer_t t;
	SHOW(timer_create(77, NULL, &t));
	SHOW(timer_create(CLOCK_REALTIME, &event, &t));
	SHOW(timer_create(CLOCK_REALTIME, NULL, &t));
	SHOW(timer_settime(t, 0, &s, NULL));
	SHOW(timer_settime(t, 0, &off, &s));
	SHOW(s.it_value.tv_sec);
	SHOW(timer_settime(t, 0, &on, NULL));
	SHOW(timer_settime(t, 0, &off, &s));
	SHOW(s.it_value.tv_sec);
	SHOW(timer_gettime(t, &s));
	SHOW(s.it_value.tv_sec);
	SHOW(timer_delete(t));
	SHOW(timer_gettime(t, &s));
	SHOW(timer_delete(t));
	SHOW(setitimer(ITIMER_REAL, &v, NULL));
	SHOW(setitimer(ITIMER_REAL, &past_use, NULL));
	SHOW(setitimer(77, &large, NULL));
	SHOW(setitimer(ITIMER_REAL, &large, &old));
	SHOW(old.it_value.tv_sec);
	SHOW(getitimer(ITIMER_REAL, &old));
	SHOW(old.it_value.tv_sec);
	SHOW(alarm(50));
	SHOW(ualarm(0, 0) / 1000000);
	SHOW(timerfd_create(77, 0));
	SHOW(timerfd_create(CLOCK_REALTIME, 1));
	SHOW(timerfd_settime(0, 0, &on, NULL));
	SHOW(timerfd_gettime(555, &s));
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
	SHOW(timerfd_settime(fd, 16, &on, NULL));
	SHOW(timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &on, NULL));
	uint64_t times;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	SHOW(poll(&p, 1, 1000));
	SHOW(read(fd, &times, sizeof times));
	SHOW(timerfd_settime(fd, 0, &on, &s));
	SHOW(timerfd_gettime(fd, &s));
	SHOW(s.it_value.tv_sec);
}

CASE(lock_edges, COMPARED)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t checked, robust;
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	sem_t sem;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	SHOW(pthread_mutex_timedlock(&checked, &bad));
	struct timespec soon = after(CLOCK_REALTIME, 0.05);
	SHOW(pthread_mutex_timedlock(&checked, &soon));
	SHOW(pthread_mutex_timedlock(&robust, &soon));
	SHOW(pthread_mutex_clocklock(&checked, CLOCK_THREAD_CPUTIME_ID, &soon));
	SHOW(pthread_rwlock_timedrdlock(&rwlock, &soon));
	SHOW(pthread_rwlock_timedrdlock(&rwlock, &zero));
	SHOW(pthread_rwlock_timedwrlock(&rwlock, &zero));
	SHOW(pthread_rwlock_clockrdlock(&rwlock, 77, &soon));
	SHOW(pthread_timedjoin_np(pthread_self(), NULL, &soon));
	sem_init(&sem, 0, 1);
	SHOW(sem_timedwait(&sem, &zero));
	SHOW(sem_timedwait(&sem, &zero));
	SHOW(sem_timedwait(&sem, &negative));
	SHOW(sem_timedwait(&sem, &bad));
	SHOW(sem_clockwait(&sem, 77, &zero));
	SHOW(sem_timedwait(&sem, &soon));
	SHOW(sem_post(&sem));
	SHOW(sem_wait(&sem));
}

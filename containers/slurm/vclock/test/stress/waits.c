/* waits.c: the ways to wait, each checked by the clock it waits on. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

const char *const kind_name[KINDS] = {"sleep", "poll", "select", "epoll", "cond", "signal", "sem", "alarm", "spawn"};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t pair_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pair_cond = PTHREAD_COND_INITIALIZER;
static int64_t pair_asked; /* above 0: the sleeper is to sleep that long */
static sem_t sem;

__attribute__((constructor)) static void start(void)
{
	sem_init(&sem, 0, 0);
}

void failure(const struct self *self, const char *format, ...)
{
	char text[300];
	va_list args;
	int n = snprintf(text, sizeof text, "FAILURE process %d pid %d tid %d: ", worker.process, getpid(),
			 self->record->tid);

	va_start(args, format);
	vsnprintf(text + n, sizeof text - n, format, args);
	va_end(args);
	fprintf(stderr, "%s\n", text);
	atomic_fetch_add(&worker.board->failures, 1);
}

static int64_t clock_now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

int64_t real_now(void)
{
	struct timespec t;

	/* Not by the function that the library replaces. */
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* Virtual time, which nobody may have seen later before. */
int64_t now(struct self *self)
{
	int64_t latest = atomic_load(&worker.board->latest);
	int64_t t = clock_now(CLOCK_MONOTONIC);

	if (t < latest)
		failure(self, "time ran back by %ld ns", latest - t);
	while (latest < t && !atomic_compare_exchange_weak(&worker.board->latest, &latest, t))
		;
	return t;
}

uint64_t dice(struct self *self, uint64_t below)
{
	self->random ^= self->random << 13;
	self->random ^= self->random >> 7;
	self->random ^= self->random << 17;
	return self->random % below;
}

/* From 0.1 ms to 100 s, every power of ten as likely. */
int64_t some_time(struct self *self)
{
	int64_t unit = 100 * US;

	for (uint64_t n = dice(self, 6); n; n--)
		unit *= 10;
	return unit + dice(self, 9 * unit);
}

int64_t wait_begins(struct self *self, enum kind kind, int64_t lasts)
{
	atomic_store(&self->record->begin, real_now());
	int64_t begin = now(self);

	atomic_store(&self->record->kind, kind);
	atomic_store(&self->record->deadline, begin + lasts);
	return begin;
}

void wait_ends(struct self *self, enum kind kind, int64_t begin, int64_t lasts, bool by_clock)
{
	int64_t late = now(self) - begin - lasts;
	struct board *board = worker.board;

	atomic_store(&self->record->deadline, 0);
	atomic_fetch_add(&board->waits[kind], 1);
	int64_t real = real_now() - atomic_load(&self->record->begin);
	if (late > real + BEYOND)
		failure(self, "%s of %ld ns ended %ld ns late, %ld ns after it began", kind_name[kind], lasts, late, real);
	if (!by_clock)
		return;
	atomic_fetch_add(&board->timeouts[kind], 1);
	if (late < 0)
		failure(self, "%s of %ld ns ended %ld ns early", kind_name[kind], lasts, -late);
	int64_t most = atomic_load(&board->late[kind]);
	while (late > most && !atomic_compare_exchange_weak(&board->late[kind], &most, late))
		;
}

static struct timespec timespec(int64_t ns)
{
	return (struct timespec){ns / SECOND, ns % SECOND};
}

static void wait_sleep(struct self *self)
{
	int64_t lasts = some_time(self), begin;
	struct timespec t = timespec(lasts);
	int result = 0;

	switch (dice(self, 4)) {
	case 0:
		begin = wait_begins(self, SLEEP, lasts);
		result = nanosleep(&t, NULL);
		break;
	case 1:
		begin = wait_begins(self, SLEEP, lasts);
		t = timespec(begin + lasts);
		result = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		break;
	case 2:
		begin = wait_begins(self, SLEEP, lasts);
		t = timespec(clock_now(CLOCK_REALTIME) + lasts);
		result = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
		break;
	default:
		lasts = lasts / US * US;
		begin = wait_begins(self, SLEEP, lasts);
		result = usleep(lasts / US);
	}
	if (result)
		failure(self, "sleep: %s", strerror(result > 0 ? result : errno));
	wait_ends(self, SLEEP, begin, lasts, true);
}

static void drain(int fd)
{
	char bytes[64];

	while (read(fd, bytes, sizeof bytes) > 0)
		;
}

static void wait_poll(struct self *self)
{
	int64_t lasts = (some_time(self) + MS) / MS * MS;
	struct pollfd fd = {.fd = PIPE_FD(worker.process, 0), .events = POLLIN};
	struct timespec t = timespec(lasts);
	int64_t begin = wait_begins(self, POLL, lasts);
	int n = dice(self, 2) ? poll(&fd, 1, lasts / MS) : ppoll(&fd, 1, &t, NULL);

	wait_ends(self, POLL, begin, lasts, n == 0);
	if (n < 0 || (n && !(fd.revents & POLLIN)))
		failure(self, "poll: %d, %s", n, strerror(errno));
	drain(fd.fd);
}

static void wait_select(struct self *self)
{
	int64_t lasts = some_time(self) / US * US;
	int fd = PIPE_FD(worker.process, 0), n;
	struct timespec t = timespec(lasts);
	struct timeval tv = {t.tv_sec, t.tv_nsec / 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	int64_t begin = wait_begins(self, SELECT, lasts);
	n = dice(self, 2) ? select(fd + 1, &set, NULL, NULL, &tv) : pselect(fd + 1, &set, NULL, NULL, &t, NULL);
	wait_ends(self, SELECT, begin, lasts, n == 0);
	if (n < 0 || (n && !FD_ISSET(fd, &set)))
		failure(self, "select: %d, %s", n, strerror(errno));
	drain(fd);
}

static void wait_epoll(struct self *self)
{
	int64_t lasts = (some_time(self) + MS) / MS * MS;
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = {.events = EPOLLIN};

	epoll_ctl(fd, EPOLL_CTL_ADD, PIPE_FD(worker.process, 0), &event);
	int64_t begin = wait_begins(self, EPOLL, lasts);
	int n = epoll_wait(fd, &event, 1, lasts / MS);
	wait_ends(self, EPOLL, begin, lasts, n == 0);
	if (n < 0)
		failure(self, "epoll_wait: %s", strerror(errno));
	close(fd);
	drain(PIPE_FD(worker.process, 0));
}

static void wait_cond(struct self *self)
{
	int64_t lasts = some_time(self);
	clockid_t clock = dice(self, 2) ? CLOCK_REALTIME : CLOCK_MONOTONIC;

	pthread_mutex_lock(&mutex);
	int64_t begin = wait_begins(self, COND, lasts);
	struct timespec t = timespec(clock_now(clock) + lasts);
	int result = clock == CLOCK_REALTIME && dice(self, 2) ? pthread_cond_timedwait(&cond, &mutex, &t)
							      : pthread_cond_clockwait(&cond, &mutex, clock, &t);
	wait_ends(self, COND, begin, lasts, result == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	if (result && result != ETIMEDOUT)
		failure(self, "cond: %s", strerror(result));
}

static void wait_sem(struct self *self)
{
	int64_t lasts = some_time(self);
	clockid_t clock = dice(self, 2) ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	int64_t begin = wait_begins(self, SEM, lasts);
	struct timespec t = timespec(clock_now(clock) + lasts);
	int result = clock == CLOCK_REALTIME && dice(self, 2) ? sem_timedwait(&sem, &t)
							      : sem_clockwait(&sem, clock, &t);

	if (result && errno != ETIMEDOUT)
		failure(self, "sem: %s", strerror(errno));
	wait_ends(self, SEM, begin, lasts, result != 0);
}

/* Ends a wait of somebody, perhaps in another process. */
void poke(struct self *self)
{
	int pipe = PIPE_FD(dice(self, worker.processes), 1);

	switch (dice(self, 4)) {
	case 0:
		pthread_cond_signal(&cond);
		break;
	case 1:
		pthread_cond_broadcast(&cond);
		break;
	case 2:
		sem_post(&sem);
		break;
	default:
		if (write(pipe, "", 1) < 0 && errno != EAGAIN)
			failure(self, "write: %s", strerror(errno));
	}
}

/* Asks the process's sleeper for a signal after a while. */
void pair_wait(struct self *self)
{
	int64_t lasts = some_time(self);

	pthread_mutex_lock(&pair_mutex);
	int64_t begin = wait_begins(self, SIGNAL, lasts);
	pair_asked = lasts;
	pthread_cond_broadcast(&pair_cond);
	while (pair_asked)
		pthread_cond_wait(&pair_cond, &pair_mutex);
	wait_ends(self, SIGNAL, begin, lasts, true);
	pthread_mutex_unlock(&pair_mutex);
}

void *pair_sleeper(void *self)
{
	pthread_mutex_lock(&pair_mutex);
	for (;;) {
		while (!pair_asked)
			pthread_cond_wait(&pair_cond, &pair_mutex);
		struct timespec t = timespec(pair_asked);
		pthread_mutex_unlock(&pair_mutex);
		nanosleep(&t, NULL);
		pthread_mutex_lock(&pair_mutex);
		pair_asked = 0;
		pthread_cond_broadcast(&pair_cond);
	}
	return self;
}

void spawn_sleep(struct self *self)
{
	int64_t lasts = some_time(self);
	char seconds[32];
	char *argument[] = {"sleep", seconds, NULL};
	int status;
	pid_t pid;

	snprintf(seconds, sizeof seconds, "%lld.%09lld", lasts / SECOND, lasts % SECOND);
	int64_t begin = wait_begins(self, SPAWN, lasts);
	int error = posix_spawn(&pid, "/bin/sleep", NULL, NULL, argument, environ);
	if (error) {
		failure(self, "spawn: %s", strerror(error));
		return;
	}
	waitpid(pid, &status, 0);
	wait_ends(self, SPAWN, begin, lasts, true);
	if (status)
		failure(self, "/bin/sleep ended with 0x%x", status);
}

static void ignore(int signal)
{
	(void)signal;
}

/* For a process of one thread. */
void wait_for_alarm(struct self *self)
{
	int64_t lasts = some_time(self) / US * US;
	struct itimerval timer = {.it_value = {lasts / SECOND, lasts % SECOND / US}};
	struct itimerspec spec = {.it_value = timespec(lasts)};
	sigset_t blocked, before;
	timer_t id;

	signal(SIGALRM, ignore);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	sigdelset(&before, SIGALRM);
	uint64_t way = dice(self, 3);
	if (way == 0)
		lasts = (lasts + SECOND) / SECOND * SECOND;
	if (way == 2)
		timer_create(CLOCK_MONOTONIC, NULL, &id);
	int64_t begin = wait_begins(self, ALARM, lasts);
	if (way == 0)
		alarm(lasts / SECOND);
	else if (way == 1)
		setitimer(ITIMER_REAL, &timer, NULL);
	else
		timer_settime(id, 0, &spec, NULL);
	sigsuspend(&before);
	wait_ends(self, ALARM, begin, lasts, true);
	if (way == 2)
		timer_delete(id);
}

void (*const wait_once[])(struct self *) = {wait_sleep, wait_poll, wait_select, wait_epoll, wait_cond, wait_sem};
const int wait_ways = sizeof wait_once / sizeof *wait_once;

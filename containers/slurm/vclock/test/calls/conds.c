/* conds.c: condition variables under all that their users do with them. */
#include <sys/mman.h>
#include <sys/wait.h>

#include "harness.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, tickets;
static int order[16], ended;

static void lock(void)
{
	CHECK(!pthread_mutex_lock(&mutex));
}

static void unlock(void)
{
	CHECK(!pthread_mutex_unlock(&mutex));
}

static void unlock_after(void *unused)
{
	(void)unused;
	waiting--;
	unlock();
}

static void *wait_for_ticket(void *p)
{
	struct timespec t = after(CLOCK_REALTIME, 1000);
	lock();
	waiting++;
	pthread_cleanup_push(unlock_after, NULL);
	while (!tickets)
		CHECK(!((intptr_t)p % 2 ? pthread_cond_timedwait(&cond, &mutex, &t)
					: pthread_cond_wait(&cond, &mutex)));
	tickets--;
	order[ended++] = (int)(intptr_t)p;
	pthread_cleanup_pop(1);
	return NULL;
}

/* Returns when the thread waits. */
static pthread_t start_waiter(int number)
{
	pthread_t t;
	lock();
	int before = waiting;
	unlock();
	CHECK(!pthread_create(&t, NULL, wait_for_ticket, (void *)(intptr_t)number));
	for (int now = before; now == before; real_pause()) {
		lock();
		now = waiting;
		unlock();
	}
	return t;
}

static void start_waiters(pthread_t *threads, int count)
{
	for (int i = 0; i < count; i++)
		threads[i] = start_waiter(i);
}

static void await_ended(int count)
{
	for (int n = 0; n < count; real_pause()) {
		lock();
		n = ended;
		unlock();
	}
}

CASE(signals_wake_in_order, VIRTUAL)
{
	pthread_t threads[8];
	start_waiters(threads, 8);
	for (int i = 0; i < 8; i++) {
		lock();
		tickets++;
		CHECK(!pthread_cond_signal(&cond));
		unlock();
		await_ended(i + 1);
		CHECK(order[i] == i);
	}
	for (int i = 0; i < 8; i++)
		CHECK(!pthread_join(threads[i], NULL));
	CHECK(registered() == 0);
	CHECK(!pthread_cond_destroy(&cond));
}

CASE(broadcast_wakes_all_and_destroys, VIRTUAL)
{
	pthread_t threads[8];
	start_waiters(threads, 8);
	lock();
	tickets = 8;
	CHECK(!pthread_cond_broadcast(&cond));
	CHECK(!pthread_cond_destroy(&cond));
	memset(&cond, 0xff, sizeof cond);
	unlock();
	for (int i = 0; i < 8; i++)
		CHECK(!pthread_join(threads[i], NULL));
	for (size_t i = 0; i < sizeof cond; i++)
		CHECK(((unsigned char *)&cond)[i] == 0xff);
}

/* Whichever comes first to the first waiter, signal or cancellation, another
 * one must get the signal. */
CASE(cancelled_waiter_hands_on_signal, VIRTUAL)
{
	for (int round = 0; round < 300; round++) {
		void *result;
		pthread_t first = start_waiter(round), second = start_waiter(round + 1);
		lock();
		tickets = 1;
		ended = 0;
		CHECK(!pthread_cond_signal(&cond));
		CHECK(!pthread_cancel(first));
		unlock();
		CHECK(!pthread_join(first, &result));
		if (result != PTHREAD_CANCELED) {
			lock();
			tickets = 1;
			CHECK(!pthread_cond_signal(&cond));
			unlock();
		}
		CHECK(!pthread_join(second, NULL));
		CHECK(waiting == 0);
		CHECK(!pthread_cond_destroy(&cond));
		memset(&cond, 0, sizeof cond);
	}
}

CASE(deadline_and_signal_at_once, VIRTUAL)
{
	start_jumps();
	for (int round = 0; round < 300; round++) {
		struct timespec t = after(CLOCK_REALTIME, 1);
		pthread_t other = start_waiter(0);
		int r = 0;
		lock();
		ended = tickets = 0;
		while (!r)
			r = pthread_cond_timedwait(&cond, &mutex, &t);
		CHECK(r == ETIMEDOUT);
		tickets = 1;
		CHECK(!pthread_cond_signal(&cond));
		unlock();
		CHECK(!pthread_join(other, NULL));
	}
	stop_jumps();
}

static int ball;

static void *play(void *p)
{
	int side = (int)(intptr_t)p;
	lock();
	for (int i = 0; i < 20000; i++) {
		struct timespec t = after(CLOCK_REALTIME, 1000);
		while (ball % 2 != side)
			CHECK(!pthread_cond_timedwait(&cond, &mutex, &t));
		ball++;
		CHECK(!pthread_cond_signal(&cond));
	}
	unlock();
	return NULL;
}

CASE(ping_pong, VIRTUAL)
{
	pthread_t threads[2];
	int64_t start = now();
	for (intptr_t i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, play, (void *)i));
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(threads[i], NULL));
	CHECK(ball == 40000);
	check_elapsed(start, 0);
}

struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int ball;
};

static void play_between_processes(struct shared *s, int side)
{
	pthread_mutex_lock(&s->mutex);
	for (int i = 0; i < 2000; i++) {
		struct timespec t = after(CLOCK_REALTIME, 1000);
		while (s->ball % 2 != side)
			CHECK(!(i % 2 ? pthread_cond_wait(&s->cond, &s->mutex)
				      : pthread_cond_timedwait(&s->cond, &s->mutex, &t)));
		s->ball++;
		CHECK(!pthread_cond_signal(&s->cond));
	}
	pthread_mutex_unlock(&s->mutex);
}

CASE(processes_share_a_cond, VIRTUAL)
{
	struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t m;
	pthread_condattr_t c;
	int status;
	pthread_mutexattr_init(&m);
	pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->mutex, &m);
	pthread_condattr_init(&c);
	pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&s->cond, &c);
	pid_t pid = fork();
	play_between_processes(s, pid ? 0 : 1);
	if (!pid)
		_exit(0);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	CHECK(s->ball == 4000);
	CHECK(!pthread_cond_destroy(&s->cond));
}

/* The child has the queue, but not the threads in it. */
CASE(child_uses_cond_with_waiters, VIRTUAL)
{
	pthread_t threads[2];
	int status;
	start_waiters(threads, 2);
	lock();
	pid_t pid = fork();
	if (!pid) {
		struct timespec t = after(CLOCK_REALTIME, 0.03);
		CHECK(!pthread_cond_signal(&cond));
		CHECK(pthread_cond_timedwait(&cond, &mutex, &t) == ETIMEDOUT);
		CHECK(!pthread_cond_destroy(&cond));
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	tickets = 2;
	CHECK(!pthread_cond_broadcast(&cond));
	unlock();
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

CASE(cond_errors, COMPARED)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t checked;
	struct timespec past = {0}, bad = {.tv_nsec = SECOND}, before = {.tv_sec = -1};
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &attributes);
	printf("not owned %d\n", pthread_cond_wait(&cond, &checked));
	printf("not owned, timed %d\n", pthread_cond_timedwait(&cond, &checked, &past));
	pthread_mutex_lock(&checked);
	errno = EXDEV;
	printf("past %d\n", pthread_cond_timedwait(&cond, &checked, &past));
	printf("before 1970 %d\n", pthread_cond_timedwait(&cond, &checked, &before));
	printf("bad time %d\n", pthread_cond_timedwait(&cond, &checked, &bad));
	printf("bad clock %d\n",
	       pthread_cond_clockwait(&cond, &checked, CLOCK_PROCESS_CPUTIME_ID, &past));
	printf("errno %d\n", errno);
	printf("still owned %d\n", pthread_mutex_unlock(&checked));
	printf("nobody %d %d\n", pthread_cond_signal(&cond), pthread_cond_broadcast(&cond));
	printf("destroy %d\n", pthread_cond_destroy(&cond));
}

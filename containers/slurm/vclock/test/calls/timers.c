/* timers.c: timers that signal, call, or are read. */
#include <poll.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "harness.h"

static _Atomic int rang;
static _Atomic int overruns;

static void ring(int signal)
{
	(void)signal;
	rang++;
}

static void ring_in_thread(union sigval unused)
{
	(void)unused;
	rang++;
}

static void catch(int signal)
{
	struct sigaction action = {.sa_handler = ring};
	sigaction(signal, &action, NULL);
	rang = 0;
}

static void await_rings(int count)
{
	while (rang < count)
		real_pause();
}

static timer_t make_timer(clockid_t clock, int notify, int signal)
{
	struct sigevent event = {.sigev_notify = notify, .sigev_signo = signal};
	timer_t t;
	if (notify == SIGEV_THREAD)
		event.sigev_notify_function = ring_in_thread;
	if (notify == SIGEV_THREAD_ID)
		event._sigev_un._tid = gettid();
	CHECK(!timer_create(clock, &event, &t));
	return t;
}

static int64_t nanoseconds(struct timespec t)
{
	return t.tv_sec * SECOND + t.tv_nsec;
}

static void set_timer(timer_t t, double value, double interval)
{
	struct itimerspec s = {.it_value = length(value), .it_interval = length(interval)};
	CHECK(!timer_settime(t, 0, &s, NULL));
}

static void ring_once(timer_t t)
{
	int64_t start = now();
	rang = 0;
	set_timer(t, 1000, 0);
	jump_once();
	await_rings(1);
	check_elapsed(start, 1000);
	usleep(3000);
	CHECK(rang == 1);
}

CASE(timers_ring_after_jump, VIRTUAL)
{
	catch(SIGUSR1);
	ring_once(make_timer(CLOCK_TAI, SIGEV_SIGNAL, SIGUSR1));
	ring_once(make_timer(CLOCK_REALTIME, SIGEV_THREAD_ID, SIGUSR1));
	ring_once(make_timer(CLOCK_MONOTONIC, SIGEV_THREAD, 0));
}

CASE(timers_ring_without_jump, VIRTUAL)
{
	timer_t t = make_timer(CLOCK_REALTIME, SIGEV_SIGNAL, SIGUSR1);
	int64_t start = now();
	catch(SIGUSR1);
	set_timer(t, 0.03, 0);
	await_rings(1);
	check_elapsed(start, 0.03);
	usleep(3000);
	CHECK(rang == 1);
}

CASE(absolute_timer, VIRTUAL)
{
	timer_t t = make_timer(CLOCK_REALTIME, SIGEV_SIGNAL, SIGUSR1);
	struct itimerspec s = {.it_value = after(CLOCK_REALTIME, 1000)};
	int64_t start = now();
	catch(SIGUSR1);
	CHECK(!timer_settime(t, TIMER_ABSTIME, &s, NULL));
	jump_once();
	await_rings(1);
	check_elapsed(start, 1000);
	/* In the past: at once. */
	CHECK(!timer_settime(t, TIMER_ABSTIME, &s, NULL));
	await_rings(2);
}

CASE(periodic_timer, VIRTUAL)
{
	timer_t t = make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1);
	struct itimerspec s;
	int64_t start = now();
	catch(SIGUSR1);
	set_timer(t, 10, 100);
	for (int i = 0; i < 20; i++) {
		jump_once();
		await_rings(i + 1);
		CHECK(timer_getoverrun(t) == 0);
		check_elapsed(start, 10 + 100 * i);
		CHECK(!timer_gettime(t, &s));
		CHECK(s.it_interval.tv_sec == 100);
		check_left(nanoseconds(s.it_value), 100);
	}
	set_timer(t, 0, 0);
	usleep(3000);
	CHECK(rang == 20 && registered() == 0);
	CHECK(!timer_gettime(t, &s));
	CHECK(!s.it_value.tv_sec && !s.it_value.tv_nsec);
}

CASE(fast_periodic_timer_without_jumps, VIRTUAL)
{
	timer_t t = make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1);
	int64_t start = now();
	catch(SIGUSR1);
	set_timer(t, 0.002, 0.002);
	for (int i = 0; i < 50; i++) {
		await_rings(i + 1);
		overruns += timer_getoverrun(t);
	}
	int64_t over = now() - start;
	CHECK(rang + overruns <= over / (SECOND / 500) + 1);
}

CASE(timer_set_anew, VIRTUAL)
{
	timer_t t = make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1);
	struct itimerspec old, s = {.it_value = length(5)};
	int64_t start = now();
	catch(SIGUSR1);
	set_timer(t, 1000, 0);
	CHECK(!timer_settime(t, 0, &s, &old));
	CHECK(!old.it_interval.tv_sec);
	check_left(nanoseconds(old.it_value), 1000);
	jump_once();
	await_rings(1);
	check_elapsed(start, 5);
	CHECK(!timer_delete(t));
	set_timer(make_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1), 7, 0);
	jump_once();
	await_rings(2);
	check_elapsed(start, 12);
}

CASE(silent_timer, VIRTUAL)
{
	timer_t t = make_timer(CLOCK_MONOTONIC, SIGEV_NONE, 0);
	struct itimerspec s;
	set_timer(t, 1000, 0);
	CHECK(registered() == 0);
	CHECK(!timer_gettime(t, &s));
	check_left(nanoseconds(s.it_value), 1000);
	start_jumps();
	sleep(2000);
	stop_jumps();
	CHECK(!timer_gettime(t, &s) && !s.it_value.tv_sec && !s.it_value.tv_nsec);
}

CASE(alarms, VIRTUAL)
{
	struct itimerval v;
	int64_t start = now();
	catch(SIGALRM);
	CHECK(alarm(1000) == 0);
	CHECK(!getitimer(ITIMER_REAL, &v));
	check_left(v.it_value.tv_sec * SECOND + v.it_value.tv_usec * 1000, 1000);
	check_left(alarm(500) * SECOND - SECOND / 2, 999.5); /* rounded */
	jump_once();
	await_rings(1);
	check_elapsed(start, 500);
	CHECK(alarm(0) == 0);
	CHECK(ualarm(900000, 800000) == 0);
	for (int i = 0; i < 20; i++) {
		jump_once();
		await_rings(2 + i);
		check_elapsed(start, 500.9 + 0.8 * i);
	}
	check_left(ualarm(0, 0) * INT64_C(1000), 0.8);
	usleep(3000);
	/* On a slow machine the next ring comes without a jump. */
	int rings = rang;
	CHECK(rings - 2 <= (now() - start - 500 * SECOND - 900000000) / 800000000);
	v = (struct itimerval){.it_value.tv_usec = 20000};
	CHECK(!setitimer(ITIMER_REAL, &v, NULL));
	await_rings(rings + 1);
	usleep(3000);
	CHECK(rang == rings + 1);
}

CASE(timerfd_is_read, VIRTUAL)
{
	struct itimerspec s = {.it_value = length(1000), .it_interval = length(1000)};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t start = now();
	uint64_t times;
	CHECK(!timerfd_settime(fd, 0, &s, NULL));
	for (int i = 1; i <= 20; i++) {
		jump_once();
		CHECK(poll(&p, 1, -1) == 1);
		CHECK(read(fd, &times, sizeof times) == sizeof times);
		CHECK(times == 1);
		check_elapsed(start, 1000 * i);
	}
	CHECK(!timerfd_gettime(fd, &s));
	CHECK(s.it_interval.tv_sec == 1000);
	check_left(nanoseconds(s.it_value), 1000);
}

CASE(closed_timerfd, VIRTUAL)
{
	struct itimerspec s = {.it_value = length(10), .it_interval = length(10)};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	CHECK(!timerfd_settime(fd, 0, &s, NULL));
	close(fd);
	jump_once();
	while (registered())
		real_pause();
}

CASE(child_has_no_alarm, VIRTUAL)
{
	int status;
	alarm(1000);
	pid_t pid = fork();
	if (!pid) {
		CHECK(alarm(0) == 0);
		catch(SIGALRM);
		alarm(1);
		pause();
		_exit(rang != 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	CHECK(alarm(0) > 900);
}

/* ITIMER_REAL survives exec, also if a jump came before. */
CASE(alarm_survives_exec, VIRTUAL)
{
	int64_t start = now();
	int status;
	pid_t pid = fork();
	if (!pid) {
		alarm(1000);
		sleep(500);
		execl(own_program, own_program, "--helper", "pause", (char *)NULL);
		_exit(127);
	}
	while (registered() < 2)
		real_pause();
	jump_once();
	check_elapsed(start, 500);
	/* Of the new image: half of the time is left. */
	uint32_t i;
	do
		i = await_sleeper();
	while (page->slot[i].kind != VCLOCK_TIMER || page->slot[i].asked > 510 * SECOND);
	jump_once();
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
	check_elapsed(start, 1000);
}

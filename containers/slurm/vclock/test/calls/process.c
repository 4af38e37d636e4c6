/* process.c: fork, exec, sudden death, and what else happens to processes. */
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>

#include "harness.h"

static unsigned owned_by(pid_t pid)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < page->high; i++)
		n += page->slot[i].owner == pid;
	return n;
}

static pid_t start_child(void (*run)(void))
{
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid)
		return pid;
	run();
	_exit(0);
}

static void check_child(pid_t pid)
{
	int status;
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(!status);
}

static void nap(void)
{
	CHECK(sleep(1000) == 0);
}

CASE(child_has_own_slot, VIRTUAL)
{
	usleep(2000);
	CHECK(owned_by(getpid()) == 1);
	pid_t pid = start_child(nap);
	await_sleeper();
	CHECK(owned_by(getpid()) == 1 && owned_by(pid) == 1);
	jump_once();
	check_child(pid);
	usleep(2000);
	CHECK(owned_by(getpid()) == 1);
}

static void poll_long(void)
{
	CHECK(poll(NULL, 0, 1000000) == 0);
}

CASE(child_has_own_socket, VIRTUAL)
{
	CHECK(poll(NULL, 0, 2) == 0);
	int64_t start = now();
	pid_t pid = start_child(poll_long);
	pid_t other = start_child(poll_long);
	while (registered() < 2)
		real_pause();
	start_jumps();
	check_child(pid);
	check_child(other);
	stop_jumps();
	check_elapsed(start, 1000);
}

static void *nap_in_thread(void *unused)
{
	nap();
	return unused;
}

CASE(thread_frees_its_slot, VIRTUAL)
{
	pthread_t t;
	for (int i = 0; i < 50; i++) {
		CHECK(!pthread_create(&t, NULL, nap_in_thread, NULL));
		jump_once();
		CHECK(!pthread_join(t, NULL));
	}
	CHECK(owned_by(getpid()) == 0 && page->high < 3);
}

static void exit_after_nap(void)
{
	usleep(2000);
	exit(0);
}

CASE(exit_frees_slot, VIRTUAL)
{
	pid_t pid = start_child(exit_after_nap);
	check_child(pid);
	CHECK(owned_by(pid) == 0);
}

static void exec_with_slots(void)
{
	pthread_t t;
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&t, NULL, nap_in_thread, NULL));
	while (registered() < 3)
		real_pause();
	execl(own_program, own_program, "--helper", "nothing", (char *)NULL);
	_exit(127);
}

CASE(exec_frees_slots, VIRTUAL)
{
	pid_t pid = start_child(exec_with_slots);
	check_child(pid);
	CHECK(owned_by(pid) == 0 && registered() == 0);
}

CASE(killed_process_leaves_slot, VIRTUAL)
{
	pid_t pid = start_child(nap);
	uint32_t i = await_sleeper();
	CHECK(!kill(pid, SIGKILL));
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK(page->slot[i].owner == pid && page->deadline[i]);
	/* As vclockd does when it sees that the process is gone. */
	page->deadline[i] = 0;
	page->slot[i].owner = 0;
	pid = start_child(nap);
	CHECK(await_sleeper() == i && page->slot[i].owner == pid);
	jump_once();
	check_child(pid);
}

/* Daemons close all they do not know, and other files get the numbers. */
CASE(socket_is_closed, VIRTUAL)
{
	int64_t start = now();
	struct timeval t = {.tv_sec = 1000};
	CHECK(poll(NULL, 0, 2) == 0);
	for (int fd = 3; fd < 2000; fd++)
		close(fd);
	start_jumps();
	poll_long();
	stop_jumps();
	for (int fd = 3; fd < 2000; fd++)
		dup2(2, fd);
	start_jumps();
	CHECK(select(0, NULL, NULL, NULL, &t) == 0);
	stop_jumps();
	check_elapsed(start, 2000);
	CHECK(fcntl(1999, F_GETFD) >= 0);
}

static void poll_without_descriptor(void)
{
	struct rlimit few = {.rlim_cur = 20, .rlim_max = 20};
	struct pollfd p = {.events = POLLIN};
	struct timeval t = {.tv_sec = 1};
	int fds[2];
	CHECK(!pipe(fds));
	p.fd = fds[0];
	CHECK(!setrlimit(RLIMIT_NOFILE, &few));
	while (dup(2) >= 0)
		;
	int64_t start = now();
	CHECK(poll(&p, 1, 1000) == 0);
	CHECK(select(fds[0] + 1, NULL, NULL, NULL, &t) == 0);
	check_elapsed(start, 2);
	CHECK(write(fds[1], "x", 1) == 1);
	CHECK(poll(&p, 1, 100000) == 1 && p.revents == POLLIN);
}

CASE(no_descriptor_left, VIRTUAL)
{
	pid_t pid = start_child(poll_without_descriptor);
	start_jumps();
	check_child(pid);
	stop_jumps();
}

CASE(descriptors_end_polls, VIRTUAL)
{
	struct pollfd p[2] = {{.events = POLLIN}, {.fd = -1}};
	struct timeval t = {.tv_sec = 1000};
	int64_t start = now();
	int fds[2];
	fd_set in;
	CHECK(!pipe(fds));
	pid_t pid = fork();
	if (!pid) {
		for (int i = 0; i < 2; i++) {
			usleep(5000);
			CHECK(write(fds[1], "x", 1) == 1);
			usleep(5000);
		}
		_exit(0);
	}
	p[0].fd = fds[0];
	CHECK(poll(p, 2, 1000000) == 1);
	CHECK(p[0].revents == POLLIN && !p[1].revents);
	CHECK(read(fds[0], &pid, 1) == 1);
	FD_ZERO(&in);
	FD_SET(fds[0], &in);
	CHECK(select(fds[0] + 1, &in, NULL, NULL, &t) == 1);
	CHECK(FD_ISSET(fds[0], &in));
	check_left(t.tv_sec * SECOND + t.tv_usec * 1000, 1000);
	check_elapsed(start, 0);
	CHECK(fcntl(700, F_GETFD) == FD_CLOEXEC);
}

/* The time is that far behind a multiple of the grain, and more only by real time. */
static void check_grain(int64_t behind)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	int64_t over = (t.tv_sec * SECOND + t.tv_nsec) % page->round[0].grain - behind;
	CHECK(over >= 0);
	CHECK(over <= passed());
}

CASE(rounded_waits, VIRTUAL)
{
	page->round[0].grain = 100000 * SECOND;
	strcpy(page->round[0].thread, "acctg_prof");
	prctl(PR_SET_NAME, "other");
	start_jumps();
	usleep(1000000);
	check_grain(SECOND);
	prctl(PR_SET_NAME, "acctg_prof");
	usleep(1000000);
	check_grain(0);
	usleep(9000000);
	check_grain(0);
	CHECK(poll(NULL, 0, 1000) == 0);
	check_grain(SECOND);
	stop_jumps();
	CHECK(!strcmp(page->slot[0].thread, "acctg_prof"));
}

CASE(waits_without_end_are_no_deadlines, VIRTUAL)
{
	struct timespec t = {.tv_sec = INT64_MAX};
	pid_t pid = fork();
	if (!pid) {
		nanosleep(&t, NULL);
		_exit(1);
	}
	while (!owned_by(pid))
		real_pause();
	await_sleeping(pid, pid);
	CHECK(registered() == 0);
	CHECK(!kill(pid, SIGKILL));
}

/* In whole seconds, it is 1000 s later, and more only by real time. */
static bool is_later(int64_t before, int64_t after)
{
	return after - before >= 1000 && after - before <= 1001 + passed() / SECOND;
}

CASE(all_clocks_jump, VIRTUAL)
{
	const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_TAI,
				    CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE,
				    CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME};
	struct timespec before[ARRAY_SIZE(clocks)], t;
	struct sysinfo up, up_after;
	struct timeval tv;
	struct tms tms;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		clock_gettime(clocks[i], &before[i]);
	sysinfo(&up);
	clock_t ticks = times(&tms);
	start_jumps();
	nap();
	stop_jumps();
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		clock_gettime(clocks[i], &t);
		CHECK(is_later(before[i].tv_sec, t.tv_sec));
	}
	gettimeofday(&tv, NULL);
	timespec_get(&t, TIME_UTC);
	CHECK(is_later(before[0].tv_sec, tv.tv_sec));
	CHECK(time(NULL) >= tv.tv_sec && t.tv_sec >= tv.tv_sec);
	CHECK((times(&tms) - ticks) / sysconf(_SC_CLK_TCK) >= 1000);
	sysinfo(&up_after);
	CHECK(is_later(up.uptime - 1, up_after.uptime));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	CHECK(t.tv_sec < 60);
}

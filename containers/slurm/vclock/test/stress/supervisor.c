/*
 * supervisor.c: starts vclockd and the workers, kills some of both, and looks on
 * in real time. It ends with 0 if every wait was right.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../vclock.h"
#include "stress.h"

static int processes = 40, threads = 6;
static int64_t seconds = 60;
static uint64_t seed;
static char page_path[64];
static struct vclock_page *page;
static struct board *board;
static pid_t daemon_pid, pid_of[MOST_PROCESSES];
static uint64_t kills, daemon_kills, incarnation;

static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "stress: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void start_daemon(const char *how)
{
	char line[64] = "";
	int out[2];

	if (pipe2(out, O_CLOEXEC))
		give_up("pipe");
	daemon_pid = fork();
	if (!daemon_pid) {
		dup2(out[1], 1);
		execl(getenv("VCLOCKD"), "vclockd", "--page", page_path, how, NULL);
		_exit(127);
	}
	close(out[1]);
	if (read(out[0], line, sizeof line - 1) <= 0 || strcmp(line, "vclockd: ready\n"))
		give_up("start vclockd");
	close(out[0]);
}

static void start_worker(int i)
{
	char number[4][32];

	snprintf(number[0], 32, "%d", i);
	snprintf(number[1], 32, "%d", processes);
	snprintf(number[2], 32, "%d", threads);
	snprintf(number[3], 32, "%lu", seed + ++incarnation);
	fflush(stdout);
	pid_of[i] = fork();
	if (pid_of[i])
		return;
	setenv("LD_PRELOAD", getenv("LIBVCLOCK"), 1);
	setenv("VCLOCK_PAGE", page_path, 1);
	execl("/proc/self/exe", "stress", "--worker", number[0], number[1], number[2], number[3], NULL);
	_exit(127);
}

static void end_worker(int i)
{
	kill(pid_of[i], SIGKILL);
	waitpid(pid_of[i], NULL, 0);
	memset(&board->record[i], 0, sizeof board->record[i]);
}

static void share(void)
{
	int fd = memfd_create("board", 0);

	if (fd < 0 || ftruncate(fd, sizeof *board) || dup2(fd, BOARD_FD) < 0)
		give_up("make the board");
	close(fd);
	board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, BOARD_FD, 0);
	for (int i = 0; i < processes; i++) {
		int ends[2];
		if (pipe2(ends, O_NONBLOCK) || dup2(ends[0], PIPE_FD(MOST_PROCESSES, 0)) < 0 ||
		    dup2(ends[1], PIPE_FD(MOST_PROCESSES, 1)) < 0)
			give_up("make a pipe");
		close(ends[0]);
		close(ends[1]);
		for (int end = 0; end < 2; end++)
			dup2(PIPE_FD(MOST_PROCESSES, end), PIPE_FD(i, end));
	}
	close(PIPE_FD(MOST_PROCESSES, 0));
	close(PIPE_FD(MOST_PROCESSES, 1));
}

/* Names waits that should be over, and workers that ended by themselves. */
static void look(void)
{
	int64_t virtual = vclock_monotonic(page, real_now());

	for (int i = 0; i < processes; i++) {
		for (int k = 0; k < threads; k++) {
			struct record *r = &board->record[i][k];
			int64_t deadline = atomic_load(&r->deadline), begin = atomic_load(&r->begin);
			if (!deadline || virtual - deadline <= real_now() - begin + BEYOND || atomic_load(&r->deadline) != deadline)
				continue;
			fprintf(stderr, "FAILURE process %d pid %d tid %d: %s is over since %.3f virtual s\n", i,
				pid_of[i], r->tid, kind_name[r->kind], (virtual - deadline) / 1e9);
			atomic_fetch_add(&board->failures, 1);
		}
	}
	for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;) {
		bool ours = pid == daemon_pid;
		for (int i = 0; i < processes; i++)
			ours |= pid == pid_of[i];
		if (!ours)
			continue; /* a /bin/sleep whose worker was killed */
		fprintf(stderr, "FAILURE pid %d ended by itself\n", pid);
		atomic_fetch_add(&board->failures, 1);
	}
}

static uint32_t slots_taken(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < page->high; i++)
		n += page->slot[i].owner != 0;
	return n;
}

static void report(int64_t begin, int64_t virtual_begin)
{
	double real = (real_now() - begin) / 1e9;
	double virtual = (vclock_monotonic(page, real_now()) - virtual_begin) / 1e9;
	int64_t late = 0;

	printf("%.0f s: %.0f virtual s (x%.0f), jumps %lu, wakes %lu, caught running %lu blocked %lu of %lu tests, "
	       "threads read %lu, births %lu, reaped %lu, slots %u below %u, kills %lu + %lu vclockd;",
	       real, virtual, virtual / real, page->jumps, page->wakes, page->caught_running, page->caught_blocked,
	       page->tests, page->threads_read, page->births, page->reaped, slots_taken(), page->high, kills,
	       daemon_kills);
	for (int k = 0; k < KINDS; k++) {
		printf(" %s %lu (%lu by clock, %.1f ms late at most)", kind_name[k], board->waits[k],
		       board->timeouts[k], board->late[k] / 1e6);
		late = late > board->late[k] ? late : board->late[k];
	}
	printf("; latest %.1f ms, failures %lu\n", late / 1e6, board->failures);
	fflush(stdout);
}

static void dump(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl(getenv("VCLOCKD"), "vclockd", "--dump", "--page", page_path, NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

/* After all processes are gone nothing may be left in the table. */
static void check_slots(void)
{
	for (int i = 0; i < processes; i++)
		end_worker(i);
	/* The remaining /bin/sleep ends as well when it is killed or its time
	 * comes, at the latest after some minutes of real time; the reaper looks every
	 * second. */
	for (int i = 0; i < 6000 && slots_taken(); i++)
		usleep(100 * 1000);
	for (uint32_t i = 0; i < page->high; i++) {
		if (!page->slot[i].owner)
			continue;
		fprintf(stderr, "FAILURE slot %u is left of pid %d, kind %d, thread %.16s\n", i, page->slot[i].owner,
			page->slot[i].kind, page->slot[i].thread);
		atomic_fetch_add(&board->failures, 1);
	}
}

static void setup(void)
{
	struct rlimit files;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	snprintf(page_path, sizeof page_path, "/dev/shm/vclock-stress-%d", getpid());
	share();
	start_daemon(NULL);
	int fd = open(page_path, O_RDWR | O_CLOEXEC);
	page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		give_up("map the page");
}

static int supervise(void)
{
	setup();
	srandom(seed);
	int64_t begin = real_now(), virtual_begin = vclock_monotonic(page, begin), told = begin, attached = begin;
	for (int i = 0; i < processes; i++)
		start_worker(i);
	while (real_now() - begin < seconds * SECOND && board->failures < 20) {
		usleep(20 * 1000 + random() % (200 * 1000));
		look();
		int victim = random() % processes;
		end_worker(victim);
		start_worker(victim);
		kills++;
		if (real_now() - attached > 10 * SECOND) {
			kill(daemon_pid, SIGKILL);
			waitpid(daemon_pid, NULL, 0);
			start_daemon("--attach");
			attached = real_now();
			daemon_kills++;
		}
		if (real_now() - told > 60 * SECOND) {
			told = real_now();
			report(begin, virtual_begin);
		}
	}
	report(begin, virtual_begin);
	if (board->failures)
		dump();
	check_slots();
	kill(daemon_pid, SIGTERM);
	waitpid(daemon_pid, NULL, 0);
	unlink(page_path);
	printf("seed %lu: %s\n", seed, board->failures ? "FAILED" : "all waits right");
	return board->failures > 0;
}

int main(int count, char **argument)
{
	if (count == 6 && !strcmp(argument[1], "--worker"))
		return worker_main(count - 2, argument + 2);
	seed = real_now() % 1000000;
	for (int i = 1; i < count; i += 2) {
		const char *flag = argument[i], *value = i + 1 < count ? argument[i + 1] : "";
		if (!strcmp(flag, "--seconds"))
			seconds = atoll(value);
		else if (!strcmp(flag, "--processes"))
			processes = atoi(value);
		else if (!strcmp(flag, "--threads"))
			threads = atoi(value);
		else if (!strcmp(flag, "--seed"))
			seed = strtoull(value, NULL, 10);
		else
			processes = 0;
	}
	if (processes < 1 || processes > MOST_PROCESSES || threads < 2 || threads > MOST_THREADS || seconds < 1 ||
	    !getenv("VCLOCKD") || !getenv("LIBVCLOCK")) {
		fprintf(stderr,
			"usage: VCLOCKD=... LIBVCLOCK=... stress [--seconds N] [--processes 1..%d] [--threads 2..%d] "
			"[--seed N]\n",
			MOST_PROCESSES, MOST_THREADS);
		return 2;
	}
	printf("seed %lu, %d processes, %d threads each, %ld s\n", seed, processes, threads, seconds);
	return supervise();
}

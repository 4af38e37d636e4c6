/*
 * main.c: runs the tests of vclockd, each in a process of its own with its own
 * vclockd and page, all on one core.
 *
 * All in vclockd's process id namespace is the cluster, so nothing else must run
 * there: use a container, or root rights, with which this makes a namespace.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tests.h"

/* Far more than the slowest machine needs for a test. */
#define HANG_S 600

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
#define TEST(name) {#name, test_##name},
	TESTS
#undef TEST
};

static cpu_set_t all_cores;

void use_all_cores(void)
{
	sched_setaffinity(0, sizeof all_cores, &all_cores);
}

int cores(void)
{
	return CPU_COUNT(&all_cores);
}

static void pin(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
}

static bool run(int i)
{
	int status, pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		/* One group, so that nothing of it outlives the test. */
		setpgid(0, 0);
		alarm(HANG_S);
		tests[i].run();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	kill(-pid, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	char path[64];
	snprintf(path, sizeof path, "/dev/shm/vclock-test-%d", pid);
	unlink(path);
	bool good = WIFEXITED(status) && !WEXITSTATUS(status);
	printf("%s %s%s\n", good ? "ok  " : "FAIL", tests[i].name,
	       WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? " (hangs)" : "");
	return good;
}

static int run_all(int count, char **names)
{
	int failed = 0;

	for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
		bool wanted = count < 2;
		for (int k = 1; k < count; k++)
			wanted |= !strcmp(names[k], tests[i].name);
		if (wanted)
			failed += !run(i);
	}
	printf("%d failed\n", failed);
	fflush(stdout);
	return failed > 0;
}

int main(int count, char **names)
{
	int status;

	if (count > 1 && !strcmp(names[1], THREADS_OF_ANOTHER_USER))
		threads_of_another_user();
	if (!getenv("VCLOCKD")) {
		fputs("set VCLOCKD to the path of vclockd\n", stderr);
		return 2;
	}
	sched_getaffinity(0, sizeof all_cores, &all_cores);
	pin();
	if (unshare(CLONE_NEWPID | CLONE_NEWNS))
		return run_all(count, names);
	int pid = fork();
	if (!pid) {
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
		mount("proc", "/proc", "proc", 0, NULL);
		/* Pages are named by process ids, which are those of this namespace. */
		mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL);
		_exit(run_all(count, names));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

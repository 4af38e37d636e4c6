/* page_test.c: making the page, taking it over, leaving it; the command line. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tests.h"

static int64_t virtual_realtime(void)
{
	return page->wall + (virtual_now() - page->epoch);
}

void test_start(void)
{
	struct stat file;
	char path[64];

	int64_t begin = real_now();
	daemon_start(ARGUMENTS("--start", "1700000000.123456789", "--hold"));
	want(page->wall == 1700000000123456789, "wall is %ld", page->wall);
	want(page->controller == daemon_pid, "controller is %d", page->controller);
	int64_t passed = virtual_realtime() - page->wall;
	want(passed > 0 && passed <= real_now() - begin, "%ld ns passed", passed);
	snprintf(path, sizeof path, "/dev/shm/vclock-test-%d", getpid());
	want(!stat(path, &file) && (file.st_mode & 0777) == 0666, "mode %o", file.st_mode);
}

void test_round(void)
{
	daemon_start(ARGUMENTS("--round", "acctg_prof=2.5", "--round", "b=1"));
	want(!strcmp(page->round[0].thread, "acctg_prof") && page->round[0].grain == 2500 * MS, "%s %ld",
	     page->round[0].thread, page->round[0].grain);
	want(!strcmp(page->round[1].thread, "b") && page->round[1].grain == SECOND, "%s %ld", page->round[1].thread,
	     page->round[1].grain);
	want(!page->round[2].thread[0], "a third");
}

static void wait_an_hour(void)
{
	slot_wait(slot_take("hour", VCLOCK_SLEEP), virtual_now() + 3600 * SECOND);
}

void test_attach(void)
{
	daemon_start(ARGUMENTS("--start", "1000", "--think-scale", "2"));
	join(child(wait_an_hour));
	daemon_kill(SIGKILL);
	int64_t begin = real_now(), before = virtual_now(), epoch = page->epoch;
	uint64_t jumps = page->jumps;

	daemon_start(ARGUMENTS("--attach"));
	want(page->epoch == epoch && page->wall == 1000 * SECOND && page->rate == UINT64_C(1) << 31, "time changed");
	int64_t moved = virtual_now() - before;
	want(moved >= 0 && moved <= virtual_length(real_now() - begin), "time moved by %ld ns", moved);
	want(page->jumps >= jumps && page->controller == daemon_pid, "%lu jumps", page->jumps);
	want(page->takeovers == 1, "%lu takeovers", page->takeovers);
	join(child(wait_an_hour));
	want(page->jumps > jumps, "%lu jumps", page->jumps);

	/* One that was ended by a signal is missed as well. */
	daemon_kill(SIGTERM);
	daemon_start(ARGUMENTS("--attach"));
	want(page->takeovers == 2, "%lu takeovers", page->takeovers);
}

/* As if the predecessor had died between its jump and waking those it made due. */
void test_attach_wakes(void)
{
	daemon_start(ARGUMENTS("--hold"));
	int waiter = child(wait_an_hour);
	until_somebody_waits();
	daemon_kill(SIGKILL);
	atomic_fetch_add(&page->jumped, 3600 * SECOND);
	daemon_start(ARGUMENTS("--attach"));
	join(waiter);
	want(page->jumps == 0 && page->hold == 1, "%lu jumps, hold %d", page->jumps, page->hold);
}

static int quiet_status(const char *const *arguments)
{
	char said[256] = "";
	int out[2], pid, status;

	want(!pipe(out), "pipe: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		const char *all[16] = {getenv("VCLOCKD")};
		for (int n = 1; *arguments; n++)
			all[n] = *arguments++;
		dup2(out[1], 2);
		dup2(out[1], 1);
		execv(all[0], (char **)all);
		_exit(127);
	}
	close(out[1]);
	size_t n = 0;
	for (ssize_t k; (k = read(out[0], said + n, sizeof said - 1 - n)) > 0;)
		n += k;
	close(out[0]);
	waitpid(pid, &status, 0);
	want(WIFEXITED(status), "ended with 0x%x", status);
	want(n && said[n - 1] == '\n' && (!WEXITSTATUS(status) || strchr(said, '\n') == said + n - 1),
	     "one line, not: %s", said);
	return WEXITSTATUS(status);
}

void test_attach_refused(void)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/dev/shm/vclock-test-%d", getpid());
	want(quiet_status(ARGUMENTS("--attach", "--page", path)) == 1, "no page");
	fd = open(path, O_RDWR | O_CREAT, 0666);
	want(quiet_status(ARGUMENTS("--attach", "--page", path)) == 1, "an empty file");
	want(!ftruncate(fd, sizeof(struct vclock_page)), "truncate");
	want(quiet_status(ARGUMENTS("--attach", "--page", path)) == 1, "a page without magic");
	close(fd);
}

void test_one_at_a_time(void)
{
	char path[64];

	daemon_start(ARGUMENTS());
	snprintf(path, sizeof path, "/dev/shm/vclock-test-%d", getpid());
	want(quiet_status(ARGUMENTS("--attach", "--page", path)) == 1, "a second one");
	want(quiet_status(ARGUMENTS("--page", path)) == 1, "a second one");
	join(child(wait_an_hour));
}

/* A page of an earlier cluster is replaced, and not touched. */
void test_new_page(void)
{
	daemon_start(ARGUMENTS("--start", "1000"));
	struct vclock_page *old = page;
	daemon_kill(SIGTERM);
	page = NULL;
	daemon_start(ARGUMENTS("--start", "2000"));
	want(old->wall == 1000 * SECOND && page->wall == 2000 * SECOND, "wall %ld and %ld", old->wall, page->wall);
}

void test_terminate(void)
{
	daemon_start(ARGUMENTS("--hold"));
	int waiter = child(wait_an_hour);
	until_somebody_waits();
	uint32_t word = page->slot[0].word;
	want(page->deadline[0], "the child waits in slot 0");
	kill(daemon_pid, SIGTERM);
	int status = daemon_status();
	want(status == 0 && page->controller == 0, "status %d, controller %d", status, page->controller);
	/* Waiters look at the time again; no wait ends because of it. */
	want(page->slot[0].word == word + 1 && page->deadline[0], "word %u after %u", page->slot[0].word, word);
	kill(waiter, SIGKILL);
}

void test_usage(void)
{
	const char *const *const bad[] = {
		ARGUMENTS("--what"),
		ARGUMENTS("what"),
		ARGUMENTS("--page"),
		ARGUMENTS("--page", ""),
		ARGUMENTS("--start"),
		ARGUMENTS("--start", "-1"),
		ARGUMENTS("--start", "1e9"),
		ARGUMENTS("--start", "4102444801"),
		ARGUMENTS("--start", "99999999999999999999"),
		ARGUMENTS("--think-scale", "0"),
		ARGUMENTS("--think-scale", "nan"),
		ARGUMENTS("--think-scale", "2x"),
		ARGUMENTS("--think-scale", "1001"),
		ARGUMENTS("--round", "a"),
		ARGUMENTS("--round", "=1"),
		ARGUMENTS("--round", "a=0"),
		ARGUMENTS("--round", "a=86401"),
		ARGUMENTS("--round", "sixteen characte=1"),
		ARGUMENTS("--round", "a=1", "--round", "b=1", "--round", "c=1", "--round", "d=1", "--round", "e=1"),
		ARGUMENTS("--attach", "--start", "5"),
		ARGUMENTS("--dump", "--hold"),
	};

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		want(quiet_status(bad[i]) == 2, "bad usage %u", i);
	want(quiet_status(ARGUMENTS("--page", "/nowhere/page")) == 1, "no such folder");
}

void test_dump(void)
{
	char command[200], line[200], *word = NULL;

	daemon_start(ARGUMENTS());
	join(child(wait_an_hour));
	slot_deadline(slot_take("dumped thread", VCLOCK_STEP), INT64_MAX);
	snprintf(command, sizeof command, "$VCLOCKD --dump --page /dev/shm/vclock-test-%d", getpid());
	FILE *out = popen(command, "r");
	bool source = false, slot = false;
	while (fgets(line, sizeof line, out)) {
		source |= !strncmp(line, "source hour", 11);
		slot |= (word = strstr(line, "dumped thread")) && strstr(word, "step");
	}
	want(!pclose(out) && source && slot, "a source and a slot are shown");
}

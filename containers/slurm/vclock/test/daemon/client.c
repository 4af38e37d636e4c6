#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct vclock_page *page;
int daemon_pid;

void test_failed(const char *file, int line, const char *condition, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%d: not so: %s: ", file, line, condition);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1);
}

void daemon_start(const char *const *arguments)
{
	static char path[64];
	const char *all[16] = {getenv("VCLOCKD"), "--page", path};
	int n = 3, out[2];
	char line[64] = "";

	snprintf(path, sizeof path, "/dev/shm/vclock-test-%d", getpid());
	while (*arguments)
		all[n++] = *arguments++;
	want(!pipe2(out, O_CLOEXEC), "pipe: %s", strerror(errno));
	daemon_pid = fork();
	if (!daemon_pid) {
		dup2(out[1], 1);
		execv(all[0], (char **)all);
		_exit(127);
	}
	close(out[1]);
	want(read(out[0], line, sizeof line - 1) > 0 && !strcmp(line, "vclockd: ready\n"), "it says %s", line);
	close(out[0]);
	if (page)
		return;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	want(page != MAP_FAILED && page->magic == VCLOCK_MAGIC, "page at %s", path);
}

void daemon_kill(int signal)
{
	kill(daemon_pid, signal);
	waitpid(daemon_pid, NULL, 0);
}

int daemon_status(void)
{
	int status;

	waitpid(daemon_pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static long daemon_switches(void)
{
	char path[64], line[128];
	long n = -1;

	snprintf(path, sizeof path, "/proc/%d/status", daemon_pid);
	FILE *status = fopen(path, "re");
	want(status, "%s: %s", path, strerror(errno));
	while (fgets(line, sizeof line, status) && sscanf(line, "voluntary_ctxt_switches: %ld", &n) != 1)
		;
	fclose(status);
	return n;
}

#define NAPS 20

void until_daemon_napped(void)
{
	for (long until = daemon_switches() + NAPS; daemon_switches() < until;)
		real_sleep(MS);
}

int64_t real_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

int64_t virtual_now(void)
{
	return vclock_monotonic(page, real_now());
}

void burn(int64_t ns)
{
	for (int64_t end = real_now() + ns; real_now() < end;)
		;
}

void real_sleep(int64_t ns)
{
	struct timespec t = {ns / SECOND, ns % SECOND};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) == EINTR)
		;
}

uint32_t slot_take(const char *thread, enum vclock_kind kind)
{
	int32_t self = getpid();

	for (uint32_t i = 0; i < VCLOCK_SLOTS; i++) {
		int32_t nobody = 0;
		if (atomic_load_explicit(&page->slot[i].owner, memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&page->slot[i].owner, &nobody, self))
			continue;
		page->slot[i].tid = gettid();
		page->slot[i].kind = kind;
		strncpy(page->slot[i].thread, thread, VCLOCK_NAME - 1);
		uint32_t high = atomic_load(&page->high);
		while (high <= i && !atomic_compare_exchange_weak(&page->high, &high, i + 1))
			;
		return i;
	}
	want(false, "a free slot");
	return 0;
}

void slot_deadline(uint32_t slot, int64_t deadline)
{
	page->slot[slot].asked = deadline - virtual_now();
	atomic_store(&page->deadline[slot], deadline);
}

void slot_wait(uint32_t slot, int64_t deadline)
{
	struct vclock_slot *s = &page->slot[slot];
	uint32_t word = atomic_load(&s->word);

	slot_deadline(slot, deadline);
	for (;;) {
		int64_t limit = vclock_real(page, deadline);
		struct timespec t = {limit / SECOND, limit % SECOND};
		if (virtual_now() >= deadline)
			break;
		syscall(SYS_futex, &s->word, FUTEX_WAIT_BITSET, word, &t, NULL, FUTEX_BITSET_MATCH_ANY);
		word = atomic_load(&s->word);
	}
	atomic_store(&page->deadline[slot], 0);
}

void until_somebody_waits(void)
{
	for (uint32_t i = 0;; i = (i + 1) % 64)
		if (atomic_load(&page->deadline[i]))
			return;
}

/* Rounded up. */
int64_t virtual_length(int64_t real)
{
	return vclock_scale(real, page->rate) + 1;
}

int child(void (*work)(void))
{
	int pid = fork();

	want(pid >= 0, "fork: %s", strerror(errno));
	if (pid)
		return pid;
	work();
	_exit(0);
}

void join(int pid)
{
	int status;

	waitpid(pid, &status, 0);
	want(WIFEXITED(status) && !WEXITSTATUS(status), "process %d ended with 0x%x", pid, status);
}

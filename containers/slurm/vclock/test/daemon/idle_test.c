/* idle_test.c: virtual time jumps only while nothing is runnable. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tests.h"

#define LONG_WAIT (1000 * SECOND)

static void wait_long(void)
{
	slot_wait(slot_take("long", VCLOCK_SLEEP), virtual_now() + LONG_WAIT);
}

static void *sleep_long(void *unused)
{
	wait_long();
	return unused;
}

static void wait_longer(void)
{
	slot_wait(slot_take("longer", VCLOCK_SLEEP), virtual_now() + 2 * LONG_WAIT);
}

/* Burns from the moment it is woken, so that no idle moment is later than that. */
static void burner(void)
{
	wait_long();
	int64_t before = page->jumped;
	burn(300 * MS);
	want(page->jumped == before, "it jumped %ld ns", page->jumped - before);
}

void test_burner(void)
{
	daemon_start(ARGUMENTS());
	int waiter = child(wait_longer);
	until_somebody_waits();
	join(child(burner));
	join(waiter);
	want(page->jumped > LONG_WAIT, "it jumped %ld ns", page->jumped);
	want(page->longest_ns >= 300 * MS, "longest is %lu ns", page->longest_ns);
}

void test_nobody_waits(void)
{
	daemon_start(ARGUMENTS());
	until_daemon_napped();
	want(!page->jumped && !page->tests, "it jumped %ld ns in %lu tests", page->jumped, page->tests);
	/* It only naps meanwhile: that is its own time, not the cluster's. */
	want(page->idle_ns > MS, "idle %lu busy %lu ns", page->idle_ns, page->busy_ns);
}

#define LOOKS 20

/* A process in D state: its child made by vfork(2) sleeps unnoticed, until vclockd
 * has looked some times. */
static void vfork_sleeper(void)
{
	static int64_t before, after;
	int pid = vfork();

	if (!pid) {
		before = page->jumped;
		for (uint64_t looks = page->caught_blocked + LOOKS; page->caught_blocked < looks && page->jumped == before;)
			real_sleep(MS);
		after = page->jumped;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	want(before == after, "it jumped %ld ns", after - before);
}

void test_vfork(void)
{
	daemon_start(ARGUMENTS());
	/* Jumps go on before, so that this is a change of what was known. */
	for (int i = 0; i < 20; i++)
		join(child(wait_long));
	int waiter = child(wait_long);
	until_somebody_waits();
	join(child(vfork_sleeper));
	want(page->caught_blocked > 0, "caught %lu in D state", page->caught_blocked);
	join(waiter);
}

static void *thread_vfork(void *unused)
{
	vfork_sleeper();
	return unused;
}

static void new_thread(void)
{
	pthread_t thread;
	uint32_t slot = slot_take("old", VCLOCK_SLEEP);

	slot_wait(slot, virtual_now() + LONG_WAIT);
	pthread_create(&thread, NULL, thread_vfork, NULL);
	pthread_join(thread, NULL);
}

void test_vfork_of_new_thread(void)
{
	daemon_start(ARGUMENTS());
	int forker = child(new_thread);
	for (int i = 0; i < 100; i++)
		join(child(wait_long));
	join(forker);
	want(page->caught_blocked > 0, "caught %lu in D state", page->caught_blocked);
}

static void burn_forever(void)
{
	for (;;)
		;
}

/* A thread that was seen asleep before, in a process that has another one. */
static void old_thread(void)
{
	pthread_t thread;
	uint32_t slot = slot_take("old", VCLOCK_SLEEP);

	pthread_create(&thread, NULL, sleep_long, NULL);
	for (int i = 0; i < 10; i++)
		slot_wait(slot, virtual_now() + SECOND);
	vfork_sleeper();
	pthread_join(thread, NULL);
}

void test_vfork_of_old_thread(void)
{
	daemon_start(ARGUMENTS());
	join(child(old_thread));
	want(page->caught_blocked > 0, "caught %lu in D state", page->caught_blocked);
}

void test_stopped(void)
{
	daemon_start(ARGUMENTS());
	int burner = child(burn_forever), waiter = child(wait_long);
	siginfo_t ended = {0};

	burn(50 * MS);
	want(!page->jumped, "it jumped %ld ns", page->jumped);
	/* Again and again, in case somebody lets the whole group go on. */
	while (waitid(P_PID, waiter, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && !ended.si_pid) {
		kill(burner, SIGSTOP);
		real_sleep(MS);
	}
	join(waiter);
	want(page->jumped > LONG_WAIT / 2, "it jumped %ld ns", page->jumped);
	kill(burner, SIGKILL);
}

static pid_t *orphan;

/* Leaves a process to the first one of the namespace. */
static void bear_orphan(void)
{
	*orphan = child(burn_forever);
}

/* Nobody can hold the clock for a stopped process whose parent does not know it. */
void test_stopped_orphan(void)
{
	orphan = mmap(NULL, sizeof *orphan, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	daemon_start(ARGUMENTS());
	join(child(bear_orphan));
	int waiter = child(wait_long);

	burn(50 * MS);
	want(!page->jumped, "it jumped %ld ns", page->jumped);
	kill(*orphan, SIGSTOP);
	real_sleep(300 * MS);
	want(!page->jumped, "it jumped %ld ns", page->jumped);
	kill(*orphan, SIGKILL);
	join(waiter);
	want(page->jumped > LONG_WAIT / 2, "it jumped %ld ns", page->jumped);
}

#define THREADS 300

static void many_threads(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, sleep_long, NULL);
	vfork_sleeper();
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

void test_few_descriptors(void)
{
	struct rlimit few = {100, 100};

	setrlimit(RLIMIT_NOFILE, &few);
	daemon_start(ARGUMENTS());
	for (int i = 0; i < 3; i++)
		join(child(many_threads));
	want(page->caught_blocked > 0 && page->jumped > LONG_WAIT, "caught %lu, jumped %ld ns",
	     page->caught_blocked, page->jumped);
}

/* One process wakes another through a pipe and then waits long: the other must
 * have its turn before the jump. Work before that makes the scheduler owe
 * vclockd some time. */
static void pipe_rounds(int rounds, int64_t (*work)(void))
{
	struct shared {
		int64_t read_at[2];
	} *seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int to[2], from[2];
	char byte = 0;

	want(!pipe2(to, O_CLOEXEC) && !pipe2(from, O_CLOEXEC), "no pipe");
	daemon_start(ARGUMENTS());
	int pid = fork();
	if (!pid) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1) {
			seen->read_at[0] = page->jumped;
			burn(work());
			seen->read_at[1] = page->jumped;
			if (write(from[1], &byte, 1) != 1)
				_exit(1);
			burn(work() / 10);
		}
		_exit(0);
	}
	close(to[0]);
	uint32_t slot = slot_take("writer", VCLOCK_SLEEP);
	for (int i = 0; i < rounds; i++) {
		slot_wait(slot, virtual_now() + SECOND);
		int64_t wrote = page->jumped;
		burn(work());
		want(write(to[1], &byte, 1) == 1, "pipe");
		slot_wait(slot, virtual_now() + LONG_WAIT);
		want(read(from[0], &byte, 1) == 1, "pipe");
		want(seen->read_at[0] == wrote, "round %d: it jumped %ld ns over a woken process", i,
		     seen->read_at[0] - wrote);
		want(seen->read_at[1] == wrote, "round %d: it jumped %ld ns over a running process", i,
		     seen->read_at[1] - wrote);
	}
	close(to[1]);
	join(pid);
}

static int64_t short_work(void)
{
	return random() % (20 * 1000);
}

static int64_t long_work(void)
{
	return random() % 8 ? random() % (500 * 1000) : random() % (30 * MS);
}

void test_pipe(void)
{
	pipe_rounds(2000, short_work);
}

void test_pipe_after_work(void)
{
	pipe_rounds(400, long_work);
}

static void short_burn(void)
{
	burn(2 * MS);
}

/* Processes born one after another, each computing a while. */
void test_births(void)
{
	daemon_start(ARGUMENTS());
	int waiter = child(wait_long);
	until_somebody_waits();
	int64_t jumped = page->jumped;
	for (int i = 0; i < 100; i++)
		join(child(short_burn));
	want(page->jumped == jumped, "it jumped %ld ns", page->jumped - jumped);
	join(waiter);
	int64_t begin = real_now();
	uint64_t births = page->births, refuted = page->caught_running + page->caught_blocked;
	for (int i = 0; i < 100; i++)
		join(child(wait_long));
	births = page->births - births;
	refuted = page->caught_running + page->caught_blocked - refuted;
	/* Each is looked for once, confirmed once, and once more if somebody ran
	 * meanwhile; besides, vclockd lists again each tenth of a second. */
	uint64_t most = 300 + refuted + (real_now() - begin) / (100 * MS);
	want(births >= 100 && births <= most, "%lu births, at most %lu", births, most);
}

#define CROWD 8

/* Waits of all lengths, so that threads of a process run apart. */
static void *sleep_often(void *number)
{
	uint32_t slot = slot_take("crowd", VCLOCK_SLEEP);

	for (int64_t i = 0; i < 150; i++)
		slot_wait(slot, virtual_now() + (1 + (i * 7 + (intptr_t)number * 13) % 29) * 10 * SECOND);
	return NULL;
}

static void crowd(void)
{
	pthread_t thread[CROWD];

	for (intptr_t i = 0; i < CROWD; i++)
		pthread_create(&thread[i], NULL, sleep_often, (void *)i);
	for (int i = 0; i < CROWD; i++)
		pthread_join(thread[i], NULL);
}

/* The thread lists of processes that live on are remade after each birth, and
 * each thread keeps its own files. Otherwise one would be read for another and
 * always seem busy. Then the clock would go at the speed of real time, and the
 * test would not end. */
void test_births_beside_threads(void)
{
	int crowds[6];

	daemon_start(ARGUMENTS());
	for (int i = 0; i < 6; i++)
		crowds[i] = child(crowd);
	for (int i = 0; i < 600; i++) {
		join(child(short_burn));
		real_sleep(MS);
	}
	for (int i = 0; i < 6; i++)
		join(crowds[i]);
	join(child(wait_long));
}

static void exec_true(void)
{
	execl("/bin/true", "true", NULL);
	_exit(127);
}

/* As Slurm starts the job of a user. */
static void exec_true_as_another(void)
{
	if (setgid(65534) || setuid(65534))
		_exit(126);
	exec_true();
}

/* Takes a file out of memory: a reader of its pages waits for the disk. */
static void forget_file(int fd)
{
	want(!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) && !posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM),
	     "take a file out of memory");
}

/* A process that starts opens files, for which it may wait asleep, if the file
 * system is one in user space. */
static void exec_often(void (*exec)(void))
{
	daemon_start(ARGUMENTS());
	int waiter = child(wait_long), program = open("/bin/true", O_RDONLY | O_CLOEXEC);
	until_somebody_waits();
	int64_t jumped = page->jumped;
	for (int i = 0; i < 100; i++) {
		forget_file(program);
		join(child(exec));
	}
	want(page->jumped == jumped, "it jumped %ld ns", page->jumped - jumped);
	join(waiter);
}

void test_exec(void)
{
	exec_often(exec_true);
}

/* Where the process is in the kernel vclockd sees only as its owner. */
void test_exec_as_another_user(void)
{
	if (geteuid() == 0)
		exec_often(exec_true_as_another);
}

#define OTHERS 4

static void *nap_often(void *unused)
{
	for (;;)
		real_sleep(MS);
	return unused;
}

/* A program of several threads that becomes another user, as MariaDB does, and says when it is one. */
void threads_of_another_user(void)
{
	pthread_t thread;

	for (int i = 0; i < OTHERS; i++)
		if (pthread_create(&thread, NULL, nap_often, NULL))
			_exit(125);
	if (setgid(65534) || setuid(65534) || write(STDOUT_FILENO, "", 1) != 1)
		_exit(126);
	nap_often(NULL);
}

/* Every thread but the first has, as the kernel tells it, executed nothing. None of them is taken for a process on
 * the way to its exec: the clock would stand for a second. */
void test_threads_of_another_user(void)
{
	int ready[2];
	char byte;

	if (geteuid() != 0)
		return;
	daemon_start(ARGUMENTS());
	want(!pipe(ready), "make a pipe");
	pid_t program = fork();
	if (!program) {
		dup2(ready[1], STDOUT_FILENO);
		execl("/proc/self/exe", "another", THREADS_OF_ANOTHER_USER, NULL);
		_exit(127);
	}
	close(ready[1]);
	want(read(ready[0], &byte, 1) == 1, "start the program");
	uint64_t tests = page->tests, blocked = page->caught_blocked;
	join(child(crowd));
	tests = page->tests - tests;
	blocked = page->caught_blocked - blocked;
	want(blocked < tests / 2, "blocked at %lu of %lu looks", blocked, tests);
	kill(program, SIGKILL);
}

#define COLD_PAGES 32
#define COLD_STEP (64 * 1024)

/* A file on the disk that the tests are on. */
static int file_on_disk(void)
{
	static const char block[COLD_STEP];
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s.cold-%d", getenv("VCLOCKD"), getpid());
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	want(fd >= 0 && !unlink(path), "%s: %s", path, strerror(errno));
	for (int i = 0; i < COLD_PAGES; i++)
		want(write(fd, block, sizeof block) == sizeof block, "%s: %s", path, strerror(errno));
	want(!fsync(fd), "%s: %s", path, strerror(errno));
	return fd;
}

/* Gives the disk something to do, for which nobody waits. */
static void load_disk(int fd)
{
	char block[COLD_STEP];

	memset(block, (int)random(), sizeof block);
	for (int i = 0; i < COLD_PAGES; i++)
		want(pwrite(fd, block, sizeof block, i * COLD_STEP) == sizeof block, "%s", strerror(errno));
	sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

/* Computes as a program that begins: waits for one page after the other. */
static void read_cold(int fd)
{
	char byte;

	for (int i = 0; i < COLD_PAGES; i++)
		if (pread(fd, &byte, 1, i * COLD_STEP) != 1)
			_exit(1);
	_exit(0);
}

/* fork(2) that waits for the disk when the child has its process id, but is in no
 * list of processes yet: CLONE_PIDFD stores a descriptor of the child then, here in
 * a page that has to be read first. */
static int fork_slowly(int fd)
{
	int *pidfd = mmap(NULL, sizeof *pidfd, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	want(pidfd != MAP_FAILED, "map: %s", strerror(errno));
	int pid = (int)syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, pidfd, NULL, NULL);
	if (pid > 0)
		close(*pidfd);
	munmap(pidfd, sizeof *pidfd);
	return pid;
}

/* A process that is being born computes: the clock does not jump, though parent and child
 * wait for a busy disk, in births during which vclockd had the core. */
static void slow_births(void)
{
	int of_fork = file_on_disk(), of_child = file_on_disk(), other = file_on_disk(), seen = 0;

	daemon_start(ARGUMENTS());
	int waiter = child(wait_long);
	until_somebody_waits();
	int64_t jumped = page->jumped;
	for (int i = 0; i < 1000 && seen < 50; i++) {
		load_disk(other);
		forget_file(of_fork);
		forget_file(of_child);
		uint64_t blocked = page->caught_blocked;
		int pid = fork_slowly(of_fork);
		if (!pid)
			read_cold(of_child);
		want(pid > 0, "clone: %s", strerror(errno));
		join(pid);
		want(page->jumped == jumped, "birth %d: it jumped %ld ns", i, page->jumped - jumped);
		seen += page->caught_blocked > blocked;
	}
	want(seen == 50, "%d births waited for the disk of %s", seen, getenv("VCLOCKD"));
	join(waiter);
}

void test_slow_births(void)
{
	slow_births();
}

void test_slow_births_on_several_cores(void)
{
	if (cores() < 2)
		return;
	use_all_cores();
	slow_births();
}

void test_several_cores(void)
{
	if (cores() < 2)
		return;
	use_all_cores();
	daemon_start(ARGUMENTS());
	int burner = child(burn_forever), waiter = child(wait_long);
	while (page->caught_running < LOOKS)
		real_sleep(MS);
	want(!page->jumped, "it jumped %ld ns", page->jumped);
	kill(burner, SIGKILL);
	waitpid(burner, NULL, 0);
	join(waiter);
	join(child(vfork_sleeper));
}

/* harness.c: the page, and the jumps. All calls that the library replaces are
 * made as system calls here. */
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "harness.h"

struct vclock_page *page;
_Thread_local const char *doing = "";

static pthread_t jumper;
static int64_t case_began;
static _Atomic bool stopped;

_Noreturn void fail(const char *file, int line, const char *condition)
{
	int e = errno;
	fprintf(stderr, "%s:%d: %s: not so: %s (errno %s)\n", file, line, doing, condition,
		strerror(e));
	fflush(NULL);
	_exit(1);
}

static int64_t real_now(void)
{
	struct timespec t;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

struct vclock_page *make_page(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof *page))
		return NULL;
	struct vclock_page *p =
		mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return NULL;
	if (p->magic == VCLOCK_MAGIC)
		return p;
	p->version = VCLOCK_VERSION;
	p->slots = VCLOCK_SLOTS;
	p->epoch = real_now();
	p->wall = 1700000000 * SECOND;
	p->rate = UINT64_C(1) << 32;
	atomic_store(&p->magic, VCLOCK_MAGIC);
	return p;
}

int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

struct timespec length(double seconds)
{
	int64_t ns = (int64_t)(seconds * SECOND);
	return (struct timespec){.tv_sec = ns / SECOND, .tv_nsec = ns % SECOND};
}

struct timespec after(clockid_t clock, double seconds)
{
	struct timespec t;
	clock_gettime(clock, &t);
	int64_t ns = t.tv_sec * SECOND + t.tv_nsec + (int64_t)(seconds * SECOND);
	return (struct timespec){.tv_sec = ns / SECOND, .tv_nsec = ns % SECOND};
}

void begin_case(void)
{
	case_began = page ? page->epoch : real_now();
}

int64_t passed(void)
{
	return real_now() - case_began;
}

void check_elapsed_between(int64_t start, double least, double most)
{
	int64_t elapsed = now() - start, real = passed();
	if (elapsed < (int64_t)(least * SECOND) || elapsed > (int64_t)(most * SECOND) + real)
		fprintf(stderr, "%s: took %f s\n", doing, (double)elapsed / SECOND);
	CHECK(elapsed >= (int64_t)(least * SECOND));
	CHECK(elapsed <= (int64_t)(most * SECOND) + real);
}

void check_elapsed(int64_t start, double seconds)
{
	check_elapsed_between(start, seconds, seconds);
}

void check_left(int64_t left, double seconds)
{
	int64_t all = (int64_t)(seconds * SECOND);
	if (left > all || left < all - passed())
		fprintf(stderr, "%s: %f of %f s left\n", doing, (double)left / SECOND, seconds);
	CHECK(left <= all);
	CHECK(left >= all - passed());
}

void real_pause(void)
{
	struct timespec t = {.tv_nsec = 100000};
	syscall(SYS_nanosleep, &t, NULL);
}

static bool is_sleeping(pid_t pid, pid_t tid)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	char *end = strrchr(text, ')');
	return end && end[2] == 'S';
}

void await_sleeping(pid_t pid, pid_t tid)
{
	while (!is_sleeping(pid, tid))
		real_pause();
}

unsigned registered(void)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < page->high; i++)
		n += page->deadline[i] != 0;
	return n;
}

static bool find_sleeper(uint32_t *first)
{
	int64_t earliest = INT64_MAX;
	for (uint32_t i = 0; i < page->high; i++) {
		int64_t deadline = page->deadline[i];
		if (deadline && deadline < earliest) {
			earliest = deadline;
			*first = i;
		}
	}
	return earliest != INT64_MAX &&
	       is_sleeping(page->slot[*first].owner, page->slot[*first].tid);
}

uint32_t await_sleeper(void)
{
	uint32_t i;
	while (!find_sleeper(&i))
		real_pause();
	return i;
}

static void wake(uint32_t i)
{
	struct vclock_slot *s = &page->slot[i];
	atomic_fetch_add(&s->word, 1);
	if (s->kind != VCLOCK_POLL) {
		syscall(SYS_futex, &s->word, FUTEX_WAKE, INT_MAX);
		return;
	}
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	memcpy(to.sun_path + 1, s->name, s->name_len);
	sendto(fd, "", 1, MSG_DONTWAIT, (struct sockaddr *)&to,
	       offsetof(struct sockaddr_un, sun_path) + 1 + s->name_len);
	close(fd);
}

static void jump_to(int64_t deadline)
{
	int64_t t = vclock_monotonic(page, real_now());
	if (deadline > t)
		atomic_fetch_add(&page->jumped, deadline - t);
	for (uint32_t i = 0; i < page->high; i++) {
		int64_t seen = page->deadline[i];
		if (seen && seen <= deadline &&
		    atomic_compare_exchange_strong(&page->deadline[i], &seen, 0))
			wake(i);
	}
}

void jump_once(void)
{
	int64_t deadline = page->deadline[await_sleeper()];
	if (deadline)
		jump_to(deadline);
}

static void *jump_on(void *unused)
{
	uint32_t i;
	(void)unused;
	while (!atomic_load(&stopped)) {
		int64_t deadline = find_sleeper(&i) ? page->deadline[i] : 0;
		if (deadline)
			jump_to(deadline);
		else
			real_pause();
	}
	return NULL;
}

void start_jumps(void)
{
	sigset_t all, mask;
	sigfillset(&all);
	atomic_store(&stopped, false);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	CHECK(!pthread_create(&jumper, NULL, jump_on, NULL));
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

void stop_jumps(void)
{
	atomic_store(&stopped, true);
	CHECK(!pthread_join(jumper, NULL));
}

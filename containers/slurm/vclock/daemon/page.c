/*
 * page.c: creates the page, or takes over the page of a dead vclockd.
 *
 * The running vclockd holds a lock on the file; its process id would not do, as
 * it may be given out again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vclockd.h"

/* Keeps the lock as long as vclockd lives. */
static int locked = -1;

static struct vclock_page *map(int fd, const char *path, int protection)
{
	void *page = mmap(NULL, sizeof(struct vclock_page), protection, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		fail(1, "map %s: %s", path, strerror(errno));
	return page;
}

static void lock(int fd, const char *path)
{
	if (flock(fd, LOCK_EX | LOCK_NB))
		fail(1, "lock %s: %s", path,
		     errno == EWOULDBLOCK ? "another vclockd uses it" : strerror(errno));
	locked = fd;
}

bool page_withheld_from(gid_t group)
{
	struct stat file;

	return !fstat(locked, &file) && file.st_gid == group && !(file.st_mode & S_IWGRP);
}

struct vclock_page *page_create(const struct options *o)
{
	/* A new file instead of the old one made empty: processes of an earlier
	 * cluster may still have that mapped, and would die. */
	int fd = open(o->path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		lock(fd, o->path);
		unlink(o->path);
		close(fd);
	}
	fd = open(o->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		fail(1, "create %s: %s", o->path, strerror(errno));
	lock(fd, o->path);
	/* Otherwise a process that fills the file system ends all processes that write to the page. */
	int error = posix_fallocate(fd, 0, sizeof(struct vclock_page));
	if (error)
		fail(1, "set up %s: %s", o->path, strerror(error));
	/* Processes of all users have the time, so all may write. */
	if (fchmod(fd, 0666))
		fail(1, "set up %s: %s", o->path, strerror(errno));

	struct vclock_page *page = map(fd, o->path, PROT_READ | PROT_WRITE);
	page->version = VCLOCK_VERSION;
	page->slots = VCLOCK_SLOTS;
	page->controller = getpid();
	page->rate = (uint64_t)llround(0x1p32 / o->think);
	memcpy(page->round, o->round, sizeof page->round);
	atomic_store(&page->hold, o->hold);
	page->epoch = real_now();
	page->wall = o->start >= 0 ? o->start : clock_ns(CLOCK_REALTIME);
	atomic_store_explicit(&page->magic, VCLOCK_MAGIC, memory_order_release);
	return page;
}

static void check(int fd, const char *path)
{
	struct stat file;
	struct vclock_page *page;

	if (fstat(fd, &file))
		fail(1, "look at %s: %s", path, strerror(errno));
	if (file.st_size != sizeof *page)
		fail(1, "%s has %lld bytes instead of %zu: not a page of this version", path,
		     (long long)file.st_size, sizeof *page);
	page = map(fd, path, PROT_READ);
	if (atomic_load_explicit(&page->magic, memory_order_acquire) != VCLOCK_MAGIC ||
	    page->version != VCLOCK_VERSION || page->slots != VCLOCK_SLOTS || !page->rate)
		fail(1, "%s is not a complete page of version %u", path, VCLOCK_VERSION);
	munmap(page, sizeof *page);
}

struct vclock_page *page_attach(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail(1, "open %s: %s", path, strerror(errno));
	check(fd, path);
	lock(fd, path);
	struct vclock_page *page = map(fd, path, PROT_READ | PROT_WRITE);
	add(&page->takeovers, 1);
	page->controller = getpid();
	return page;
}

const struct vclock_page *page_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail(1, "open %s: %s", path, strerror(errno));
	check(fd, path);
	return map(fd, path, PROT_READ);
}

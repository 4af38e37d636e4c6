/*
 * polling.c: how poll, select and epoll wait.
 *
 * The kernel waits for file descriptors or time, not for a futex. So each
 * thread has a datagram socket that it adds to what it polls, and that vclockd
 * writes to. Its number is high, out of the way of programs that count on
 * getting the lowest free one; and it is looked at again before each use, as
 * programs close all descriptors that they do not know, or put their own there.
 *
 * Signals are blocked except inside the kernel's own wait: a handler between
 * the look at the clock and that wait could take the datagram that is meant
 * for it.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "polling.h"

enum { LOWEST_SOCKET = 700 };

static _Thread_local struct {
	int fd; /* 0: none yet */
	ino_t inode;
	uint8_t name_len;
	char name[sizeof((struct vclock_slot *)0)->name];
} sock;

static bool is_socket_ours(void)
{
	struct stat st;
	return sock.fd > 0 && !fstat(sock.fd, &st) && S_ISSOCK(st.st_mode) &&
	       st.st_ino == sock.inode;
}

static void release_socket(void)
{
	if (is_socket_ours())
		close(sock.fd);
	sock.fd = 0;
}

/* In a child: the parent's thread owns it. */
static void forget_socket(bool child)
{
	if (!child)
		return;
	int e = errno;
	release_socket();
	errno = e;
}

PART(polling) = {.after_fork = forget_socket, .ends_thread = release_socket};

static bool open_socket(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t size = sizeof address;
	struct stat st;
	int low = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (low < 0)
		return false;
	int fd = fcntl(low, F_DUPFD_CLOEXEC, LOWEST_SOCKET);
	if (fd >= 0)
		close(low);
	else
		fd = low;
	if (bind(fd, (struct sockaddr *)&address, sizeof address.sun_family) ||
	    getsockname(fd, (struct sockaddr *)&address, &size) || fstat(fd, &st)) {
		close(fd);
		return false;
	}
	size -= offsetof(struct sockaddr_un, sun_path) + 1;
	if (size > sizeof sock.name) {
		close(fd);
		return false;
	}
	memcpy(sock.name, address.sun_path + 1, size);
	sock.name_len = (uint8_t)size;
	sock.inode = st.st_ino;
	sock.fd = fd;
	return true;
}

static bool enter(struct call *c, struct vclock_page *page, int64_t deadline)
{
	struct vclock_slot *slot = own_slot();
	int fd = -1;
	if (slot) {
		if (!is_socket_ours() && !open_socket())
			return false;
		fd = sock.fd;
		memcpy(slot->name, sock.name, sock.name_len);
		slot->name_len = sock.name_len;
	}
	if (!c->add_socket(c, fd))
		return false;
	begin_wait(&c->wait, page, VCLOCK_POLL, deadline);
	c->waits = true;
	return true;
}

static void leave(struct call *c)
{
	end_wait(&c->wait);
	c->waits = false;
}

/* Not to be used for a number that somebody else has by now: what is read here
 * would be missing there. */
static bool drain_socket(void)
{
	char datagram[8];
	if (!is_socket_ours())
		return false;
	while (recv(sock.fd, datagram, sizeof datagram, MSG_DONTWAIT) >= 0)
		;
	return true;
}

static int poll_until_due(struct call *c, bool *closed)
{
	struct vclock_page *page = c->wait.page;
	for (;;) {
		struct timespec t;
		bool limited = real_limit(page, c->wait.deadline, &t);
		int64_t left = limited ? nanoseconds(&t) - real_monotonic() : FOREVER;
		bool woken = false;
		t = timespec_of(left);
		int r = c->once(c, limited ? &t : NULL, &woken);
		if (woken && !drain_socket())
			*closed = true;
		if (r || *closed || left <= 0 || virtual_monotonic(page) >= c->wait.deadline)
			return r;
	}
}

/* Without a socket, as when the process has no descriptor left. */
static int poll_in_steps(struct call *c, struct vclock_page *page, int64_t deadline)
{
	const struct timespec zero = {0};
	struct steps s;
	bool woken = false;
	int r;
	c->add_socket(c, -1);
	begin_steps(&s, page, deadline);
	do
		r = c->once(c, &zero, &woken);
	while (!r && !step(&s, CANCEL));
	return r;
}

void free_room(struct call *c)
{
	if (c->memory)
		munmap(c->memory, c->size);
}

static void cancelled(void *p)
{
	struct call *c = p;
	if (c->waits)
		leave(c);
	free_room(c);
	pthread_sigmask(SIG_SETMASK, &c->outside, NULL);
}

static int poll_until_done(struct call *c, struct vclock_page *page, int64_t deadline)
{
	bool closed = true;
	int r = 0;
	while (!r && closed && enter(c, page, deadline)) {
		closed = false;
		r = poll_until_due(c, &closed);
		int e = errno;
		leave(c);
		errno = e;
	}
	return !r && closed ? poll_in_steps(c, page, deadline) : r;
}

static int run_cancellable(struct call *c, struct vclock_page *page, int64_t deadline)
{
	int r;
	pthread_cleanup_push(cancelled, c);
	r = poll_until_done(c, page, deadline);
	pthread_cleanup_pop(0);
	return r;
}

int run_call(struct call *c, struct vclock_page *page, int64_t deadline)
{
	int e = errno;
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &c->outside);
	if (!c->mask)
		c->mask = &c->outside;
	int r = run_cancellable(c, page, deadline);
	if (r < 0)
		e = errno;
	pthread_sigmask(SIG_SETMASK, &c->outside, NULL);
	errno = e;
	return r;
}

/* malloc may not be called in signal handlers. */
void *room(struct call *c, void *small, size_t small_size, size_t size)
{
	if (size <= small_size)
		return small;
	c->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->memory == MAP_FAILED) {
		errno = ENOMEM;
		return NULL;
	}
	c->size = size;
	return c->memory;
}

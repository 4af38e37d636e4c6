/* select.c: select and pselect. */
#include <string.h>

#include "polling.h"

/* The caller's sets may be shorter than the number of our socket asks for, and
 * longer than fd_set. */
enum { BITS = 8 * sizeof(unsigned long), SMALL = 8192 };

struct select_call {
	struct call call; /* first */
	int count;        /* of the caller */
	int fd;           /* our socket */
	int room;         /* bits in each copy */
	unsigned long *set[3], *copy[3];
};

static size_t words(int bits)
{
	return ((size_t)bits + BITS - 1) / BITS;
}

static bool select_add_socket(struct call *call, int fd)
{
	struct select_call *c = (struct select_call *)call;
	c->fd = fd < c->room ? fd : -1;
	return fd < c->room;
}

static void fill_copies(struct select_call *c)
{
	for (int i = 0; i < 3; i++) {
		memset(c->copy[i], 0, words(c->room) * sizeof(long));
		if (!c->set[i])
			continue;
		memcpy(c->copy[i], c->set[i], words(c->count) * sizeof(long));
		if (c->count % BITS)
			c->copy[i][c->count / BITS] &= (1UL << c->count % BITS) - 1;
	}
	if (c->fd >= 0)
		c->copy[0][c->fd / BITS] |= 1UL << c->fd % BITS;
}

static int select_once(struct call *call, const struct timespec *left, bool *woken)
{
	struct select_call *c = (struct select_call *)call;
	fill_copies(c);
	int count = c->count > c->fd ? c->count : c->fd + 1;
	int r = real.pselect(count, (fd_set *)c->copy[0], c->set[1] ? (fd_set *)c->copy[1] : NULL,
			     c->set[2] ? (fd_set *)c->copy[2] : NULL, left, call->mask);
	if (c->fd < 0)
		return r;
	/* Perhaps it is our socket that is not open, which a look at it tells. */
	if (r < 0 && errno == EBADF && !*woken) {
		const struct timespec zero = {0};
		struct pollfd own = {.fd = c->fd};
		*woken = real.ppoll(&own, 1, &zero, NULL) == 1 && own.revents & POLLNVAL;
		errno = EBADF;
		return *woken ? 0 : r;
	}
	unsigned long bit = 1UL << c->fd % BITS;
	*woken = r > 0 && c->copy[0][c->fd / BITS] & bit;
	if (*woken)
		c->copy[0][c->fd / BITS] &= ~bit;
	return r - *woken;
}

static int select_until(struct vclock_page *page, int count, fd_set *const sets[3],
			int64_t deadline, const sigset_t *mask)
{
	unsigned long small[3 * SMALL / BITS];
	struct select_call c = {
		.call = {.once = select_once, .add_socket = select_add_socket, .mask = mask},
		.count = count,
		.room = count > SMALL ? count : SMALL,
	};
	size_t each = words(c.room);
	unsigned long *copies =
		room(&c.call, small, sizeof small, 3 * each * sizeof(unsigned long));
	if (!copies)
		return -1;
	for (int i = 0; i < 3; i++) {
		c.set[i] = (unsigned long *)sets[i];
		c.copy[i] = copies + (size_t)i * each;
	}
	int r = run_call(&c.call, page, deadline);
	for (int i = 0; r >= 0 && i < 3; i++)
		if (c.set[i])
			memcpy(c.set[i], c.copy[i], words(count) * sizeof(long));
	free_room(&c.call);
	return r;
}

EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
		   const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	struct vclock_page *page = vclock();
	if (!page || count < 0 || !timeout || !valid_nanoseconds(timeout) ||
	    nanoseconds(timeout) <= 0)
		return real.pselect(count, in, out, other, timeout, mask);
	fd_set *const sets[3] = {in, out, other};
	int64_t deadline = virtual_monotonic(page) + nanoseconds(timeout);
	return select_until(page, count, sets, deadline, mask);
}

/* Linux tells in *timeout what was left of it, and takes any number of
 * microseconds. */
EXPORT int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
		  struct timeval *restrict timeout)
{
	struct vclock_page *page = vclock();
	if (!page || count < 0 || !timeout || timeout->tv_sec < 0 || timeout->tv_usec < 0 ||
	    (!timeout->tv_sec && !timeout->tv_usec))
		return real.select(count, in, out, other, timeout);
	struct timespec t = {.tv_sec = timeout->tv_sec};
	int64_t length = nanoseconds(&t) + timeout->tv_usec * 1000;
	fd_set *const sets[3] = {in, out, other};
	int64_t deadline = virtual_monotonic(page) + length;
	int r = select_until(page, count, sets, deadline, NULL);
	t = timespec_of(deadline - virtual_monotonic(page));
	*timeout = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
	return r;
}

EXPORT int __select(int count, fd_set *restrict in, fd_set *restrict out,
		    fd_set *restrict other, struct timeval *restrict timeout)
	__attribute__((alias("select")));

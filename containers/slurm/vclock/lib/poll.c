/* poll.c: poll and epoll. */
#include <string.h>
#include <sys/resource.h>

#include "polling.h"

struct poll_call {
	struct call call; /* first */
	struct pollfd *set;
	nfds_t count;
};

static bool poll_add_socket(struct call *call, int fd)
{
	struct poll_call *c = (struct poll_call *)call;
	c->set[c->count] = (struct pollfd){.fd = fd, .events = POLLIN};
	return true;
}

static int poll_once(struct call *call, const struct timespec *left, bool *woken)
{
	struct poll_call *c = (struct poll_call *)call;
	int r = real.ppoll(c->set, c->count + 1, left, call->mask);
	if (r < 0 && errno == EINVAL) /* one more than the process may poll */
		return real.ppoll(c->set, c->count, left, call->mask);
	*woken = r > 0 && c->set[c->count].revents;
	return r - *woken;
}

int poll_until(struct vclock_page *page, struct pollfd *set, nfds_t count, int64_t deadline,
	       const sigset_t *mask)
{
	struct pollfd small[64];
	struct poll_call c = {
		.call = {.once = poll_once, .add_socket = poll_add_socket, .mask = mask},
		.count = count,
	};
	/* The kernel does not read that many, which may not be there. */
	struct rlimit limit;
	if (count > 1024 && !getrlimit(RLIMIT_NOFILE, &limit) && count > limit.rlim_cur) {
		errno = EINVAL;
		return -1;
	}
	c.set = room(&c.call, small, sizeof small, (count + 1) * sizeof *set);
	if (!c.set)
		return -1;
	if (count)
		memcpy(c.set, set, count * sizeof *set);
	int r = run_call(&c.call, page, deadline);
	if (r >= 0 || errno == EINTR)
		for (nfds_t i = 0; i < count; i++)
			set[i].revents = c.set[i].revents;
	free_room(&c.call);
	return r;
}

EXPORT int ppoll(struct pollfd *set, nfds_t count, const struct timespec *timeout,
		 const sigset_t *mask)
{
	struct vclock_page *page = vclock();
	if (!page || !timeout || !valid_nanoseconds(timeout) || nanoseconds(timeout) <= 0)
		return real.ppoll(set, count, timeout, mask);
	int64_t deadline = virtual_monotonic(page) + nanoseconds(timeout);
	return poll_until(page, set, count, deadline, mask);
}

EXPORT int poll(struct pollfd *set, nfds_t count, int milliseconds)
{
	struct vclock_page *page = vclock();
	if (!page || milliseconds <= 0)
		return real.poll(set, count, milliseconds);
	int64_t deadline = virtual_monotonic(page) + milliseconds * MILLISECOND;
	return poll_until(page, set, count, deadline, NULL);
}

EXPORT int __poll_chk(struct pollfd *set, nfds_t count, int milliseconds, size_t size)
{
	if (!vclock() || size / sizeof *set < count)
		return real.poll_chk(set, count, milliseconds, size);
	return poll(set, count, milliseconds);
}

EXPORT int __ppoll_chk(struct pollfd *set, nfds_t count, const struct timespec *timeout,
		       const sigset_t *mask, size_t size)
{
	if (!vclock() || size / sizeof *set < count)
		return real.ppoll_chk(set, count, timeout, mask, size);
	return ppoll(set, count, timeout, mask);
}

EXPORT int __poll(struct pollfd *set, nfds_t count, int milliseconds)
	__attribute__((alias("poll")));

/* epoll sets are polled from outside, as their members are nobody else's. */
static int epoll_until(struct vclock_page *page, int set, struct epoll_event *events, int most,
		       int64_t deadline, const sigset_t *mask)
{
	for (;;) {
		struct pollfd ready = {.fd = set, .events = POLLIN};
		int r = real.epoll_pwait(set, events, most, 0, mask);
		if (!r)
			r = poll_until(page, &ready, 1, deadline, mask);
		else
			return r;
		if (r <= 0)
			return r;
	}
}

EXPORT int epoll_pwait2(int set, struct epoll_event *events, int most,
			const struct timespec *timeout, const sigset_t *mask)
{
	struct vclock_page *page = vclock();
	if (!page || !timeout || !valid_nanoseconds(timeout) || nanoseconds(timeout) <= 0)
		return real.epoll_pwait2(set, events, most, timeout, mask);
	int64_t deadline = virtual_monotonic(page) + nanoseconds(timeout);
	return epoll_until(page, set, events, most, deadline, mask);
}

EXPORT int epoll_pwait(int set, struct epoll_event *events, int most, int milliseconds,
		       const sigset_t *mask)
{
	struct vclock_page *page = vclock();
	if (!page || milliseconds <= 0)
		return real.epoll_pwait(set, events, most, milliseconds, mask);
	int64_t deadline = virtual_monotonic(page) + milliseconds * MILLISECOND;
	return epoll_until(page, set, events, most, deadline, mask);
}

EXPORT int epoll_wait(int set, struct epoll_event *events, int most, int milliseconds)
{
	if (!vclock())
		return real.epoll_wait(set, events, most, milliseconds);
	return epoll_pwait(set, events, most, milliseconds, NULL);
}

/* mqueue.c: message queues, which can be polled. */
#include "lib.h"

static const struct timespec past = {0};

static bool wait_for(struct vclock_page *page, mqd_t queue, short events,
		     const struct timespec *when)
{
	struct pollfd set = {.fd = queue, .events = events};
	int64_t deadline = deadline_of(page, CLOCK_REALTIME, when);
	if (deadline <= virtual_monotonic(page)) {
		errno = ETIMEDOUT;
		return false;
	}
	int r = poll_until(page, &set, 1, deadline, NULL);
	if (!r)
		errno = ETIMEDOUT;
	return r > 0;
}

EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict message, size_t size,
			       unsigned *restrict priority, const struct timespec *restrict when)
{
	struct vclock_page *page = vclock();
	if (!page || !valid_nanoseconds(when))
		return real.mq_timedreceive(queue, message, size, priority, when);
	ssize_t r;
	do
		r = real.mq_timedreceive(queue, message, size, priority, &past);
	while (r < 0 && errno == ETIMEDOUT && wait_for(page, queue, POLLIN, when));
	return r;
}

EXPORT int mq_timedsend(mqd_t queue, const char *message, size_t size, unsigned priority,
			const struct timespec *when)
{
	struct vclock_page *page = vclock();
	if (!page || !valid_nanoseconds(when))
		return real.mq_timedsend(queue, message, size, priority, when);
	int r;
	do
		r = real.mq_timedsend(queue, message, size, priority, &past);
	while (r < 0 && errno == ETIMEDOUT && wait_for(page, queue, POLLOUT, when));
	return r;
}

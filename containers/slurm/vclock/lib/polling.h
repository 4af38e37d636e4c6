/* polling.h: what poll, select and epoll have in common. */
#ifndef VCLOCK_POLLING_H
#define VCLOCK_POLLING_H

#include "lib.h"

/* One of the kernel's polling calls, made again after each wake-up by vclockd. */
struct call {
	/* The system call; counts only the caller's descriptors, and sets *woken
	 * if the socket ended it, or ended it by being closed. */
	int (*once)(struct call *c, const struct timespec *left, bool *woken);
	bool (*add_socket)(struct call *c, int fd); /* below 0: none */
	const sigset_t *mask;
	void *memory; /* to be unmapped */
	size_t size;
	sigset_t outside; /* the signal mask of the caller */
	struct wait wait;
	bool waits;
};

/* Memory for a copy of the caller's set: small if that is enough. Sets errno. */
void *room(struct call *c, void *small, size_t small_size, size_t size);
void free_room(struct call *c);
int run_call(struct call *c, struct vclock_page *page, int64_t deadline);

#endif

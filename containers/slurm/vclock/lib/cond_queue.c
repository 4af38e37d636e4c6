/*
 * cond_queue.c: condition variables of one process.
 *
 * libc's own cannot wake a thread for two reasons, a signal and a jump, from
 * one futex word. So a pthread_cond_t holds a queue of waiters here, whose
 * nodes are on the waiters' stacks, and each node names the one word on which
 * its thread sleeps: the slot's, which vclockd also wakes, or its own state if
 * no jump can end the wait.
 *
 * Who takes a node from WAITING owns the decision how the wait ends: a
 * signaller (CLAIMED, then SIGNALLED when it will not touch the node again) or
 * the waiter itself, by time or cancellation (LEAVING, then it unlinks itself).
 * Claimed nodes leave the queue before the lock does, and become SIGNALLED
 * after it, so that a waiter may destroy the condition variable at once. A
 * waiter that leaves, or that may have to hand on its signal because it is
 * cancelled, still needs it: pthread_cond_destroy waits for those, as libc's
 * does.
 */
#include "cond.h"

static void lock(struct cond *c)
{
	uint32_t own = atomic_load_explicit(&fork_generation, memory_order_relaxed) << 2;
	uint32_t seen = atomic_load_explicit(&c->lock, memory_order_relaxed);
	uint32_t to = 1;
	for (;;) {
		bool stale = (seen & ~3u) != own;
		if (!stale && (seen & 3)) {
			to = 2;
			if ((seen & 3) == 1 &&
			    !atomic_compare_exchange_weak(&c->lock, &seen, own | 2))
				continue;
			futex_wait(&c->lock, own | 2, false, NULL, NO_CANCEL);
			seen = atomic_load(&c->lock);
			continue;
		}
		if (!atomic_compare_exchange_weak(&c->lock, &seen, own | to))
			continue;
		if (stale) {
			c->first = c->last = NULL;
			atomic_store(&c->handed, 0);
		}
		return;
	}
}

static void unlock(struct cond *c)
{
	uint32_t own = atomic_load_explicit(&fork_generation, memory_order_relaxed) << 2;
	if ((atomic_exchange(&c->lock, own) & 3) == 2)
		futex_wake(&c->lock, false, 1);
}

static void link_waiter(struct cond *c, struct waiter *n)
{
	n->prev = c->last;
	if (c->last)
		c->last->next = n;
	else
		c->first = n;
	c->last = n;
}

static void unlink_waiter(struct cond *c, struct waiter *n)
{
	*(n->prev ? &n->prev->next : &c->first) = n->next;
	*(n->next ? &n->next->prev : &c->last) = n->prev;
}

/* Takes up to most waiters, first come first served, and wakes them. */
void signal_waiters(struct cond *c, int most)
{
	struct waiter *claimed = NULL, **end = &claimed;
	lock(c);
	for (struct waiter *n = c->first, *next; n && most > 0; n = next) {
		next = n->next;
		uint32_t waiting = WAITING;
		if (!atomic_compare_exchange_strong(&n->state, &waiting, CLAIMED))
			continue;
		unlink_waiter(c, n);
		n->handed = most == 1;
		if (n->handed)
			atomic_fetch_add(&c->handed, 1);
		n->next = NULL;
		*end = n;
		end = &n->next;
		most -= most != INT_MAX;
	}
	unlock(c);
	while (claimed) {
		struct waiter *next = claimed->next;
		_Atomic uint32_t *word = claimed->word;
		bool shared = claimed->slot_word;
		/* The slot's word, unlike the node, is always there, and must change
		 * last: a waiter that saw the new word has to see the new state. */
		atomic_store(&claimed->state, SIGNALLED);
		if (shared)
			atomic_fetch_add(word, 1);
		futex_wake(word, shared, 1);
		claimed = next;
	}
}

static bool leave(struct cond *c, struct waiter *n)
{
	uint32_t waiting = WAITING;
	if (!atomic_compare_exchange_strong(&n->state, &waiting, LEAVING))
		return false;
	lock(c);
	unlink_waiter(c, n);
	unlock(c);
	return true;
}

/* The last touch of the condition variable by a signalled waiter. */
static void release(struct cond *c, struct waiter *n)
{
	if (n->handed && atomic_fetch_sub(&c->handed, 1) == 1)
		futex_wake(&c->handed, false, INT_MAX);
}

static void await_signaller(struct waiter *n)
{
	uint32_t state;
	while ((state = atomic_load(&n->state)) != SIGNALLED) {
		if (!n->slot_word) {
			futex_wait(&n->state, state, false, NULL, NO_CANCEL);
			continue;
		}
		uint32_t seen = atomic_load(n->word);
		if (atomic_load(&n->state) != SIGNALLED)
			futex_wait(n->word, seen, true, NULL, NO_CANCEL);
	}
}

/* Ends a wait whose thread no longer wants the signal. */
static void abandon(struct cond_wait *w)
{
	if (leave(w->cond, &w->node))
		return;
	await_signaller(&w->node);
	if (w->node.handed)
		signal_waiters(w->cond, 1);
	release(w->cond, &w->node);
}

static void cancelled(void *p)
{
	struct cond_wait *w = p;
	if (w->timed)
		end_wait(w->timed);
	abandon(w);
	pthread_mutex_lock(w->mutex);
}

static int await(struct cond_wait *w)
{
	struct waiter *n = &w->node;
	struct wait *t = w->timed;
	pthread_testcancel(); /* also if the deadline is past */
	for (;;) {
		uint32_t state = atomic_load(&n->state);
		if (!t) {
			if (state == SIGNALLED)
				return 0;
			futex_wait(&n->state, state, false, NULL, CANCEL);
			continue;
		}
		uint32_t seen = n->slot_word ? atomic_load(n->word) : state;
		if (atomic_load(&n->state) == SIGNALLED)
			return 0;
		if (virtual_monotonic(t->page) < t->rounded) {
			struct timespec limit;
			futex_wait(n->word, seen, n->slot_word,
				   real_limit(t->page, t->rounded, &limit), CANCEL);
			continue;
		}
		if (leave(w->cond, n))
			return ETIMEDOUT;
		await_signaller(n);
		return 0;
	}
}

int wait_in_queue(struct cond_wait *w)
{
	struct waiter *n = &w->node;
	n->slot_word = w->timed && w->timed->slot;
	n->word = n->slot_word ? w->timed->word : &n->state;
	lock(w->cond);
	link_waiter(w->cond, n);
	unlock(w->cond);
	int r = pthread_mutex_unlock(w->mutex);
	if (r) {
		abandon(w);
		return r;
	}
	pthread_cleanup_push(cancelled, w);
	r = await(w);
	pthread_cleanup_pop(0);
	if (!r)
		release(w->cond, n);
	return r;
}

bool has_waiters(struct cond *c, uint32_t *handed)
{
	lock(c);
	bool waiters = c->first;
	*handed = atomic_load(&c->handed);
	unlock(c);
	return waiters || *handed;
}

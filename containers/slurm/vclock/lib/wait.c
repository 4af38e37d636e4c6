/* wait.c: the protocol of vclock.h, and the futex calls under it. */
#include <linux/futex.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lib.h"

/* Asynchronous cancellation is on only while the thread is in the kernel: libc
 * has no function that waits on a futex and can be cancelled. Callers clean up
 * with pthread_cleanup_push, and are compiled without -fexceptions so that it
 * works at every instruction. */
int futex_wait(_Atomic uint32_t *word, uint32_t seen, bool shared, const struct timespec *until,
	       enum cancel cancel)
{
	int type;
	if (cancel)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	int op = FUTEX_WAIT_BITSET | (shared ? 0 : FUTEX_PRIVATE_FLAG);
	long r = syscall(SYS_futex, word, op, seen, until, NULL, FUTEX_BITSET_MATCH_ANY);
	int e = errno;
	if (cancel)
		pthread_setcanceltype(type, NULL);
	return r < 0 ? e : 0;
}

void futex_wake(_Atomic uint32_t *word, bool shared, int count)
{
	int e = errno;
	syscall(SYS_futex, word, FUTEX_WAKE | (shared ? 0 : FUTEX_PRIVATE_FLAG), count);
	errno = e;
}

const struct timespec *real_limit(struct vclock_page *page, int64_t deadline, struct timespec *t)
{
	if (deadline - page->epoch - atomic_load(&page->jumped) > FOREVER)
		return NULL;
	*t = timespec_of(vclock_real(page, deadline));
	return t;
}

/* Only sleeps and condition variables: what else has a limit has it as a
 * safeguard, and mostly ends before. */
static int64_t round_up(struct vclock_page *page, const char *thread, int64_t deadline)
{
	for (int i = 0; i < (int)VCLOCK_ROUNDS && page->round[i].thread[0]; i++) {
		int64_t grain = page->round[i].grain;
		if (grain <= 0 || strncmp(page->round[i].thread, thread, VCLOCK_NAME))
			continue;
		int64_t wall = page->wall + (deadline - page->epoch);
		return deadline + (grain - wall % grain) % grain;
	}
	return deadline;
}

void begin_wait(struct wait *w, struct vclock_page *page, enum vclock_kind kind, int64_t deadline)
{
	struct vclock_slot *s = own_slot();
	*w = (struct wait){.page = page, .slot = s, .deadline = deadline, .rounded = deadline};
	if (!s) {
		w->word = &w->own;
		return;
	}
	w->word = &s->word;
	_Atomic int64_t *registered = &page->deadline[s - page->slot];
	w->outer_deadline = atomic_load(registered);
	w->outer_asked = s->asked;
	w->outer_kind = s->kind;
	int64_t asked = deadline - virtual_monotonic(page);
	if (asked > MILLISECOND)
		prctl(PR_GET_NAME, s->thread);
	if (kind == VCLOCK_SLEEP || kind == VCLOCK_COND)
		w->rounded = round_up(page, s->thread, deadline);
	s->kind = (uint8_t)kind;
	s->asked = asked;
	if (asked <= FOREVER)
		atomic_store(registered, w->rounded);
}

/* The word changes so that an outer wait, which may have lost its own wake-up
 * to this one, looks again before it sleeps. */
void end_wait(struct wait *w)
{
	if (!w->slot)
		return;
	_Atomic int64_t *registered = &w->page->deadline[w->slot - w->page->slot];
	atomic_store(registered, 0);
	w->slot->kind = w->outer_kind;
	w->slot->asked = w->outer_asked;
	if (w->outer_deadline)
		atomic_store(registered, w->outer_deadline);
	atomic_fetch_add(w->word, 1);
}

int wait_on_word(struct wait *w, uint32_t seen, enum cancel cancel)
{
	struct timespec t;
	const struct timespec *until = real_limit(w->page, w->rounded, &t);
	return futex_wait(w->word, seen, w->slot != NULL, until, cancel) == EINTR ? EINTR : 0;
}

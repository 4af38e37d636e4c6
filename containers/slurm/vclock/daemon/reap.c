/*
 * reap.c: frees the slots of processes that ended without doing so.
 *
 * A slot whose owner was killed keeps its last deadline, which costs one jump
 * that nobody waited for, and then its place in the table. A process id may be
 * given out again before this is noticed; then the slot stays taken, without a
 * deadline, until that process ends as well.
 */
#include <errno.h>
#include <signal.h>

#include "vclockd.h"

void reap(struct vclock_page *page)
{
	uint32_t high = atomic_load(&page->high);
	int32_t alive = 0;

	for (uint32_t i = 0; i < high && i < VCLOCK_SLOTS; i++) {
		struct vclock_slot *slot = &page->slot[i];
		int32_t owner = atomic_load(&slot->owner);
		if (owner <= 0 || owner == alive)
			continue;
		if (!kill(owner, 0) || errno != ESRCH) {
			alive = owner;
			continue;
		}
		atomic_store(&page->deadline[i], 0);
		if (atomic_compare_exchange_strong(&slot->owner, &owner, 0))
			add(&page->reaped, 1);
	}
}

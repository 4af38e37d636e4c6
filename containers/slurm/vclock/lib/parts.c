/*
 * parts.c: what the parts do when the process forks and when a thread ends.
 *
 * They are called by page.c, on which all of them depend. So that it depends on
 * none of them, each puts its functions into one section of the library
 * (PART), and the linker tells where that begins and ends.
 */
#include "lib.h"

#define BOUND __attribute__((visibility("hidden")))
extern const struct part *const __start_vclock_parts[] BOUND;
extern const struct part *const __stop_vclock_parts[] BOUND;

#define FOR_PARTS(p) \
	for (const struct part *const *p = __start_vclock_parts; p < __stop_vclock_parts; p++)

void parts_before_fork(void)
{
	FOR_PARTS(p)
		if ((*p)->before_fork)
			(*p)->before_fork();
}

void parts_after_fork(bool child)
{
	FOR_PARTS(p)
		if ((*p)->after_fork)
			(*p)->after_fork(child);
}

void parts_end_thread(void)
{
	FOR_PARTS(p)
		if ((*p)->ends_thread)
			(*p)->ends_thread();
}

/* process.c: the start and the exit of this process. */
#include "lib.h"

__attribute__((constructor)) static void start(void)
{
	if (!vclock())
		return;
	struct itimerval left;
	if (!real.getitimer(ITIMER_REAL, &left) && (left.it_value.tv_sec || left.it_value.tv_usec))
		adopt_timer(deadline_before_exec);
}

/* Other threads may still be in a wait; their slots stay theirs until vclockd
 * sees that the process is gone. */
__attribute__((destructor)) static void finish(void)
{
	if (!vclock())
		return;
	end_timer_service();
	end_thread();
}

/* c11.c: threads.h. In libc, cnd_t and mtx_t are pthread_cond_t and
 * pthread_mutex_t, and its cnd functions call its own condition variables. */
#include "lib.h"

static int thrd_result(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	case ENOMEM:
		return thrd_nomem;
	default:
		return thrd_error;
	}
}

EXPORT int cnd_init(cnd_t *cond)
{
	return thrd_result(pthread_cond_init((pthread_cond_t *)cond, NULL));
}

EXPORT void cnd_destroy(cnd_t *cond)
{
	pthread_cond_destroy((pthread_cond_t *)cond);
}

EXPORT int cnd_signal(cnd_t *cond)
{
	return thrd_result(pthread_cond_signal((pthread_cond_t *)cond));
}

EXPORT int cnd_broadcast(cnd_t *cond)
{
	return thrd_result(pthread_cond_broadcast((pthread_cond_t *)cond));
}

EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	return thrd_result(pthread_cond_wait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex));
}

EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
			 const struct timespec *restrict when)
{
	return thrd_result(
		pthread_cond_timedwait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, when));
}

EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict when)
{
	return thrd_result(pthread_mutex_timedlock((pthread_mutex_t *)mutex, when));
}

EXPORT int thrd_sleep(const struct timespec *t, struct timespec *left)
{
	switch (clock_nanosleep(CLOCK_REALTIME, 0, t, left)) {
	case 0:
		return 0;
	case EINTR:
		return -1;
	default:
		return -2;
	}
}

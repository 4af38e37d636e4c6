/* clocks.c: reading clocks. CPU-time clocks and those of devices stay real. */
#include <string.h>
#include <sys/syscall.h>

#include "lib.h"

static int real_clock(clockid_t clock, struct timespec *t)
{
	/* Only a call from inside dlsym comes before the function is found. */
	if (LIKELY(real.clock_gettime))
		return real.clock_gettime(clock, t);
	return (int)syscall(SYS_clock_gettime, clock, t);
}

int64_t real_monotonic(void)
{
	struct timespec t;
	real_clock(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

int64_t virtual_monotonic(struct vclock_page *page)
{
	return vclock_monotonic(page, real_monotonic());
}

static bool is_wall(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
	       clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

bool is_shifted(clockid_t clock)
{
	return is_wall(clock) || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
	       clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME ||
	       clock == CLOCK_BOOTTIME_ALARM;
}

int64_t read_clock(struct vclock_page *page, clockid_t clock)
{
	int64_t now = virtual_monotonic(page);
	return is_wall(clock) ? page->wall + (now - page->epoch) : now;
}

int64_t deadline_of(struct vclock_page *page, clockid_t clock, const struct timespec *when)
{
	int64_t t = nanoseconds(when);
	return is_wall(clock) ? page->epoch + (t - page->wall) : t;
}

int64_t nanoseconds(const struct timespec *t)
{
	const int64_t most = FOREVER / SECOND * 8;
	if (t->tv_sec >= most)
		return most * SECOND;
	if (t->tv_sec <= -most)
		return -most * SECOND;
	return t->tv_sec * SECOND + t->tv_nsec;
}

struct timespec timespec_of(int64_t ns)
{
	if (ns < 0)
		ns = 0;
	return (struct timespec){.tv_sec = ns / SECOND, .tv_nsec = ns % SECOND};
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
	struct vclock_page *page = vclock();
	if (!page || !is_shifted(clock))
		return real_clock(clock, t);
	*t = timespec_of(read_clock(page, clock));
	return 0;
}

EXPORT int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct vclock_page *page = vclock();
	if (!page && real.gettimeofday)
		return real.gettimeofday(t, zone);
	if (zone)
		memset(zone, 0, sizeof(struct timezone));
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	*t = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
	return 0;
}

EXPORT time_t time(time_t *t)
{
	struct timespec now;
	struct vclock_page *page = vclock();
	/* libc's own reads the coarse clock, which lags behind the others. */
	if (!page && real.time)
		return real.time(t);
	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}

EXPORT int timespec_get(struct timespec *t, int base)
{
	if (!vclock() || base != TIME_UTC)
		return real.timespec_get(t, base);
	clock_gettime(CLOCK_REALTIME, t);
	return base;
}

EXPORT clock_t times(struct tms *t)
{
	struct vclock_page *page = vclock();
	clock_t ticks = real.times(t);
	if (!page || ticks == (clock_t)-1)
		return ticks;
	return virtual_monotonic(page) / (SECOND / sysconf(_SC_CLK_TCK));
}

/* slurmd tells slurmctld how long its node is up; a node whose uptime does not
 * grow with time looks like one that was restarted. */
EXPORT int sysinfo(struct sysinfo *info)
{
	struct vclock_page *page = vclock();
	int r = real.sysinfo(info);
	if (page && !r) {
		int64_t m = real_monotonic();
		info->uptime += (vclock_monotonic(page, m) - m) / SECOND;
	}
	return r;
}

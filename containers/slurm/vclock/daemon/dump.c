/*
 * dump.c: prints the page for a person who looks for what the clock waits for.
 */
#include <stdio.h>
#include <stdlib.h>

#include "vclockd.h"

static const char *const kinds[] = {"free", "sleep", "cond", "poll", "sem", "timer", "step"};

static const char *kind_name(uint32_t kind)
{
	return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "?";
}

static double seconds(int64_t ns)
{
	return ns / (double)SECOND;
}

static int more_jumps(const void *a, const void *b)
{
	const struct vclock_source *x = *(const struct vclock_source *const *)a;
	const struct vclock_source *y = *(const struct vclock_source *const *)b;

	return (x->jumps < y->jumps) - (x->jumps > y->jumps);
}

static void dump_sources(const struct vclock_page *p)
{
	const struct vclock_source *sorted[VCLOCK_SOURCES];

	for (unsigned i = 0; i < VCLOCK_SOURCES; i++)
		sorted[i] = &p->source[i];
	qsort(sorted, VCLOCK_SOURCES, sizeof *sorted, more_jumps);
	for (unsigned i = 0; i < VCLOCK_SOURCES && sorted[i]->jumps; i++)
		printf("source %-15.16s %-5s %lu\n", sorted[i]->thread, kind_name(sorted[i]->kind),
		       (unsigned long)sorted[i]->jumps);
}

static void dump_slots(const struct vclock_page *p, int64_t now)
{
	for (unsigned i = 0; i < p->high && i < VCLOCK_SLOTS; i++) {
		const struct vclock_slot *s = &p->slot[i];
		int64_t deadline = p->deadline[i];
		if (!s->owner)
			continue;
		printf("slot %5u pid %d tid %d %-15.16s %-5s", i, s->owner, s->tid, s->thread, kind_name(s->kind));
		if (deadline)
			printf(" due in %.9f s", seconds(deadline - now));
		else
			printf(" no deadline");
		printf(", asked %.9f s\n", seconds(s->asked));
	}
}

int dump(const struct vclock_page *p)
{
	int64_t now = vclock_monotonic(p, real_now());

	int64_t wall = p->wall + (now - p->epoch);
	time_t whole = wall / SECOND;
	char date[32];
	strftime(date, sizeof date, "%FT%TZ", gmtime(&whole));
	printf("realtime %s (%.9f) monotonic %.9f jumped %.9f s\n", date, seconds(wall), seconds(now), seconds(p->jumped));
	printf("think scale %.9g hold %d controller %d slots below %u\n", 0x1p32 / (double)p->rate, p->hold,
	       p->controller, p->high);
	printf("jumps %lu wakes %lu tests %lu caught running %lu blocked %lu\n", (unsigned long)p->jumps,
	       (unsigned long)p->wakes, (unsigned long)p->tests, (unsigned long)p->caught_running,
	       (unsigned long)p->caught_blocked);
	printf("threads read %lu births %lu reaped %lu takeovers %lu slotless %lu\n", (unsigned long)p->threads_read,
	       (unsigned long)p->births, (unsigned long)p->reaped, (unsigned long)p->takeovers,
	       (unsigned long)p->slotless);
	printf("idle %.6f s busy %.6f s longest %.6f s until monotonic %.9f\n", seconds(p->idle_ns),
	       seconds(p->busy_ns), seconds(p->longest_ns), seconds(p->longest_at));
	for (unsigned i = 0; i < VCLOCK_ROUNDS && p->round[i].thread[0]; i++)
		printf("round %.16s %.9f s\n", p->round[i].thread, seconds(p->round[i].grain));
	dump_sources(p);
	dump_slots(p, now);
	return 0;
}

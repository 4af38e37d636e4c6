/*
 * main.c: vclockd, which lets virtual time jump (see ../vclock.h).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vclockd.h"

static const char usage[] =
	"usage: vclockd [--page PATH] [--start UNIX_SECONDS] [--think-scale F] [--hold]\n"
	"               [--round THREAD=SECONDS]...\n"
	"       vclockd --attach [--page PATH]\n"
	"       vclockd --dump [--page PATH]\n";

/* Decimal seconds in nanoseconds, exactly; -1 if the text is none. */
static int64_t parse_seconds(const char *text, int64_t most)
{
	char *end;
	int64_t ns;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	long long seconds = strtoll(text, &end, 10);
	if (errno || seconds > most)
		return -1;
	ns = seconds * SECOND;
	if (*end == '.')
		for (int64_t unit = SECOND / 10; *++end >= '0' && *end <= '9'; unit /= 10)
			ns += (*end - '0') * unit;
	return *end || ns > most * SECOND ? -1 : ns;
}

#define LAST_START 4102444800 /* 2100-01-01 */
#define LEAST_THINK 0.001
#define MOST_THINK 1000.0
#define MOST_ROUND 86400

static void parse_round(struct options *o, const char *value)
{
	const char *equals = strchr(value, '=');
	size_t length = equals ? equals - value : 0;
	int64_t grain = equals ? parse_seconds(equals + 1, MOST_ROUND) : -1;

	if (!length || length >= VCLOCK_NAME || grain <= 0)
		fail(2, "--round %s: want THREAD=SECONDS with 1 to %d characters and above 0 to %d", value,
		     VCLOCK_NAME - 1, MOST_ROUND);
	if (o->rounds == VCLOCK_ROUNDS)
		fail(2, "--round %s: want at most %u of them", value, VCLOCK_ROUNDS);
	memcpy(o->round[o->rounds].thread, value, length);
	o->round[o->rounds++].grain = grain;
}

static void parse_think(struct options *o, const char *value)
{
	char *end;

	o->think = strtod(value, &end);
	/* Also refuses what is not a number. */
	if (end == value || *end || !(o->think >= LEAST_THINK && o->think <= MOST_THINK))
		fail(2, "--think-scale %s: want a number from %g to %g", value, LEAST_THINK, MOST_THINK);
}

static struct options parse(char **argument)
{
	const char *path = getenv("VCLOCK_PAGE"), *fresh = NULL;
	struct options o = {.path = path && *path ? path : VCLOCK_PATH, .start = -1, .think = 1};

	while (*++argument) {
		const char *flag = *argument, *value = argument[1];
		if (!strcmp(flag, "--attach")) {
			o.attach = true;
			continue;
		}
		if (!strcmp(flag, "--dump")) {
			o.dump = true;
			continue;
		}
		if (!strcmp(flag, "--help")) {
			fputs(usage, stdout);
			exit(0);
		}
		if (strcmp(flag, "--page"))
			fresh = flag;
		if (!strcmp(flag, "--hold")) {
			o.hold = true;
			continue;
		}
		if (strcmp(flag, "--page") && strcmp(flag, "--start") && strcmp(flag, "--think-scale") &&
		    strcmp(flag, "--round"))
			fail(2, "%s: no such flag; --help shows those there are", flag);
		if (!value)
			fail(2, "%s: want a value", flag);
		argument++;
		if (!strcmp(flag, "--page")) {
			if (!*value)
				fail(2, "--page: want a path, not nothing");
			o.path = value;
		} else if (!strcmp(flag, "--start")) {
			o.start = parse_seconds(value, LAST_START);
			if (o.start < 0)
				fail(2, "--start %s: want Unix seconds from 0 to %lld", value, (long long)LAST_START);
		} else if (!strcmp(flag, "--think-scale")) {
			parse_think(&o, value);
		} else {
			parse_round(&o, value);
		}
	}
	if (fresh && (o.attach || o.dump))
		fail(2, "%s: want it without --attach and --dump, which take the page as it is", fresh);
	return o;
}

int main(int count, char **argument)
{
	(void)count;
	struct options o = parse(argument);

	if (o.dump)
		return dump(page_read(o.path));
	control(o.attach ? page_attach(o.path) : page_create(&o));
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"

static void reserve(struct text *t, size_t more)
{
	if (t->length + more + 1 <= t->room)
		return;
	t->room = 2 * (t->length + more + 1);
	t->s = realloc(t->s, t->room);
	if (!t->s)
		abort();
}

static void add(struct text *t, const char *s, size_t length)
{
	reserve(t, length);
	memcpy(t->s + t->length, s, length);
	t->length += length;
	t->s[t->length] = 0;
}

void add_word(struct text *t, const char *word)
{
	add(t, word, strlen(word));
}

/* Users write tabs and line breaks into names and comments. */
void add_cell(struct text *t, const char *value)
{
	add(t, "\t", 1);
	for (const char *rest = value; rest && *rest;) {
		size_t plain = strcspn(rest, "\t\n\r\\");

		add(t, rest, plain);
		rest += plain;
		switch (*rest) {
		case '\t': add(t, "\\t", 2); break;
		case '\n': add(t, "\\n", 2); break;
		case '\r': add(t, "\\r", 2); break;
		case '\\': add(t, "\\\\", 2); break;
		default: return;
		}
		rest++;
	}
}

char *unescape(char *cell)
{
	char *to = cell;

	for (const char *from = cell; *from; from++) {
		char c = *from;

		if (c == '\\' && from[1]) {
			from++;
			c = *from == 't' ? '\t' : *from == 'n' ? '\n' : *from == 'r' ? '\r' : *from;
		}
		*to++ = c;
	}
	*to = 0;
	return cell;
}

void add_number(struct text *t, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	add_cell(t, digits);
}

/* As squeue prints it in UTC. */
void add_time(struct text *t, time_t value)
{
	char digits[64];
	struct tm tm;

	if (!value || !gmtime_r(&value, &tm)) {
		add_cell(t, "N/A");
		return;
	}
	strftime(digits, sizeof(digits), "%Y-%m-%dT%H:%M:%S", &tm);
	add_cell(t, digits);
}

/* A time limit. */
void add_minutes(struct text *t, uint32_t minutes)
{
	char digits[48];

	if (minutes == INFINITE) {
		add_cell(t, "UNLIMITED");
		return;
	}
	if (minutes == NO_VAL) {
		add_cell(t, "NOT_SET");
		return;
	}
	snprintf(digits, sizeof(digits), "%u-%02u:%02u:00", minutes / 1440, minutes / 60 % 24, minutes % 60);
	add_cell(t, digits);
}

char *take(struct text *t)
{
	char *s = t->s;

	*t = (struct text) { 0 };
	return s;
}

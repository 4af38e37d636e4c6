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

/* The letter after a backslash that stands for a character, 0 if it stands for itself. */
static char escape(char c)
{
	switch (c) {
	case '\t': return 't';
	case '\n': return 'n';
	case '\r': return 'r';
	case '\\': return '\\';
	default: return 0;
	}
}

/* Users write tabs and line breaks into names and comments. */
void add_cell(struct text *t, const char *value)
{
	size_t length = value ? strlen(value) : 0;
	char *to;

	/* Room for a backslash before each character. */
	reserve(t, 1 + 2 * length);
	to = t->s + t->length;
	*to++ = '\t';
	for (size_t i = 0; i < length; i++) {
		char letter = escape(value[i]);

		if (letter)
			*to++ = '\\';
		*to++ = letter ? letter : value[i];
	}
	*to = 0;
	t->length = to - t->s;
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
	char *first = digits + sizeof(digits);

	do
		*--first = '0' + value % 10;
	while (value /= 10);
	add(t, "\t", 1);
	add(t, first, digits + sizeof(digits) - first);
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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"

static int by_number(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

struct text *add_row(struct picture *p, uint32_t number)
{
	if (p->count == p->room) {
		p->room = 2 * p->room + 64;
		p->rows = realloc(p->rows, p->room * sizeof(*p->rows));
		if (!p->rows)
			abort();
	}
	/* The zero byte of the row before stays. */
	if (p->count > 0)
		p->all.length++;
	p->rows[p->count++] = (struct row) { .number = number, .start = p->all.length };
	return &p->all;
}

void show(struct picture *seen, struct picture *now)
{
	struct picture before = *seen;
	size_t i = 0, old = 0;

	qsort(now->rows, now->count, sizeof(*now->rows), by_number);
	while (i < now->count || old < before.count) {
		const struct row *was = old < before.count ? &before.rows[old] : NULL;
		const struct row *is = i < now->count ? &now->rows[i] : NULL;

		bool known = was && is && was->number == is->number;

		if (was && (!is || was->number < is->number)) {
			printf("gone\t%" PRIu32 "\n", was->number);
			old++;
			continue;
		}
		if (!known || strcmp(before.all.s + was->start, now->all.s + is->start) != 0)
			puts(now->all.s + is->start);
		old += known;
		i++;
	}
	*seen = *now;
	*now = before;
	now->count = now->all.length = 0;
}

void put(struct text *t)
{
	puts(t->s);
	free(t->s);
	*t = (struct text) { 0 };
}

void answer_ok(size_t count)
{
	printf("ok\t%zu\n", count);
}

void answer_errno(int code)
{
	struct text t = { 0 };

	add_word(&t, "error");
	add_cell(&t, slurm_strerror(code));
	put(&t);
}

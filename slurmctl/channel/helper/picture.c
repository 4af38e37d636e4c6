#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"

static int by_number(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

void show(struct picture *p, struct row *rows, size_t count)
{
	size_t old = 0;

	qsort(rows, count, sizeof(*rows), by_number);
	for (size_t i = 0; i < count || old < p->count;) {
		struct row *before = old < p->count ? &p->rows[old] : NULL;
		struct row *now = i < count ? &rows[i] : NULL;

		if (now && (!before || now->number < before->number)) {
			puts(now->text);
			i++;
		} else if (!now || before->number < now->number) {
			printf("gone\t%" PRIu32 "\n", before->number);
			old++;
		} else {
			if (strcmp(before->text, now->text) != 0)
				puts(now->text);
			i++;
			old++;
		}
	}
	for (size_t i = 0; i < p->count; i++)
		free(p->rows[i].text);
	free(p->rows);
	p->rows = rows;
	p->count = count;
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
	puts(t.s);
	free(t.s);
}

/* fail.c: how vclockd ends when something is wrong. */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail(int status, const char *format, ...)
{
	va_list args;

	fputs("vclockd: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(status);
}

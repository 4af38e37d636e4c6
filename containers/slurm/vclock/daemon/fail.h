/* fail.h: how vclockd ends when something is wrong. */
#ifndef FAIL_H
#define FAIL_H

/* Prints one line to stderr and ends the process with this status. */
_Noreturn void fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

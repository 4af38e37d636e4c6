/* waits.h: the table of calls that end at a time. */
#ifndef WAITS_H
#define WAITS_H

enum {
	CANCELS = 1, /* cancellation point */
	BREAKS = 2,  /* ends with EINTR */
	STEPS = 4    /* wakes again and again, or sleeps elsewhere first */
};

struct wait_call {
	const char *name;
	int (*wait)(double seconds); /* 0: ended by time; or an error */
	int flags;
	double shortest; /* to be waited in real time */
};

extern const struct wait_call wait_calls[]; /* ends with a name NULL */
void prepare_waits(void);

#endif

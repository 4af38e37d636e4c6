/* timers.h: a timer of the kernel that is made to fire in virtual time. */
#ifndef VCLOCK_TIMERS_H
#define VCLOCK_TIMERS_H

#include "lib.h"

struct timer {
	struct timer *next;
	/* The kernel's timer, in real CLOCK_MONOTONIC: when is absolute. */
	void (*look)(struct timer *t, struct itimerspec *left);
	int (*arm)(struct timer *t, const struct itimerspec *when);
	/* Whether it has since *left was left, which is brought up to date. */
	bool (*has_fired)(struct timer *t, int64_t *left);
	/* Instead: does what the kernel's timer does, which is late by so much
	 * that it only fires if the service does not. */
	void (*signal)(void);
	int64_t late;
	timer_t id;
	int fd;
	clockid_t clock;
	bool silent;      /* never signals: nobody waits for it */
	int64_t deadline; /* virtual monotonic, 0: not armed */
	int64_t interval; /* virtual, 0: fires once */
	int64_t jumped;   /* page->jumped when the kernel's was armed */
};

/* All below need the lock, for whose time all signals are blocked: timers may
 * be set in signal handlers. */
void lock_timers(sigset_t *mask);
void unlock_timers(const sigset_t *mask);
void add_timer(struct timer *t);
void remove_timer(struct timer *t);
struct timer *find_timer(bool (*matches)(const struct timer *t, const void *key), const void *key);

bool valid_setting(const struct itimerspec *s);
/* Like timer_settime; the result is the kernel's. */
int set_timer(struct timer *t, bool absolute, const struct itimerspec *to,
	      struct itimerspec *old);
void get_timer(struct timer *t, struct itimerspec *left);
int arm_for(struct timer *t, struct vclock_page *page); /* its deadline */
int64_t next_period(const struct timer *t, int64_t now);
extern struct timer *timers;

/* timer_service.c */
void tell_timer_service(void); /* after a change */
void forget_timer_service(void);

/* itimer.c, timerfd.c */
int64_t itimer_deadline(void);
bool is_inherited(const struct timer *t);

#endif

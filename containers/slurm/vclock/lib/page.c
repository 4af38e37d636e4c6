/* page.c: the page, the slots of this process's threads, libc's functions. */
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "lib.h"

struct real real;
_Atomic uint32_t fork_generation;
int64_t deadline_before_exec;

enum { UNATTACHED, ATTACHING, ATTACHED };

static struct vclock_page *page;
/* A process that may only read the page has the time, and no slots: others jump
 * over its waits. */
static bool only_reads;
static _Atomic int state;
static _Thread_local bool inside_attach;
static _Thread_local struct vclock_slot *slot;
static pthread_key_t at_thread_end;
static pid_t self;

static void *real_function(const char *name, const char *symbol_version)
{
	void *f = symbol_version ? dlvsym(RTLD_NEXT, name, symbol_version) : NULL;
	return f ? f : dlsym(RTLD_NEXT, name);
}

static void find_real_functions(void)
{
#define FIND(name, symbol_version) \
	real.name = (__typeof__(real.name))real_function(#name, symbol_version);
	REAL_FUNCTIONS(FIND)
#undef FIND
	real.poll_chk = (__typeof__(real.poll_chk))real_function("__poll_chk", NULL);
	real.ppoll_chk = (__typeof__(real.ppoll_chk))real_function("__ppoll_chk", NULL);
}

static struct vclock_page *map_page(void)
{
	const char *path = getenv("VCLOCK_PAGE");
	if (!path)
		path = VCLOCK_PATH;
	int fd = *path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0 && *path && errno == EACCES) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		only_reads = true;
	}
	if (fd < 0)
		return NULL;
	struct stat st;
	struct vclock_page *p = MAP_FAILED;
	if (!fstat(fd, &st) && st.st_size >= (off_t)sizeof *p)
		p = mmap(NULL, sizeof *p, PROT_READ | (only_reads ? 0 : PROT_WRITE), MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return NULL;
	if (atomic_load_explicit(&p->magic, memory_order_acquire) == VCLOCK_MAGIC &&
	    p->version == VCLOCK_VERSION && p->slots == VCLOCK_SLOTS && p->rate)
		return p;
	munmap(p, sizeof *p);
	return NULL;
}

void free_slot(struct vclock_slot *s)
{
	atomic_store(&page->deadline[s - page->slot], 0);
	atomic_store(&s->owner, 0);
}

/* No socket has a name here, so there is room for what the next image of this
 * process has to know: ITIMER_REAL survives exec, but the list of timers does not. */
void keep_deadline(struct vclock_slot *s, int64_t itimer)
{
	memcpy(s->name, &itimer, sizeof itimer);
}

/* exec keeps the process id but leaves no thread to free the slots. */
static void free_slots_of_last_image(void)
{
	uint32_t high = atomic_load(&page->high);
	for (uint32_t i = 0; i < high && i < VCLOCK_SLOTS; i++) {
		struct vclock_slot *s = &page->slot[i];
		if (atomic_load_explicit(&s->owner, memory_order_relaxed) != self)
			continue;
		if (s->kind == VCLOCK_TIMER)
			memcpy(&deadline_before_exec, s->name, sizeof deadline_before_exec);
		free_slot(s);
	}
}

void end_thread(void)
{
	parts_end_thread();
	if (slot && atomic_load(&slot->owner) == self)
		free_slot(slot);
	slot = NULL;
}

static void thread_ends(void *unused)
{
	(void)unused;
	end_thread();
}

static void in_parent_after_fork(void)
{
	parts_after_fork(false);
}

static void in_child_after_fork(void)
{
	self = getpid();
	slot = NULL;
	atomic_fetch_add(&fork_generation, 1);
	parts_after_fork(true);
}

/* The first replaced call may come before this library's constructor, from
 * another library's, and even from inside dlsym. */
static struct vclock_page *attach(void)
{
	if (inside_attach)
		return NULL;
	int expected = UNATTACHED;
	if (!atomic_compare_exchange_strong(&state, &expected, ATTACHING)) {
		while (atomic_load_explicit(&state, memory_order_acquire) != ATTACHED)
			sched_yield();
		return page;
	}
	inside_attach = true;
	int e = errno;
	find_real_functions();
	page = map_page();
	if (page) {
		self = getpid();
		if (!only_reads)
			free_slots_of_last_image();
		pthread_key_create(&at_thread_end, thread_ends);
		pthread_atfork(parts_before_fork, in_parent_after_fork, in_child_after_fork);
	}
	errno = e;
	inside_attach = false;
	atomic_store_explicit(&state, ATTACHED, memory_order_release);
	return page;
}

struct vclock_page *vclock(void)
{
	if (LIKELY(atomic_load_explicit(&state, memory_order_acquire) == ATTACHED))
		return page;
	return attach();
}

static struct vclock_slot *take_slot(void)
{
	if (only_reads)
		return NULL;
	for (uint32_t i = 0; i < VCLOCK_SLOTS; i++) {
		struct vclock_slot *s = &page->slot[i];
		int32_t nobody = 0;
		if (atomic_load_explicit(&s->owner, memory_order_relaxed) != 0 ||
		    !atomic_compare_exchange_strong(&s->owner, &nobody, self))
			continue;
		uint32_t high = atomic_load(&page->high);
		while (high <= i && !atomic_compare_exchange_weak(&page->high, &high, i + 1))
			;
		atomic_store(&page->deadline[i], 0);
		s->tid = (int32_t)syscall(SYS_gettid);
		s->kind = VCLOCK_FREE;
		s->name_len = 0;
		prctl(PR_GET_NAME, s->thread);
		return s;
	}
	atomic_fetch_add(&page->slotless, 1);
	return NULL;
}

struct vclock_slot *own_slot(void)
{
	if (LIKELY(slot && atomic_load_explicit(&slot->owner, memory_order_relaxed) == self))
		return slot;
	slot = take_slot();
	if (slot)
		pthread_setspecific(at_thread_end, slot);
	return slot;
}

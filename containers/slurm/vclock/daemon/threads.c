/*
 * threads.c: do all threads of the cluster sleep?
 *
 * The yield test cannot see threads in D state: they wait for a disk or for a
 * child of vfork(2), which is computing as far as the cluster is concerned. So
 * before a jump all threads must be seen asleep. Reading their states takes 2 to
 * 4 us each. That is too much for hundreds at every jump, and most of them did
 * not run since the last one. Hence:
 *
 * - A process's CPU clock (0.3 us) is exact to the nanosecond. If it shows what
 *   it showed at a moment at which all threads of the process slept, then none
 *   of them has run since, and none needs to be read.
 * - A thread may still be runnable in such a process: it was woken and has not
 *   run yet. If a thread woke it, that one ran, and the yields before and after
 *   this look would have run the woken one too (core.c). If vclockd did, the
 *   process counts as changed (threads_changed). If an interrupt did, it came
 *   just now, and the jump goes up to that instant.
 * - Within a process that has run, a thread's schedstat (0.9 us, its state 3.4 us)
 *   tells in the same way whether this thread has: it counts its turns on a core.
 *   One that was woken and has not run yet is not seen so; it runs when vclockd
 *   leaves the core before the jump (core_rest), which shows in the clock.
 * - New processes and threads move the last field of /proc/loadavg, the last
 *   process id given out in this namespace (1 us). Only then the process list is
 *   remade. A process's thread list is remade when the process has run since
 *   then, as only the process itself makes threads. Should exactly as many ids as
 *   there are have been given out, the field looks unmoved. That takes a second
 *   at least, so the list is remade after a tenth of it.
 * - fork(2) gives the process id out before the child is in any list, and may wait
 *   in between: for memory, or for the lock under which a container engine moves
 *   processes between control groups. A list made then lacks the child, and the id
 *   does not move again: the clock would jump over the child until the next list,
 *   hundreds of times. So a list counts as complete only if nobody on it was new
 *   and nobody ran from before it was made until all were seen asleep: a process
 *   that forks does not sleep. Until then each look lists again, and none allows a
 *   jump. A fork from outside the namespace, as of a container engine, is not
 *   seen; so the last id, if nobody had it, is asked for at each look.
 * - A process id that is used again shows in the CPU clock, and then in the
 *   files kept open, which belong to the old process and fail.
 *
 * A process that a signal has stopped sleeps: its parent learns of it from the
 * kernel and may hold the clock. Of a process that the first one of the
 * namespace has inherited, such as a slurmstepd, nobody learns; until it goes on,
 * the cluster counts as computing. A suspended job is no such process: its
 * parent lives. Nor is what a user's program has started: it rests with that
 * (page_withheld_from).
 *
 * A wait for a file of a FUSE file system, as some container engines use for the
 * root, is a plain sleep by its state. If one is mounted, /proc/P/task/T/wchan
 * tells (2 us), though not at once. Without CAP_SYS_PTRACE it tells only the owner
 * of the process, who vclockd is for that reading (8 us). It tells nobody of a
 * process that has changed its user and executed nothing since. Between fork(2) and
 * execve(2), which looks for a file, such a process counts as waiting for it, but
 * for a second at most: it may be none that ever executes anything. Waits for files
 * of others, such as MariaDB's, are taken for sleeps.
 *
 * The cluster is everything in vclockd's process id namespace and the ones below
 * it. Processes of other namespaces that share the core are not visible here and
 * are noticed only while they run.
 *
 * If vclockd may run on several cores, the yield test says nothing. Then every
 * process's clock is read, every thread's state, and every clock again. A thread
 * that was runnable at the first of these either still is when its state is
 * read, or blocked in between, which moved its clock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "proc.h"
#include "vclockd.h"

#define LIST_AGAIN (SECOND / 10)
/* How long a process whose wait nobody can see may be on the way to its exec. */
#define LONGEST_BIRTH SECOND
/* PF_FORKNOEXEC of linux/sched.h, in field 9 of a stat file: forked, and has
 * executed nothing since. Each thread but the first one of a program also has it. */
#define FORKED 0x40
/* Sleeping, stopped, traced, parked, dead, zombie. */
#define ASLEEP_STATES "STtPXZ"

/* Longer than any line of a schedstat file, three numbers. */
#define RAN 64

struct thread {
	pid_t id;
	int stat; /* descriptors of its files, -1 = not kept open */
	int wchan;
	int schedstat;
	char slept[RAN]; /* its schedstat when it slept, empty = unknown */
};

struct process {
	pid_t id;
	int64_t born;    /* real time when it was listed first */
	int64_t slept;   /* CPU clock when all threads slept, -1 = unknown */
	int64_t clock;   /* CPU clock at this look */
	uint64_t listed; /* generation of the thread list */
	struct thread *thread;
	int threads;
};

static struct vclock_page *page;
static bool single;     /* the cluster has one core, so the yield test holds */
static bool stored_lag; /* see core.c */
static bool fuse;       /* a FUSE file system is mounted */
static bool alone;      /* see threads_alone */
static pid_t self;
static int loadavg;
static struct process *process; /* ascending by id */
static int processes;
static uint64_t generation;
static int last_id;       /* last process id given out */
static bool last_there;   /* somebody had it when the process list was made */
static bool complete;     /* the list has everybody, see births() */
static int64_t listed_at; /* core_foreign() when the process list was made */

static void forget_thread(struct thread *t)
{
	close_file(&t->stat);
	close_file(&t->wchan);
	close_file(&t->schedstat);
}

static void forget(struct process *p)
{
	for (int i = 0; i < p->threads; i++)
		forget_thread(&p->thread[i]);
	free(p->thread);
}

static int ascending(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* Whether a process or a thread has this id. */
static bool exists(pid_t id)
{
	return !kill(id, 0) || errno != ESRCH;
}

/* Lists the processes again. True if the list has no new process. */
static bool list_processes(void)
{
	/* Before the list is made: it lacks a process that is born in between. */
	bool there = exists(last_id), nobody_new = true;
	pid_t *ids;
	int n = list_ids(".", &ids), old = 0, new = 0;
	struct process *list;

	if (n < 0)
		fail(1, "read /proc: %s", strerror(errno));
	qsort(ids, n, sizeof *ids, ascending);
	list = array(NULL, n, sizeof *list);
	for (int i = 0; i < n; i++) {
		while (old < processes && process[old].id < ids[i])
			forget(&process[old++]);
		if (old < processes && process[old].id == ids[i]) {
			list[new++] = process[old++];
		} else if (ids[i] != self) {
			list[new++] = (struct process){
				.id = ids[i], .born = real_now(), .slept = -1, .clock = cpu_clock(ids[i])};
			nobody_new = false;
		}
	}
	while (old < processes)
		forget(&process[old++]);
	free(process);
	process = list;
	processes = new;
	generation++;
	last_there = there;
	listed_at = core_foreign();
	add(&page->births, 1);
	return nobody_new;
}

/* Remakes the thread list and keeps open files of threads still there. */
static bool list_threads(struct process *p)
{
	char path[64];
	pid_t *ids;

	snprintf(path, sizeof path, "%d/task", p->id);
	int n = list_ids(path, &ids);
	if (n < 0)
		return false;
	struct thread *list = array(NULL, n, sizeof *list);
	for (int i = 0, at = 0; i < n; i++) {
		list[i] = (struct thread){ids[i], .stat = -1, .wchan = -1, .schedstat = -1};
		/* Both lists are in order of birth, so the next is mostly the one. */
		for (int tried = 0; tried < p->threads; tried++, at++) {
			if (at >= p->threads)
				at = 0;
			if (p->thread[at].id != ids[i])
				continue;
			list[i] = p->thread[at];
			p->thread[at].stat = p->thread[at].wchan = p->thread[at].schedstat = -1;
			at++;
			break;
		}
	}
	forget(p);
	p->thread = list;
	p->threads = n;
	p->listed = generation;
	return true;
}

/* Whether the parent of a process that a signal has stopped does not know of it. The
 * text goes on after the state with the parent's id. */
static bool stopped_unnoticed(const struct process *p, const char *state)
{
	struct stat owner;

	if (*state != 'T' || atoi(state + 1) != 1)
		return false;
	return stat_process(p->id, &owner) || !page_withheld_from(owner.st_gid);
}

/* State letter of a thread, 0 if there is no such thread, '?' if in doubt; and whether
 * its process has forked and executed nothing since. */
static char read_state(const struct process *p, struct thread *t, bool *forked)
{
	unsigned flags = 0;
	char text[128];
	ssize_t n = read_file(p->id, t->id, "stat", &t->stat, text, sizeof text - 1);

	if (n <= 0)
		return n ? '?' : 0;
	text[n] = 0;
	add(&page->threads_read, 1);
	/* The name, in parentheses, may contain parentheses. */
	const char *end = memrchr(text, ')', n);
	if (end)
		sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags);
	*forked = flags & FORKED && t->id == p->id;
	return end && end + 2 < text + n && !stopped_unnoticed(p, end + 2) ? end[2] : '?';
}

enum place { FOR_FILE, ELSEWHERE, HIDDEN };

/* Where a sleeping thread waits, by where it is in the kernel. The kernel says 0 of a
 * thread that it has not taken off the run queue yet, as it does only when it looks
 * for another (delayed dequeue, since 6.12): that may wait for anything, and is to
 * be looked at once more when vclockd has slept. */
static enum place find_place(const struct process *p, struct thread *t)
{
	char where[64];
	ssize_t n = read_file(p->id, t->id, "wchan", &t->wchan, where, sizeof where - 1);

	where[n > 0 ? n : 0] = 0;
	if (!strcmp(where, "0"))
		return hidden(p->id) ? HIDDEN : FOR_FILE;
	return strstr(where, "fuse_") || !strcmp(where, "request_wait_answer") ? FOR_FILE : ELSEWHERE;
}

/* The same, as the owner of the process. */
static enum place find_place_as_owner(const struct process *p, struct thread *t)
{
	struct stat owner;

	if (stat_process(p->id, &owner))
		return HIDDEN;
	setfsgid(owner.st_gid);
	setfsuid(owner.st_uid);
	enum place place = find_place(p, t);
	setfsuid(geteuid());
	setfsgid(getegid());
	return place;
}

static bool waits_for_fuse(const struct process *p, struct thread *t, bool forked)
{
	enum place place = find_place(p, t);

	if (place == HIDDEN)
		place = find_place_as_owner(p, t);
	if (place == HIDDEN)
		return forked && real_now() - p->born < LONGEST_BIRTH;
	return place == FOR_FILE;
}

/* What the thread's schedstat says now: empty if the kernel does not count. */
static void read_turns(const struct process *p, struct thread *t, char *turns)
{
	ssize_t n = read_file(p->id, t->id, "schedstat", &t->schedstat, turns, RAN - 1);

	turns[n > 0 && turns[0] != '0' ? n : 0] = 0;
}

static enum verdict look_at_process(struct process *p, bool every)
{
	if (p->listed != generation && !list_threads(p))
		return errno == ENOENT || errno == ESRCH ? ASLEEP : BLOCKED;
	for (int i = p->threads - 1; i >= 0; i--) {
		struct thread *t = &p->thread[i];
		char turns[RAN] = "";
		/* Before the state: a turn in between must not count as known. */
		if (p->threads > 1 && !every)
			read_turns(p, t, turns);
		if (turns[0] && !strcmp(turns, t->slept))
			continue;
		t->slept[0] = 0;
		bool forked = false;
		char state = read_state(p, t, &forked);
		if (!state) {
			forget_thread(t);
			memmove(t, t + 1, (--p->threads - i) * sizeof *t);
		} else if (state == 'R') {
			return RUNNING;
		} else if (!strchr(ASLEEP_STATES, state) || (fuse && state == 'S' && waits_for_fuse(p, t, forked))) {
			return BLOCKED;
		} else {
			strcpy(t->slept, turns);
		}
	}
	return ASLEEP;
}

/* Reads /proc/loadavg. True if the process list may lack somebody. */
static bool births(void)
{
	char text[128];
	ssize_t n = pread(loadavg, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = 0;
	char *last = strrchr(text, ' '), *slash = strchr(text, '/');
	int id = last ? atoi(last + 1) : -1;
	if (id < 0 || id != last_id || (!last_there && exists(id)) || core_foreign() - listed_at > LIST_AGAIN)
		complete = false;
	last_id = id;
	alone = slash && slash - text > 2 && slash[-1] == '1' && slash[-2] == ' ';
	return !complete;
}

/* True if at the last look no other thread of the whole machine was runnable, not
 * even one of the kernel. */
bool threads_alone(void)
{
	return alone;
}

static int compare_id(const void *id, const void *p)
{
	return ascending(id, &((const struct process *)p)->id);
}

/* The process is to be read at the next look, whatever its clock shows. */
void threads_changed(pid_t id)
{
	struct process *p = bsearch(&id, process, processes, sizeof *p, compare_id);

	if (p)
		p->slept = -1;
}

/* Drops the process from the list at a place reached by walking backwards. */
static void drop(struct process *p)
{
	forget(p);
	memmove(p, p + 1, (process + --processes - p) * sizeof *p);
}

static void read_clocks(void)
{
	for (int i = processes - 1; i >= 0; i--) {
		struct process *p = &process[i];
		p->clock = cpu_clock(p->id);
		if (p->clock < 0)
			drop(p);
	}
}

static enum verdict look_at_all(bool every)
{
	for (int i = 0; i < processes; i++) {
		struct process *p = &process[i];
		if (p->clock == p->slept && !every)
			continue;
		p->slept = -1;
		enum verdict verdict = look_at_process(p, every);
		if (verdict != ASLEEP)
			return verdict;
		p->slept = p->clock;
	}
	return ASLEEP;
}

static bool clocks_moved(void)
{
	for (int i = 0; i < processes; i++)
		if (cpu_clock(process[i].id) != process[i].clock)
			return true;
	return false;
}

enum verdict threads_look(void)
{
	read_clocks();
	bool listed = births(), nobody_new = listed && list_processes();
	enum verdict verdict = look_at_all(!single || (stored_lag && !alone));
	if (verdict != ASLEEP)
		return verdict;
	if ((listed || !single) && clocks_moved())
		return RUNNING;
	complete |= nobody_new;
	return complete ? ASLEEP : UNSURE;
}

/* True if no thread has run or was born since threads_look() said ASLEEP. */
bool threads_untouched(void)
{
	if (births())
		return false;
	for (int i = 0; i < processes; i++)
		if (cpu_clock(process[i].id) != process[i].slept)
			return false;
	return true;
}

static bool fuse_mounted(void)
{
	char line[4096];
	FILE *mounts = fopen("/proc/self/mounts", "re");
	bool found = !mounts;

	while (mounts && !found && fgets(line, sizeof line, mounts))
		found = strstr(line, " fuse") || strstr(line, " virtiofs ");
	if (mounts)
		fclose(mounts);
	return found;
}

static bool may_see_others(void)
{
	const unsigned owner = 1u << CAP_SETUID | 1u << CAP_SETGID;
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	return !syscall(SYS_capget, &header, data) &&
	       (data[0].effective & 1u << CAP_SYS_PTRACE || (data[0].effective & owner) == owner);
}

void threads_start(struct vclock_page *shared, bool one_core)
{
	struct utsname kernel;
	int major, minor;

	page = shared;
	single = one_core;
	self = getpid();
	if (uname(&kernel) || sscanf(kernel.release, "%d.%d", &major, &minor) != 2)
		stored_lag = true;
	else
		stored_lag = major == 6 && minor >= 6 && minor < 12;
	fuse = fuse_mounted();
	if (fuse && !may_see_others())
		fputs("vclockd: a FUSE file system is mounted, and CAP_SYS_PTRACE or both CAP_SETUID and CAP_SETGID "
		      "are missing: takes other users' waits for files for sleeps\n",
		      stderr);
	proc_start();
	loadavg = open_file("loadavg");
	if (loadavg < 0)
		fail(1, "open /proc/loadavg: %s", strerror(errno));
	last_id = -1;
}

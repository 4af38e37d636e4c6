/*
 * proc.c: what /proc and the clocks tell of processes and threads.
 */
#define _GNU_SOURCE
#include "proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vclockd.h"

/* Descriptors left for all else. */
#define SPARE_FDS 64

/* /proc, from which all its files are opened. A path from the root asks the root's file
 * system whether vclockd may pass, which in another user's name (threads.c) is a
 * request to the program behind a FUSE file system, for each file. */
static int dir;

static int kept, keep;

void proc_start(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		fail(1, "read limit of open files: %s", strerror(errno));
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		fail(1, "open /proc: %s", strerror(errno));
	keep = files.rlim_cur > 1 << 20 ? 1 << 20 : (int)files.rlim_cur - SPARE_FDS;
}

void *array(void *old, size_t n, size_t size)
{
	void *new = reallocarray(old, n ? n : 1, size);

	if (!new)
		fail(1, "out of memory for %zu threads", n);
	return new;
}

/* CPU time of all threads of a process together, exact if none is running; -1 if
 * there is no such process. Any process may read any other's. */
int64_t cpu_clock(pid_t id)
{
	return clock_ns((clockid_t)(~(unsigned)id << 3 | 2));
}

/* Opens a file by its path below /proc. */
int open_file(const char *path)
{
	return openat(dir, path, O_RDONLY | O_CLOEXEC);
}

/* Whose the process is; -1 if there is none. */
int stat_process(pid_t process, struct stat *owner)
{
	char path[32];

	snprintf(path, sizeof path, "%d", process);
	return fstatat(dir, path, owner, 0);
}

/* Whether vclockd may see where threads of the process are in the kernel. */
bool hidden(pid_t process)
{
	char path[32], program[8];

	snprintf(path, sizeof path, "%d/exe", process);
	return readlinkat(dir, path, program, sizeof program) < 0 && (errno == EACCES || errno == EPERM);
}

/* Ids that are the names in a directory below /proc, in *ids; -1 if it is gone. */
int list_ids(const char *path, pid_t **ids)
{
	static pid_t *found;
	static size_t room;
	int n = 0, fd = open_file(path);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	*ids = found;
	if (!list) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	for (struct dirent *entry; (entry = readdir(list));) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		if ((size_t)n == room) {
			room = room ? 2 * room : 256;
			found = array(found, room, sizeof *found);
		}
		found[n++] = atoi(entry->d_name);
	}
	closedir(list);
	*ids = found;
	return n;
}

void close_file(int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	kept--;
}

/* Reads a file of a thread, through the kept descriptor if there is one. Returns
 * the length, 0 if there is no such thread, -1 if in doubt. */
ssize_t read_file(pid_t process, pid_t thread, const char *name, int *fd, char *text, size_t size)
{
	char path[64];
	ssize_t n = *fd < 0 ? -1 : pread(*fd, text, size, 0);

	if (n > 0)
		return n;
	/* Not kept, or of a thread that had this id before. */
	close_file(fd);
	snprintf(path, sizeof path, "%d/task/%d/%s", process, thread, name);
	int new = open_file(path);
	if (new < 0)
		return errno == ENOENT || errno == ESRCH ? 0 : -1;
	n = pread(new, text, size, 0);
	if (n < 0)
		n = errno == ESRCH ? 0 : -1;
	if (kept < keep) {
		*fd = new;
		kept++;
	} else {
		close(new);
	}
	return n;
}

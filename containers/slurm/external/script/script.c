/*
 * slurmscript runs the batch script of one job as its user and leaves how it ended. It
 * stands for slurmstepd, and outlives the process that started it: the script's end
 * is found in a file, by anybody, at any time.
 *
 *   slurmscript DIRECTORY END
 *
 * DIRECTORY/launch has strings KEY=VALUE, each with a zero byte at its end: uid, gid,
 * user, umask (octal), append (1: do not truncate the output), dir, in, out, err,
 * command, argument (any number), limit (NAME=VALUE, any number), variable (NAME=VALUE,
 * any number).
 *
 * Files that it makes, as root:
 *
 *   DIRECTORY/lock  locked (flock) for as long as it lives
 *   DIRECTORY/pid   the process id of the script, which leads a session and a process
 *                   group of its own; there before the script runs
 *   END             the status of the script as wait(2) has it, in decimal; there at
 *                   once with all of its text
 *
 * A script is run once: slurmscript fails if DIRECTORY/pid is there. It returns when
 * DIRECTORY/pid is there, and goes on in the background.
 *
 * Output is opened as the user, so that nobody can have root write into a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What slurmstepd reports of a script whose files cannot be opened: the status of a
 * process that signal 53 killed. */
#define CANNOT_OPEN 53

struct launch {
	uid_t uid;
	gid_t gid;
	mode_t mask;
	bool append;
	const char *user, *dir, *in, *out, *err;
	char **argv, **limits, **variables;
	size_t args, limit_count, variable_count;
};

static void die(const char *what)
{
	fprintf(stderr, "slurmscript: %s: %s\n", what, strerror(errno));
	exit(1);
}

static char *read_all(const char *path, size_t *size)
{
	struct stat info;
	FILE *file = fopen(path, "re");
	char *text;

	if (!file || fstat(fileno(file), &info))
		die(path);
	text = calloc(1, info.st_size + 1);
	if (!text || fread(text, 1, info.st_size, file) != (size_t) info.st_size)
		die(path);
	fclose(file);
	*size = info.st_size;
	return text;
}

/* value returns what stands behind KEY=, NULL for another key. */
static char *value(char *entry, const char *key)
{
	size_t length = strlen(key);

	return strncmp(entry, key, length) == 0 && entry[length] == '=' ? entry + length + 1 : NULL;
}

static struct launch parse(char *text, size_t size)
{
	struct launch l = { .mask = 022, .user = "", .dir = "/", .in = "/dev/null" };
	size_t entries = 0;

	for (char *p = text; p < text + size; p += strlen(p) + 1)
		entries++;
	l.argv = calloc(entries + 1, sizeof(char *));
	l.limits = calloc(entries + 1, sizeof(char *));
	l.variables = calloc(entries + 2, sizeof(char *));
	if (!l.argv || !l.limits || !l.variables)
		die("memory");
	for (char *p = text; p < text + size; p += strlen(p) + 1) {
		char *v;

		if ((v = value(p, "uid")))
			l.uid = strtoul(v, NULL, 10);
		else if ((v = value(p, "gid")))
			l.gid = strtoul(v, NULL, 10);
		else if ((v = value(p, "umask")))
			l.mask = strtoul(v, NULL, 8);
		else if ((v = value(p, "append")))
			l.append = strcmp(v, "1") == 0;
		else if ((v = value(p, "user")))
			l.user = v;
		else if ((v = value(p, "dir")))
			l.dir = v;
		else if ((v = value(p, "in")))
			l.in = v;
		else if ((v = value(p, "out")))
			l.out = v;
		else if ((v = value(p, "err")))
			l.err = v;
		else if ((v = value(p, "command")) || (v = value(p, "argument")))
			l.argv[l.args++] = v;
		else if ((v = value(p, "limit")))
			l.limits[l.limit_count++] = v;
		else if ((v = value(p, "variable")))
			l.variables[l.variable_count++] = v;
	}
	if (l.args == 0 || !l.out) {
		errno = EINVAL;
		die("launch");
	}
	return l;
}

static void set_limit(char *limit)
{
	static const struct { const char *name; int resource; } known[] = {
		{ "CPU", RLIMIT_CPU }, { "FSIZE", RLIMIT_FSIZE }, { "DATA", RLIMIT_DATA },
		{ "STACK", RLIMIT_STACK }, { "CORE", RLIMIT_CORE }, { "RSS", RLIMIT_RSS },
		{ "NPROC", RLIMIT_NPROC }, { "NOFILE", RLIMIT_NOFILE },
		{ "MEMLOCK", RLIMIT_MEMLOCK }, { "AS", RLIMIT_AS },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char *v = value(limit, known[i].name);
		struct rlimit r;

		if (!v || getrlimit(known[i].resource, &r))
			continue;
		r.rlim_cur = v[0] == '-' ? RLIM_INFINITY : strtoull(v, NULL, 10);
		if (r.rlim_max != RLIM_INFINITY && r.rlim_cur > r.rlim_max)
			r.rlim_cur = r.rlim_max;
		/* A limit that cannot be had is none, as in Slurm. */
		(void) setrlimit(known[i].resource, &r);
	}
}

/* make_parents makes the missing directories above a file, as slurmstepd does (mkdirpath in
 * src/slurmd/slurmstepd/io.c). */
static void make_parents(const char *path)
{
	char *copy = strdup(path);

	for (char *slash = copy; slash && (slash = strchr(slash + 1, '/')); *slash = '/') {
		*slash = 0;
		(void) mkdir(copy, 0755);
	}
	free(copy);
}

/* to opens a file as one of the three standard ones. */
static bool to(int descriptor, const char *path, int flags)
{
	int file = open(path, flags, 0666);

	if (file < 0 && errno == ENOENT && flags & O_CREAT) {
		make_parents(path);
		file = open(path, flags, 0666);
	}
	if (file < 0)
		return false;
	if (file != descriptor) {
		dup2(file, descriptor);
		close(file);
	}
	return true;
}

/* run becomes the script. If it cannot, it writes the status that is to be reported to
 * the descriptor report. */
static void run(struct launch *l, int report)
{
	int output = O_WRONLY | O_CREAT | (l->append ? O_APPEND : O_TRUNC);
	int status = CANNOT_OPEN;
	bool here;
	char task[32];

	for (size_t i = 0; i < l->limit_count; i++)
		set_limit(l->limits[i]);
	if (initgroups(l->user, l->gid) || setgid(l->gid) || setuid(l->uid))
		goto failed;
	umask(l->mask);
	here = chdir(l->dir) == 0;
	if (!here && chdir("/tmp"))
		goto failed;
	if (!to(STDIN_FILENO, l->in, O_RDONLY) || !to(STDOUT_FILENO, l->out, output))
		goto failed;
	if (l->err ? !to(STDERR_FILENO, l->err, output) : dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
		goto failed;
	if (!here)
		fprintf(stderr, "slurmscript: error: couldn't chdir to `%s': going to /tmp instead\n", l->dir);
	snprintf(task, sizeof(task), "SLURM_TASK_PID=%d", getpid());
	l->variables[l->variable_count] = task;
	execve(l->argv[0], l->argv, l->variables);
	/* slurmstepd exits with the number of the error (exec_task in task.c). */
	status = errno << 8;
	fprintf(stderr, "slurmscript: error: execve(): %s: %s\n", l->argv[0], strerror(errno));
failed:
	if (write(report, &status, sizeof(status)) != sizeof(status))
		_exit(1);
	_exit(1);
}

/* leave puts a file in its place with all of its text. */
static void leave(const char *path, int number)
{
	char next[PATH_MAX];
	FILE *file;

	snprintf(next, sizeof(next), "%s.next", path);
	file = fopen(next, "we");
	if (!file || fprintf(file, "%d\n", number) < 0 || fclose(file) || rename(next, path))
		die(path);
}

/* attend starts the script and waits for its end. */
static void attend(struct launch *l, const char *pid_path, const char *end_path, int started)
{
	int report[2], ready[2], go[2], failure, status;
	siginfo_t end;
	pid_t pid;
	char byte = 0;

	if (pipe2(report, O_CLOEXEC) || pipe2(ready, O_CLOEXEC) || pipe2(go, O_CLOEXEC) || (pid = fork()) < 0)
		die("start");
	if (pid == 0) {
		setsid();
		close(go[1]);
		if (write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1)
			run(l, report[1]);
		_exit(1);
	}
	close(report[1]);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		die("start");
	leave(pid_path, pid);
	if (write(started, &byte, 1) != 1 || close(started) || write(go[1], &byte, 1) != 1)
		die("start");
	/* The script is reaped only after its end is reported: until then nobody else
	 * can have its process id. */
	while (waitid(P_PID, pid, &end, WEXITED | WNOWAIT) && errno == EINTR)
		;
	/* What it left in its process group ends with it, as under slurmstepd with
	 * proctrack/pgid. */
	kill(-pid, SIGKILL);
	status = end.si_code == CLD_EXITED ? end.si_status << 8 :
		end.si_status | (end.si_code == CLD_DUMPED ? 0x80 : 0);
	if (read(report[0], &failure, sizeof(failure)) == sizeof(failure))
		status = failure;
	leave(end_path, status);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	char path[PATH_MAX], pid_path[PATH_MAX], byte;
	int lock, started[2];
	struct launch l;
	size_t size;
	char *text;

	if (argc != 3) {
		fprintf(stderr, "usage: slurmscript DIRECTORY END\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/launch", argv[1]);
	text = read_all(path, &size);
	l = parse(text, size);
	snprintf(path, sizeof(path), "%s/lock", argv[1]);
	lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB))
		die(path);
	snprintf(pid_path, sizeof(pid_path), "%s/pid", argv[1]);
	if (access(pid_path, F_OK) == 0) {
		errno = EEXIST;
		die(pid_path);
	}
	if (pipe2(started, O_CLOEXEC))
		die("start");
	switch (fork()) {
	case -1:
		die("start");
		break;
	case 0:
		setsid();
		close(started[0]);
		if (!to(STDIN_FILENO, "/dev/null", O_RDONLY) || dup2(STDIN_FILENO, STDOUT_FILENO) < 0)
			die("start");
		attend(&l, pid_path, argv[2], started[1]);
		_exit(0);
	}
	close(started[1]);
	return read(started[0], &byte, 1) == 1 ? 0 : 1;
}

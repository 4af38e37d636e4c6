/* main.c: calls LIBRARY [CASE]... runs the cases (all) and compares. LIBRARY is
 * empty if the library is part of this program. */
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "harness.h"

/* Seconds without output, far more than the slowest machine needs. */
enum { HANG = 600 };

const char *own_program;
static struct test_case *cases;

void add_case(struct test_case *c)
{
	struct test_case **end = &cases;
	while (*end)
		end = &(*end)->next;
	*end = c;
}

static struct test_case *find_case(const char *name)
{
	struct test_case *c = cases;
	while (c && strcmp(c->name, name))
		c = c->next;
	return c;
}

/* Its output, at most size - 1 bytes, and how it ended. */
static int run_child(const char *name, const char *library, const char *path, char *output,
		     size_t size)
{
	int pipe_fds[2], status;
	size_t have = 0;
	ssize_t n;
	if (pipe2(pipe_fds, O_CLOEXEC))
		return -1;
	pid_t pid = fork();
	if (!pid) {
		if (library && *library)
			setenv("LD_PRELOAD", library, 1);
		setenv("VCLOCK_PAGE", path, 1);
		setpgid(0, 0);
		dup2(pipe_fds[1], 1);
		execl(own_program, own_program, "--case", name, (char *)NULL);
		_exit(127);
	}
	close(pipe_fds[1]);
	/* A hanging case is killed, and its status tells so. */
	struct pollfd out = {.fd = pipe_fds[0], .events = POLLIN};
	while (poll(&out, 1, HANG * 1000) > 0 &&
	       (n = read(pipe_fds[0], output + have, size - 1 - have)) > 0)
		have += (size_t)n;
	output[have] = 0;
	close(pipe_fds[0]);
	if (!out.revents)
		kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	kill(-pid, SIGKILL);
	return status;
}

static bool run_virtual(const struct test_case *c, const char *library)
{
	char path[64], output[1 << 16];
	snprintf(path, sizeof path, "/dev/shm/vclock-test.%d", getpid());
	unlink(path);
	if (!make_page(path))
		return false;
	int status = run_child(c->name, library, path, output, sizeof output);
	unlink(path);
	if (!status)
		return true;
	printf("%s\nFAIL %s: status %#x\n", output, c->name, status);
	return false;
}

static bool run_compared(const struct test_case *c, const char *library)
{
	static char plain[1 << 16], real[1 << 16], virtual[1 << 16];
	char path[64];
	snprintf(path, sizeof path, "/dev/shm/vclock-test.%d", getpid());
	unlink(path);
	if (!make_page(path))
		return false;
	int status = run_child(c->name, NULL, "", plain, sizeof plain);
	status |= run_child(c->name, library, "", real, sizeof real);
	status |= run_child(c->name, library, path, virtual, sizeof virtual);
	unlink(path);
	if (!status && *plain && !strcmp(plain, real) && !strcmp(plain, virtual))
		return true;
	printf("FAIL %s: status %#x\n-- without library\n%s-- without page\n%s-- with page\n%s",
	       c->name, status, plain, real, virtual);
	return false;
}

static int run_here(const char *name)
{
	const char *path = getenv("VCLOCK_PAGE");
	struct test_case *c = find_case(name);
	if (!c)
		return 2;
	if (path && *path)
		page = make_page(path);
	begin_case();
	c->run();
	return 0;
}

static int helper(const char *name)
{
	if (!strcmp(name, "pause"))
		pause();
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0, ran = 0;
	own_program = "/proc/self/exe";
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc == 3 && !strcmp(argv[1], "--case"))
		return run_here(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "--helper"))
		return helper(argv[2]);
	if (argc < 2)
		return 2;
	for (int i = 2; i < argc; i++)
		if (!find_case(argv[i])) {
			fprintf(stderr, "no case %s\n", argv[i]);
			return 2;
		}
	for (struct test_case *c = cases; c; c = c->next) {
		bool wanted = argc == 2;
		for (int i = 2; i < argc; i++)
			wanted |= !strcmp(argv[i], c->name);
		if (!wanted)
			continue;
		ran++;
		bool ok = c->kind == VIRTUAL ? run_virtual(c, argv[1]) : run_compared(c, argv[1]);
		printf("%s %s\n", ok ? "ok  " : "FAIL", c->name);
		failed += !ok;
	}
	printf("%d cases, %d failed\n", ran, failed);
	return failed != 0;
}

/* socket.c: no wait of the kernel's own.
 *
 * TCP on the loopback device waits in one case: Nagle's algorithm holds back a
 * small segment until the last one is acknowledged, and the receiver delays
 * that by up to 40 ms of real time. No thread runs meanwhile, so virtual time
 * would jump, by seconds, over a message that is on its way. Slurm's clients
 * write each message in two parts. Accepted sockets inherit the option. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "lib.h"

EXPORT int socket(int domain, int type, int protocol)
{
	struct vclock_page *page = vclock();
	int fd = real.socket(domain, type, protocol);

	if (page && fd >= 0 && (domain == AF_INET || domain == AF_INET6) &&
	    (type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_STREAM) {
		int on = 1, e = errno;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		errno = e;
	}
	return fd;
}

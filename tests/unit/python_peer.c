#include "python_peer.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

enum { WAIT_MS = 30000 };

extern char **environ;

static int
read_port(int fd)
{
	char text[16] = "";
	size_t len = 0;
	int64_t port = 0;

	while (len < sizeof text - 1 && !strchr(text, '\n')) {
		struct pollfd wait = { fd, POLLIN, 0 };
		ssize_t n = poll(&wait, 1, WAIT_MS) > 0 ? read(fd, text + len, 1) : -1;
		if (n <= 0)
			fail_msg("python_peer.py said no port; are python3 and openssl installed?");
		len++;
	}
	assert_true(str_to_int(str_trim(str_of(text)), &port));
	return (int)port;
}

void
python_peer_start(struct python_peer *p, const char *kind)
{
	posix_spawn_file_actions_t actions;
	int in[2], out[2];
	char *arguments[] = { (char *)"python3", (char *)PYTHON_PEER, (char *)kind, p->directory,
			      NULL };

	snprintf(p->directory, sizeof p->directory, "/tmp/perdure-peer-XXXXXX");
	assert_non_null(mkdtemp(p->directory));
	snprintf(p->ca_file, sizeof p->ca_file, "%s/ca.pem", p->directory);
	assert_int_equal(pipe2(in, O_CLOEXEC) + pipe2(out, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	assert_int_equal(posix_spawnp(&p->pid, "python3", &actions, NULL, arguments, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	p->stdin_fd = in[1];
	p->port = read_port(out[0]);
	close(out[0]);
}

void
python_peer_stop(struct python_peer *p)
{
	static const char *const FILES[] = { "ca.key", "ca.pem", "server.key", "server.pem" };
	char path[128];

	close(p->stdin_fd); /* it ends by itself, also when we are gone */
	waitpid(p->pid, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(FILES); i++) {
		snprintf(path, sizeof path, "%s/%s", p->directory, FILES[i]);
		unlink(path);
	}
	rmdir(p->directory);
}

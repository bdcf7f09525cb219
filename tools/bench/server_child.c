#include "server_child.h"

#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "http_load.h"

enum { PATH_BYTES = 4096, WAIT_MS = 10000 };

static void
die(const char *what)
{
	perror(what);
	abort();
}

/* Beside the program that runs: build/bench/tools/bench/bench_server, build/bench/src/app/perdure. */
static void
program_path(char out[PATH_BYTES])
{
	char self[PATH_BYTES];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n <= 0)
		die("readlink");
	self[n] = '\0';
	if (snprintf(out, PATH_BYTES, "%s/../../src/app/perdure", dirname(self)) >= PATH_BYTES)
		abort();
}

static size_t
read_text(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return 0;
	out[n] = '\0';
	return (size_t)n;
}

/* All clients of a benchmark come from one address. */
static void
write_config(const struct server_child *s, const char *more, char path[PATH_BYTES])
{
	FILE *f;

	snprintf(path, PATH_BYTES, "%s/bench.yaml", s->directory);
	f = fopen(path, "we");
	if (!f || fprintf(f, "limits:\n  connections: 10000\n  per_address: 10000\n%s", more) < 0)
		die(path);
	fclose(f);
}

static void
exec_server(const struct server_child *s, const char *more_config)
{
	char program[PATH_BYTES], listen_at[64], config[PATH_BYTES];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	program_path(program);
	snprintf(listen_at, sizeof listen_at, "127.0.0.1:%d", s->port);
	write_config(s, more_config, config);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a benchmark that aborts leaves nobody behind */
	execl(program, program, "serve", "--config", config, "--data", s->directory, "--listen",
	      listen_at, (char *)NULL);
	perror(program);
	_exit(127);
}

void
server_child_start_with(struct server_child *s, const char *directory, const char *config)
{
	char path[PATH_BYTES];
	int64_t begun_ns;

	*s = (struct server_child){ 0 };
	snprintf(s->directory, sizeof s->directory, "%s",
		 directory ? directory : "build/bench/server.XXXXXX");
	if (!directory && !mkdtemp(s->directory))
		die("mkdtemp");
	s->port = http_load_free_port();
	begun_ns = clock_monotonic_ns();
	s->pid = fork();
	if (s->pid < 0)
		die("fork");
	if (s->pid == 0)
		exec_server(s, config);
	while (!http_load_is_ready(s->port)) {
		if (clock_monotonic_ns() - begun_ns > WAIT_MS * INT64_C(1000000))
			die("the server does not come up");
		usleep(200);
	}
	s->ready_ns = clock_monotonic_ns() - begun_ns;
	snprintf(path, sizeof path, "%s/owner.token", s->directory);
	if (read_text(path, s->token, sizeof s->token) == 0)
		die(path);
	s->token[strcspn(s->token, "\n")] = '\0';
}

void
server_child_start(struct server_child *s, const char *directory)
{
	server_child_start_with(s, directory, "");
}

static void
end(struct server_child *s, int signal)
{
	int status;

	kill(s->pid, signal);
	if (waitpid(s->pid, &status, 0) != s->pid)
		die("waitpid");
}

void
server_child_stop(struct server_child *s)
{
	end(s, SIGTERM);
}

void
server_child_kill(struct server_child *s)
{
	end(s, SIGKILL);
}

void
server_child_remove(struct server_child *s)
{
	char command[PATH_BYTES];

	snprintf(command, sizeof command, "rm -r '%s'", s->directory);
	if (system(command) != 0)
		die(command);
}

int64_t
server_child_loop_ns(const struct server_child *s)
{
	char path[64], text[256];

	snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)s->pid, (int)s->pid);
	if (read_text(path, text, sizeof text) == 0)
		die(path);
	return strtoll(text, NULL, 10);
}

int64_t
server_child_cpu_ns(const struct server_child *s)
{
	struct timespec spent;
	clockid_t clock;

	if (clock_getcpuclockid(s->pid, &clock) != 0 || clock_gettime(clock, &spent) != 0)
		die("the server's clock");
	return (int64_t)spent.tv_sec * 1000000000 + spent.tv_nsec;
}

int64_t
server_child_rss_anon_bytes(const struct server_child *s)
{
	char path[64], text[8192];
	const char *at;

	snprintf(path, sizeof path, "/proc/%d/status", (int)s->pid);
	if (read_text(path, text, sizeof text) == 0 || !(at = strstr(text, "RssAnon:")))
		die(path);
	return strtoll(at + strlen("RssAnon:"), NULL, 10) * 1024;
}

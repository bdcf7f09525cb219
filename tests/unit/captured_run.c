#include "captured_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

enum { WORDS_MAX = 16, WORD_MAX = 512 };

struct capture {
	int fd, saved;
};

static struct capture
begin(int fd)
{
	struct capture c = { .saved = dup(fd) };
	char path[] = "/tmp/perdure-run-XXXXXX";

	c.fd = mkstemp(path);
	assert_true(c.fd >= 0 && c.saved >= 0);
	unlink(path);
	assert_int_equal(dup2(c.fd, fd), fd);
	return c;
}

static void
end(struct capture *c, int fd, char out[CAPTURED_MAX])
{
	ssize_t n;

	assert_int_equal(dup2(c->saved, fd), fd);
	n = pread(c->fd, out, CAPTURED_MAX - 1, 0);
	assert_true(n >= 0);
	out[n] = '\0';
	close(c->fd);
	close(c->saved);
}

void
captured_run(const struct command *rows, size_t count, const char *words, struct captured *out)
{
	static char program[] = "perdure", copies[WORDS_MAX][WORD_MAX];
	char *argv[WORDS_MAX + 2] = { program };
	struct str rest = str_of(words), word;
	struct capture outs, errs;
	int argc = 1;

	while (rest.len > 0 && argc <= WORDS_MAX) {
		str_cut(rest, '|', &word, &rest);
		snprintf(copies[argc - 1], WORD_MAX, STR_FMT, STR_ARG(word));
		argv[argc] = copies[argc - 1];
		argc++;
	}
	fflush(stdout);
	outs = begin(STDOUT_FILENO);
	errs = begin(STDERR_FILENO);
	out->code = cli_run(argc, argv, rows, count);
	fflush(stdout);
	fflush(stderr);
	end(&errs, STDERR_FILENO, out->err);
	end(&outs, STDOUT_FILENO, out->out);
}

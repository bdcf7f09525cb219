#include "base/close_on_exec.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "harness.h"

static const struct row {
	const char *name;
	void (*way)(int first);
} ROWS[] = {
	{ "T12 from a number on everything gets the flag", close_on_exec_from },
	{ "T12 one at a time it is the same", close_on_exec_each },
};

static bool
is_marked(int fd)
{
	return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	int fds[64];

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = open("/dev/null", O_RDONLY); /* without the flag: as libraries do */
	row->way(fds[1]);
	assert_false(is_marked(STDOUT_FILENO));
	assert_false(is_marked(fds[0]));
	for (size_t i = 1; i < ARRAY_LEN(fds); i++)
		assert_true(is_marked(fds[i]));
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		close(fds[i]);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	return suite_run(&s, "close_on_exec");
}

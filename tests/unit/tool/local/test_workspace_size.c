#include "tool/local/workspace_size.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "work_dir.h"

enum { KIB = 1024, STEPS_MAX = 1000 };

/* In steps of so many entries. */
static int64_t
measure(const char *path, unsigned step, char problem[256])
{
	struct workspace_size s;
	int64_t bytes;
	int steps = 0;

	workspace_size_init(&s, path);
	while (!workspace_size_step(&s, step))
		assert_true(++steps < STEPS_MAX);
	bytes = s.bytes;
	snprintf(problem, 256, "%s", s.problem);
	workspace_size_release(&s);
	return bytes;
}

static void
put_bytes(const struct work_dir *d, const char *path, size_t bytes)
{
	char *text = malloc(bytes + 1);

	assert_non_null(text);
	memset(text, 'x', bytes);
	text[bytes] = '\0';
	work_dir_put(d, path, text);
	free(text);
}

static void
T12_everything_below_is_counted_in_steps_of_any_size(void **state)
{
	static const unsigned STEPS[] = { 1, 2, 7, 1000 };
	struct work_dir d;
	char problem[256];

	(void)state;
	work_dir_init(&d);
	put_bytes(&d, "a", 100 * KIB);
	put_bytes(&d, "one/two/b", 200 * KIB);
	put_bytes(&d, "one/.hidden", 1);
	for (size_t i = 0; i < ARRAY_LEN(STEPS); i++) {
		int64_t bytes = measure(d.path, STEPS[i], problem);

		assert_string_equal(problem, "");
		/* two folders and a small file, 4 KiB each; a disk may take a little more */
		assert_in_range(bytes, 312 * KIB, 400 * KIB);
	}
	work_dir_release(&d);
}

static void
T12_holes_links_and_second_names_take_nothing(void **state)
{
	struct work_dir d;
	char from[512], to[512], problem[256];
	int64_t before, after;

	(void)state;
	work_dir_init(&d);
	put_bytes(&d, "a", 100 * KIB);
	before = measure(d.path, 100, problem);
	snprintf(from, sizeof from, "%s/a", d.path);
	snprintf(to, sizeof to, "%s/b", d.path);
	assert_int_equal(link(from, to), 0);
	snprintf(to, sizeof to, "%s/c", d.path);
	assert_int_equal(symlink("/usr", to), 0);
	snprintf(to, sizeof to, "%s/sparse", d.path);
	assert_int_equal(close(open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)), 0);
	assert_int_equal(truncate(to, 1 << 30), 0);
	after = measure(d.path, 100, problem);
	assert_in_range(after, before, before + 16 * KIB);
	assert_string_equal(problem, "");
	work_dir_release(&d);
}

static void
T12_what_is_not_there_cannot_be_measured(void **state)
{
	char problem[256];

	(void)state;
	measure("/none/such", 1, problem);
	assert_string_equal(problem, "/none/such: No such file or directory");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T12_everything_below_is_counted_in_steps_of_any_size);
	SUITE_TEST(&s, T12_holes_links_and_second_names_take_nothing);
	SUITE_TEST(&s, T12_what_is_not_there_cannot_be_measured);
	return suite_run(&s, "tool/local/workspace_size");
}

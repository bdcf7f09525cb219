#include "provider/api_key.h"

#include <stdlib.h>
#include <unistd.h>

#include "harness.h"

#define HAS_NO "provider acme has no key: "

static const struct row {
	const char *name;
	const char *value; /* NULL: not set, or no such file */
	const char *key;   /* NULL: an error */
	const char *env_error, *file_error;
} ROWS[] = {
	{ "T3 a key", "abc", "abc" },
	{ "T3 blanks around it", " abc\n", "abc" },
	{ "T3 there is none", NULL, NULL,
	  HAS_NO "the environment variable TEST_KEY is not set where the server was started",
	  HAS_NO },
	{ "T3 it is empty", "", NULL, HAS_NO "the environment variable TEST_KEY is empty",
	  HAS_NO "the file FILE is empty" },
	{ "T3 nothing but blanks", " \n", NULL, HAS_NO "the environment variable TEST_KEY is empty",
	  HAS_NO "the file FILE is empty" },
	{ "T3 two lines", "hidden1\nhidden2", NULL,
	  "provider acme has no usable key: the environment variable TEST_KEY holds blanks or "
	  "characters that no key has",
	  "provider acme has no usable key: the file FILE holds blanks or characters that no key "
	  "has" },
};

static void
check(const struct row *row, const struct api_key_source *from, const char *error)
{
	struct arena a;
	struct str key;
	struct err e;
	int rc;

	arena_init(&a);
	rc = api_key_read(from, &a, &key, &e);
	if (row->key) {
		assert_int_equal(rc, 0);
		check_str("key", key, str_of(row->key));
	} else {
		assert_int_equal(rc, ERR_AUTH);
		assert_true(str_starts(str_of(e.text), str_of(error)));
		assert_false(str_contains(str_of(e.text), STR("hidden")));
	}
	arena_release(&a);
}

static void
row_of_env(void **state)
{
	const struct row *row = *state;

	unsetenv("TEST_KEY");
	if (row->value)
		setenv("TEST_KEY", row->value, 1);
	check(row, &(struct api_key_source){ STR("acme"), .env = STR("TEST_KEY") }, row->env_error);
}

static void
row_of_file(void **state)
{
	const struct row *row = *state;
	char path[] = "/tmp/perdure-key-XXXXXX", error[256];
	int fd = mkstemp(path);
	const char *name = row->file_error ? strstr(row->file_error, "FILE") : NULL;

	assert_true(fd >= 0);
	if (row->value)
		assert_int_equal(write(fd, row->value, strlen(row->value)), strlen(row->value));
	close(fd);
	if (!row->value)
		unlink(path);
	snprintf(error, sizeof error, "%.*s%s%s", (int)(name ? name - row->file_error : 0),
		 row->file_error ? row->file_error : "", name ? path : "", name ? name + 4 : "");
	check(row, &(struct api_key_source){ STR("acme"), .file = str_of(path) }, error);
	unlink(path);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_of_env);
	SUITE_ROWS(&s, ROWS, row_of_file);
	return suite_run(&s, "provider/api_key");
}

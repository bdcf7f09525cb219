#include "app/owner_token.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness.h"

struct folder {
	char path[64], token[96], beside[96];
};

static void
folder_init(struct folder *f)
{
	snprintf(f->path, sizeof f->path, "/tmp/perdure-token-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	snprintf(f->token, sizeof f->token, "%s/owner.token", f->path);
	snprintf(f->beside, sizeof f->beside, "%s/owner.token.new", f->path);
}

static void
folder_release(struct folder *f)
{
	unlink(f->token);
	unlink(f->beside);
	assert_int_equal(rmdir(f->path), 0);
}

static void
put(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void
P3_made_once_and_for_the_user_alone(void **state)
{
	char first[TOKEN_TEXT_LEN + 1], again[TOKEN_TEXT_LEN + 1];
	mode_t before = umask(0);
	struct folder f;
	struct stat st;
	struct err e;
	bool made;

	(void)state;
	folder_init(&f);
	assert_int_equal(owner_token_load(f.path, first, &made, &e), 0);
	assert_true(made);
	assert_true(token_is_well_formed(str_of(first)));
	assert_int_equal(stat(f.token, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(owner_token_load(f.path, again, &made, &e), 0);
	assert_false(made);
	assert_string_equal(again, first);
	folder_release(&f);
	umask(before);
}

static void
P3_every_directory_has_its_own(void **state)
{
	char tokens[2][TOKEN_TEXT_LEN + 1];
	struct err e;
	bool made;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct folder f;

		folder_init(&f);
		assert_int_equal(owner_token_load(f.path, tokens[i], &made, &e), 0);
		folder_release(&f);
	}
	assert_string_not_equal(tokens[0], tokens[1]);
}

/* Whatever a start left that died while it wrote, with whatever rights. */
static void
P3_what_a_failed_start_left_is_replaced(void **state)
{
	char token[TOKEN_TEXT_LEN + 1];
	struct folder f;
	struct stat st;
	struct err e;
	bool made;

	(void)state;
	folder_init(&f);
	put(f.beside, "half a tok", 0666);
	assert_int_equal(owner_token_load(f.path, token, &made, &e), 0);
	assert_true(made);
	assert_int_equal(stat(f.token, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(access(f.beside, F_OK), -1);
	folder_release(&f);
}

#define GOOD "pdr_00000000000000000000000000000000000000000000000000000000000000aa"

static const struct row {
	const char *name, *text;
	mode_t mode;
	int rc;
	const char *says;
} ROWS[] = {
	{ "P3 as it was written", GOOD "\n", 0600, 0, NULL },
	{ "P3 read-only", GOOD "\n", 0400, 0, NULL },
	{ "P3 blanks around it", "  " GOOD " \n\n", 0600, 0, NULL },
	{ "P3 readable by the group", GOOD "\n", 0640, ERR_INVALID, "chmod 600" },
	{ "P3 readable by all", GOOD "\n", 0604, ERR_INVALID, "can be read by others" },
	{ "P3 writable by all", GOOD "\n", 0602, ERR_INVALID, "chmod 600" },
	{ "P3 empty", "", 0600, ERR_INVALID, "holds no token" },
	{ "P3 cut short", "pdr_00000000000000000000000000000000000000000", 0600, ERR_INVALID,
	  "delete the file" },
	{ "P3 another text", "hello\n", 0600, ERR_INVALID, "holds no token" },
	{ "P3 two of them", GOOD "\n" GOOD "\n", 0600, ERR_INVALID, "holds no token" },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	char token[TOKEN_TEXT_LEN + 1] = "untouched";
	struct folder f;
	struct err e;
	bool made;

	folder_init(&f);
	put(f.token, row->text, row->mode);
	assert_int_equal(owner_token_load(f.path, token, &made, &e), row->rc);
	assert_false(made);
	if (row->rc == 0) {
		assert_string_equal(token, GOOD);
	} else {
		assert_string_equal(token, "untouched");
		if (!strstr(e.text, row->says) || !strstr(e.text, f.token))
			fail_msg("'%s' does not say '%s' of %s", e.text, row->says, f.token);
		assert_null(strstr(e.text, "pdr_")); /* no message repeats a secret */
	}
	folder_release(&f);
}

static void
P3_a_huge_file_is_no_token(void **state)
{
	char token[TOKEN_TEXT_LEN + 1];
	char *text = malloc(100001);
	struct folder f;
	struct err e;
	bool made;

	(void)state;
	memset(text, 'a', 100000);
	text[100000] = '\0';
	folder_init(&f);
	put(f.token, text, 0600);
	assert_int_equal(owner_token_load(f.path, token, &made, &e), ERR_INVALID);
	assert_non_null(strstr(e.text, "holds no token"));
	folder_release(&f);
	free(text);
}

static void
P3_a_directory_in_its_place_is_refused(void **state)
{
	char token[TOKEN_TEXT_LEN + 1];
	struct folder f;
	struct err e;
	bool made;

	(void)state;
	folder_init(&f);
	assert_int_equal(mkdir(f.token, 0700), 0);
	assert_int_equal(owner_token_load(f.path, token, &made, &e), ERR_INVALID);
	assert_int_equal(rmdir(f.token), 0);
	folder_release(&f);
}

/* A limit on file sizes does to a write what a full disk does: some of it, then an error. */
static void
P3_a_full_disk_leaves_no_half_token(void **state)
{
	static const rlim_t SIZES[] = { 0, 1, 40 };
	char token[TOKEN_TEXT_LEN + 1];
	struct rlimit before, small;
	struct folder f;
	struct err e;
	bool made;

	(void)state;
	folder_init(&f);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	for (size_t i = 0; i < ARRAY_LEN(SIZES); i++) {
		int rc;

		small = before;
		small.rlim_cur = SIZES[i];
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		rc = owner_token_load(f.path, token, &made, &e);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		assert_int_equal(rc, ERR_IO);
		assert_false(made);
		if (!strstr(e.text, "cannot write") || !strstr(e.text, strerror(EFBIG)))
			fail_msg("%s", e.text);
		assert_int_equal(access(f.token, F_OK), -1);
		assert_int_equal(access(f.beside, F_OK), -1);
	}
	assert_int_equal(owner_token_load(f.path, token, &made, &e), 0); /* there is room again */
	assert_true(made);
	folder_release(&f);
}

static void
P3_no_directory_no_token(void **state)
{
	char token[TOKEN_TEXT_LEN + 1];
	struct err e;
	bool made;

	(void)state;
	assert_int_equal(owner_token_load("/tmp/perdure-is-not-here", token, &made, &e), ERR_IO);
	assert_non_null(strstr(e.text, "/tmp/perdure-is-not-here"));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, P3_made_once_and_for_the_user_alone);
	SUITE_TEST(&s, P3_every_directory_has_its_own);
	SUITE_TEST(&s, P3_what_a_failed_start_left_is_replaced);
	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_TEST(&s, P3_a_huge_file_is_no_token);
	SUITE_TEST(&s, P3_a_directory_in_its_place_is_refused);
	SUITE_TEST(&s, P3_a_full_disk_leaves_no_half_token);
	SUITE_TEST(&s, P3_no_directory_no_token);
	return suite_run(&s, "app/owner_token");
}

#include "config_rows.h"

#include <sys/stat.h>

void
config_row_refused(void **state)
{
	const struct config_row *row = *state;
	const struct config_source from = { .file = CONFIG_ROWS_FILE, .text = str_of(row->text) };
	struct config *c = NULL;
	struct config_problems p;
	struct buf got;
	struct err e;
	int rc;

	setenv("HOME", "/h", 1);
	rc = config_load_with(&from, &c, &p, &e);
	if (rc == 0)
		fail_msg("%s: accepted", row->name);
	assert_null(c);
	assert_int_equal(rc, ERR_INVALID);
	buf_init(&got, 100000);
	config_problem_format_all(&p, &got);
	check_str(row->name, str_trim(buf_str(&got)), str_of(row->want));
	buf_release(&got);
}

int
config_rows_read(const char *path, struct config **out, struct err *e)
{
	struct config_problems p;

	return config_load_with(&(struct config_source){ .file = path }, out, &p, e);
}

struct config *
config_rows_load(const char *text)
{
	const struct config_source from = { .file = CONFIG_ROWS_FILE, .text = str_of(text) };
	struct config *c = NULL;
	struct config_problems p;
	struct err e;

	setenv("HOME", "/h", 1);
	unsetenv("XDG_STATE_HOME");
	if (config_load_with(&from, &c, &p, &e) != 0)
		fail_msg("refused: %s\n%s", e.text, text);
	return c;
}

void
config_rows_mkdir(char path[64])
{
	const char *tmp = getenv("TMPDIR");

	assert_true(snprintf(path, 64, "%s/perdure-config-XXXXXX", tmp ? tmp : "/tmp") < 64);
	assert_non_null(mkdtemp(path));
}

void
config_rows_write(const char *folder, const char *name, const char *text, char out[128])
{
	FILE *to;

	assert_true(snprintf(out, 128, "%s/%s", folder, name) < 128);
	to = fopen(out, "w");
	assert_non_null(to);
	assert_int_equal(chmod(out, 0600), 0);
	fputs(text, to);
	fclose(to);
}

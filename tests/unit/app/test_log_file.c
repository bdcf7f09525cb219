#include "app/log_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

static size_t
lines_of(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t lines = 0;

	for (int c; file && (c = getc(file)) != EOF;)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static void
L2_lines_go_to_the_file_that_was_opened_last(void **state)
{
	char folder[] = "/tmp/perdure-log-XXXXXX", path[96], moved[96];
	struct config config = { .log = { .level = LOG_INFO } };
	struct log_file f;
	struct stat st;
	struct err e;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/log", folder);
	snprintf(moved, sizeof moved, "%s/moved", folder);
	config.log.file = str_of(path);
	log_file_init(&f);
	assert_int_equal(log_file_use(&f, &config, &e), 0);
	log_write(LOG_INFO, "one");
	assert_int_equal(rename(path, moved), 0);
	log_write(LOG_INFO, "two");
	assert_int_equal(log_file_use(&f, &config, &e), 0);
	log_write(LOG_INFO, "three");
	config.log.file = str_of(folder); /* no file: the one in use stays */
	assert_int_equal(log_file_use(&f, &config, &e), ERR_IO);
	assert_non_null(strstr(e.text, "log.file"));
	log_write(LOG_INFO, "four");
	log_file_release(&f);
	assert_int_equal(lines_of(moved), 2);
	assert_int_equal(lines_of(path), 2);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0137, 0);
	unlink(path);
	unlink(moved);
	assert_int_equal(rmdir(folder), 0);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, L2_lines_go_to_the_file_that_was_opened_last);
	return suite_run(&s, "log_file");
}

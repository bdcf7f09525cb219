#include "app/clean_marker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

static void
H5_a_marker_is_found_once(void **state)
{
	char folder[] = "/tmp/perdure-marker-XXXXXX", path[96];
	struct stat st;
	struct err e;
	bool clean = true;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/.clean_shutdown", folder);
	assert_int_equal(clean_marker_take(folder, &clean, &e), 0);
	assert_false(clean);
	assert_int_equal(clean_marker_leave(folder, &e), 0);
	assert_int_equal(clean_marker_leave(folder, &e), 0); /* once more does no harm */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	assert_int_equal(clean_marker_take(folder, &clean, &e), 0);
	assert_true(clean);
	assert_int_not_equal(stat(path, &st), 0);
	assert_int_equal(clean_marker_take(folder, &clean, &e), 0);
	assert_false(clean);
	assert_int_equal(rmdir(folder), 0);
}

static void
H5_what_cannot_be_marked_is_said(void **state)
{
	char folder[] = "/tmp/perdure-marker-XXXXXX", path[96];
	struct err e;
	bool clean;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(clean_marker_leave("/tmp/perdure-no-such-folder", &e), ERR_IO);
	assert_non_null(strstr(e.text, ".clean_shutdown"));
	snprintf(path, sizeof path, "%s/.clean_shutdown", folder);
	assert_int_equal(mkdir(path, 0700), 0); /* somebody's folder of that name */
	assert_int_equal(clean_marker_take(folder, &clean, &e), ERR_IO);
	assert_non_null(strstr(e.text, "cannot remove"));
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, H5_a_marker_is_found_once);
	SUITE_TEST(&s, H5_what_cannot_be_marked_is_said);
	return suite_run(&s, "clean_marker");
}

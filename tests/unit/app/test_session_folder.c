#include "app/session_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

static void
M5_ids_lead_nowhere_else(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	session_folder_path(&(struct session_folder){ STR("/d"), STR("main"), STR("cli:a/../b"),
						      STR("workspace") },
			    &b);
	check_str("path", buf_str(&b),
		  STR("/d/agents/main/sessions/cli%3Aa%2F%2E%2E%2Fb/workspace"));
	buf_release(&b);
}

static void
M2_a_sessions_folder_is_made_once_and_for_its_owner_alone(void **state)
{
	char data[] = "/tmp/perdure-folder-XXXXXX", command[100];
	struct session_folder f = { .agent = STR("m"), .session = STR("s"), .part = STR("w") };
	struct str path = { 0 }, again = { 0 };
	struct arena a;
	struct stat st;
	struct err e;

	(void)state;
	arena_init(&a);
	assert_non_null(mkdtemp(data));
	f.data = str_of(data);
	assert_int_equal(session_folder_make(&f, &a, &path, &e), 0);
	assert_int_equal(stat(path.ptr, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(session_folder_make(&f, &a, &again, &e), 0);
	check_str("again", again, path);
	f.data = STR("/proc/nowhere");
	assert_int_equal(session_folder_make(&f, &a, &path, &e), ERR_IO);
	assert_non_null(strstr(e.text, "cannot make the folder /proc/nowhere/agents"));
	snprintf(command, sizeof command, "rm -r %s", data);
	assert_int_equal(system(command), 0);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M5_ids_lead_nowhere_else);
	SUITE_TEST(&s, M2_a_sessions_folder_is_made_once_and_for_its_owner_alone);
	return suite_run(&s, "app/session_folder");
}

#include "net/child_env.h"

#include <stdlib.h>

#include "harness.h"

static void
T12_a_child_gets_our_path_and_home(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	setenv("PATH", "/opt/bin", 1);
	setenv("HOME", "/home/joe", 1);
	assert_string_equal(child_env_path(&a), "PATH=/opt/bin");
	assert_string_equal(child_env_home(&a), "HOME=/home/joe");
	arena_release(&a);
}

static void
T12_where_we_have_none_it_gets_the_usual(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	unsetenv("PATH");
	unsetenv("HOME");
	assert_string_equal(child_env_path(&a), "PATH=/usr/local/bin:/usr/bin:/bin");
	assert_string_equal(child_env_home(&a), "HOME=/");
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T12_a_child_gets_our_path_and_home);
	SUITE_TEST(&s, T12_where_we_have_none_it_gets_the_usual);
	return suite_run(&s, "net/child_env");
}

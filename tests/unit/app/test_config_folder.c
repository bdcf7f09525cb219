#include "app/config_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include "config_rows.h"

/* clear, then set what is given; NULL: unset. */
static void
environment(const char *home, const char *xdg, const char *said)
{
	const char *const names[] = { "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
				      "PERDURE_CONFIG" };
	const char *const values[] = { home, xdg, xdg, said };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		unsetenv(names[i]);
		if (values[i])
			setenv(names[i], values[i], 1);
	}
}

static const struct row {
	const char *name, *home, *xdg, *want;
} DATA[] = {
	{ "L2 data at home", "/h", NULL, "/h/.local/state/perdure" },
	{ "L2 data in the XDG folder", "/h", "/x", "/x/perdure" },
	{ "L2 a relative XDG folder does not count", "/h", "x", "/h/.local/state/perdure" },
	{ "L2 an empty XDG folder neither", "/h", "", "/h/.local/state/perdure" },
	{ "L2 no home", NULL, NULL, "" },
};

static void
data(void **state)
{
	const struct row *r = *state;
	struct arena a;

	arena_init(&a);
	environment(r->home, r->xdg, NULL);
	check_str(r->name, config_folder_data(&a), str_of(r->want));
	arena_release(&a);
}

static void
L2_the_file_is_looked_for_in_order(void **state)
{
	char folder[64], path[128], sub[128];
	struct arena a;

	(void)state;
	arena_init(&a);
	config_rows_mkdir(folder);
	environment("/nonexistent", folder, NULL);
	assert_null(config_folder_find_file(NULL, &a));
	snprintf(sub, sizeof sub, "%s/perdure", folder);
	assert_int_equal(mkdir(sub, 0700), 0);
	config_rows_write(sub, "config.yaml", "", path);
	assert_string_equal(config_folder_find_file(NULL, &a), path);
	environment("/nonexistent", folder, "said.yaml");
	assert_string_equal(config_folder_find_file(NULL, &a), "said.yaml");
	assert_string_equal(config_folder_find_file("given.yaml", &a), "given.yaml");
	environment("/nonexistent", folder, "");
	assert_string_equal(config_folder_find_file(NULL, &a), path);
	environment(NULL, NULL, NULL);
	assert_null(config_folder_find_file(NULL, &a));
	unlink(path);
	rmdir(sub);
	rmdir(folder);
	arena_release(&a);
}

static void
folders_of_files(void **state)
{
	(void)state;
	check_str("nested", config_folder_of(STR("/a/b/c.yaml")), STR("/a/b"));
	check_str("relative", config_folder_of(STR("a/c.yaml")), STR("a"));
	check_str("here", config_folder_of(STR("c.yaml")), STR(""));
	check_str("root", config_folder_of(STR("/c.yaml")), STR("/"));
	check_str("doubled", config_folder_of(STR("/a//c.yaml")), STR("/a"));
	check_str("none", config_folder_of((struct str){ 0 }), STR(""));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, DATA, data);
	SUITE_TEST(&s, L2_the_file_is_looked_for_in_order);
	SUITE_TEST(&s, folders_of_files);
	return suite_run(&s, "app/config_folder");
}

#include "core/environment_run.h"

#include "definition_rows.h"

static const struct row {
	const char *name, *config;
	struct environment_run want;
	const char *directory;
} ROWS[] = {
	{ "M2 a local one is shut in, writes and has no network",
	  "{'type':'local','working_directory':null}",
	  { .place = { .sandboxed = true, .access = TOOL_ACCESS_WRITE } },
	  "" },
	{ "M2 what a local one opens",
	  "{'type':'local','working_directory':'/srv','sandbox':{'mode':'off',"
	  "'workspace_access':'none','network':'on'}}",
	  { .place = { .access = TOOL_ACCESS_NONE, .network = true } },
	  "/srv" },
	{ "M2 to be read only",
	  "{'type':'local','sandbox':{'workspace_access':'ro'}}",
	  { .place = { .sandboxed = true, .access = TOOL_ACCESS_READ } },
	  "" },
	{ "T11 a worker's machine",
	  "{'type':'self_hosted'}",
	  { .by_worker = true, .place = { .sandboxed = true, .access = TOOL_ACCESS_WRITE } },
	  "" },
	{ "T11 cloud is treated as self_hosted",
	  "{'type':'cloud','networking':{}}",
	  { .by_worker = true, .place = { .sandboxed = true, .access = TOOL_ACCESS_WRITE } },
	  "" },
	{ "M2 an environment that is gone is nobody's machine",
	  "{}",
	  { .by_worker = true, .place = { .sandboxed = true, .access = TOOL_ACCESS_WRITE } },
	  "" },
};

static void
row(void **state)
{
	const struct row *t = *state;
	struct environment_run run;
	struct arena a;

	arena_init(&a);
	environment_run_read(
		json_of(quoted(&a, arena_printf(&a, "{'config':%s}", t->config).ptr), &a), &a,
		&run);
	assert_int_equal(run.by_worker, t->want.by_worker);
	assert_int_equal(run.place.sandboxed, t->want.place.sandboxed);
	assert_int_equal(run.place.access, t->want.place.access);
	assert_int_equal(run.place.network, t->want.place.network);
	check_str("directory", run.place.directory, str_of(t->directory));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row);
	return suite_run(&s, "core/environment_run");
}

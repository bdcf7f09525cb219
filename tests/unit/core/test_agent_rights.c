#include "core/agent_rights.h"

#include "harness.h"
#include "json_of.h"

static const struct rights_row {
	const char *name, *agent;
	enum access_level level;
	const char *opens_in;            /* unless a request names another */
	const char *environment, *model; /* that is asked for */
	bool has_environment, has_model;
} ROWS[] = {
	{ "M2 an agent that says nothing", "{}", ACCESS_PUBLIC, "local-default", "local-default",
	  "demo", true, false },
	{ "M2 it has no other environment", "{'environments':[],'models':[]}", ACCESS_PUBLIC,
	  "local-default", "env_1", "", false, false },
	{ "M2 the first one is the default", "{'environments':['env_1','env_2']}", ACCESS_PUBLIC,
	  "env_1", "env_1", "demo", true, false },
	{ "M2 the others may be chosen", "{'environments':['env_1','env_2']}", ACCESS_PUBLIC,
	  "env_1", "env_2", "demo", true, false },
	{ "M2 what is not listed may not", "{'environments':['env_1','env_2']}", ACCESS_PUBLIC,
	  "env_1", "local-default", "demo", false, false },
	{ "M2 models are listed too", "{'models':['a/b','demo']}", ACCESS_PUBLIC, "local-default",
	  "env_1", "demo", false, true },
	{ "M2 whole names count", "{'models':['a/b'],'environments':['env_12']}", ACCESS_PUBLIC,
	  "env_12", "env_1", "a", false, false },
	{ "P7 a protected agent", "{'access':'protected'}", ACCESS_PROTECTED, "local-default", "",
	  "", false, false },
	{ "P7 a private agent", "{'access':'private','models':null}", ACCESS_PRIVATE,
	  "local-default", "", "", false, false },
};

/* The rows' single quotes as JSON has them. */
static const char *
plain(const char *text, struct arena *a)
{
	char *copy = (char *)(uintptr_t)arena_str(a, str_of(text)).ptr;

	for (char *at = copy; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	return copy;
}

static void
row_holds(void **state)
{
	const struct rights_row *row = *state;
	struct agent_rights r;
	struct arena a;

	arena_init(&a);
	agent_rights_read(json_of(plain(row->agent, &a), &a), &a, &r);
	assert_int_equal(r.level, row->level);
	check_str(row->name, agent_rights_environment(&r), str_of(row->opens_in));
	assert_int_equal(agent_rights_has_environment(&r, str_of(row->environment)),
			 row->has_environment);
	assert_int_equal(agent_rights_has_model(&r, str_of(row->model)), row->has_model);
	assert_int_equal(agent_rights_are_usual(&r),
			 strcmp(row->agent, "{}") == 0 || strstr(row->agent, ":[],'models':[]"));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	return suite_run(&s, "agent_rights");
}

#include <stdlib.h>

#include "base/ignored.h"
#include "harness.h"

static const struct ignored_row {
	const char *name, *variable, *words[4];
	bool want;
} ROWS[] = {
	{ "nothing is ignored", "", { "config", "model", "", "" }, false },
	{ "a key", "config model", { "config", "model", "", "" }, true },
	{ "another key", "config mode", { "config", "model", "", "" }, false },
	{ "a key that begins alike", "config model.x", { "config", "model", "", "" }, false },
	{ "a field", "body POST /v1/agents name", { "body", "POST", "/v1/agents", "name" }, true },
	{ "of another route",
	  "body POST /v1/users name",
	  { "body", "POST", "/v1/agents", "name" },
	  false },
	{ "of another method",
	  "body GET /v1/agents name",
	  { "body", "POST", "/v1/agents", "name" },
	  false },
	{ "a flag of a long command",
	  "flag session list --limit",
	  { "flag", "session list", "--limit", "" },
	  true },
	{ "words left over", "config model x", { "config", "model", "", "" }, false },
	{ "words missing",
	  "body POST /v1/agents",
	  { "body", "POST", "/v1/agents", "name" },
	  false },
};

static void
check_row(void **state)
{
	const struct ignored_row *row = *state;

	setenv("PERDURE_IGNORE", row->variable, 1);
	assert_int_equal(ignored_is(row->words[0], row->words[1], row->words[2], row->words[3]),
			 row->want);
	unsetenv("PERDURE_IGNORE");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	return suite_run(&s, "base/ignored");
}

#include "core/model_choice.h"

#include "base/buf.h"
#include "harness.h"
#include "json_of.h"

#define NONE          \
	{             \
		"", 0 \
	}

static const struct row {
	const char *name;
	struct model_facts f;
	const char *model, *source;
} ROWS[] = {
	{ "T3 the message first",
	  { STR("m"), STR("o"), true, STR("w"), STR("s") },
	  "m",
	  "message" },
	{ "T3 then what was chosen for the session",
	  { NONE, STR("o"), true, STR("w"), STR("s") },
	  "o",
	  "session" },
	{ "T3 the workspace beats the agent's own",
	  { NONE, STR("o"), false, STR("w"), STR("s") },
	  "w",
	  "workspace" },
	{ "T3 then the agent", { NONE, STR("o"), false, NONE, STR("s") }, "o", "agent" },
	{ "T3 then the server", { NONE, NONE, false, NONE, STR("s") }, "s", "server" },
	{ "T3 a choice that names nothing is none",
	  { NONE, NONE, true, NONE, STR("s") },
	  "s",
	  "server" },
	{ "T3 demo where nobody names one", { NONE, NONE, false, NONE, NONE }, "demo", "default" },
	{ "T3 demo that the server names is the server's",
	  { NONE, NONE, false, NONE, STR("demo") },
	  "demo",
	  "server" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct model_choice c = model_choice_decide(&row->f);

	check_str("model", c.model, str_of(row->model));
	check_str("source", str_of(model_source_name(c.source)), str_of(row->source));
}

static const struct write_row {
	const char *name, *agent;
	struct model_facts f;
	const char *want;
} WRITES[] = {
	{ "T3 none of its own: the server's is shown",
	  "{\"id\":\"a\",\"model\":null,\"tools\":[]}",
	  { .server = STR("p/x") },
	  "{\"id\":\"a\",\"model\":{\"id\":\"p/"
	  "x\",\"speed\":\"standard\"},\"model_source\":\"server\","
	  "\"tools\":[]}" },
	{ "T3 its own stays as it is",
	  "{\"model\":{\"id\":\"demo\",\"effort\":{\"type\":\"low\"},\"speed\":\"fast\"}}",
	  { .own = STR("ignored"), .server = STR("p/x") },
	  "{\"model\":{\"id\":\"demo\",\"effort\":{\"type\":\"low\"},\"speed\":\"fast\"},"
	  "\"model_source\":\"agent\"}" },
	{ "T3 the workspace's goes with the agent's effort",
	  "{\"model\":{\"id\":\"demo\",\"effort\":{\"type\":\"low\"},\"speed\":\"fast\"}}",
	  { .workspace = STR("p/w") },
	  "{\"model\":{\"id\":\"p/w\",\"effort\":{\"type\":\"low\"},\"speed\":\"fast\"},"
	  "\"model_source\":\"workspace\"}" },
	{ "T3 just an id",
	  "{\"model\":\"demo\"}",
	  { .chosen = true },
	  "{\"model\":{\"id\":\"demo\",\"speed\":\"standard\"},\"model_source\":\"session\"}" },
	{ "T3 a model without an id",
	  "{\"model\":{\"speed\":\"fast\"}}",
	  { .server = STR("p/x") },
	  "{\"model\":{\"id\":\"p/x\",\"speed\":\"fast\"},\"model_source\":\"server\"}" },
	{ "T3 an object that shows no model", "{\"id\":\"a\"}", { NONE }, "{\"id\":\"a\"}" },
};

static void
write_is(void **state)
{
	const struct write_row *row = *state;
	struct arena a;
	struct buf out;
	struct jw w;

	arena_init(&a);
	buf_init(&out, 4096);
	jw_init(&w, &out);
	model_choice_write(&w, json_of(row->agent, &a), &row->f, &a);
	check_str("agent", buf_str(&out), str_of(row->want));
	buf_release(&out);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, WRITES, write_is);
	return suite_run(&s, "model_choice");
}

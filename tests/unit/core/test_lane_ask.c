#include "core/lane_ask.h"

#include "definition_rows.h"
#include "harness.h"

static const struct principal OWNER = { .kind = TOKEN_OWNER };
static const struct principal ANN = { .kind = TOKEN_USER,
				      .user_id = { "ann", 3 },
				      .role = ROLE_USER };
static const struct principal TELEGRAM = { .kind = TOKEN_CHANNEL, .namespace = { "telegram", 8 } };
static const struct principal WORKER = { .kind = TOKEN_WORKER };

#define KEY    "{'key':{'surface':'chat','surface_id':'1'"
#define SOURCE "{'source':{'platform':'telegram','chat_id':'1'}"

static const struct read_row {
	const char *name, *body;
	const char *want; /* agent workspace user, or "error: part of the refusal" */
} READ_ROWS[] = {
	{ "A8 a key needs surface and surface_id", KEY "}}", "main - -" },
	{ "A8 a key with everything", KEY ",'agent_id':'a','workspace_id':'w','user_id':'u'}}",
	  "a w u" },
	{ "A8 a null workspace is none", KEY ",'workspace_id':null}}", "main - -" },
	{ "A8 a source is of workspace main", SOURCE "}", "main main -" },
	{ "A8 a source names agent and workspace beside it",
	  SOURCE ",'agent_id':'a','workspace_id':'w'}", "a w -" },
	{ "A8 a key or a source", "{}", "error: key, source" },
	{ "A8 not both", KEY "},'source':{'platform':'x'}}", "error: key, source" },
	{ "A8 a key names its agent itself", KEY "},'agent_id':'a'}", "error: agent_id: stands" },
	{ "A8 a key names its workspace itself", KEY "},'workspace_id':'a'}",
	  "error: workspace_id: stands" },
	{ "A8 a surface is not empty", "{'key':{'surface':'','surface_id':'1'}}",
	  "error: key.surface" },
	{ "A8 a surface id is not empty", "{'key':{'surface':'chat','surface_id':''}}",
	  "error: key.surface_id" },
	{ "A8 a surface id is not blank", "{'key':{'surface':'chat','surface_id':' '}}",
	  "error: key.surface_id" },
	{ "A8 a surface is there", "{'key':{'surface_id':'1'}}", "error: surface" },
	{ "A8 an agent has no separator", KEY ",'agent_id':'a:b'}}", "error: key.agent_id" },
	{ "A8 a source is one", "{'source':{'platform':'a:b'}}", "error: source.platform" },
	{ "A8 nothing unknown", KEY "},'new':true}", "error: new" },
};

static struct str
or_dash(struct str text)
{
	return text.len > 0 ? text : STR("-");
}

static void
ask_is_read(void **state)
{
	const struct read_row *row = *state;
	struct str want = str_of(row->want);
	struct lane_ask ask;
	struct err e = { 0 };
	struct arena a;
	int rc;

	arena_init(&a);
	rc = lane_ask_read(json_of(quoted(&a, row->body), &a), &a, &ask, &e);
	if (str_starts(want, STR("error: "))) {
		assert_int_equal(rc, ERR_INVALID);
		if (!str_contains(str_of(e.text), str_slice(want, 7, want.len)))
			fail_msg("%s: %s", row->name, e.text);
	} else {
		if (rc != 0)
			fail_msg("%s: %s", row->name, e.text);
		check_str(row->name,
			  arena_printf(&a, STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(ask.agent_id),
				       STR_ARG(or_dash(ask.workspace_id)),
				       STR_ARG(or_dash(ask.key.user_id))),
			  want);
	}
	arena_release(&a);
}

static const struct check_row {
	const char *name;
	const struct principal *who;
	const char *body;
	bool allowed;
} CHECK_ROWS[] = {
	{ "A8 an owner names another user", &OWNER, KEY ",'user_id':'bob'}}", true },
	{ "A8 a user names themselves", &ANN, KEY ",'user_id':'ann'}}", true },
	{ "A8 a user need not", &ANN, KEY "}}", true },
	{ "A8 only an owner names another user", &ANN, KEY ",'user_id':'bob'}}", false },
	{ "A8 an owner speaks for any platform", &OWNER, SOURCE "}", true },
	{ "A8 a channel speaks for its platform", &TELEGRAM, SOURCE "}", true },
	{ "A8 a channel speaks for no other", &TELEGRAM, "{'source':{'platform':'slack'}}", false },
	{ "A8 a user speaks for no channel", &ANN, SOURCE "}", false },
	{ "A8 a user speaks from where they are", &ANN, "{'source':{'platform':'web'}}", true },
	{ "A8 a channel has keys of its surface", &TELEGRAM,
	  "{'key':{'surface':'telegram','surface_id':'1'}}", true },
	{ "A8 a channel has no other keys", &TELEGRAM, KEY "}}", false },
	{ "A8 a worker has no sources", &WORKER, "{'source':{'platform':'web'}}", false },
};

static void
ask_is_checked(void **state)
{
	const struct check_row *row = *state;
	struct lane_ask ask;
	struct err e = { 0 };
	struct arena a;

	arena_init(&a);
	assert_int_equal(lane_ask_read(json_of(quoted(&a, row->body), &a), &a, &ask, &e), 0);
	assert_int_equal(lane_ask_check(&ask, row->who, &e), row->allowed ? 0 : ERR_INVALID);
	arena_release(&a);
}

static const struct from_row {
	const char *name, *body, *want; /* kind, platform, interactive */
} FROM_ROWS[] = {
	{ "M6 a platform's messages come by a channel", SOURCE "}", "channel telegram 1" },
	{ "M6 the terminal", "{'source':{'platform':'local'}}", "cli local 1" },
	{ "M6 programs", "{'source':{'platform':'api'}}", "api api 0" },
	{ "M6 a surface is its own word", KEY "}}", "chat chat 1" },
	{ "M6 a surface that is no word", "{'key':{'surface':'A b','surface_id':'1'}}", "api - 0" },
};

static void
session_source_is(void **state)
{
	const struct from_row *row = *state;
	struct session_source s;
	struct lane_ask ask;
	struct err e = { 0 };
	struct arena a;

	arena_init(&a);
	assert_int_equal(lane_ask_read(json_of(quoted(&a, row->body), &a), &a, &ask, &e), 0);
	s = lane_ask_session_source(&ask);
	check_str(row->name,
		  arena_printf(&a, STR_FMT " " STR_FMT " %d", STR_ARG(s.kind),
			       STR_ARG(or_dash(s.platform)), s.interactive),
		  str_of(row->want));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, READ_ROWS, ask_is_read);
	SUITE_ROWS(&s, CHECK_ROWS, ask_is_checked);
	SUITE_ROWS(&s, FROM_ROWS, session_source_is);
	return suite_run(&s, "lane_ask");
}

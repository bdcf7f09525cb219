#include "engine/session_tools.h"

#include "harness.h"

static const struct row {
	const char *name; /* begins with the id of the requirement it proves */
	enum event_kind kind;
	const char *payload;
	bool ends;
} ROWS[] = {
	{ "P6 delete", EVENT_SESSION_DELETED, "{\"type\":\"session.deleted\"}", true },
	{ "T12 the end for good", EVENT_STATUS_TERMINATED,
	  "{\"type\":\"session.status_terminated\"}", true },
	{ "T12 archive", EVENT_SESSION_UPDATED,
	  "{\"type\":\"session.updated\",\"lifecycle\":\"archived\"}", true },
	{ "T12 inactive is not archived", EVENT_SESSION_UPDATED,
	  "{\"type\":\"session.updated\",\"lifecycle\":\"inactive\"}", false },
	{ "T12 metadata may say what it likes", EVENT_SESSION_UPDATED,
	  "{\"type\":\"session.updated\",\"metadata\":{\"lifecycle\":\"archived\"}}", false },
	{ "T12 a title too", EVENT_SESSION_UPDATED,
	  "{\"type\":\"session.updated\",\"title\":\"archived\"}", false },
	{ "T12 the end of a turn is none", EVENT_STATUS_IDLE, "{\"type\":\"session.status_idle\"}",
	  false },
};

struct counted {
	struct toolset set;
	struct str session;
	int ended;
};

static void
end_session(struct toolset *t, struct str session)
{
	struct counted *c = (struct counted *)t;

	c->session = session;
	c->ended++;
}

static const struct toolset_ops OPS = { .end_session = end_session };

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct counted local = { .set.ops = &OPS }, servers = local;
	struct engine en = { .config = { .tools = &local.set, .servers = &servers.set } };
	struct event events[] = {
		{ .kind = EVENT_SESSION_UPDATED, .payload = STR("{\"type\":\"session.updated\"}") },
		{ .kind = row->kind, .payload = str_of(row->payload) },
	};

	session_tools_on_events(&en, STR("s"), events, ARRAY_LEN(events));
	assert_int_equal(local.ended, row->ends);
	assert_int_equal(servers.ended, row->ends);
	if (row->ends)
		check_str("session", local.session, STR("s"));
}

static void
stop_leaves_servers_alone(void **state)
{
	struct counted local = { .set.ops = &OPS }, servers = local;
	struct engine en = { .config = { .tools = &local.set, .servers = &servers.set } };

	(void)state;
	session_tools_stop(&en, STR("s"));
	assert_int_equal(local.ended, 1);
	assert_int_equal(servers.ended, 0);
}

static void
there_may_be_no_tools(void **state)
{
	struct engine en = { 0 };

	(void)state;
	session_tools_end(&en, STR("s"));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	suite_add(&s, "T12 /stop leaves MCP servers as they are", stop_leaves_servers_alone, NULL);
	suite_add(&s, "T12 a server without tools has nothing to end", there_may_be_no_tools, NULL);
	return suite_run(&s, "session_tools");
}

#include "engine/runtime.h"

#include "tool_rig.h"

/* What was handed to the files, one line each. */
struct shelf {
	struct buf names, last[3], learnt;
};

static void
put(void *ctx, struct str agent, struct str session, struct str name, struct str text)
{
	struct shelf *s = ctx;
	struct buf *into = &s->last[name.ptr[0] == 'c' ? 0 : name.ptr[0] == 's' ? 1 : 2];

	buf_printf(&s->names, STR_FMT "/" STR_FMT "/" STR_FMT "\n", STR_ARG(agent),
		   STR_ARG(session), STR_ARG(name));
	buf_clear(into);
	buf_put_str(into, text);
}

static void
learn(void *ctx, struct str agent, struct str line)
{
	struct shelf *s = ctx;

	buf_printf(&s->learnt, STR_FMT ": " STR_FMT "\n", STR_ARG(agent), STR_ARG(line));
}

static void
begin(struct rig *r, struct shelf *s)
{
	tool_rig_init(r);
	buf_init(&s->names, 1 << 20);
	buf_init(&s->learnt, 1 << 20);
	for (int i = 0; i < 3; i++)
		buf_init(&s->last[i], 1 << 20);
	r->en->config.files = (struct engine_files){ put, learn, s };
	rig_session(r, "s", "worker");
}

static void
end(struct rig *r, struct shelf *s)
{
	rig_release(r);
	buf_release(&s->names);
	buf_release(&s->learnt);
	for (int i = 0; i < 3; i++)
		buf_release(&s->last[i]);
}

#define ALL(session)                                                                               \
	"worker/" session "/checkpoint.json\nworker/" session "/session-state.md\nworker/" session \
	"/working-buffer.md\n"

static void
M13_each_turn_writes_the_files_of_its_session(void **state)
{
	struct shelf s;
	struct rig r;

	(void)state;
	begin(&r, &s);
	rig_session(&r, "t", "worker");
	rig_post(&r, "s", "say first");
	check_str("files", buf_str(&s.names), STR(ALL("s")));
	assert_true(str_contains(buf_str(&s.last[0]), STR("\"response_message\":\"first\"")));
	assert_true(str_contains(buf_str(&s.last[0]), STR("\"stop_reason\":\"end_turn\"")));
	assert_true(str_contains(buf_str(&s.last[0]), STR("\"last_seq\":7")));
	rig_post(&r, "t", "say second");
	check_str("files", buf_str(&s.names), STR(ALL("s") ALL("t")));
	assert_true(str_contains(buf_str(&s.last[1]), STR("second")));
	assert_false(str_contains(buf_str(&s.last[1]), STR("first")));
	end(&r, &s);
}

static void
M13_what_a_directive_asked_for_stands_in_them(void **state)
{
	struct shelf s;
	struct rig r;

	(void)state;
	begin(&r, &s);
	rig_post(&r, "s",
		 "tool session_directive {\"outcome\":\"continue\",\"follow_up_seconds\":60,"
		 "\"wakes\":[{\"delay_seconds\":5,\"reason\":\"mail\"}],\"learnings\":[{\"title\":"
		 "\"Tests first\"}]}");
	assert_true(str_contains(buf_str(&s.last[0]), STR("\"last_outcome\":\"continue\"")));
	assert_true(str_contains(buf_str(&s.last[0]), STR("\"consecutive_continues\":1")));
	assert_true(str_contains(buf_str(&s.last[0]), STR("\"reason\":\"mail\"")));
	assert_true(str_contains(buf_str(&s.last[0]), STR("session.follow_up")));
	assert_true(str_contains(buf_str(&s.last[1]), STR("Tests first")));
	assert_true(str_starts(buf_str(&s.learnt), STR("worker: {")));
	assert_true(str_contains(buf_str(&s.learnt), STR("\"title\":\"Tests first\"")));
	end(&r, &s);
}

static void
M13_a_turn_that_was_stopped_writes_them_too_and_learns_nothing(void **state)
{
	struct shelf s;
	struct rig r;

	(void)state;
	begin(&r, &s);
	rig_post(
		&r, "s",
		"tool session_directive {\"outcome\":\"sleep\",\"learnings\":[{\"title\":\"t\"}]}\n"
		"say half\nwait 60");
	rig_interrupt(&r, "s");
	check_str("files", buf_str(&s.names), STR(ALL("s")));
	assert_true(str_contains(buf_str(&s.last[0]), STR("\"stop_reason\":\"interrupted\"")));
	check_str("learnt", buf_str(&s.learnt), STR(""));
	end(&r, &s);
}

static void
M13_a_park_is_no_end(void **state)
{
	struct shelf s;
	struct rig r;

	(void)state;
	begin(&r, &s);
	rig_agent(&r, "asks", TOOL_RIG_ASKING_AGENT("asks"));
	rig_session(&r, "p", "asks");
	rig_post(&r, "p", "tool bash {}");
	check_str("files", buf_str(&s.names), STR(""));
	rig_interrupt(&r, "p");
	assert_true(s.names.len > 0);
	end(&r, &s);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M13_each_turn_writes_the_files_of_its_session);
	SUITE_TEST(&s, M13_what_a_directive_asked_for_stands_in_them);
	SUITE_TEST(&s, M13_a_turn_that_was_stopped_writes_them_too_and_learns_nothing);
	SUITE_TEST(&s, M13_a_park_is_no_end);
	return suite_run(&s, "engine/runtime");
}

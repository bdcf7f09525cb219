#include "engine/hook.h"

#include "engine/rollover.h"
#include "turn_rig.h"

/* Who listens: notes what it is told, and answers as the test wants. */
struct ear {
	struct rig *r;
	unsigned wanted;
	struct buf heard; /* names, a blank between */
	struct str facts; /* of the last */
	int rc;           /* of those that ask */
	bool holds;       /* the answer waits for answer_now */
	struct host_task task;
	engine_hook_done_fn *done;
	void *done_ctx;
};

static bool
wants(void *ctx, enum hook_event event)
{
	return ((struct ear *)ctx)->wanted >> event & 1;
}

static void
answer_now(struct ear *e)
{
	struct err err = { .text = "the hook says no" };
	engine_hook_done_fn *done = e->done;

	e->done = NULL;
	done(e->done_ctx, e->rc, &err);
}

static void
on_task(struct host_task *task)
{
	answer_now(LIST_OWNER(task, struct ear, task));
}

/* Hooks that may refuse are waited for. */
static bool
is_asked(enum hook_event event)
{
	return event == HOOK_SESSION_FINALIZE ||
	       str_starts(str_of(hook_event_name(event)), STR("before_"));
}

static void
run(void *ctx, enum hook_event event, struct str facts, engine_hook_done_fn *done, void *done_ctx)
{
	struct ear *e = ctx;

	buf_printf(&e->heard, "%s%s", e->heard.len > 0 ? " " : "", hook_event_name(event));
	e->facts = arena_str(&e->r->arena, facts);
	assert_int_equal(done != NULL, is_asked(event));
	if (!done)
		return;
	assert_null(e->done); /* one question at a time in these tests */
	e->done = done;
	e->done_ctx = done_ctx;
	list_init(&e->task.node);
	e->task.fn = on_task;
	if (!e->holds)
		host_defer(&e->r->host.host, &e->task);
}

static void
give_up(void *ctx)
{
	struct ear *e = ctx;

	e->rc = ERR_UNAVAILABLE;
	if (e->done)
		answer_now(e);
}

static void
listen_to(struct ear *e, struct rig *r, unsigned wanted)
{
	rig_init(r, true);
	*e = (struct ear){ .r = r, .wanted = wanted };
	buf_init(&e->heard, 1 << 16);
	r->en->config.hooks =
		(struct engine_hooks){ .wants = wants, .run = run, .ctx = e, .give_up = give_up };
}

static void
heard(struct ear *e, const char *want)
{
	check_str("heard", buf_str(&e->heard), str_of(want));
	buf_clear(&e->heard);
}

static void
release(struct ear *e, struct rig *r)
{
	rig_release(r);
	buf_release(&e->heard);
}

enum { EVERYTHING = (1 << HOOK_EVENTS) - 1 };

static void
H4_a_session_is_told_from_birth_on(void **state)
{
	struct ear e;
	struct rig r;
	struct json_doc doc;

	(void)state;
	listen_to(&e, &r, EVERYTHING);
	rig_session(&r, "s", "main");
	buf_clear(&e.heard); /* the rig makes its sessions without the engine */
	rig_post(&r, "s", "say hello");
	heard(&e, "before_turn session_save after_turn");
	assert_int_equal(json_parse(&r.arena, e.facts, &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
	assert_true(str_contains(e.facts, STR("{\"event\":\"after_turn\",\"at\":\"2025-")));
	assert_true(
		str_contains(e.facts, STR("\"session_id\":\"s\",\"log_event\":{\"id\":\"sevt_")));
	assert_true(str_contains(e.facts, STR("\"type\":\"session.status_idle\"")));
	assert_int_equal(json_parse(&r.arena, STR("{\"metadata\":{\"a\":\"b\"}}"),
				    &JSON_LIMITS_DEFAULT, &doc, NULL),
			 0);
	rig_update(&r, "s", json_root(&doc));
	heard(&e, "session_save");
	assert_int_equal(
		json_parse(&r.arena, STR("{\"title\":\"t\"}"), &JSON_LIMITS_DEFAULT, &doc, NULL),
		0);
	rig_update(&r, "s", json_root(&doc));
	heard(&e, "");
	release(&e, &r);
}

static void
H4_only_what_is_wanted_is_told(void **state)
{
	struct ear e;
	struct rig r;

	(void)state;
	listen_to(&e, &r, 1u << HOOK_AFTER_TURN);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "say hello");
	heard(&e, "after_turn");
	release(&e, &r);
}

static void
H4_a_turn_waits_for_the_hook(void **state)
{
	struct ear e;
	struct rig r;

	(void)state;
	listen_to(&e, &r, 1u << HOOK_BEFORE_TURN);
	rig_session(&r, "s", "main");
	e.holds = true;
	rig_post(&r, "s", "say hello");
	check_str("waits", rig_log(&r, "s", 2), STR("message"));
	assert_true(str_contains(e.facts, STR("\"turn_id\":\"turn_")));
	assert_true(str_contains(e.facts, rig_event_id(&r, "s", EVENT_USER_MESSAGE)));
	rig_post(&r, "s", "say again");
	e.holds = false;
	answer_now(&e);
	rig_settle(&r);
	check_str("runs", rig_log(&r, "s", 4),
		  STR("status_running model_request_start message\"hello\" model_request_end "
		      "status_idle:end_turn status_running model_request_start "
		      "message\"again\" model_request_end status_idle:end_turn"));
	heard(&e, "before_turn before_turn");
	release(&e, &r);
}

/* It came before the turn began: by then it is the next one, and that is what the hook is asked about. */
static void
Q3_an_interrupting_message_overtakes_a_turn_that_waits_for_the_hook(void **state)
{
	struct ear e;
	struct rig r;

	(void)state;
	listen_to(&e, &r, 1u << HOOK_BEFORE_TURN);
	rig_session(&r, "s", "main");
	e.holds = true;
	rig_post(&r, "s", "say slow");
	rig_post_busy(&r, "s", "say urgent", BUSY_INTERRUPT);
	e.holds = false;
	answer_now(&e);
	rig_settle(&r);
	check_str("log", rig_log(&r, "s", 5),
		  STR("status_running model_request_start message\"urgent\" model_request_end "
		      "status_idle:end_turn status_running model_request_start "
		      "message\"slow\" model_request_end status_idle:end_turn"));
	heard(&e, "before_turn before_turn before_turn");
	release(&e, &r);
}

static void
Q9_a_message_taken_back_while_the_hook_is_asked_does_not_run(void **state)
{
	struct ear e;
	struct rig r;

	(void)state;
	listen_to(&e, &r, 1u << HOOK_BEFORE_TURN);
	rig_session(&r, "s", "main");
	e.holds = true;
	rig_post(&r, "s", "say slow");
	rig_append(&r, "s", EVENT_INPUT_CANCELLED,
		   "{\"type\":\"session.input_cancelled\",\"all\":true}");
	rig_post(&r, "s", "say other");
	e.holds = false;
	answer_now(&e);
	rig_settle(&r);
	check_str("log", rig_log(&r, "s", 5),
		  STR("status_running model_request_start message\"other\" model_request_end "
		      "status_idle:end_turn"));
	release(&e, &r);
}

static void
H4_a_refused_turn_says_why_and_does_not_come_again(void **state)
{
	struct ear e;
	struct rig r;

	(void)state;
	listen_to(&e, &r, 1u << HOOK_BEFORE_TURN);
	rig_session(&r, "s", "main");
	e.rc = ERR_DENIED;
	rig_post(&r, "s", "say hello");
	check_str("refused", rig_log(&r, "s", 2),
		  STR("message error:hook_denied_error input_cancelled"));
	assert_true(str_contains(rig_event_at(&r, "s", 3)->payload, STR("the hook says no")));
	assert_int_equal(rig_pending(&r, "s"), 0);
	rig_advance(&r, 60000);
	heard(&e, "before_turn");
	e.rc = 0;
	rig_post(&r, "s", "say x");
	check_str("the next one", rig_log(&r, "s", 6),
		  STR("status_running model_request_start message\"x\" model_request_end "
		      "status_idle:end_turn"));
	release(&e, &r);
}

/* Whoever could not be asked is asked again: nothing is lost. */
static void
H4_no_answer_is_asked_for_again(void **state)
{
	struct ear e;
	struct rig r;

	(void)state;
	listen_to(&e, &r, 1u << HOOK_BEFORE_TURN);
	rig_session(&r, "s", "main");
	e.rc = ERR_UNAVAILABLE;
	rig_post(&r, "s", "say hello");
	check_str("waits", rig_log(&r, "s", 2), STR("message"));
	e.rc = 0;
	rig_advance(&r, 2000);
	assert_true(str_contains(rig_log(&r, "s", 2), STR("message\"hello\"")));
	heard(&e, "before_turn before_turn");
	release(&e, &r);
}

/* What it was about waits in the log for the next start. */
static void
H5_a_drain_gives_up_a_hook_that_takes_too_long(void **state)
{
	struct ear e;
	struct rig r;

	(void)state;
	listen_to(&e, &r, 1u << HOOK_BEFORE_TURN);
	rig_session(&r, "s", "main");
	e.holds = true;
	rig_post(&r, "s", "say hello");
	check_str("waits", rig_log(&r, "s", 2), STR("message"));
	rig_restart(&r, 1000);
	assert_null(e.done);
	rig_settle(&r);
	check_str("runs", rig_log(&r, "s", 2),
		  STR("message status_running model_request_start message\"hello\" "
		      "model_request_end status_idle:end_turn"));
	release(&e, &r);
}

/* The turn that goes on after a park was asked about when it began. */
static void
H4_one_question_for_a_turn(void **state)
{
	struct ear e;
	struct rig r;

	(void)state;
	listen_to(&e, &r, EVERYTHING);
	rig_agent(&r, "asks",
		  "{\"id\":\"asks\",\"version\":1,\"model\":\"demo\",\"tools\":[{"
		  "\"type\":\"custom\",\"name\":\"color\",\"description\":\"d\","
		  "\"input_schema\":{\"type\":\"object\"}}]}");
	rig_session(&r, "s", "asks");
	buf_clear(&e.heard);
	rig_post(&r, "s", "tool color {}\nsay thanks");
	heard(&e, "before_turn");
	rig_send(&r, "s",
		 arena_printf(&r.arena,
			      "[{\"type\":\"user.custom_tool_result\",\"custom_tool_use_id\":"
			      "\"" STR_FMT
			      "\",\"content\":[{\"type\":\"text\",\"text\":\"red\"}]}]",
			      STR_ARG(rig_event_id(&r, "s", EVENT_AGENT_CUSTOM_TOOL_USE)))
			 .ptr);
	heard(&e, "session_save after_turn");
	release(&e, &r);
}

/* ---- resets ---- */

struct outcome {
	bool done;
	int rc;
	char text[ERR_TEXT_MAX];
};

static void
on_over(void *ctx, const struct rollover_over *over)
{
	struct outcome *o = ctx;

	o->done = true;
	o->rc = over->rc;
	if (over->rc != 0)
		snprintf(o->text, sizeof o->text, "%s", over->err->text);
}

static struct outcome
roll(struct rig *r, enum rollover_cause cause)
{
	struct outcome o = { 0 };

	rollover_run(r->en, &(struct rollover){ .old = STR("s"), .cause = cause }, on_over, &o);
	rig_settle_until(r, &o.done);
	return o;
}

static void
R6_a_reset_is_told_before_and_after(void **state)
{
	struct ear e;
	struct rig r;

	(void)state;
	listen_to(&e, &r, 1u << HOOK_BEFORE_RESET | 1u << HOOK_AFTER_RESET);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "say x");
	assert_int_equal(roll(&r, ROLLOVER_DAILY).rc, 0);
	heard(&e, "before_reset after_reset");
	assert_true(str_contains(e.facts, STR("\"reason\":\"daily\"")));
	assert_true(str_contains(e.facts, STR("\"new_session_id\":")));
	release(&e, &r);
}

static void
R6_a_refused_reset_does_not_happen(void **state)
{
	struct outcome o;
	struct ear e;
	struct rig r;

	(void)state;
	listen_to(&e, &r, EVERYTHING & ~(1u << HOOK_BEFORE_TURN));
	rig_session(&r, "s", "main");
	buf_clear(&e.heard);
	e.rc = ERR_DENIED;
	o = roll(&r, ROLLOVER_IDLE);
	assert_int_equal(o.rc, ERR_CONFLICT); /* it goes on, as with a turn that is open */
	assert_string_equal(o.text, "the hook says no");
	assert_int_equal(roll(&r, ROLLOVER_MANUAL).rc, ERR_DENIED);
	heard(&e, "before_reset before_reset");
	assert_int_equal(rig_head(&r, "s"), 1);
	release(&e, &r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, H4_a_session_is_told_from_birth_on);
	SUITE_TEST(&s, H4_only_what_is_wanted_is_told);
	SUITE_TEST(&s, H4_a_turn_waits_for_the_hook);
	SUITE_TEST(&s, Q3_an_interrupting_message_overtakes_a_turn_that_waits_for_the_hook);
	SUITE_TEST(&s, Q9_a_message_taken_back_while_the_hook_is_asked_does_not_run);
	SUITE_TEST(&s, H4_a_refused_turn_says_why_and_does_not_come_again);
	SUITE_TEST(&s, H4_no_answer_is_asked_for_again);
	SUITE_TEST(&s, H5_a_drain_gives_up_a_hook_that_takes_too_long);
	SUITE_TEST(&s, H4_one_question_for_a_turn);
	SUITE_TEST(&s, R6_a_reset_is_told_before_and_after);
	SUITE_TEST(&s, R6_a_refused_reset_does_not_happen);
	return suite_run(&s, "hook");
}

#include "app/hook_exec.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "tool/local/tool_helper.h"

enum { BOUND_MS = 20000 };

struct rig {
	struct loop *loop;
	struct config *config;
	struct hook_exec *x;
	struct engine_hooks port;
	struct loop_timer *bound;
	int answers, rc;
	char text[ERR_TEXT_MAX];
};

static struct config *
load(const char *text)
{
	struct config_problems problems;
	struct config *c = NULL;
	struct err e;

	if (config_load_with(&(struct config_source){ .file = "c.yaml", .text = str_of(text) }, &c,
			     &problems, &e) != 0)
		fail_msg("%s", e.text);
	return c;
}

static void
on_bound(void *ctx)
{
	(void)ctx;
	fail_msg("not over within %d ms", BOUND_MS);
}

static void
begin(struct rig *r, const char *config)
{
	char self[PATH_MAX] = { 0 };

	assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	*r = (struct rig){ .loop = loop_new(), .config = load(config) };
	r->x = hook_exec_new(r->loop, r->config, self);
	r->port = hook_exec_port(r->x);
	r->bound = loop_timer_new(r->loop, on_bound, NULL);
	loop_timer_set(r->bound, BOUND_MS);
}

static void
end(struct rig *r)
{
	hook_exec_free(&r->x);
	loop_timer_free(&r->bound);
	loop_settle(r->loop);
	loop_free(&r->loop);
	config_free(&r->config);
}

static void
on_answer(void *ctx, int rc, const struct err *err)
{
	struct rig *r = ctx;

	r->answers++;
	r->rc = rc;
	snprintf(r->text, sizeof r->text, "%s", rc != 0 ? err->text : "");
	loop_stop(r->loop);
}

static void
ask(struct rig *r, enum hook_event event, const char *facts)
{
	int before = r->answers;

	r->port.run(r->port.ctx, event, str_of(facts), on_answer, r);
	assert_int_equal(r->answers, before); /* never from inside */
	loop_run(r->loop);
	assert_int_equal(r->answers, before + 1);
}

#define SH(script)         "['/bin/sh', '-c', '" script "']"
#define HOOK(script, more) "hooks: [{event: before_turn, command: " SH(script) more "}]\n"

static const struct row {
	const char *name, *config, *want; /* "": allowed; else a part of the refusal */
} ROWS[] = {
	{ "H4 exit 0 is a yes", HOOK("exit 0", ""), "" },
	{ "H4 anything else is a no", HOOK("exit 3", ""), "the before_turn hook refused it" },
	{ "H4 it says why", HOOK("echo not today; exit 1", ""),
	  "the before_turn hook refused it: not today" },
	{ "H4 on stderr as well", HOOK("echo quota >&2; exit 1", ""), "refused it: quota" },
	{ "H4 it reads the facts", HOOK("grep -q needle", ""), "" },
	{ "H4 it reads other facts", HOOK("grep -q elsewhere", ""), "refused it" },
	{ "H4 it may leave them", HOOK("exec <&-; exit 0", ""), "" },
	{ "H4 too slow, open", HOOK("sleep 60", ", timeout_ms: 50 ms"), "" },
	{ "H4 too slow, closed", HOOK("sleep 60", ", timeout_ms: 50 ms, on_failure: closed"),
	  "gave no answer, and without one nothing goes on" },
	{ "H4 its children are killed with it",
	  HOOK("sleep 60 & sleep 60 & wait", ", timeout_ms: 50 ms, on_failure: closed"),
	  "gave no answer" },
	{ "H4 what left its group does not keep it from being too slow",
	  HOOK("setsid sh -c \"while echo on; do sleep 0.02; done\" & sleep 60",
	       ", timeout_ms: 400 ms, on_failure: closed"),
	  "gave no answer" },
	{ "H4 whom it left behind talks on, its own answer counts",
	  HOOK("setsid sh -c \"while echo on; do sleep 0.02; done\" & sleep 0.2",
	       ", timeout_ms: 60 s, on_failure: closed"),
	  "" },
	{ "H4 killed, open", HOOK("kill -9 $$", ""), "" },
	{ "H4 killed, closed", HOOK("kill -9 $$", ", on_failure: closed"), "gave no answer" },
	{ "H4 not there, open", "hooks: [{event: before_turn, command: [/nonexistent/x]}]\n", "" },
	{ "H4 not there, closed",
	  "hooks: [{event: before_turn, command: [/nonexistent/x], on_failure: closed}]\n",
	  "gave no answer" },
	{ "H4 all of them must agree",
	  "hooks: [{event: before_turn, command: ['true']}, "
	  "{event: before_turn, command: ['false']}]\n",
	  "refused it" },
	{ "H4 hooks of other events are not asked",
	  "hooks: [{event: before_reset, command: ['false']}, "
	  "{event: before_turn, command: ['true']}]\n",
	  "" },
	{ "H4 nobody listens any more", "log: {level: info}\n", "" },
	{ "H4 much output is fine", HOOK("head -c 5000000 /dev/zero; exit 0", ""), "" },
	{ "H4 no secret is in its environment",
	  HOOK("! env | grep -q -e SECRET_OF_OURS -e PERDURE", ""), "" },
	{ "H4 it finds its programs", HOOK("test -n \"$PATH\"", ""), "" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct rig r;

	setenv("SECRET_OF_OURS", "hunter2", 1);
	begin(&r, row->config);
	ask(&r, HOOK_BEFORE_TURN, "{\"text\":\"needle\"}");
	assert_int_equal(r.rc, row->want[0] ? ERR_DENIED : 0);
	if (!strstr(r.text, row->want))
		fail_msg("%s", r.text);
	end(&r);
}

static void
H4_who_listens(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, HOOK("exit 0", ""));
	assert_true(r.port.wants(r.port.ctx, HOOK_BEFORE_TURN));
	for (int event = 0; event < HOOK_EVENTS; event++)
		assert_int_equal(r.port.wants(r.port.ctx, (enum hook_event)event),
				 event == HOOK_BEFORE_TURN);
	end(&r);
}

/* Each word of the configuration is the event of that name. */
static void
H4_the_words_are_the_events(void **state)
{
	(void)state;
	for (int event = 0; event < HOOK_EVENTS; event++) {
		char text[128];
		struct config *c;

		snprintf(text, sizeof text, "hooks: [{event: %s, command: [x]}]\n",
			 hook_event_name((enum hook_event)event));
		c = load(text);
		assert_int_equal(c->hooks.len, 1);
		assert_int_equal(c->hooks.ptr[0].event, event);
		assert_int_equal(c->hooks.ptr[0].timeout_ms, 10000);
		assert_false(c->hooks.ptr[0].fails_closed);
		config_free(&c);
	}
}

/* More than run at once, in order, and one that is asked behind them. */
static void
H4_many_wait_for_their_turn(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, "hooks: [{event: after_turn, command: ['true']}, "
		  "{event: before_turn, command: ['true']}]\n");
	for (int i = 0; i < 100; i++)
		r.port.run(r.port.ctx, HOOK_AFTER_TURN, STR("{}"), NULL, NULL);
	ask(&r, HOOK_BEFORE_TURN, "{}");
	assert_int_equal(r.rc, 0);
	end(&r);
}

static void
H4_whoever_waits_is_told_at_the_end(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, HOOK("sleep 60", ""));
	for (int i = 0; i < 20; i++)
		r.port.run(r.port.ctx, HOOK_BEFORE_TURN, STR("{}"), on_answer, &r);
	hook_exec_free(&r.x);
	assert_int_equal(r.answers, 20);
	assert_int_equal(r.rc, ERR_UNAVAILABLE);
	end(&r);
}

/* More than run at once wait; those that nobody waits for go on, and so does what is asked later. */
static void
H5_whoever_waits_can_be_told_early(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, "hooks: [{event: before_turn, command: [sleep, '60']}, "
		  "{event: before_reset, command: ['true']}, "
		  "{event: after_turn, command: ['true']}]\n");
	for (int i = 0; i < 20; i++) {
		r.port.run(r.port.ctx, HOOK_BEFORE_TURN, STR("{}"), on_answer, &r);
		r.port.run(r.port.ctx, HOOK_AFTER_TURN, STR("{}"), NULL, NULL);
	}
	r.port.give_up(r.port.ctx);
	assert_int_equal(r.answers, 20);
	assert_int_equal(r.rc, ERR_UNAVAILABLE);
	r.port.run(r.port.ctx, HOOK_BEFORE_RESET, STR("{}"), on_answer, &r);
	while (r.answers == 20)
		loop_run(r.loop);
	assert_int_equal(r.rc, 0);
	end(&r);
}

/* What the store still has to say when the server closes comes after the hooks were stopped. */
static void
H4_stopped_it_begins_nothing(void **state)
{
	struct engine_finalize what = { STR("s"), STR("lane_1"), STR("main") };
	struct rig r;

	(void)state;
	begin(&r, HOOK("sleep 60", ""));
	for (int i = 0; i < 20; i++)
		r.port.run(r.port.ctx, HOOK_BEFORE_TURN, STR("{}"), on_answer, &r);
	hook_exec_stop(r.x);
	assert_int_equal(r.answers, 20);
	assert_int_equal(r.rc, ERR_UNAVAILABLE);
	assert_false(r.port.wants(r.port.ctx, HOOK_BEFORE_TURN));
	r.port.run(r.port.ctx, HOOK_BEFORE_TURN, STR("{}"), NULL, NULL);
	r.port.finalize(r.port.ctx, &what, on_answer, &r);
	loop_settle(r.loop);
	assert_int_equal(r.answers, 20); /* never from inside */
	hook_exec_stop(r.x);
	hook_exec_free(&r.x);
	assert_int_equal(r.answers, 21);
	assert_int_equal(r.rc, ERR_UNAVAILABLE);
	end(&r);
}

static void
H4_a_reload_counts_for_what_begins(void **state)
{
	struct config *other = load("log: {level: info}\n");
	struct rig r;

	(void)state;
	begin(&r, HOOK("sleep 0.2; exit 1", ""));
	r.port.run(r.port.ctx, HOOK_BEFORE_TURN, STR("{}"), on_answer, &r);
	hook_exec_reload(r.x, other);
	config_free(&r.config);
	r.config = other;
	assert_false(r.port.wants(r.port.ctx, HOOK_BEFORE_TURN));
	loop_run(r.loop);
	assert_int_equal(r.rc, ERR_DENIED); /* it began before */
	end(&r);
}

static void
H4_a_finalize_hook_that_fails_says_so(void **state)
{
	struct engine_finalize what = { STR("s"), STR("lane_1"), STR("main") };
	struct rig r;

	(void)state;
	begin(&r, "hooks: [{event: session_finalize, command: " SH(
			  "grep -q \"\\\"session_id\\\":\\\"s\\\",\\\"lane_id\\\":\\\"lane_1\\\"\" "
			  "&& exit 4") "}]\n");
	r.port.finalize(r.port.ctx, &what, on_answer, &r);
	loop_run(r.loop);
	assert_int_equal(r.rc, ERR_DENIED);
	end(&r);
}

int
main(int argc, char **argv)
{
	struct suite s = { 0 };

	if (argc > 1 && strcmp(argv[1], "tool-helper") == 0)
		return tool_helper_main(argc - 1, argv + 1);
	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, H4_who_listens);
	SUITE_TEST(&s, H4_the_words_are_the_events);
	SUITE_TEST(&s, H4_many_wait_for_their_turn);
	SUITE_TEST(&s, H4_whoever_waits_is_told_at_the_end);
	SUITE_TEST(&s, H5_whoever_waits_can_be_told_early);
	SUITE_TEST(&s, H4_stopped_it_begins_nothing);
	SUITE_TEST(&s, H4_a_reload_counts_for_what_begins);
	SUITE_TEST(&s, H4_a_finalize_hook_that_fails_says_so);
	return suite_run(&s, "hook_exec");
}

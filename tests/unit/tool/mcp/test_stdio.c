#include "tool/mcp/stdio.h"

#include "app/host_loop.h"
#include "base/buf.h"
#include "harness.h"

enum { BOUND_MS = 20000 };

/* What a shell script says, and what comes of it: messages in <>, then how it ended. */
static const struct row {
	const char *name, *script, *want;
} ROWS[] = {
	{ "T10 a message is a line", "echo '{\"a\":1}'; echo '{\"b\":2}'",
	  "<{\"a\":1}><{\"b\":2}> its process ended with code 0: it said nothing" },
	{ "T10 cut anywhere",
	  "printf '{\"a\"'; sleep 0.05; printf ':1}\\n{'; sleep 0.05; printf '}\\n'",
	  "<{\"a\":1}><{}> its process ended with code 0" },
	{ "T10 line ends of other systems", "printf '{}\\r\\n\\r\\n{}\\r\\n'",
	  "<{}><{}> its process ended with code 0" },
	{ "T10 chatter is skipped", "echo; echo Server is running; echo '{}'; echo bye",
	  "<{}> its process ended with code 0" },
	{ "T10 an unfinished line is no message", "printf '{}'", " its process ended with code 0" },
	{ "T10 its last words", "echo first >&2; echo 'the reason' >&2; exit 7",
	  " its process ended with code 7: the reason" },
	{ "T10 last words without a line end", "printf 'the reason' >&2; exit 7",
	  " its process ended with code 7: the reason" },
	{ "T10 a signal", "kill -9 $$", " its process was ended by signal 9: it said nothing" },
	{ "T10 what it reads", "read a; echo \"{$a}\"",
	  "<{{ \"x\": 1 }}> its process ended with code 0" },
	{ "T10 much on its error output", "yes | head -c 1000000 >&2; echo '{}'",
	  "<{}> its process" },
};

struct watch {
	struct loop *loop;
	struct buf told;
	bool closed;
	struct transport *transport;
};

static void
on_text(void *ctx, struct str text, int64_t id)
{
	struct watch *w = ctx;

	assert_int_equal(id, MESSAGE_NO_ID);
	buf_printf(&w->told, "<" STR_FMT ">", STR_ARG(text));
}

static void
on_failed(void *ctx, int64_t id, const struct mcp_failure *failure)
{
	(void)ctx;
	(void)id;
	fail_msg("%s", failure->err.text);
}

static void
on_closed(void *ctx, const struct mcp_failure *failure)
{
	struct watch *w = ctx;

	assert_false(w->closed);
	w->closed = true;
	buf_printf(&w->told, " %s", failure->err.text);
	w->transport->ops->free(w->transport);
	loop_stop(w->loop);
}

static void
on_bound(void *ctx)
{
	(void)ctx;
	fail_msg("not over within %d ms", BOUND_MS);
}

static void
play(const char *script, struct str send, bool hang_up, const char *want)
{
	static const struct transport_events EVENTS = { on_text, on_failed, on_closed };
	static const char *const ENV[] = { "PATH=/usr/bin:/bin", NULL };
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct watch w = { .loop = loop_new() };
	struct host *host = host_loop_new(w.loop);
	struct loop_timer *bound = loop_timer_new(w.loop, on_bound, &w);
	struct stdio_config config = { host, w.loop, STR("sh"), { argv, ENV, NULL, -1 } };
	struct err e;

	buf_init(&w.told, 1 << 20);
	assert_int_equal(stdio_new(&config, &w.transport, &e), 0);
	assert_true(stdio_pid(w.transport) > 0);
	w.transport->events = &EVENTS;
	w.transport->ctx = &w;
	if (send.len > 0)
		w.transport->ops->send(w.transport,
				       &(struct transport_out){ .id = 1, .text = send });
	if (hang_up)
		w.transport->ops->hang_up(w.transport);
	loop_timer_set(bound, BOUND_MS);
	loop_run(w.loop);
	if (!str_starts(buf_str(&w.told), str_of(want)))
		check_str("told", buf_str(&w.told), str_of(want));
	loop_timer_free(&bound);
	host_loop_free(&host);
	loop_settle(w.loop);
	loop_free(&w.loop);
	buf_release(&w.told);
}

static void
row_holds(void **state)
{
	const struct row *row = *state;

	play(row->script, STR("{\n\"x\":\r1\n}"), false, row->want);
}

static void
T10_told_to_leave_it_leaves(void **state)
{
	(void)state;
	play("cat >/dev/null; echo left >&2; exit 5", STR(""), true,
	     " its process ended with code 5: left");
	play("trap '' TERM; sleep 60", STR(""), true, " its process was ended by signal 9");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T10_told_to_leave_it_leaves);
	return suite_run(&s, "tool/mcp/stdio");
}

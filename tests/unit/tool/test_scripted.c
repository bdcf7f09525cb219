#include "tool/scripted.h"

#include "harness.h"
#include "virtual_host.h"

struct seen {
	size_t results, tools, problems;
	enum tool_outcome outcome;
	char output[64];
};

static void
on_done(void *ctx, const struct tool_result *r)
{
	struct seen *s = ctx;

	s->results++;
	s->outcome = r->outcome;
	snprintf(s->output, sizeof s->output, "%.*s", STR_ARG(r->output));
}

static void
on_listed(void *ctx, const struct tool_listing *l)
{
	struct seen *s = ctx;

	s->tools = l->tool_count;
	s->problems = l->problem_count;
}

static struct tool_run *
start(struct toolset *t, const char *id, const char *name, struct seen *s)
{
	struct tool_request q = {
		.id = str_of(id), .name = str_of(name), .arguments = STR("{}"), .timeout_ms = 1000
	};

	return t->ops->start(t, &q, on_done, s);
}

static void
T7_a_call_is_answered_once_and_later(void **state)
{
	static const struct scripted_result RESULTS[] = {
		{ STR("slow"), OUTCOME_OK, STR("done"), 500 },
		{ STR("late"), OUTCOME_OK, STR("done"), 5000 },
		{ STR("hand"), .wait_ms = -1 },
	};
	struct virtual_host h;
	struct toolset *t;
	struct seen s = { 0 };

	(void)state;
	virtual_host_init(&h, 1000);
	t = tool_scripted_new(&h.host);
	tool_scripted_play(t, RESULTS, ARRAY_LEN(RESULTS));
	start(t, "a", "echo", &s);
	assert_int_equal(s.results, 0);
	virtual_host_settle(&h);
	assert_int_equal(s.results, 1);
	assert_string_equal(s.output, "{}");
	start(t, "a", "slow", &s);
	virtual_host_advance(&h, 499);
	assert_int_equal(s.results, 1);
	virtual_host_advance(&h, 1);
	assert_string_equal(s.output, "done");
	start(t, "b", "late", &s);
	virtual_host_advance(&h, 1000);
	assert_int_equal(s.outcome, OUTCOME_TIMEOUT);
	start(t, "c", "hand", &s);
	assert_true(tool_scripted_answer(t, STR("hand"), OUTCOME_ERROR, STR("no")));
	virtual_host_settle(&h);
	assert_string_equal(s.output, "no");
	assert_false(tool_scripted_answer(t, STR("hand"), OUTCOME_ERROR, STR("no")));
	t->ops->cancel(start(t, "d", "hand", &s));
	virtual_host_advance(&h, 9999);
	assert_int_equal(s.results, 4);
	assert_int_equal(tool_scripted_starts(t, STR("a")), 2);
	assert_int_equal(tool_scripted_started(t), 5);
	assert_int_equal(tool_scripted_cancelled(t), 1);
	assert_int_equal(tool_scripted_open(t), 0);
	t->ops->free(t);
}

static void
T10_a_listing_has_what_was_asked_for(void **state)
{
	static const struct tool_doc DOCS[] = { { .name = STR("bash") },
						{ .name = STR("x"), .server = STR("a") },
						{ .name = STR("x"), .server = STR("b") } };
	static const struct tool_problem PROBLEMS[] = { { .server = STR("c") } };
	static const struct tool_server SERVERS[] = { { .name = STR("a") }, { .name = STR("c") } };
	struct tool_ask ask = { 0 };
	struct virtual_host h;
	struct toolset *t;
	struct seen s = { 0 };

	(void)state;
	virtual_host_init(&h, 1000);
	t = tool_scripted_new(&h.host);
	tool_scripted_docs(t, DOCS, ARRAY_LEN(DOCS));
	tool_scripted_problems(t, PROBLEMS, 1);
	t->ops->list(t, &ask, on_listed, &s);
	virtual_host_settle(&h);
	assert_int_equal(s.tools, 1);
	ask.servers = SERVERS;
	ask.server_count = ARRAY_LEN(SERVERS);
	tool_scripted_hold(t, true);
	t->ops->list(t, &ask, on_listed, &s);
	t->ops->forget(t->ops->list(t, &ask, on_listed, &s));
	virtual_host_settle(&h);
	assert_int_equal(tool_scripted_listings(t), 1);
	tool_scripted_hold(t, false);
	virtual_host_settle(&h);
	assert_int_equal(s.tools, 2);
	assert_int_equal(s.problems, 1);
	t->ops->free(t);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T7_a_call_is_answered_once_and_later);
	SUITE_TEST(&s, T10_a_listing_has_what_was_asked_for);
	return suite_run(&s, "tool/scripted");
}

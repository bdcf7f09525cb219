#include "contract_provider.h"

#include "base/buf.h"
#include "base/utf8.h"

static const struct contract_provider *adapter;

/* The cases in the demo model's words: other adapters may ignore them. */
const char *const CASE_LINES[] = {
	[CASE_ANSWER] = "think hm\nsay héllo wörld, again and again",
	[CASE_CALL] = "say a\ntool look {\"x\":1}",
	[CASE_FAIL] = "say a\nfail overloaded",
	[CASE_SLOW] = "say a\nwait 5\nsay b",
};

/* ---- the virtual clock ---- */

static struct virtual_host virtual;

static struct host *
virtual_begin(void)
{
	virtual_host_init(&virtual, 1000000);
	return &virtual.host;
}

static void
virtual_pass(int64_t ms)
{
	virtual_host_advance(&virtual, ms);
}

static void
virtual_await(const size_t *ends, int64_t ms)
{
	(void)ends;
	virtual_host_advance(&virtual, ms);
}

static void
virtual_end(void)
{
	assert_int_equal(virtual_host_armed(&virtual), 0);
}

const struct contract_clock CONTRACT_VIRTUAL = { virtual_begin, virtual_pass, virtual_await,
						 virtual_end };

/* ---- one request ---- */

struct rig {
	struct provider *provider;
	struct provider_call *call;
	struct provider_request request;
	struct message message;
	bool in_call, cancel_at_once;
	struct buf text, thinking;
	size_t pieces, calls, ends;
	enum provider_stop stop;
	struct usage usage;
	enum model_failure failure;
	bool failed;
};

static void
note(struct rig *r)
{
	assert_false(r->in_call);
	assert_non_null(r->call); /* none after the last event or a cancel */
	r->pieces++;
}

static void
cancel(struct rig *r)
{
	struct provider_call *call = r->call;

	r->call = NULL;
	r->in_call = true;
	r->provider->ops->cancel(call);
	r->in_call = false;
}

static void
on_text(void *ctx, struct str piece)
{
	struct rig *r = ctx;

	note(r);
	assert_true(piece.len > 0 && utf8_valid(piece));
	buf_put_str(&r->text, piece);
	if (r->cancel_at_once)
		cancel(r);
}

static void
on_thinking(void *ctx, struct str piece)
{
	struct rig *r = ctx;

	note(r);
	buf_put_str(&r->thinking, piece);
}

static void
on_thinking_data(void *ctx, struct str data)
{
	(void)data;
	note(ctx);
}

static void
on_call(void *ctx, const struct tool_call *call)
{
	struct rig *r = ctx;

	note(r);
	r->calls++;
	check_str("name", call->name, STR("look"));
	check_str("arguments", call->arguments, STR("{\"x\":1}"));
	assert_true(call->id.len > 0);
	if (r->cancel_at_once)
		cancel(r);
}

static void
on_lost_call(void *ctx, const struct tool_call *call)
{
	(void)call;
	note(ctx);
	fail_msg("no limit was reached");
}

static void
on_heard(void *ctx, struct str piece, const struct usage *told)
{
	note(ctx);
	assert_true(utf8_valid(piece) && usage_prompt_tokens(told) >= 0);
}

static void
on_done(void *ctx, enum provider_stop stop, const struct usage *usage)
{
	struct rig *r = ctx;

	note(r);
	r->ends++;
	r->stop = stop;
	r->usage = *usage;
	r->call = NULL;
}

static void
on_failed(void *ctx, const struct provider_failure *failure)
{
	struct rig *r = ctx;

	note(r);
	r->ends++;
	r->failed = true;
	r->failure = failure->kind;
	assert_true(failure->err->text[0] != '\0');
	r->call = NULL;
}

static const struct provider_events EVENTS = { on_text, on_thinking,  on_thinking_data,
					       on_call, on_lost_call, on_heard,
					       on_done, on_failed };

static void
ask(struct rig *r, enum provider_case which)
{
	*r = (struct rig){ .message = { .role = MESSAGE_USER,
					.content = str_of(CASE_LINES[which]) } };
	buf_init(&r->text, 1 << 16);
	buf_init(&r->thinking, 1 << 16);
	r->provider = adapter->open(adapter->clock->begin());
	adapter->prepare(r->provider, which);
	r->request = (struct provider_request){ .model = STR("m"),
						.messages = &r->message,
						.message_count = 1,
						.max_output_tokens = 1000 };
	r->in_call = true;
	r->call = r->provider->ops->start(r->provider, &r->request, &EVENTS, r);
	r->in_call = false;
	assert_int_equal(r->pieces, 0);
}

static void
put_away(struct rig *r)
{
	if (r->call)
		cancel(r);
	adapter->clock->pass(2 * adapter->slow_ms);
	r->provider->ops->free(r->provider);
	adapter->clock->end();
	buf_release(&r->text);
	buf_release(&r->thinking);
}

static void
T3_pieces_add_up_and_one_end_follows(void **state)
{
	struct rig r;

	(void)state;
	ask(&r, CASE_ANSWER);
	adapter->clock->await(&r.ends, 0);
	check_str("text", buf_str(&r.text), STR("héllo wörld, again and again"));
	check_str("thinking", buf_str(&r.thinking), STR("hm"));
	assert_int_equal(r.ends, 1);
	assert_false(r.failed);
	assert_int_equal(r.stop, PROVIDER_STOP_END);
	assert_true(r.usage.input > 0 && r.usage.output > 0);
	put_away(&r);
}

static void
T3_a_call_comes_whole_and_ends_the_request(void **state)
{
	struct rig r;

	(void)state;
	ask(&r, CASE_CALL);
	adapter->clock->await(&r.ends, 0);
	assert_int_equal(r.calls, 1);
	assert_int_equal(r.ends, 1);
	assert_int_equal(r.stop, PROVIDER_STOP_TOOLS);
	put_away(&r);
}

static void
T6_a_failure_has_a_kind_and_a_sentence(void **state)
{
	struct rig r;

	(void)state;
	ask(&r, CASE_FAIL);
	adapter->clock->await(&r.ends, 0);
	check_str("text", buf_str(&r.text), STR("a"));
	assert_int_equal(r.ends, 1);
	assert_true(r.failed);
	assert_int_equal(r.failure, FAILURE_OVERLOADED);
	put_away(&r);
}

static void
T6_a_slow_answer_takes_its_time(void **state)
{
	struct rig r;

	(void)state;
	ask(&r, CASE_SLOW);
	adapter->clock->await(&r.pieces, adapter->slow_ms - 1);
	check_str("text", buf_str(&r.text), STR("a"));
	assert_int_equal(r.ends, 0);
	adapter->clock->await(&r.ends, 1);
	assert_int_equal(r.ends, 1);
	put_away(&r);
}

static void
Q5_nothing_comes_after_a_cancel(void **state)
{
	struct rig r;

	(void)state;
	ask(&r, CASE_SLOW);
	adapter->clock->await(&r.pieces, adapter->slow_ms / 50);
	cancel(&r);
	put_away(&r);
	assert_int_equal(r.ends, 0);
	check_str("text", buf_str(&r.text), (struct str){ 0 });
	ask(&r, CASE_ANSWER); /* before its first event */
	put_away(&r);
	assert_int_equal(r.pieces, 0);
}

static void
Q5_an_event_may_cancel_its_own_request(void **state)
{
	struct rig r;

	(void)state;
	ask(&r, CASE_ANSWER);
	r.cancel_at_once = true;
	adapter->clock->pass(adapter->slow_ms);
	assert_int_equal(r.ends, 0);
	put_away(&r);
	ask(&r, CASE_CALL);
	r.cancel_at_once = true;
	adapter->clock->pass(adapter->slow_ms);
	assert_int_equal(r.ends, 0);
	put_away(&r);
}

int
contract_provider_run(const struct contract_provider *a)
{
	struct suite s = { 0 };

	adapter = a;
	SUITE_TEST(&s, T3_pieces_add_up_and_one_end_follows);
	SUITE_TEST(&s, T3_a_call_comes_whole_and_ends_the_request);
	SUITE_TEST(&s, T6_a_failure_has_a_kind_and_a_sentence);
	SUITE_TEST(&s, T6_a_slow_answer_takes_its_time);
	SUITE_TEST(&s, Q5_nothing_comes_after_a_cancel);
	SUITE_TEST(&s, Q5_an_event_may_cancel_its_own_request);
	return suite_run(&s, a->name);
}

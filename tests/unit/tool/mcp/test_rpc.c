#include "tool/mcp/rpc.h"

#include "fake_transport.h"
#include "harness.h"
#include "virtual_host.h"

static const struct rpc_identity US = { { "us", 2 }, { "1", 1 }, false };
static const struct transport_mode STATELESS = { { "2026-07-28", 10 }, true };

struct rig {
	struct virtual_host host;
	struct fake_transport *peer;
	bool freed;
	struct rpc *rpc;
	struct list closing;
	struct buf told; /* what came, in order */
	bool closes;     /* at the first answer */
};

static void
on_notification(void *ctx, struct str method, struct json params)
{
	struct rig *r = ctx;

	buf_printf(&r->told, "n:" STR_FMT " ", STR_ARG(method));
	(void)params;
}

static void
on_closed(void *ctx, const struct mcp_failure *failure)
{
	struct rig *r = ctx;

	buf_printf(&r->told, "closed:%s ", failure->err.text);
}

static void
on_deaf(void *ctx)
{
	struct rig *r = ctx;

	buf_printf(&r->told, "deaf ");
}

static void
on_answer(void *ctx, const struct rpc_answer *answer)
{
	struct rig *r = ctx;

	if (answer->failure)
		buf_printf(&r->told, "f%d:%s ", (int)answer->failure->kind,
			   answer->failure->err.text);
	else if (answer->code != 0)
		buf_printf(&r->told, "e%lld:" STR_FMT " ", (long long)answer->code,
			   STR_ARG(answer->text));
	else
		buf_printf(&r->told, "r:" STR_FMT " ", STR_ARG(json_raw(answer->result)));
	if (r->closes)
		rpc_close(&r->rpc, &r->closing);
}

static void
begin(struct rig *r)
{
	static const struct rpc_events EVENTS = { on_notification, on_closed, on_deaf };

	*r = (struct rig){ 0 };
	virtual_host_init(&r->host, 1000);
	list_init(&r->closing);
	buf_init(&r->told, 1 << 16);
	r->peer = fake_transport_new(&r->freed);
	r->rpc = rpc_new(&r->host.host, &r->peer->port, &US, &EVENTS, r);
}

static void
end(struct rig *r)
{
	rpc_close(&r->rpc, &r->closing);
	rpc_end_all(&r->closing);
	assert_true(r->freed);
	assert_true(list_is_empty(&r->host.timers));
	assert_true(list_is_empty(&r->host.tasks));
	buf_release(&r->told);
}

static struct rpc_request *
ask(struct rig *r, int64_t timeout_ms)
{
	struct rpc_ask a = { .method = STR("tools/call"),
			     .params = STR("{\"name\":\"x\"}"),
			     .timeout_ms = timeout_ms,
			     .progress = timeout_ms > 0 };

	return rpc_ask(r->rpc, &a, on_answer, r);
}

static void
told(struct rig *r, const char *want)
{
	check_str("told", buf_str(&r->told), str_of(want));
	buf_clear(&r->told);
}

static void
T10_a_request_and_its_answer(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 0);
	fake_transport_check(
		r.peer, "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'x'}}\n");
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','id':1,'result':{}}", MESSAGE_NO_ID);
	told(&r, "r:{} ");
	assert_int_equal(r.peer->settled, 1);
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','id':1,'result':{}}", MESSAGE_NO_ID);
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','id':99,'result':{}}", MESSAGE_NO_ID);
	told(&r, "");
	end(&r);
}

static void
T10_the_end_of_what_the_peer_says_of_itself_is_told(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 0);
	fake_transport_fail(r.peer, MESSAGE_NO_ID, MCP_FAIL_GONE, "quiet");
	told(&r, "deaf ");
	fake_transport_close(r.peer, "gone");
	told(&r, "f0:gone closed:gone ");
	fake_transport_fail(r.peer, MESSAGE_NO_ID, MCP_FAIL_GONE, "quiet");
	told(&r, "");
	end(&r);
}

static void
T10_answers_come_in_any_order(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 0);
	ask(&r, 0);
	fake_transport_say(r.peer,
			   "[{'jsonrpc':'2.0','id':2,'error':{'code':-5,'message':'no'}},"
			   "{'jsonrpc':'2.0','id':1,'result':{}}]",
			   MESSAGE_NO_ID);
	told(&r, "e-5:no r:{} ");
	end(&r);
}

static void
T10_an_error_without_an_id_is_for_whom_it_came(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 0);
	fake_transport_say(r.peer,
			   "{'jsonrpc':'2.0','id':null,'error':{'code':-32000,'message':'no'}}", 1);
	told(&r, "e-32000:no ");
	end(&r);
}

static void
T10_a_stateless_request_says_who_asks(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	rpc_speak(r.rpc, &STATELESS);
	assert_true(r.peer->mode.stateless);
	ask(&r, 5);
	fake_transport_check(r.peer,
			     "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'_meta':{"
			     "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
			     "'io.modelcontextprotocol/clientInfo':{'name':'us','version':'1'},"
			     "'io.modelcontextprotocol/"
			     "clientCapabilities':{},'progressToken':1},'name':'x'}}\n");
	end(&r);
}

static void
T10_the_peer_asks_back(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','id':'p','method':'ping'}", MESSAGE_NO_ID);
	fake_transport_check(r.peer, "{'jsonrpc':'2.0','id':'p','result':{}}\n");
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','id':0,'method':'sampling/createMessage'}",
			   MESSAGE_NO_ID);
	fake_transport_check(r.peer,
			     "{'jsonrpc':'2.0','id':0,'error':{'code':-32601,'message':'this"
			     " client does not answer sampling/createMessage'}}\n");
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}",
			   MESSAGE_NO_ID);
	told(&r, "n:notifications/tools/list_changed ");
	end(&r);
}

static void
T10_no_answer_in_time(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 100);
	buf_clear(&r.peer->sent);
	virtual_host_advance(&r.host, 99);
	told(&r, "");
	virtual_host_advance(&r.host, 1);
	told(&r, "f1:no answer to tools/call within 100 ms ");
	fake_transport_check(r.peer, "{'jsonrpc':'2.0','method':'notifications/cancelled',"
				     "'params':{'requestId':1,'reason':'timeout'}}\n");
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','id':1,'result':{}}", MESSAGE_NO_ID);
	told(&r, "");
	end(&r);
}

static void
T10_progress_starts_the_time_anew_but_not_for_ever(void **state)
{
	static const char PROGRESS[] =
		"{'jsonrpc':'2.0','method':'notifications/progress','params':"
		"{'progressToken':1,'progress':1}}";
	struct rig r;
	int rounds = 0;

	(void)state;
	begin(&r);
	ask(&r, 100);
	for (; r.told.len == 0 && rounds < 100; rounds++) {
		virtual_host_advance(&r.host, 90);
		fake_transport_say(r.peer, PROGRESS, MESSAGE_NO_ID);
	}
	assert_in_range(rounds, 11, 12); /* 10 times 100 ms */
	told(&r, "f1:no answer to tools/call within 1000 ms ");
	fake_transport_say(r.peer, PROGRESS, MESSAGE_NO_ID); /* for nobody */
	end(&r);
}

static void
T10_the_time_that_progress_gave_is_told(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 100);
	virtual_host_advance(&r.host, 90);
	fake_transport_say(r.peer,
			   "{'jsonrpc':'2.0','method':'notifications/progress','params':"
			   "{'progressToken':1,'progress':1}}",
			   MESSAGE_NO_ID);
	virtual_host_advance(&r.host, 99);
	told(&r, "");
	virtual_host_advance(&r.host, 1);
	told(&r, "f1:no answer to tools/call within 190 ms ");
	end(&r);
}

static void
T10_a_cancelled_request(void **state)
{
	struct rpc_request *q;
	struct rig r;

	(void)state;
	begin(&r);
	q = ask(&r, 0);
	buf_clear(&r.peer->sent);
	rpc_cancel(&q, "why");
	assert_null(q);
	assert_int_equal(r.peer->cancelled, 1);
	fake_transport_check(r.peer, "{'jsonrpc':'2.0','method':'notifications/cancelled',"
				     "'params':{'requestId':1,'reason':'why'}}\n");
	r.peer->cancel_tells = true;
	q = ask(&r, 0);
	buf_clear(&r.peer->sent);
	rpc_cancel(&q, "why");
	fake_transport_check(r.peer, "");
	told(&r, "");
	end(&r);
}

static void
T10_nonsense_ends_a_pipe(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 0);
	ask(&r, 0);
	fake_transport_say(r.peer, "{'jsonrpc':'2.0'", MESSAGE_NO_ID);
	assert_true(str_starts(buf_str(&r.told), STR("f5:what it says makes no sense: ")));
	assert_true(str_contains(buf_str(&r.told), STR(" closed:what it says makes no sense: ")));
	assert_int_equal(r.peer->hang_ups, 1);
	buf_clear(&r.told);
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','method':'a'}", MESSAGE_NO_ID);
	fake_transport_close(r.peer, "late");
	told(&r, "");
	ask(&r, 0);
	told(&r, "");
	virtual_host_settle(&r.host);
	assert_true(str_starts(buf_str(&r.told), STR("f5:")));
	end(&r);
}

static void
T10_nonsense_in_an_answer_ends_that_request(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 0);
	ask(&r, 0);
	fake_transport_say(r.peer, "<html>", 1);
	assert_true(str_starts(buf_str(&r.told), STR("f5:what it says makes no sense: ")));
	assert_int_equal(r.peer->cancelled, 1);
	buf_clear(&r.told);
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','id':2,'result':{}}", 2);
	told(&r, "r:{} ");
	end(&r);
}

static void
T10_the_transport_breaks(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 0);
	ask(&r, 100);
	fake_transport_fail(r.peer, 1, MCP_FAIL_AUTH, "who?");
	told(&r, "f2:who? ");
	fake_transport_fail(r.peer, 77, MCP_FAIL_AUTH, "who?");
	fake_transport_close(r.peer, "gone");
	told(&r, "f0:gone closed:gone ");
	end(&r);
}

static void
T10_closing_from_inside_an_answer(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 0);
	ask(&r, 0);
	r.closes = true;
	fake_transport_say(
		r.peer,
		"[{'jsonrpc':'2.0','id':1,'result':{}},{'jsonrpc':'2.0','id':2,'result':{}}]",
		MESSAGE_NO_ID);
	told(&r, "r:{} ");
	assert_int_equal(r.peer->hang_ups, 1);
	assert_false(r.freed);
	fake_transport_close(r.peer, "it left");
	assert_false(r.freed);
	virtual_host_settle(&r.host);
	assert_true(r.freed);
	told(&r, "");
	end(&r);
}

static void
T7_a_retired_one_leaves_after_its_last_answer(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 0);
	ask(&r, 0);
	rpc_retire(&r.rpc, &r.closing);
	assert_null(r.rpc);
	virtual_host_settle(&r.host);
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','method':'notifications/x'}", MESSAGE_NO_ID);
	fake_transport_fail(r.peer, MESSAGE_NO_ID, MCP_FAIL_GONE, "deaf");
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','id':1,'result':{}}", MESSAGE_NO_ID);
	virtual_host_settle(&r.host);
	assert_int_equal(r.peer->hang_ups, 0);
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','id':2,'result':{}}", MESSAGE_NO_ID);
	virtual_host_settle(&r.host);
	told(&r, "r:{} r:{} ");
	assert_int_equal(r.peer->hang_ups, 1);
	fake_transport_close(r.peer, "it left");
	virtual_host_settle(&r.host);
	assert_true(r.freed);
	told(&r, "");
	end(&r);
}

static void
T7_a_retired_one_tells_its_requests_that_it_broke(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	ask(&r, 0);
	rpc_retire(&r.rpc, &r.closing);
	fake_transport_close(r.peer, "gone");
	virtual_host_settle(&r.host);
	told(&r, "f0:gone ");
	assert_true(r.freed);
	end(&r);
}

static void
T7_a_retired_one_that_nobody_asks_leaves_at_once(void **state)
{
	struct rpc_request *q;
	struct rig r;

	(void)state;
	begin(&r);
	q = ask(&r, 0);
	rpc_retire(&r.rpc, &r.closing);
	rpc_cancel(&q, "given up");
	virtual_host_settle(&r.host);
	assert_int_equal(r.peer->hang_ups, 1);
	told(&r, "");
	end(&r);
}

static void
T10_one_that_does_not_leave_is_left(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	rpc_close(&r.rpc, &r.closing);
	virtual_host_advance(&r.host, 1999);
	assert_false(r.freed);
	virtual_host_advance(&r.host, 1);
	assert_true(r.freed);
	end(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T10_a_request_and_its_answer);
	SUITE_TEST(&s, T10_the_end_of_what_the_peer_says_of_itself_is_told);
	SUITE_TEST(&s, T10_answers_come_in_any_order);
	SUITE_TEST(&s, T10_an_error_without_an_id_is_for_whom_it_came);
	SUITE_TEST(&s, T10_a_stateless_request_says_who_asks);
	SUITE_TEST(&s, T10_the_peer_asks_back);
	SUITE_TEST(&s, T10_no_answer_in_time);
	SUITE_TEST(&s, T10_progress_starts_the_time_anew_but_not_for_ever);
	SUITE_TEST(&s, T10_the_time_that_progress_gave_is_told);
	SUITE_TEST(&s, T10_a_cancelled_request);
	SUITE_TEST(&s, T10_nonsense_ends_a_pipe);
	SUITE_TEST(&s, T10_nonsense_in_an_answer_ends_that_request);
	SUITE_TEST(&s, T10_the_transport_breaks);
	SUITE_TEST(&s, T10_closing_from_inside_an_answer);
	SUITE_TEST(&s, T7_a_retired_one_leaves_after_its_last_answer);
	SUITE_TEST(&s, T7_a_retired_one_tells_its_requests_that_it_broke);
	SUITE_TEST(&s, T7_a_retired_one_that_nobody_asks_leaves_at_once);
	SUITE_TEST(&s, T10_one_that_does_not_leave_is_left);
	return suite_run(&s, "tool/mcp/rpc");
}

#include "tool/mcp/listing.h"

#include "fake_transport.h"
#include "harness.h"
#include "virtual_host.h"

static const struct rpc_identity US = { { "us", 2 }, { "1", 1 }, false };

#define TOOL(name)    "{'name':'" name "','inputSchema':{}}"
#define RESULT(r)     "{'jsonrpc':'2.0','id':$,'result':" r "}"
#define REFUSAL(code) "{'jsonrpc':'2.0','id':$,'error':{'code':" #code ",'message':'no'}}"
#define ASK(id, params) \
	"{'jsonrpc':'2.0','id':" id ",'method':'tools/list','params':{" params "}}\n"

/* What the peer answers, in order; what it was asked; and what comes of it: "name name ttl", or !kind
 * and reason. A step "F5 why" fails the request so. */
static const struct row {
	const char *name;
	const char *steps[3];
	const char *asked, *want;
} ROWS[] = {
	{ "T10 one page",
	  { RESULT("{'tools':[" TOOL("a") "," TOOL("b") "]}") },
	  ASK("1", ""),
	  "a b -1" },
	{ "T10 pages follow each other",
	  { RESULT("{'tools':[" TOOL("a") "],'nextCursor':'p 2'}"),
	    RESULT("{'tools':[" TOOL("b") "]}") },
	  ASK("1", "") ASK("2", "'cursor':'p 2'"),
	  "a b -1" },
	{ "T10 how long it is good is said by the last page",
	  { RESULT("{'tools':[],'nextCursor':'c','ttlMs':5}"),
	    RESULT("{'tools':[" TOOL("a") "],'ttlMs':7000}") },
	  ASK("1", "") ASK("2", "'cursor':'c'"),
	  "a 7000" },
	{ "T10 a time that is none", { RESULT("{'tools':[],'ttlMs':-4}") }, ASK("1", ""), "-1" },
	{ "T10 a server that knows of no tools", { REFUSAL(-32601) }, ASK("1", ""), "-1" },
	{ "T10 but not in the middle",
	  { RESULT("{'tools':[],'nextCursor':'c'}"), REFUSAL(-32601) },
	  ASK("1", "") ASK("2", "'cursor':'c'"),
	  "!4 it refused tools/list: no" },
	{ "T10 a refusal", { REFUSAL(-5) }, ASK("1", ""), "!4 it refused tools/list: no" },
	{ "T10 an answer without tools",
	  { RESULT("{}") },
	  ASK("1", ""),
	  "!5 its answer to tools/list has no tools" },
	{ "T10 no answer",
	  { "F3 it has ended the session" },
	  ASK("1", ""),
	  "!3 it has ended the session" },
};

struct rig {
	struct virtual_host host;
	struct fake_transport *peer;
	struct rpc *rpc;
	struct list closing;
	struct listing *listing;
	struct buf told;
};

static void
on_notification(void *ctx, struct str method, struct json params)
{
	(void)ctx;
	(void)method;
	(void)params;
}

static void
on_closed(void *ctx, const struct mcp_failure *failure)
{
	(void)ctx;
	(void)failure;
}

static void
on_deaf(void *ctx)
{
	(void)ctx;
}

static void
on_listed(void *ctx, const struct listing_result *result, const struct mcp_failure *failure)
{
	struct rig *r = ctx;
	struct catalog catalog;

	assert_int_equal(r->told.len, 0);
	r->listing = NULL;
	if (failure) {
		buf_printf(&r->told, "!%d %s", (int)failure->kind, failure->err.text);
		return;
	}
	catalog = result->catalog;
	for (size_t i = 0; i < catalog.count; i++)
		buf_printf(&r->told, STR_FMT " ", STR_ARG(catalog.tools[i].doc.name));
	buf_printf(&r->told, "%lld", (long long)result->ttl_ms);
	catalog_release(&catalog);
}

static void
begin(struct rig *r, bool *freed)
{
	static const struct rpc_events EVENTS = { on_notification, on_closed, on_deaf };

	*r = (struct rig){ 0 };
	virtual_host_init(&r->host, 0);
	list_init(&r->closing);
	buf_init(&r->told, 4096);
	r->peer = fake_transport_new(freed);
	r->rpc = rpc_new(&r->host.host, &r->peer->port, &US, &EVENTS, r);
	r->listing = listing_new(&(struct listing_terms){ r->rpc, STR("s"), false }, on_listed, r);
	assert_int_equal(r->told.len, 0);
}

static void
end(struct rig *r)
{
	listing_free(&r->listing);
	rpc_close(&r->rpc, &r->closing);
	rpc_end_all(&r->closing);
	assert_true(list_is_empty(&r->host.timers));
	buf_release(&r->told);
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct rig r;
	bool freed;

	begin(&r, &freed);
	for (size_t i = 0; i < ARRAY_LEN(row->steps) && row->steps[i]; i++)
		if (row->steps[i][0] == 'F')
			fake_transport_fail(r.peer, r.peer->last_id,
					    (enum mcp_fail)(row->steps[i][1] - '0'),
					    row->steps[i] + 3);
		else
			fake_transport_say(r.peer, row->steps[i], MESSAGE_NO_ID);
	check_str("outcome", buf_str(&r.told), str_of(row->want));
	fake_transport_check(r.peer, row->asked);
	end(&r);
}

static void
T10_a_cursor_that_is_too_long(void **state)
{
	struct buf page;
	struct rig r;
	bool freed;

	(void)state;
	begin(&r, &freed);
	buf_init(&page, 1 << 20);
	buf_puts(&page, "{'jsonrpc':'2.0','id':1,'result':{'tools':[],'nextCursor':'");
	memset(buf_extend(&page, 64 << 10), 'x', 64 << 10);
	buf_puts(&page, "'}}");
	buf_putc(&page, 0);
	fake_transport_say(r.peer, page.ptr, MESSAGE_NO_ID);
	check_str("outcome", buf_str(&r.told), STR("!5 a cursor is too long"));
	buf_release(&page);
	end(&r);
}

static void
T10_a_listing_can_be_given_up(void **state)
{
	struct rig r;
	bool freed;

	(void)state;
	begin(&r, &freed);
	fake_transport_say(r.peer, RESULT("{'tools':[" TOOL("a") "],'nextCursor':'c'}"),
			   MESSAGE_NO_ID);
	listing_free(&r.listing);
	assert_null(r.listing);
	assert_int_equal(r.peer->cancelled, 2);
	fake_transport_say(r.peer, "{'jsonrpc':'2.0','id':2,'result':{'tools':[]}}", MESSAGE_NO_ID);
	check_str("outcome", buf_str(&r.told), STR(""));
	end(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T10_a_cursor_that_is_too_long);
	SUITE_TEST(&s, T10_a_listing_can_be_given_up);
	return suite_run(&s, "tool/mcp/listing");
}

#include "tool/mcp/negotiation.h"

#include "fake_transport.h"
#include "harness.h"
#include "virtual_host.h"

static const struct rpc_identity US = { { "us", 2 }, { "1", 1 }, false };

/* What the peer answers, in order, and what comes of it: "version name/version [+changes]", or !reason.
 * Steps: ' stands for ", $ for the id of the request that is open; "F5 why" fails it so; "T" lets the
 * silence pass. methods: what was asked, in order. */
static const struct row {
	const char *name;
	enum mcp_protocol protocol;
	const char *steps[5];
	const char *methods, *want;
} ROWS[] = {
#define RESULT(r) "{'jsonrpc':'2.0','id':$,'result':" r "}"
#define REFUSAL(code, data) \
	"{'jsonrpc':'2.0','id':$,'error':{'code':" #code ",'message':'no'" data "}}"
#define HANDSHAKE(v)                    \
	RESULT("{'protocolVersion':'" v \
	       "','capabilities':{},'serverInfo':{'name':'n','version':'2'}}")
	{ "T10 a stateless peer",
	  MCP_ANY,
	  { RESULT("{'supportedVersions':['2026-07-28'],'capabilities':{'tools':{'listChanged':"
		   "true}},"
		   "'_meta':{'io.modelcontextprotocol/serverInfo':{'name':'n','version':'3'}}}") },
	  "server/discover",
	  "2026-07-28 n/3 +changes" },
	{ "T10 an older peer that says no",
	  MCP_ANY,
	  { REFUSAL(-32601, ""), HANDSHAKE("2025-11-25") },
	  "server/discover initialize notifications/initialized",
	  "2025-11-25 n/2" },
	{ "T10 an older peer that says anything",
	  MCP_ANY,
	  { RESULT("{}"), HANDSHAKE("2025-06-18") },
	  "server/discover initialize notifications/initialized",
	  "2025-06-18 n/2" },
	{ "T10 an older peer that refuses in HTTP",
	  MCP_ANY,
	  { "F4 HTTP 400", HANDSHAKE("2024-11-05") },
	  "server/discover initialize notifications/initialized",
	  "2024-11-05 n/2" },
	{ "T10 an older peer that says nonsense",
	  MCP_ANY,
	  { "F5 nonsense", HANDSHAKE("2025-03-26") },
	  "server/discover initialize notifications/initialized",
	  "2025-03-26 n/2" },
	{ "T10 an older peer that says nothing",
	  MCP_ANY,
	  { "T", HANDSHAKE("2025-11-25") },
	  "server/discover initialize notifications/initialized notifications/cancelled",
	  "2025-11-25 n/2" },
	{ "T10 a stateless peer that is slow",
	  MCP_ANY,
	  { "T", "{'jsonrpc':'2.0','id':1,'result':{'supportedVersions':['2026-07-28']}}" },
	  "server/discover initialize notifications/cancelled",
	  "2026-07-28 /" },
	{ "T10 a peer that is slow to say no",
	  MCP_ANY,
	  { "T", "{'jsonrpc':'2.0','id':1,'error':{'code':-32601,'message':'no'}}",
	    HANDSHAKE("2025-11-25") },
	  "server/discover initialize notifications/initialized",
	  "2025-11-25 n/2" },
	{ "T10 a peer that wants the version said again",
	  MCP_ANY,
	  { REFUSAL(-32022, ",'data':{'supported':['2026-07-28']}"),
	    RESULT("{'supportedVersions':['2026-07-28']}") },
	  "server/discover server/discover",
	  "2026-07-28 /" },
	{ "T10 but not for ever",
	  MCP_ANY,
	  { REFUSAL(-32022, ",'data':{'supported':['2026-07-28']}"),
	    REFUSAL(-32022, ",'data':{'supported':['2026-07-28']}") },
	  "server/discover server/discover",
	  "!it speaks no version of the protocol that is known here" },
	{ "T10 a peer that names an older version",
	  MCP_ANY,
	  { REFUSAL(-32022, ",'data':{'supported':['2099-01-01','2025-06-18']}"),
	    HANDSHAKE("2025-06-18") },
	  "server/discover initialize notifications/initialized",
	  "2025-06-18 n/2" },
	{ "T10 a peer of the future",
	  MCP_ANY,
	  { REFUSAL(-32022, ",'data':{'supported':['2099-01-01']}") },
	  "server/discover",
	  "!it speaks no version of the protocol that is known here" },
	{ "T10 a handshake with an unknown version",
	  MCP_ANY,
	  { REFUSAL(-32601, ""), HANDSHAKE("2023-01-01") },
	  "server/discover initialize",
	  "!it speaks no version of the protocol that is known here" },
	{ "T10 a handshake that is refused",
	  MCP_ANY,
	  { REFUSAL(-32601, ""), REFUSAL(-32600, "") },
	  "server/discover initialize",
	  "!it refused the handshake: no" },
	{ "T10 a peer that is away", MCP_ANY, { "F0 refused" }, "server/discover", "!refused" },
	{ "T10 a peer that wants credentials", MCP_ANY, { "F2 who?" }, "server/discover", "!who?" },
	{ "T10 only the handshake is wanted",
	  MCP_STATEFUL,
	  { HANDSHAKE("2025-11-25") },
	  "initialize notifications/initialized",
	  "2025-11-25 n/2" },
	{ "T10 only the stateless protocol is wanted",
	  MCP_STATELESS,
	  { REFUSAL(-32601, "") },
	  "server/discover",
	  "!it does not speak the protocol of 2026-07-28" },
};

struct rig {
	struct virtual_host host;
	struct fake_transport *peer;
	struct rpc *rpc;
	struct list closing;
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
on_agreed(void *ctx, const struct agreement *a, const struct mcp_failure *failure)
{
	struct rig *r = ctx;

	assert_int_equal(r->told.len, 0);
	if (failure)
		buf_printf(&r->told, "!%s", failure->err.text);
	else
		buf_printf(&r->told, STR_FMT " " STR_FMT "/" STR_FMT "%s", STR_ARG(a->mode.version),
			   STR_ARG(a->name), STR_ARG(a->version),
			   a->tells_changes ? " +changes" : "");
	if (a)
		check_str("spoken", r->peer->mode.version, a->mode.version);
}

static void
take_step(struct rig *r, const char *step)
{
	if (step[0] == 'T')
		virtual_host_advance(&r->host, 5000);
	else if (step[0] == 'F')
		fake_transport_fail(r->peer, r->peer->last_id, (enum mcp_fail)(step[1] - '0'),
				    step + 3);
	else
		fake_transport_say(r->peer, step, MESSAGE_NO_ID);
}

/* The methods of what was sent. */
static void
check_methods(struct rig *r, const char *want)
{
	struct str sent = buf_str(&r->peer->sent);
	struct buf methods;
	size_t at = 0;

	buf_init(&methods, 4096);
	while (str_find(sent, STR("\"method\":\""), at, &at)) {
		struct str name, rest;

		at += 10;
		str_cut(str_slice(sent, at, sent.len), '"', &name, &rest);
		buf_printf(&methods, "%s" STR_FMT, methods.len ? " " : "", STR_ARG(name));
	}
	check_str("asked", buf_str(&methods), str_of(want));
	buf_release(&methods);
}

static void
row_holds(void **state)
{
	static const struct rpc_events EVENTS = { on_notification, on_closed, on_deaf };
	const struct row *row = *state;
	struct rig r = { 0 };
	bool freed;

	virtual_host_init(&r.host, 0);
	list_init(&r.closing);
	buf_init(&r.told, 4096);
	r.peer = fake_transport_new(&freed);
	r.rpc = rpc_new(&r.host.host, &r.peer->port, &US, &EVENTS, &r);
	negotiation_new(&(struct negotiation_terms){ &r.host.host, r.rpc, &US, row->protocol },
			on_agreed, &r);
	for (size_t i = 0; i < ARRAY_LEN(row->steps) && row->steps[i]; i++)
		take_step(&r, row->steps[i]);
	check_str("outcome", buf_str(&r.told), str_of(row->want));
	check_methods(&r, row->methods);
	rpc_close(&r.rpc, &r.closing);
	rpc_end_all(&r.closing);
	assert_true(list_is_empty(&r.host.timers));
	buf_release(&r.told);
}

static void
T10_it_can_be_given_up(void **state)
{
	static const struct rpc_events EVENTS = { on_notification, on_closed, on_deaf };
	struct negotiation *n;
	struct rig r = { 0 };
	bool freed;

	(void)state;
	virtual_host_init(&r.host, 0);
	list_init(&r.closing);
	r.peer = fake_transport_new(&freed);
	r.rpc = rpc_new(&r.host.host, &r.peer->port, &US, &EVENTS, &r);
	n = negotiation_new(&(struct negotiation_terms){ &r.host.host, r.rpc, &US, MCP_ANY },
			    on_agreed, &r);
	negotiation_free(&n);
	assert_null(n);
	fake_transport_say(r.peer, RESULT("{}"), MESSAGE_NO_ID);
	virtual_host_advance(&r.host, 60000);
	rpc_close(&r.rpc, &r.closing);
	rpc_end_all(&r.closing);
	assert_true(list_is_empty(&r.host.timers));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T10_it_can_be_given_up);
	return suite_run(&s, "tool/mcp/negotiation");
}

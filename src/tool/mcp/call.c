#include "tool/mcp/call.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "tool/mcp/ask_back.h"
#include "tool/mcp/result.h"

enum {
	ROUNDS_MAX = 8, /* of questions back */
	PARAMS_MAX = 32 << 20,
	OUTPUT_MAX = 2 * RESULT_BYTES_MAX,
	WORDS_MAX = 2000,
	HEADER_MISMATCH = -32020,
};

struct tool_run {
	struct list node;
	struct server *server;
	struct host *host;
	struct arena arena;
	struct str name, arguments;
	int64_t timeout_ms;
	tool_done_fn *done;
	void *ctx;
	struct server_waiter waiter;
	struct list hold; /* while the request is on its way */
	struct rpc *rpc;  /* it is asked on; good as long as there is a request */
	struct rpc_request *request;
	struct host_timer *timer; /* while it waits for the server */
	struct buf more;          /* of the parameters: what was asked back */
	unsigned rounds;
	bool again; /* it was begun a second time */
};

/* ---- its end ---- */

static void
destroy(struct tool_run *run)
{
	list_remove(&run->node);
	list_remove(&run->waiter.node);
	server_release(run->server, &run->hold);
	server_leave(run->server);
	run->host->ops->timer_free(run->timer);
	buf_release(&run->more);
	arena_release(&run->arena);
	free(run);
}

static void
finish(struct tool_run *run, enum tool_outcome outcome, struct str output)
{
	struct tool_result result = { outcome, output };
	tool_done_fn *done = run->done;
	void *ctx = run->ctx;

	destroy(run);
	done(ctx, &result);
}

static void
finish_failed(struct tool_run *run, const struct mcp_failure *failure)
{
	struct err e;

	server_explain(run->server, failure, &e);
	finish(run, failure->kind == MCP_FAIL_TIMEOUT ? OUTCOME_TIMEOUT : OUTCOME_ERROR,
	       str_of(e.text));
}

static void
finish_saying(struct tool_run *run, enum mcp_fail kind, int code, const char *why)
{
	struct mcp_failure failure = { .kind = kind };

	err_set(&failure.err, code, "%s", why);
	finish_failed(run, &failure);
}

static void
finish_without_tool(struct tool_run *run)
{
	char why[CATALOG_NAME_MAX + 32];

	snprintf(why, sizeof why, "it has no tool " STR_FMT,
		 STR_ARG(str_slice(run->name, 0, utf8_floor(run->name, CATALOG_NAME_MAX))));
	finish_saying(run, MCP_FAIL_REFUSED, ERR_NOT_FOUND, why);
}

/* The request was sent, and its answer lost. */
static void
finish_not_knowing(struct tool_run *run, const struct mcp_failure *failure)
{
	char text[ERR_TEXT_MAX + 80];
	struct err e;

	server_explain(run->server, failure, &e);
	snprintf(text, sizeof text, "%s. Whether the tool did its work before is not known.",
		 e.text);
	finish(run, OUTCOME_ERROR, str_of(text));
}

static void
finish_with(struct tool_run *run, struct json result)
{
	enum tool_outcome outcome;
	struct buf output;

	buf_init(&output, OUTPUT_MAX);
	outcome = result_read(result, &output);
	finish(run, outcome, buf_str(&output));
	buf_release(&output);
}

static void
finish_refused(struct tool_run *run, const struct rpc_answer *answer)
{
	struct str says = str_slice(answer->text, 0, utf8_floor(answer->text, WORDS_MAX));
	struct buf output;

	buf_init(&output, OUTPUT_MAX);
	buf_printf(&output, "MCP server " STR_FMT " refused the call: " STR_FMT " (%lld)",
		   STR_ARG(server_name(run->server)), STR_ARG(says), (long long)answer->code);
	finish(run, OUTCOME_ERROR, buf_str(&output));
	buf_release(&output);
}

/* ---- waiting for the server ---- */

static void
await(struct tool_run *run, bool fresh)
{
	server_release(run->server, &run->hold);
	run->waiter.fresh = fresh;
	run->host->ops->timer_set(run->timer, run->timeout_ms);
	server_await(run->server, &run->waiter);
}

static void
begin_again(struct tool_run *run, bool fresh)
{
	run->again = true;
	await(run, fresh);
}

static void
on_late(void *ctx)
{
	finish_saying(ctx, MCP_FAIL_TIMEOUT, ERR_TIMEOUT, "it did not get ready in time");
}

/* ---- the call ---- */

static void send_call(struct tool_run *run, const struct catalog_tool *tool);

static const struct catalog_tool *
find_tool(const struct tool_run *run)
{
	return catalog_find(server_catalog(run->server), run->name);
}

/* It asks something back: the same call again, with the answers. */
static void
take_questions(struct tool_run *run, struct json result)
{
	struct json requests = { 0 }, state;
	const struct catalog_tool *tool = find_tool(run);
	struct err e;
	struct jw w;
	int rc = 0;

	buf_clear(&run->more);
	jw_init(&w, &run->more);
	if (json_find(result, STR("inputRequests"), &requests)) {
		buf_puts(&run->more, ",\"inputResponses\":");
		rc = ask_back_answer_all(requests, server_accepts_defaults(run->server), &w, &e);
	}
	if (rc != 0) {
		finish_saying(run, MCP_FAIL_REFUSED, rc, e.text);
	} else if (!tool) {
		finish_without_tool(run);
	} else if (++run->rounds > ROUNDS_MAX) {
		finish_saying(run, MCP_FAIL_MALFORMED, ERR_LIMIT, "it does not stop asking back");
	} else {
		if (json_find(result, STR("requestState"), &state))
			buf_printf(&run->more, ",\"requestState\":" STR_FMT,
				   STR_ARG(json_raw(state)));
		send_call(run, tool);
	}
}

static void
take_failure(struct tool_run *run, const struct mcp_failure *failure)
{
	if (failure->kind == MCP_FAIL_SESSION)
		server_session_over(run->server, run->rpc);
	if (failure->kind == MCP_FAIL_SESSION && !run->again)
		begin_again(run, false);
	else if (failure->kind == MCP_FAIL_GONE || failure->kind == MCP_FAIL_MALFORMED)
		finish_not_knowing(run, failure);
	else
		finish_failed(run, failure);
}

static void
on_answer(void *ctx, const struct rpc_answer *answer)
{
	struct tool_run *run = ctx;
	struct json type;

	run->request = NULL;
	if (answer->failure) {
		take_failure(run, answer->failure);
	} else if (answer->code == HEADER_MISMATCH && !run->again) {
		server_tools_changed(run->server);
		begin_again(run, true);
	} else if (answer->code != 0) {
		finish_refused(run, answer);
	} else if (json_find(answer->result, STR("resultType"), &type) &&
		   json_str_eq(type, STR("input_required"))) {
		take_questions(run, answer->result);
	} else {
		finish_with(run, answer->result);
	}
}

static void
write_params(const struct tool_run *run, struct str tool, struct buf *out)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "name", tool);
	jw_field_raw(&w, "arguments", run->arguments);
	buf_put_str(out, buf_str(&run->more));
	jw_end_object(&w);
}

/* The arguments that the tool wants as headers too. */
static size_t
fill_headers(const struct tool_run *run, const struct catalog_tool *tool, struct arena *a,
	     struct http_header *out)
{
	struct json_doc doc;

	if (tool->param_count == 0 ||
	    json_parse(a, run->arguments, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0)
		return 0;
	return param_header_fill(tool->params, tool->param_count, json_root(&doc), a, out);
}

static void
send_call(struct tool_run *run, const struct catalog_tool *tool)
{
	struct http_header headers[PARAM_HEADERS_MAX];
	struct rpc_ask ask = { .method = STR("tools/call"),
			       .name = tool->doc.name,
			       .headers = headers,
			       .timeout_ms = run->timeout_ms,
			       .progress = true };
	struct buf params;
	struct arena a;

	arena_init(&a);
	buf_init(&params, PARAMS_MAX);
	write_params(run, tool->doc.name, &params);
	ask.params = buf_str(&params);
	ask.header_count = fill_headers(run, tool, &a, headers);
	run->request = rpc_ask(run->rpc, &ask, on_answer, run);
	buf_release(&params);
	arena_release(&a);
}

static void
on_ready(struct server_waiter *w, const struct mcp_failure *failure)
{
	struct tool_run *run = LIST_OWNER(w, struct tool_run, waiter);
	const struct catalog_tool *tool;

	run->host->ops->timer_set(run->timer, -1);
	if (failure) {
		finish_failed(run, failure);
		return;
	}
	tool = find_tool(run);
	if (tool) {
		run->rpc = server_rpc(run->server);
		server_hold(run->server, &run->hold);
		send_call(run, tool);
	} else if (!run->again) {
		begin_again(run, true); /* it may be new */
	} else {
		finish_without_tool(run);
	}
}

/* ---- life ---- */

struct tool_run *
call_new(struct server *s, struct host *host, const struct tool_request *request,
	 tool_done_fn *done, void *ctx)
{
	struct tool_run *run = xcalloc(1, sizeof *run);

	run->server = s;
	server_use(s);
	run->host = host;
	arena_init(&run->arena);
	run->name = arena_str(&run->arena, request->name);
	run->arguments = str_trim(arena_str(&run->arena, request->arguments));
	if (run->arguments.len == 0)
		run->arguments = STR("{}");
	run->timeout_ms = request->timeout_ms;
	run->done = done;
	run->ctx = ctx;
	list_init(&run->node);
	list_init(&run->waiter.node);
	run->waiter.fn = on_ready;
	list_init(&run->hold);
	buf_init(&run->more, PARAMS_MAX);
	run->timer = host->ops->timer_new(host, on_late, run);
	await(run, false);
	return run;
}

void
call_cancel(struct tool_run *run)
{
	rpc_cancel(&run->request, "cancelled");
	destroy(run);
}

struct list *
call_node(struct tool_run *run)
{
	return &run->node;
}

struct tool_run *
call_at(struct list *node)
{
	return LIST_OWNER(node, struct tool_run, node);
}

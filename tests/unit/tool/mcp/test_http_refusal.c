#include "tool/mcp/http_refusal.h"

#include "harness.h"

#define ERROR(code, words) \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":" #code ",\"message\":\"" words "\"}}"

static const struct row {
	const char *name;
	int status;
	const char *body;
	bool in_session, is_message;
	enum mcp_fail kind;
	const char *says;
} ROWS[] = {
	{ "T10 401", 401, "", true, false, MCP_FAIL_AUTH, "it wants credentials (HTTP 401)" },
	{ "T10 403 in JSON-RPC", 403, ERROR(-32000, "who?"), false, false, MCP_FAIL_AUTH,
	  "it wants credentials (HTTP 403) who?" },
	{ "T10 404 in a session", 404, "gone", true, false, MCP_FAIL_SESSION,
	  "it has ended the session (HTTP 404)" },
	{ "T10 404 of a method", 404, ERROR(-32601, "no such method"), false, true,
	  MCP_FAIL_REFUSED, "HTTP 404: no such method" },
	{ "T10 404 of a page", 404, "<html>\nnot here</html>", false, false, MCP_FAIL_REFUSED,
	  "HTTP 404: <html> not here</html>" },
	{ "T10 400 about the session", 400, ERROR(-32000, "Bad Request: No valid Session ID"), true,
	  false, MCP_FAIL_SESSION, "it has ended the session (HTTP 400)" },
	{ "T10 400 about the session of a call that named none", 400,
	  ERROR(-32000, "No valid session ID"), false, true, MCP_FAIL_REFUSED,
	  "HTTP 400: No valid session ID" },
	{ "T10 400 about something else", 400, ERROR(-32020, "header mismatch"), true, true,
	  MCP_FAIL_REFUSED, "HTTP 400: header mismatch" },
	{ "T10 500 without words", 500, "", false, false, MCP_FAIL_REFUSED, "HTTP 500: " },
	{ "T10 a redirect", 308, "", false, false, MCP_FAIL_REFUSED, "HTTP 308: " },
	{ "T10 words that are no text", 502, "a\xff", false, false, MCP_FAIL_REFUSED,
	  "HTTP 502: a" },
	{ "T10 a result in a refusal is none", 500, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
	  false, false, MCP_FAIL_REFUSED, "HTTP 500: {" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct http_refusal got;

	http_refusal_read(row->status, str_of(row->body), row->in_session, &got);
	assert_int_equal(got.is_message, row->is_message);
	assert_int_equal(got.failure.kind, row->kind);
	if (!str_starts(str_of(got.failure.err.text), str_of(row->says)))
		check_str("says", str_of(got.failure.err.text), str_of(row->says));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	return suite_run(&s, "tool/mcp/http_refusal");
}

#include "net/http_failure.h"

#include <errno.h>

#include "harness.h"

#define WHERE STR("127.0.0.1:7340")

static const struct row {
	const char *name;
	struct http_failure f;
	int want;
	const char *text;
} ROWS[] = {
	{ "refused",
	  { CURLE_COULDNT_CONNECT, ECONNREFUSED, "", WHERE, HTTP_PHASE_CONNECT },
	  ERR_UNAVAILABLE,
	  "cannot connect to 127.0.0.1:7340: connection refused" },
	{ "no errno",
	  { CURLE_COULDNT_CONNECT, 0, "", WHERE, HTTP_PHASE_CONNECT },
	  ERR_UNAVAILABLE,
	  "cannot connect to 127.0.0.1:7340" },
	{ "no such socket",
	  { CURLE_COULDNT_CONNECT, ENOENT, "", STR("/run/p.sock"), HTTP_PHASE_CONNECT },
	  ERR_UNAVAILABLE,
	  "cannot connect to /run/p.sock: no such file or directory" },
	{ "a certificate",
	  { CURLE_PEER_FAILED_VERIFICATION, 0, "certificate has expired", WHERE,
	    HTTP_PHASE_CONNECT },
	  ERR_IO,
	  "no secure connection to 127.0.0.1:7340: certificate has expired" },
	{ "a handshake that broke",
	  { CURLE_SSL_CONNECT_ERROR, ECONNRESET, "SSL_connect", WHERE, HTTP_PHASE_CONNECT },
	  ERR_IO,
	  "no secure connection to 127.0.0.1:7340: connection reset by peer" },
	{ "TLS without a reason",
	  { CURLE_SSL_CERTPROBLEM, 0, "", WHERE, HTTP_PHASE_CONNECT },
	  ERR_IO,
	  "no secure connection to 127.0.0.1:7340: Problem with the local SSL certificate" },
	{ "nothing came",
	  { CURLE_GOT_NOTHING, 0, "", WHERE, HTTP_PHASE_ASK },
	  ERR_IO,
	  "127.0.0.1:7340: the connection broke before an answer came" },
	{ "a body that may have been taken",
	  { CURLE_SEND_FAIL_REWIND, 0, "", WHERE, HTTP_PHASE_ASK },
	  ERR_IO,
	  "127.0.0.1:7340: the connection broke before an answer came" },
	{ "cut in the middle",
	  { CURLE_PARTIAL_FILE, 0, "", WHERE, HTTP_PHASE_ANSWER },
	  ERR_IO,
	  "127.0.0.1:7340: the connection broke in the middle of the answer" },
	{ "reset in the middle",
	  { CURLE_RECV_ERROR, ECONNRESET, "", WHERE, HTTP_PHASE_ANSWER },
	  ERR_IO,
	  "127.0.0.1:7340: the connection broke in the middle of the answer: connection reset by "
	  "peer" },
	{ "a header beyond curl's limit",
	  { CURLE_OUT_OF_MEMORY, 0, "", WHERE, HTTP_PHASE_ASK },
	  ERR_TOO_LARGE,
	  "127.0.0.1:7340: a header of the answer is too long" },
	{ "no HTTP",
	  { CURLE_UNSUPPORTED_PROTOCOL, 0, "http://127.0.0.1:7340/secret", WHERE, HTTP_PHASE_ASK },
	  ERR_IO,
	  "127.0.0.1:7340: the answer is no proper HTTP (Unsupported protocol)" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct err e;

	assert_int_equal(http_failure_explain(&row->f, &e), row->want);
	assert_string_equal(e.text, row->text);
}

static const struct timeout_row {
	const char *name;
	enum http_wait wait;
	enum http_phase phase;
	int64_t limit_ms;
	const char *text;
} TIMEOUT_ROWS[] = {
	{ "looking up", HTTP_WAIT_CONNECT, HTTP_PHASE_ROUTE, 10000,
	  "cannot connect to 127.0.0.1:7340: its name could not be looked up within 10 s" },
	{ "connecting", HTTP_WAIT_CONNECT, HTTP_PHASE_CONNECT, 1500,
	  "cannot connect to 127.0.0.1:7340: no connection within 1500 ms" },
	{ "waiting for an answer", HTTP_WAIT_IDLE, HTTP_PHASE_ASK, 60000,
	  "127.0.0.1:7340: connected, but no answer for 60 s" },
	{ "in the middle", HTTP_WAIT_IDLE, HTTP_PHASE_ANSWER, 30000,
	  "127.0.0.1:7340: the answer stopped, nothing came for 30 s" },
	{ "altogether", HTTP_WAIT_TOTAL, HTTP_PHASE_ANSWER, 1000,
	  "127.0.0.1:7340: not done within 1 s" },
	{ "altogether, looking up", HTTP_WAIT_TOTAL, HTTP_PHASE_ROUTE, 1000,
	  "127.0.0.1:7340: not done within 1 s" },
};

static void
timeout_row_holds(void **state)
{
	const struct timeout_row *row = *state;
	struct http_failure f = { .where = WHERE, .phase = row->phase };
	struct err e;

	assert_int_equal(http_failure_timeout(row->wait, &f, row->limit_ms, &e), ERR_TIMEOUT);
	assert_string_equal(e.text, row->text);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, TIMEOUT_ROWS, timeout_row_holds);
	return suite_run(&s, "net/http_failure");
}

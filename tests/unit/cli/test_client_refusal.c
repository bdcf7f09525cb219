#include "cli/client_refusal.h"

#include "harness.h"

#define ERROR(message) "{\"type\":\"error\",\"error\":{\"type\":\"x\",\"message\":\"" message "\"}}"

static const struct server_place PLACE = { .shown = STR("http://h:1"),
					   .token = STR("t"),
					   .token_from = STR("data/owner.token") };
static const struct server_place NO_TOKEN = { .shown = STR("http://h:1") };

static const struct row {
	const char *name;
	const struct server_place *place;
	int status;
	const char *body, *request_id, *want;
	int exit_code;
} rows[] = {
	{ "the server's sentence", &PLACE, 404, ERROR("there is no session x"), "",
	  "there is no session x", 1 },
	{ "L1 what the server calls wrong is refused, not usage", &PLACE, 400,
	  ERROR("text: is empty"), "", "text: is empty", 1 },
	{ "its id when that is wanted", &PLACE, 409, ERROR("busy"), "req_1", "busy [req_1]", 1 },
	{ "a failure of the machine", &PLACE, 500, ERROR("disk"), "", "disk", 3 },
	{ "a server that starts", &PLACE, 503, ERROR("starting"), "", "starting", 1 },
	{ "a token that is refused", &PLACE, 401, ERROR("unknown token"), "",
	  "http://h:1 refuses the token of data/owner.token (unknown token). Is it another "
	  "server's? See --token-file and --data",
	  1 },
	{ "no token", &NO_TOKEN, 401, ERROR("no token"), "",
	  "no token for http://h:1: there is no owner.token in ./data or the state folder. Give "
	  "one: --data DIR, --token-file FILE or $PERDURE_TOKEN",
	  1 },
	{ "somebody else's server", &PLACE, 404, "<html>", "",
	  "what answers at http://h:1 is no Perdure server (HTTP status 404)", 1 },
};

static void
test_answer(void **state)
{
	const struct row *row = *state;
	struct err e;
	int rc = client_refusal_of_answer(row->place, row->status, str_of(row->body),
					  row->request_id, &e);

	assert_string_equal(e.text, row->want);
	assert_int_equal(err_exit_code(rc), row->exit_code);
	assert_int_equal(e.code, rc);
}

static void
test_failure(void **state)
{
	struct err e;
	int rc = err_set(&e, ERR_UNAVAILABLE, "cannot connect to h:1: connection refused");

	(void)state;
	rc = client_refusal_of_failure(&PLACE, rc, &e);
	assert_string_equal(
		e.text, "no server at http://h:1: connection refused. Start one: perdure serve");
	assert_int_equal(err_exit_code(rc), 3);
	rc = err_set(&e, ERR_IO, "h:1: the connection broke");
	assert_int_equal(client_refusal_of_failure(&PLACE, rc, &e), ERR_IO);
	assert_string_equal(e.text, "h:1: the connection broke");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_answer);
	SUITE_TEST(&s, test_failure);
	return suite_run(&s, "client_refusal");
}

#include "api/socket_message.h"

#include "harness.h"

static const struct good {
	const char *name, *text;
	struct socket_message want;
} GOOD[] = {
	{ "A16 a path is a GET",
	  "{\"id\":1,\"path\":\"/v1/sessions\"}",
	  { .has_id = true, .id = 1, .method = STR("GET"), .path = STR("/v1/sessions") } },
	{ "A16 with a query",
	  "{\"id\":0,\"type\":\"request\",\"method\":\"GET\",\"path\":\"/v1/a?b=c?d\"}",
	  { .has_id = true, .method = STR("GET"), .path = STR("/v1/a"), .query = STR("b=c?d") } },
	{ "A16 a body is kept as it came, and so is a key",
	  "{\"id\":7,\"method\":\"POST\",\"path\":\"/v1/a\",\"body\": {\"x\" :[1]},"
	  "\"idempotency_key\":\"k\\u0031\"}",
	  { .has_id = true,
	    .id = 7,
	    .method = STR("POST"),
	    .path = STR("/v1/a"),
	    .body = STR("{\"x\" :[1]}"),
	    .idempotency_key = STR("k1") } },
	{ "A16 null is none",
	  "{\"id\":7,\"method\":\"DELETE\",\"path\":\"/v1/a\",\"body\":null,"
	  "\"idempotency_key\":null}",
	  { .has_id = true, .id = 7, .method = STR("DELETE"), .path = STR("/v1/a") } },
	{ "A16 the largest id",
	  "{\"id\":9007199254740991,\"type\":\"unsubscribe\"}",
	  { .has_id = true, .id = 9007199254740991, .type = SOCKET_UNSUBSCRIBE } },
};

static void
is_good(void **state)
{
	const struct good *row = *state;
	struct socket_message m;
	struct arena a;
	struct err e;

	arena_init(&a);
	if (socket_message_parse(&a, str_of(row->text), &m, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(m.has_id, row->want.has_id);
	assert_int_equal(m.id, row->want.id);
	assert_int_equal(m.type, row->want.type);
	check_str("method", m.method, row->want.method);
	check_str("path", m.path, row->want.path);
	check_str("query", m.query, row->want.query);
	check_str("body", m.body, row->want.body);
	check_str("key", m.idempotency_key, row->want.idempotency_key);
	arena_release(&a);
}

static const struct bad {
	const char *name, *text, *says;
	int64_t id; /* -1: none could be read */
} BAD[] = {
	{ "A16 no JSON", "hello", "message: ", -1 },
	{ "A16 nothing", "", "message: ", -1 },
	{ "A16 no object", "[1]", "message: must be a JSON object", -1 },
	{ "A16 no id", "{\"path\":\"/\"}", "id: ", -1 },
	{ "A16 an id that is a text", "{\"id\":\"1\",\"path\":\"/\"}", "id: ", -1 },
	{ "A16 an id below 0", "{\"id\":-1,\"path\":\"/\"}", "id: ", -1 },
	{ "A16 an id that clients cannot count to", "{\"id\":9007199254740992,\"path\":\"/\"}",
	  "id: ", -1 },
	{ "A16 an id with a fraction", "{\"id\":1.5,\"path\":\"/\"}", "id: ", -1 },
	{ "A16 an unknown type", "{\"id\":3,\"type\":\"subscribe\"}", "type: ", 3 },
	{ "A16 an unknown field", "{\"id\":3,\"path\":\"/\",\"pth\":1}", "pth: ", 3 },
	{ "A16 a method that no route has", "{\"id\":3,\"method\":\"HEAD\",\"path\":\"/\"}",
	  "method: ", 3 },
	{ "A16 no path", "{\"id\":3}", "path: ", 3 },
	{ "A16 a URL instead of a path", "{\"id\":3,\"path\":\"http://x/\"}", "path: ", 3 },
	{ "A16 a body that is no object", "{\"id\":3,\"path\":\"/\",\"body\":[]}", "body: ", 3 },
	{ "A16 an unsubscribe with a path",
	  "{\"id\":3,\"type\":\"unsubscribe\",\"path\":\"/v1/events/stream\"}", "type: ", 3 },
};

static void
is_bad(void **state)
{
	const struct bad *row = *state;
	struct socket_message m;
	struct arena a;
	struct err e;

	arena_init(&a);
	assert_int_equal(socket_message_parse(&a, str_of(row->text), &m, &e), ERR_INVALID);
	if (!str_starts(str_of(e.text), str_of(row->says)))
		fail_msg("wanted %s, got %s", row->says, e.text);
	assert_int_equal(m.has_id ? m.id : -1, row->id);
	arena_release(&a);
}

static void
A16_a_path_is_bounded(void **state)
{
	static char text[SOCKET_PATH_MAX + 64];
	struct socket_message m;
	struct arena a;
	struct err e;

	(void)state;
	arena_init(&a);
	for (int over = 0; over < 2; over++) {
		snprintf(text, sizeof text, "{\"id\":1,\"path\":\"/%0*d\"}",
			 SOCKET_PATH_MAX - 1 + over, 0);
		assert_int_equal(socket_message_parse(&a, str_of(text), &m, &e),
				 over ? ERR_INVALID : 0);
	}
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, GOOD, is_good);
	SUITE_ROWS(&s, BAD, is_bad);
	SUITE_TEST(&s, A16_a_path_is_bounded);
	return suite_run(&s, "api/socket_message");
}

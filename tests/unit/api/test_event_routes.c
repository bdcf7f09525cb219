#include "api/event_routes.h"

#include "live_ask.h"

static struct api_rig rig;

static void
start_rig(void)
{
	api_rig_init(&rig);
	api_rig_start(&rig);
	live_open(&rig, "s1");
}

static void
A2_a_batch_is_stored_in_order_and_shown(void **state)
{
	struct rig_reply reply;

	(void)state;
	start_rig();
	reply = live_post(&rig, "owner", "/v1/sessions/s1/events",
			  "{\"events\":[{\"type\":\"user.message\",\"content\":[{\"type\":\"text\","
			  "\"text\":\"hi\"}]},{\"type\":\"system.message\",\"content\":[{\"type\":"
			  "\"text\",\"text\":\"note\"}]}]}");
	rig_expect("send", &reply, 200, "{\"data\":[{\"id\":\"sevt_");
	rig_expect("send", &reply, 200, "\"text\":\"hi\"}],\"seq\":2,");
	rig_expect("send", &reply, 200, "\"text\":\"note\"}],\"seq\":3,");
	assert_int_equal(live_count(reply.body, "\"processed_at\":null"), 2);
	api_rig_stop(&rig);
}

/* The first one is next: only those behind it wait for others. */
static void
Q3_a_listed_event_says_where_it_waits(void **state)
{
	struct rig_ask ask = { .method = "POST",
			       .target = "/v1/sessions/s1/events",
			       .token = "owner",
			       .body = "{\"events\":[{\"type\":\"user.message\",\"content\":[{"
				       "\"type\":\"text\",\"text\":\"hi\"}]}]}" };
	struct rig_reply reply;

	(void)state;
	start_rig();
	for (int i = 0; i < 3; i++) {
		reply = api_rig_ask(&rig, &ask);
		rig_expect("sent", &reply, 200, "user.message");
	}
	reply = api_rig_ask(&rig, &(struct rig_ask){ .method = "GET",
						     .target = "/v1/sessions/s1/events",
						     .token = "owner" });
	rig_expect("the second", &reply, 200, "\"processed_at\":null,\"queue_position\":1}");
	rig_expect("the third", &reply, 200, "\"processed_at\":null,\"queue_position\":2}");
	rig_expect("the first", &reply, 200, "\"processed_at\":null}");
	api_rig_stop(&rig);
}

static void
A2_one_bad_event_stores_nothing(void **state)
{
	struct rig_reply reply;

	(void)state;
	start_rig();
	reply = live_post(&rig, "owner", "/v1/sessions/s1/events",
			  "{\"events\":[{\"type\":\"user.interrupt\"},{\"type\":\"user.what\"}]}");
	rig_expect("send", &reply, 400, "events[1]");
	reply = live_get(&rig, "owner", "/v1/sessions/s1/events");
	assert_int_equal(live_count(reply.body, "\"seq\":"), 1);
	reply = live_post(&rig, "owner", "/v1/sessions/s1/events", "{\"event\":[]}");
	rig_expect("no events", &reply, 400, "events");
	reply = live_post(&rig, "owner", "/v1/sessions/s2/events",
			  "{\"events\":[{\"type\":\"user.interrupt\"}]}");
	rig_expect("no session", &reply, 404, "not_found_error");
	api_rig_stop(&rig);
}

static void
A10_a_repeat_is_shown_again(void **state)
{
	static const char BODY[] =
		"{\"events\":[{\"type\":\"system.message\",\"content\":[{\"type\":\"text\","
		"\"text\":\"note\"}]}]}";
	struct rig_ask ask = { .method = "POST",
			       .target = "/v1/sessions/s1/events",
			       .token = "owner",
			       .headers = "Idempotency-Key: k\r\n",
			       .body = BODY };
	struct rig_reply reply;
	char first[1024];

	(void)state;
	start_rig();
	reply = api_rig_ask(&rig, &ask);
	rig_expect("first", &reply, 200, "note");
	snprintf(first, sizeof first, STR_FMT, STR_ARG(reply.body));
	reply = api_rig_ask(&rig, &ask);
	check_str("again", reply.body, str_of(first));
	check_str("mark", rig_header(&reply, "idempotency-replayed"), STR("true"));
	ask.body = "{\"events\":[{\"type\":\"user.interrupt\"}]}";
	reply = api_rig_ask(&rig, &ask);
	rig_expect("another body", &reply, 422, "invalid_request_error");
	api_rig_stop(&rig);
}

/* ---- the log in pages: seqs 1..10, 1 is session.created ---- */

enum { EVENTS = 10 };

static const struct listed {
	const char *name, *query;
	const char *seqs; /* of the first page */
	bool more;
} LISTED[] = {
	{ "A3 the whole log", "", "1 2 3 4 5 6 7 8 9 10", false },
	{ "A3 from the end", "?order=desc&limit=3", "10 9 8", true },
	{ "A3 after", "?after=7", "8 9 10", false },
	{ "A3 before", "?before=3", "1 2", false },
	{ "A3 between", "?after=3&before=6", "4 5", false },
	{ "A3 around", "?around=5&limit=5", "3 4 5 6 7", true },
	{ "A3 around at the beginning", "?around=1&limit=3", "1 2 3", true },
	{ "A3 around from the end", "?around=5&limit=3&order=desc", "6 5 4", true },
	{ "A3 of one type", "?types[]=session.created", "1", false },
	{ "A3 of one type, the other spelling", "?types=session.created", "1", false },
	{ "A3 of types, encoded", "?types%5B%5D=system.message&limit=2", "2 3", true },
	{ "A3 behind the head", "?after=10", "", false },
	{ "A3 at the limit there is no more", "?limit=10", "1 2 3 4 5 6 7 8 9 10", false },
	{ "A3 long ago", "?created_at[lt]=2020-01-01T00:00:00Z", "", false },
	{ "A3 since long ago", "?created_at%5Bgte%5D=2020-01-01T00:00:00Z&limit=2", "1 2", true },
};

static void
seqs_of(struct str body, char *out, size_t size)
{
	size_t at = 0, len = 0;

	out[0] = '\0';
	while (str_find(body, STR("\"seq\":"), at, &at)) {
		struct str rest = str_slice(body, at + 6, body.len), number;

		str_cut(rest, ',', &number, &rest);
		len += (size_t)snprintf(out + len, size - len, "%s" STR_FMT, len ? " " : "",
					STR_ARG(number));
		at++;
	}
}

static void
fill_log(void)
{
	char text[16];

	start_rig();
	for (int i = 2; i <= EVENTS; i++) {
		snprintf(text, sizeof text, "n%d", i);
		live_say(&rig, "s1", text);
	}
}

static void
list_holds(void **state)
{
	const struct listed *row = *state;
	char target[256], seqs[128];
	struct rig_reply reply;

	fill_log();
	snprintf(target, sizeof target, "/v1/sessions/s1/events%s", row->query);
	reply = live_get(&rig, "owner", target);
	rig_expect(row->name, &reply, 200, row->more ? "\"next_page\":\"" : "\"next_page\":null}");
	seqs_of(reply.body, seqs, sizeof seqs);
	assert_string_equal(seqs, row->seqs);
	api_rig_stop(&rig);
}

static void
A3_pages_join_to_the_log(void **state)
{
	static const char *const ORDERS[] = { "asc", "desc" };
	char target[512], page[256], seqs[128], all[256];

	(void)state;
	fill_log();
	for (size_t i = 0; i < ARRAY_LEN(ORDERS); i++) {
		size_t len = 0;

		snprintf(target, sizeof target, "/v1/sessions/s1/events?limit=3&order=%s",
			 ORDERS[i]);
		for (;;) {
			struct rig_reply reply = live_get(&rig, "owner", target);

			rig_expect("page", &reply, 200, NULL);
			seqs_of(reply.body, seqs, sizeof seqs);
			len += (size_t)snprintf(all + len, sizeof all - len, "%s|", seqs);
			if (str_contains(reply.body, STR("\"next_page\":null")))
				break;
			live_member(reply.body, "next_page", 0, page);
			snprintf(target, sizeof target,
				 "/v1/sessions/s1/events?order=%s&limit=3&page=%s", ORDERS[i],
				 page);
		}
		assert_string_equal(all,
				    i == 0 ? "1 2 3|4 5 6|7 8 9|10|" : "10 9 8|7 6 5|4 3 2|1|");
	}
	api_rig_stop(&rig);
}

static void
A3_a_place_may_be_an_event_id(void **state)
{
	struct rig_reply reply;
	char target[512], id[256], seqs[128];

	(void)state;
	fill_log();
	reply = live_get(&rig, "owner", "/v1/sessions/s1/events?after=4&limit=1");
	live_member(reply.body, "id", 0, id);
	snprintf(target, sizeof target, "/v1/sessions/s1/events?around=%s&limit=3", id);
	reply = live_get(&rig, "owner", target);
	seqs_of(reply.body, seqs, sizeof seqs);
	assert_string_equal(seqs, "4 5 6");
	snprintf(target, sizeof target, "/v1/sessions/s1/events?after=%s", id);
	reply = live_get(&rig, "owner", target);
	seqs_of(reply.body, seqs, sizeof seqs);
	assert_string_equal(seqs, "6 7 8 9 10");
	reply = live_get(&rig, "owner", "/v1/sessions/s1/events?around=sevt_nobody");
	rig_expect("unknown", &reply, 400, "around");
	api_rig_stop(&rig);
}

static const struct refused {
	const char *name, *query;
	int status;
	const char *part;
} REFUSED[] = {
	{ "A3 limit 0", "?limit=0", 400, "limit" },
	{ "A3 limit 1001", "?limit=1001", 400, "limit" },
	{ "A3 a limit that is no number", "?limit=many", 400, "limit" },
	{ "A3 a cursor that is none", "?page=AAAA", 400, "page" },
	{ "A3 an unknown order", "?order=up", 400, "order" },
	{ "A3 an unknown type", "?types[]=user.what", 400, "types" },
	{ "A3 a negative place", "?after=-1", 400, "after" },
	{ "A3 a place that is none", "?before=x", 400, "before" },
	{ "A3 a time that is none", "?created_at[gte]=today", 400, "created_at" },
	{ "A3 a place given twice", "?after=1&after=2", 400, "after" },
};

static void
is_refused(void **state)
{
	const struct refused *row = *state;
	struct rig_reply reply;
	char target[256];

	start_rig();
	snprintf(target, sizeof target, "/v1/sessions/s1/events%s", row->query);
	reply = live_get(&rig, "owner", target);
	rig_expect(row->name, &reply, row->status, row->part);
	api_rig_stop(&rig);
}

static void
P2_anothers_log_is_not_found(void **state)
{
	struct rig_reply reply;

	(void)state;
	start_rig();
	reply = live_get(&rig, "user", "/v1/sessions/s1/events");
	rig_expect("list", &reply, 404, "not_found_error");
	reply = live_get(&rig, "user", "/v1/sessions/s1/events?around=sevt_1");
	rig_expect("around", &reply, 404, "not_found_error");
	reply = live_post(&rig, "user", "/v1/sessions/s1/events",
			  "{\"events\":[{\"type\":\"user.interrupt\"}]}");
	rig_expect("send", &reply, 404, "not_found_error");
	api_rig_stop(&rig);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, A2_a_batch_is_stored_in_order_and_shown);
	SUITE_TEST(&s, Q3_a_listed_event_says_where_it_waits);
	SUITE_TEST(&s, A2_one_bad_event_stores_nothing);
	SUITE_TEST(&s, A10_a_repeat_is_shown_again);
	SUITE_ROWS(&s, LISTED, list_holds);
	SUITE_TEST(&s, A3_pages_join_to_the_log);
	SUITE_TEST(&s, A3_a_place_may_be_an_event_id);
	SUITE_ROWS(&s, REFUSED, is_refused);
	SUITE_TEST(&s, P2_anothers_log_is_not_found);
	return suite_run(&s, "api/event_routes");
}

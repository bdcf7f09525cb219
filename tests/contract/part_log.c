/* The log: order, dense seqs, the hash chain, all or nothing.
 *
 * PostgreSQL: one SQL function locks the session row, checks, assigns seqs, hashes and inserts, so
 * two nodes that append to one session at the same instant get neighbouring seqs, never the same;
 * submission order holds per node, because a session is hashed to one pipelined connection. A commit
 * whose answer was lost is ERR_UNAVAILABLE, never 0 and never a refusal; part_key settles it. */
#include "compare.h"
#include "rig.h"

static void
test_seqs_are_dense(void **state)
{
	struct rig *r = rig_new();
	const struct store_result *a;

	(void)state;
	a = rig_append(r, rig_item(r, "s", "msg a; msg b"));
	assert_int_equal(a->rc, 0);
	assert_int_equal(a->first_seq, 1);
	assert_int_equal(a->head_seq, 3);
	check_str("session", a->session, STR("s"));
	a = rig_append(r, rig_item(r, "s", "msg c"));
	assert_int_equal(a->first_seq, 4);
	assert_int_equal(a->head_seq, 4);
	assert_int_equal(rig_append(r, rig_item(r, "other", ""))->first_seq, 1);
	compare_session(r, STR("s"), "s");
	compare_session(r, STR("other"), "other");
	rig_free(&r);
}

/* The rig compares every acknowledged hash with the replay; this one does without it. */
static void
test_chain_is_event_hash(void **state)
{
	struct rig *r = rig_new();
	struct sha256_ctx ctx;
	struct sha256 hash = { 0 };
	struct rows got = { 0 };

	(void)state;
	rig_do(r, "s", "msg a; run t1 a; say b; end t1 end_turn");
	rig_list(r, STORE_LIST_EVENTS, "s", &got);
	assert_int_equal(got.events.len, 5);
	sha256_init(&ctx);
	for (size_t i = 0; i < got.events.len; i++) {
		hash = event_hash(&ctx, &hash, &got.events.ptr[i].ev);
		assert_int_equal(got.events.ptr[i].ev.seq, i + 1);
		assert_memory_equal(&got.events.ptr[i].hash, &hash, sizeof hash);
	}
	sha256_release(&ctx);
	rows_release(&got);
	rig_free(&r);
}

static void
test_order_submitted_is_order_stored(void **state)
{
	enum { ITEMS = 300 };
	struct rig *r = rig_new();
	struct answer *answers[ITEMS];
	char script[32], session[16];

	(void)state;
	for (int s = 0; s < 3; s++) {
		snprintf(session, sizeof session, "s%d", s);
		rig_do(r, session, "");
	}
	for (int i = 0; i < ITEMS; i++) {
		snprintf(session, sizeof session, "s%d", i % 3);
		snprintf(script, sizeof script, "msg m%d class=passive", i);
		answers[i] = rig_submit(r, rig_item(r, session, script));
	}
	for (int i = 0; i < ITEMS; i++) {
		rig_await(r, answers[i]);
		assert_int_equal(answers[i]->result.rc, 0);
		assert_int_equal(answers[i]->result.first_seq, 2 + i / 3);
		if (i >= 3)
			assert_true(answers[i]->order > answers[i - 3]->order);
	}
	for (int s = 0; s < 3; s++) {
		snprintf(session, sizeof session, "s%d", s);
		compare_session(r, str_of(session), "order");
	}
	rig_free(&r);
}

/* Among others in flight, on the same session and elsewhere, the wrong one fails alone. */
static void
test_item_fails_alone(void **state)
{
	enum { ITEMS = 60 };
	struct rig *r = rig_new();
	struct answer *answers[ITEMS];
	char script[64];

	(void)state;
	rig_do(r, "s", "");
	for (int i = 0; i < ITEMS; i++) {
		bool wrong = i % 7 == 3;
		snprintf(script, sizeof script, "msg m%d class=passive%s", i,
			 wrong ? "; run t1 nobody" : "");
		answers[i] = rig_submit(r, rig_item(r, "s", script));
	}
	for (int i = 0; i < ITEMS; i++) {
		rig_await(r, answers[i]);
		assert_int_equal(answers[i]->result.rc < 0, i % 7 == 3);
	}
	compare_session(r, STR("s"), "alone");
	rig_free(&r);
}

/* Events, record, key and lease of a refused item: none of them is there. */
static void
test_all_or_nothing(void **state)
{
	struct rig *r = rig_new();
	struct store_put put = {
		.record = { .kind = STR("wake"), .id = STR("w"), .body = STR("{}") },
		.if_version = STORE_VERSION_ABSENT,
	};
	struct store_key key = { .scope = STR("s"), .name = STR("k"), .expires_at_ms = INT64_MAX };
	struct store_query record = { .kind = STORE_GET_RECORD,
				      .record_kind = STR("wake"),
				      .record_id = STR("w") };
	struct store_query find = { .kind = STORE_FIND_KEY,
				    .key_scope = STR("s"),
				    .key_name = STR("k") };
	struct store_item *item;
	struct rows got = { 0 };

	(void)state;
	rig_do(r, "s", "msg a");
	item = rig_item(r, "s", "msg b; run t1 b; run t1 a");
	item->puts = &put;
	item->put_count = 1;
	item->keys = &key;
	item->key_count = 1;
	item->lease = STORE_LEASE_TAKE;
	assert_true(rig_append(r, item)->rc < 0);
	compare_session(r, STR("s"), "all or nothing");
	rig_read(r, &record, &got);
	assert_int_equal(got.records.len, 0);
	rows_release(&got);
	rig_read(r, &find, &got);
	assert_int_equal(got.keys.len, 0);
	rows_release(&got);
	rig_list(r, STORE_GET_SESSION, "s", &got);
	assert_int_equal(got.sessions.ptr[0].fence, 0);
	assert_false(got.sessions.ptr[0].lease_live);
	rows_release(&got);
	rig_free(&r);
}

/* Whatever the replay refuses must not get into a log: `check` would call it corrupt. */
static const struct rule_row {
	const char *name, *before, *item;
} RULES[] = {
	{ "Q1 rule: consumes what is no input", "msg a", "run t1 nobody" },
	{ "Q1 rule: consumes twice", "msg a; run t1 a; end t1 end_turn", "run t2 a" },
	{ "Q1 rule: consumes twice in one item", "msg a", "run t1 a; end t1 end_turn; run t2 a" },
	{ "Q1 rule: consumes what was cancelled", "msg a; cancel a", "run t1 a" },
	{ "Q1 rule: consumes a passive input", "msg a class=passive", "run t1 a" },
	{ "rule: a turn that nothing starts", "msg a", "run t1" },
	{ "rule: a second turn beside the open one", "msg a; msg b; run t1 a", "run t2 b" },
	{ "rule: steers with what was not sent to steer", "msg a; run t1 a; msg b",
	  "consume t1 b" },
	{ "rule: ends a turn that is not open", "msg a", "end t1 end_turn" },
	{ "rule: ends another turn", "msg a; run t1 a", "end t9 end_turn" },
	{ "rule: ends with a call open", "msg a; run t1 a; tool c", "end t1 end_turn" },
	{ "rule: parks while a call runs", "msg a; run t1 a; tool c", "park t1 c" },
	{ "rule: parks on nothing", "msg a; run t1 a", "park t1 c" },
	{ "rule: a second result", "msg a; run t1 a; tool c; result c", "result c" },
	{ "rule: a result of no call", "msg a; run t1 a", "result c" },
	{ "rule: a call outside a turn", "msg a", "tool c" },
	{ "rule: a call while parked", "msg a; run t1 a; tool c ask; park t1 c", "tool d" },
	{ "rule: an answer nobody waits for", "msg a; run t1 a; tool c", "allow x c" },
	{ "rule: a second answer", "msg a; run t1 a; tool c ask; park t1 c; allow x c",
	  "deny y c" },
	{ "rule: bound to no trigger", "msg a", "sys b class=bound bound=nobody" },
	{ "rule: an edit of what was consumed", "msg a; run t1 a", "edit a" },
	{ "rule: a cancel of what was consumed", "msg a; run t1 a", "cancel a" },
	{ "rule: an id is taken", "msg a", "msg a" },
	{ "rule: an id is taken by the agent", "msg a; run t1 a; say b", "msg b" },
	{ "rule: an input to what is archived", "life archived", "msg a" },
	{ "rule: archived in mid-turn", "msg a; run t1 a", "life archived" },
	{ "rule: reset with a trigger pending", "msg a", "reset archived" },
	{ "rule: nothing follows a deletion", "delete", "title x" },
	{ "rule: rewound to what is not there", "msg a; run t1 a; end t1 end_turn", "rewind x" },
	{ "rule: rewound in mid-turn", "msg a; run t1 a", "rewind a" },
	{ "rule: keeps what is not in view", "msg a", "compact k a" },
	{ "rule: undoes no compaction", "msg a; run t1 a; end t1 end_turn", "uncompact a" },
	{ "rule: a good event before the bad one", "msg a; run t1 a", "msg b; say c; run t2 b" },
};

static void
test_rule(void **state)
{
	const struct rule_row *row = *state;
	struct rig *r = rig_new();
	struct err e;

	rig_do(r, "s", row->before);
	rig_expect(r, row->name, rig_item(r, "s", row->item), ERR_CONFLICT);
	assert_int_equal(store_health(r->store, &e), 0); /* a refusal, no doubt about the disk */
	rig_do(r, "elsewhere", "msg a");
	rig_free(&r);
}

static const struct malformed_row {
	const char *name;
	enum event_kind kind;
	const char *payload, *meta;
} MALFORMED[] = {
	{ "M10 malformed: no JSON", EVENT_SESSION_UPDATED, "hello", "" },
	{ "M10 malformed: another kind", EVENT_SESSION_UPDATED, "{\"type\":\"session.deleted\"}",
	  "" },
	{ "M10 malformed: a field is missing", EVENT_STATUS_IDLE,
	  "{\"type\":\"session.status_idle\"}", "" },
	{ "M10 malformed: an input without meta", EVENT_USER_INTERRUPT,
	  "{\"type\":\"user.interrupt\"}", "" },
	{ "M10 malformed: a class that does not fit", EVENT_USER_INTERRUPT,
	  "{\"type\":\"user.interrupt\"}", "{\"class\":\"trigger\"}" },
};

static void
test_malformed(void **state)
{
	const struct malformed_row *row = *state;
	struct rig *r = rig_new();
	struct event ev = {
		.id = STR("x"),
		.kind = row->kind,
		.author = event_usual_author(row->kind),
		.created_at_ms = 5,
		.payload = str_of(row->payload),
		.meta = str_of(row->meta),
	};

	rig_do(r, "s", "msg a");
	rig_expect(r, row->name, rig_item_of(r, "s", &ev), ERR_CONFLICT);
	rig_free(&r);
}

/* Ids that the server did not make are unique in their session, also where no projection needs it. */
static void
test_ids_of_bookkeeping(void **state)
{
	struct rig *r = rig_new();
	struct store_item *item, *again;
	struct event *ev;

	(void)state;
	rig_do(r, "s", "");
	item = rig_item(r, "s", "title x"); /* e2 */
	again = rig_item(r, "s", "error");
	rig_expect(r, "first", item, 0);
	rig_expect(r, "another kind, the same id", again, ERR_CONFLICT);
	again = rig_item(r, "s", "title y; title z");
	ev = ARENA_ARRAY(&r->arena, 2, struct event);
	ev[0] = again->events[0];
	ev[1] = again->events[1];
	ev[1].id = ev[0].id;
	again->events = ev;
	rig_expect(r, "twice in one item", again, ERR_CONFLICT);
	rig_do(r, "other", "title x");
	rig_free(&r);
}

void
contract_log(struct suite *s)
{
	suite_add(s, "M9 seqs are dense from 1", test_seqs_are_dense, NULL);
	suite_add(s, "M9 the chain is event_hash", test_chain_is_event_hash, NULL);
	suite_add(s, "M9 stored in the order submitted", test_order_submitted_is_order_stored,
		  NULL);
	suite_add(s, "S1 an item fails alone", test_item_fails_alone, NULL);
	suite_add(s, "S1 all or nothing", test_all_or_nothing, NULL);
	suite_add(s, "M9 ids are unique in their session", test_ids_of_bookkeeping, NULL);
	SUITE_ROWS(s, RULES, test_rule);
	SUITE_ROWS(s, MALFORMED, test_malformed);
}

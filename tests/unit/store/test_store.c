/* What store.c itself decides: which items and queries are well-formed, and that a refusal is an
 * answer like any other, given in store_dispatch. */
#include "base/xalloc.h"
#include "harness.h"
#include "store/store_private.h"

/* ---- items ---- */

static char long_text[STORE_PAYLOAD_MAX + 1];

static struct event
event_of(enum event_kind kind)
{
	return (struct event){
		.id = STR("evt_1"),
		.kind = kind,
		.author = event_usual_author(kind),
		.created_at_ms = 1,
		.payload = STR("{}"),
	};
}

static struct store_key
key_of(void)
{
	return (struct store_key){ .scope = STR("s"), .name = STR("n"), .expires_at_ms = 1 };
}

static struct store_put
put_of(void)
{
	return (struct store_put){
		.record = { .kind = STR("wake"), .id = STR("w1"), .body = STR("{}") },
		.if_version = STORE_VERSION_ANY,
	};
}

/* Everything an item can be made of; a row changes one thing. */
struct parts {
	struct event events[2];
	struct store_key key, keys[2];
	struct store_put put;
	struct str id;
	struct store_item item, joined;
};

typedef void change_fn(struct parts *p);

static void
as_it_is(struct parts *p)
{
	(void)p;
}
static void
no_session(struct parts *p)
{
	p->item.session = (struct str){ 0 };
}
static void
records_only(struct parts *p)
{
	no_session(p);
	p->item.event_count = 0;
	p->item.key_count = 0;
}
static void
nothing_at_all(struct parts *p)
{
	p->item.event_count = p->item.put_count = p->item.key_count = 0;
}
static void
lease_only(struct parts *p)
{
	nothing_at_all(p);
	p->item.lease = STORE_LEASE_BREAK;
}
static void
records_fenced(struct parts *p)
{
	records_only(p);
	p->item.require.fence = 1;
}
static void
records_bounded(struct parts *p)
{
	records_only(p);
	p->item.require.has_max_waiting = true;
}
static void
records_leased(struct parts *p)
{
	records_only(p);
	p->item.lease = STORE_LEASE_TAKE;
}
static void
records_asking(struct parts *p)
{
	records_only(p);
	p->item.rest_kind = STR("wake");
}
static void
session_with_slash(struct parts *p)
{
	p->item.session = STR("a/b");
}
static void
session_of_200(struct parts *p)
{
	p->item.session = (struct str){ long_text, 200 };
}
static void
session_of_201(struct parts *p)
{
	p->item.session = (struct str){ long_text, 201 };
}
static void
created(struct parts *p)
{
	p->events[0].kind = EVENT_SESSION_CREATED;
	p->item.require.absent = true;
}
static void
created_without_absent(struct parts *p)
{
	p->events[0].kind = EVENT_SESSION_CREATED;
}
static void
absent_without_created(struct parts *p)
{
	p->item.require.absent = true;
}
static void
created_second(struct parts *p)
{
	p->events[1].kind = EVENT_SESSION_CREATED;
	p->item.event_count = 2;
}
static void
absent_and_idle(struct parts *p)
{
	created(p);
	p->item.require.idle = true;
}
static void
absent_and_bounded(struct parts *p)
{
	created(p);
	p->item.require.has_max_waiting = true;
}
static void
events_of_1025(struct parts *p)
{
	p->item.event_count = STORE_ITEM_EVENTS_MAX + 1;
}
static void
events_missing(struct parts *p)
{
	p->item.events = NULL;
}
static void
event_with_seq(struct parts *p)
{
	p->events[0].seq = 1;
}
static void
event_without_id(struct parts *p)
{
	p->events[0].id = (struct str){ 0 };
}
static void
event_id_of_201(struct parts *p)
{
	p->events[0].id = (struct str){ long_text, 201 };
}
static void
event_id_control(struct parts *p)
{
	p->events[0].id = STR("a\nb");
}
static void
event_id_not_utf8(struct parts *p)
{
	p->events[0].id = STR("a\xff");
}
static void
event_without_instant(struct parts *p)
{
	p->events[0].created_at_ms = 0;
}
static void
event_of_no_kind(struct parts *p)
{
	p->events[0].kind = (enum event_kind)EVENT_KINDS;
}
static void
event_of_nobody(struct parts *p)
{
	p->events[0].author = (enum event_author)9;
}
static void
event_without_payload(struct parts *p)
{
	p->events[0].payload = (struct str){ 0 };
}
static void
payload_at_limit(struct parts *p)
{
	p->events[0].payload = (struct str){ long_text, STORE_PAYLOAD_MAX };
}
static void
payload_past_limit(struct parts *p)
{
	p->events[0].payload = (struct str){ long_text, STORE_PAYLOAD_MAX + 1 };
}
static void
meta_past_limit(struct parts *p)
{
	p->events[0].meta = (struct str){ long_text, STORE_INLINE_MAX + 1 };
}
static void
release_without_fence(struct parts *p)
{
	p->item.lease = STORE_LEASE_RELEASE;
}
static void
release_with_fence(struct parts *p)
{
	p->item.lease = STORE_LEASE_RELEASE;
	p->item.require.fence = 3;
}
static void
no_such_lease(struct parts *p)
{
	p->item.lease = (enum store_lease)7;
}
static void
lifecycle_unknown(struct parts *p)
{
	p->item.require.lifecycles = 1u << 4;
}
static void
fence_negative(struct parts *p)
{
	p->item.require.fence = -1;
}
static void
depth_negative(struct parts *p)
{
	p->item.require.has_max_waiting = true;
	p->item.require.max_waiting = -1;
}
static void
pending_id_empty(struct parts *p)
{
	p->id = (struct str){ 0 };
	p->item.require.pending = (struct str_list){ &p->id, 1 };
}
static void
call_id_empty(struct parts *p)
{
	p->id = (struct str){ 0 };
	p->item.require.open_calls = (struct str_list){ &p->id, 1 };
}
static void
record_without_kind(struct parts *p)
{
	p->put.record.kind = (struct str){ 0 };
}
static void
record_without_body(struct parts *p)
{
	p->put.record.body = (struct str){ 0 };
}
static void
record_removed(struct parts *p)
{
	record_without_body(p);
	p->put.remove = true;
}
static void
record_version_unknown(struct parts *p)
{
	p->put.if_version = -2;
}
static void
key_without_scope(struct parts *p)
{
	p->key.scope = (struct str){ 0 };
}
static void
key_answer_at_limit(struct parts *p)
{
	p->key.answer = (struct str){ long_text, STORE_KEY_MAX };
}
static void
key_answer_past_limit(struct parts *p)
{
	p->key.answer = (struct str){ long_text, STORE_KEY_MAX + 1 };
}
static void
key_forever(struct parts *p)
{
	p->key.expires_at_ms = 0;
}
static void
key_of_no_kind(struct parts *p)
{
	p->key.kind = (enum store_key_kind)2;
}
static void
key_twice(struct parts *p)
{
	p->keys[0] = p->keys[1] = p->key;
	p->item.keys = p->keys;
	p->item.key_count = 2;
}
static void
key_in_two_scopes(struct parts *p)
{
	key_twice(p);
	p->keys[1].scope = STR("other");
}
static void
joined(struct parts *p)
{
	p->joined = (struct store_item){ .session = STR("cli:b"),
					 .events = p->events,
					 .event_count = 1 };
	p->item.joined = &p->joined;
}
static void
joined_asking(struct parts *p)
{
	joined(p);
	p->joined.rest_kind = STR("wake");
}

static const struct item_row_case {
	const char *name;
	change_fn *change;
	int want;
	const char *says;
} ITEMS[] = {
	{ "item: all its parts", as_it_is, 0, "" },
	{ "item: records only", records_only, 0, "" },
	{ "item: nothing at all", nothing_at_all, ERR_INVALID, "changes nothing" },
	{ "item: a lease is a change", lease_only, 0, "" },
	{ "item: events without a session", no_session, ERR_INVALID, "without a session" },
	{ "item: a fence without a session", records_fenced, ERR_INVALID, "preconditions" },
	{ "item: a depth without a session", records_bounded, ERR_INVALID, "preconditions" },
	{ "item: a lease without a session", records_leased, ERR_INVALID, "a lease without" },
	{ "item: a rest without a session", records_asking, ERR_INVALID, "rest of no session" },
	{ "item: R3 two sessions", joined, 0, "" },
	{ "item: R3 joined, a rest", joined_asking, ERR_INVALID, "asks nothing" },
	{ "item: M5 a separator in a session id", session_with_slash, ERR_INVALID, "separator" },
	{ "item: M5 a session id of 200 bytes", session_of_200, 0, "" },
	{ "item: M5 a session id of 201 bytes", session_of_201, ERR_INVALID, "200 bytes" },
	{ "item: a session is created", created, 0, "" },
	{ "item: created, but may be there", created_without_absent, ERR_INVALID, "requires" },
	{ "item: absent, but not created", absent_without_created, ERR_INVALID, "begins with" },
	{ "item: created second", created_second, ERR_INVALID, "event 1: session.created stands" },
	{ "item: absent and idle", absent_and_idle, ERR_INVALID, "no state" },
	{ "item: absent with a depth", absent_and_bounded, 0, "" },
	{ "item: 1025 events", events_of_1025, ERR_INVALID, "at most 1024 events" },
	{ "item: events announced only", events_missing, ERR_INVALID, "announced" },
	{ "item: M9 an event with a seq", event_with_seq, ERR_INVALID, "assigned by the store" },
	{ "item: an event without id", event_without_id, ERR_INVALID, "event 0: an event id" },
	{ "item: an event id of 201 bytes", event_id_of_201, ERR_INVALID, "200 bytes" },
	{ "item: control bytes in an id", event_id_control, ERR_INVALID, "control bytes" },
	{ "item: an id that is no UTF-8", event_id_not_utf8, ERR_INVALID, "UTF-8" },
	{ "item: an event without instant", event_without_instant, ERR_INVALID, "instant" },
	{ "item: an event of no kind", event_of_no_kind, ERR_INVALID, "unknown kind" },
	{ "item: an event of nobody", event_of_nobody, ERR_INVALID, "author" },
	{ "item: an event without payload", event_without_payload, ERR_INVALID, "payload" },
	{ "item: the largest payload", payload_at_limit, 0, "" },
	{ "item: a larger payload", payload_past_limit, ERR_TOO_LARGE, "payload has at most" },
	{ "item: a large meta", meta_past_limit, ERR_TOO_LARGE, "meta has at most 32768" },
	{ "item: Q7 a release without fence", release_without_fence, ERR_INVALID, "fence" },
	{ "item: Q7 a release", release_with_fence, 0, "" },
	{ "item: no such change of a lease", no_such_lease, ERR_INVALID, "no such change" },
	{ "item: an unknown lifecycle", lifecycle_unknown, ERR_INVALID, "0x10" },
	{ "item: a negative fence", fence_negative, ERR_INVALID, "negative" },
	{ "item: a negative depth", depth_negative, ERR_INVALID, "negative" },
	{ "item: an input without id", pending_id_empty, ERR_INVALID, "required id" },
	{ "item: a call without id", call_id_empty, ERR_INVALID, "required id" },
	{ "item: a record without kind", record_without_kind, ERR_INVALID, "record's kind" },
	{ "item: a record without body", record_without_body, ERR_INVALID, "without body" },
	{ "item: a removal needs no body", record_removed, 0, "" },
	{ "item: no such version", record_version_unknown, ERR_INVALID, "no such version" },
	{ "item: A10 a key without scope", key_without_scope, ERR_INVALID, "scope and name" },
	{ "item: A10 the largest answer", key_answer_at_limit, 0, "" },
	{ "item: A10 a larger answer", key_answer_past_limit, ERR_TOO_LARGE, "answer" },
	{ "item: A10 a key for ever", key_forever, ERR_INVALID, "never expires" },
	{ "item: A10 a key named twice", key_twice, ERR_INVALID, "twice" },
	{ "item: A10 a name in two scopes", key_in_two_scopes, 0, "" },
	{ "item: a key of no kind", key_of_no_kind, ERR_INVALID, "no such kind" },
};

static void
test_item(void **state)
{
	const struct item_row_case *row = *state;
	struct parts p = {
		.events = { event_of(EVENT_USER_MESSAGE), event_of(EVENT_USER_MESSAGE) },
		.key = key_of(),
		.put = put_of(),
	};
	struct err e = { 0 };
	int rc;

	p.item = (struct store_item){ .session = STR("cli:a"),
				      .events = p.events,
				      .event_count = 1,
				      .keys = &p.key,
				      .key_count = 1,
				      .puts = &p.put,
				      .put_count = 1 };
	row->change(&p);
	rc = store_item_check(&p.item, &e);
	if (rc != row->want || !str_contains(str_of(e.text), str_of(row->says)))
		fail_msg("%s: %s '%s'", row->name, err_name(rc), e.text);
}

/* ---- queries ---- */

static const struct query_case {
	const char *name;
	struct store_query q;
	int want;
} QUERIES[] = {
	{ "query: a session", { .kind = STORE_GET_SESSION, .session = STR("a") }, 0 },
	{ "query: no session named", { .kind = STORE_GET_SESSION }, ERR_INVALID },
	{ "query: events", { .kind = STORE_LIST_EVENTS, .session = STR("a"), .limit = 1 }, 0 },
	{ "query: events of nothing", { .kind = STORE_LIST_EVENTS, .limit = 1 }, ERR_INVALID },
	{ "query: a page of none", { .kind = STORE_LIST_SESSIONS }, ERR_INVALID },
	{ "query: a page of 1000", { .kind = STORE_LIST_SESSIONS, .limit = 1000 }, 0 },
	{ "query: a page of 1001", { .kind = STORE_LIST_SESSIONS, .limit = 1001 }, ERR_INVALID },
	{ "query: changes", { .kind = STORE_LIST_CHANGES, .limit = 1 }, 0 },
	{ "query: a negative cursor",
	  { .kind = STORE_LIST_CHANGES, .limit = 1, .after = -1 },
	  ERR_INVALID },
	{ "query: all kinds",
	  { .kind = STORE_LIST_CHANGES, .limit = 1, .kinds = (UINT64_C(1) << EVENT_KINDS) - 1 },
	  0 },
	{ "query: an unknown kind",
	  { .kind = STORE_LIST_CHANGES, .limit = 1, .kinds = UINT64_C(1) << EVENT_KINDS },
	  ERR_INVALID },
	{ "query: an unknown lifecycle",
	  { .kind = STORE_LIST_SESSIONS, .limit = 1, .filter.lifecycles = 16 },
	  ERR_INVALID },
	{ "query: records",
	  { .kind = STORE_LIST_RECORDS, .limit = 1, .record_kind = STR("a") },
	  0 },
	{ "query: records of no kind", { .kind = STORE_LIST_RECORDS, .limit = 1 }, ERR_INVALID },
	{ "query: a record without id",
	  { .kind = STORE_GET_RECORD, .record_kind = STR("a") },
	  ERR_INVALID },
	{ "query: a key",
	  { .kind = STORE_FIND_KEY, .key_scope = STR("s"), .key_name = STR("n") },
	  0 },
	{ "query: a key without name",
	  { .kind = STORE_FIND_KEY, .key_scope = STR("s") },
	  ERR_INVALID },
	{ "query: a search", { .kind = STORE_SEARCH, .limit = 1, .text = STR("a") }, 0 },
	{ "query: a search for blanks",
	  { .kind = STORE_SEARCH, .limit = 1, .text = STR(" ") },
	  ERR_INVALID },
	{ "query: no such query", { .kind = (enum store_query_kind)99, .limit = 1 }, ERR_INVALID },
};

static void
test_query(void **state)
{
	const struct query_case *row = *state;
	struct err e = { 0 };
	int rc = store_query_check(&row->q, &e);

	if (rc != row->want)
		fail_msg("%s: %s '%s'", row->name, err_name(rc), e.text);
}

/* ---- dispatch: an adapter that only counts ---- */

struct counting {
	struct store base;
	int appends, reads, wakeups;
};

static void
counting_append(struct store *s, const struct store_item *item, store_append_fn *done, void *ctx)
{
	(void)item, (void)done, (void)ctx;
	((struct counting *)s)->appends++;
}

static void
counting_read(struct store *s, const struct store_query *q, store_row_fn *row, store_read_fn *done,
	      void *ctx)
{
	(void)q, (void)row, (void)done, (void)ctx;
	((struct counting *)s)->reads++;
}

static size_t
counting_dispatch(struct store *s)
{
	(void)s;
	return 0;
}

static bool
counting_wait(struct store *s, int timeout_ms)
{
	(void)s, (void)timeout_ms;
	return false;
}

static void
counting_free(struct store *s)
{
	free(s);
}

static void
on_wakeup(void *ctx)
{
	(*(int *)ctx)++;
}

static struct store *
counting_new(int *wakeups)
{
	static const struct store_ops OPS = {
		.append = counting_append,
		.read = counting_read,
		.dispatch = counting_dispatch,
		.wait = counting_wait,
		.free = counting_free,
	};
	struct counting *c = xcalloc(1, sizeof *c);

	c->base.ops = &OPS;
	c->base.owner = (struct store_owner){ .wakeup = on_wakeup, .ctx = wakeups };
	return &c->base;
}

static void
on_appended(void *ctx, const struct store_result *result)
{
	assert_int_equal(result->rc, ERR_INVALID);
	assert_string_not_equal(result->err.text, "");
	(*(int *)ctx)++;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	assert_int_equal(rc, ERR_INVALID);
	assert_false(more);
	assert_string_not_equal(err->text, "");
	(*(int *)ctx)++;
}

static void
test_refusal_is_dispatched(void **state)
{
	struct store_item item = { 0 };
	struct store_query query = { 0 };
	int wakeups = 0, answers = 0;
	struct store *s = counting_new(&wakeups);

	(void)state;
	store_append(s, &item, on_appended, &answers);
	store_read(s, &query, NULL, on_read, &answers);
	assert_int_equal(answers, 0); /* never inside the call */
	assert_int_equal(wakeups, 2);
	assert_int_equal(((struct counting *)s)->appends + ((struct counting *)s)->reads, 0);
	assert_true(store_wait(s, 0));
	assert_int_equal(store_dispatch(s), 2);
	assert_int_equal(answers, 2);
	assert_false(store_wait(s, 0));
	store_append(s, &item, on_appended, &answers);
	store_free(&s);
	assert_int_equal(answers, 3); /* free answers what is owed */
	assert_null(s);
}

static void
test_well_formed_reaches_the_adapter(void **state)
{
	struct store_put put = put_of();
	struct store_item item = { .puts = &put, .put_count = 1 };
	struct store_query query = { .kind = STORE_LIST_CHANGES, .limit = 1 };
	int wakeups = 0;
	struct store *s = counting_new(&wakeups);

	(void)state;
	store_append(s, &item, on_appended, NULL);
	store_read(s, &query, NULL, on_read, NULL);
	assert_int_equal(((struct counting *)s)->appends, 1);
	assert_int_equal(((struct counting *)s)->reads, 1);
	assert_int_equal(wakeups, 0);
	store_free(&s);
}

int
main(void)
{
	struct suite s = { 0 };

	memset(long_text, 'x', sizeof long_text);
	SUITE_ROWS(&s, ITEMS, test_item);
	SUITE_ROWS(&s, QUERIES, test_query);
	SUITE_TEST(&s, test_refusal_is_dispatched);
	SUITE_TEST(&s, test_well_formed_reaches_the_adapter);
	return suite_run(&s, "store");
}

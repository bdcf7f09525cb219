/* Reads: every query, page by page, and always what was acknowledged.
 *
 * PostgreSQL: a read goes to the primary, or waits until its standby has replayed the position of the
 * last acknowledged commit. The change cursor is (transaction id, n), read only below the snapshot's
 * xmin: an older transaction that commits late must not appear behind a cursor that was handed out;
 * test_changes_are_complete then runs with writers on two nodes. Ids compare by bytes (COLLATE "C"). */
#include "compare.h"
#include "rig.h"

#define KIND(k) (UINT64_C(1) << EVENT_##k)

/* ---- one session ---- */

static const struct events_row {
	const char *name;
	int64_t after, before;
	bool descending;
	uint64_t kinds;
	size_t limit;
	const char *want; /* seqs, then + when there are more */
} EVENTS[] = {
	{ "events: all", 0, 0, false, 0, 10, "1 2 3 4 5 6" },
	{ "events: after", 4, 0, false, 0, 10, "5 6" },
	{ "events: after the head", 6, 0, false, 0, 10, "" },
	{ "events: after far beyond", 99, 0, false, 0, 10, "" },
	{ "events: before", 0, 3, false, 0, 10, "1 2" },
	{ "events: before the first", 0, 1, false, 0, 10, "" },
	{ "events: between", 2, 5, false, 0, 10, "3 4" },
	{ "events: between nothing", 3, 4, false, 0, 10, "" },
	{ "events: a page", 0, 0, false, 0, 4, "1 2 3 4+" },
	{ "events: the last page", 4, 0, false, 0, 2, "5 6" },
	{ "events: descending", 0, 0, true, 0, 3, "6 5 4+" },
	{ "events: descending, before", 0, 4, true, 0, 3, "3 2 1" },
	{ "events: descending, after", 3, 0, true, 0, 2, "6 5+" },
	{ "events: of a kind", 0, 0, false, KIND(USER_MESSAGE), 10, "2 3" },
	{ "events: of a kind, a page", 0, 0, false, KIND(USER_MESSAGE), 1, "2+" },
	{ "events: of two kinds, descending", 0, 0, true, KIND(USER_MESSAGE) | KIND(STATUS_IDLE), 2,
	  "6 3+" },
	{ "events: of a kind that is not there", 0, 0, false, KIND(SESSION_ERROR), 10, "" },
};

static void
check_seqs(const char *name, const struct rows *got, const char *want)
{
	struct buf seqs;

	buf_init(&seqs, 256);
	for (size_t i = 0; i < got->events.len; i++)
		buf_printf(&seqs, "%s%lld", i ? " " : "", (long long)got->events.ptr[i].ev.seq);
	buf_puts(&seqs, got->more ? "+" : "");
	check_str(name, buf_str(&seqs), str_of(want));
	buf_release(&seqs);
}

static void
test_events(void **state)
{
	const struct events_row *row = *state;
	struct rig *r = rig_new();
	struct store_query q = {
		.kind = STORE_LIST_EVENTS,
		.session = STR("s"),
		.after = row->after,
		.before = row->before,
		.descending = row->descending,
		.kinds = row->kinds,
		.limit = row->limit,
	};
	struct rows got = { 0 };

	rig_do(r, "other", "msg z; msg y; msg x"); /* must not show */
	rig_do(r, "s", "msg a; msg b; run t1 a; say c; end t1 end_turn");
	rig_read(r, &q, &got);
	assert_int_equal(got.rc, 0);
	check_seqs(row->name, &got, row->want);
	rows_release(&got);
	rig_free(&r);
}

static void
test_nothing_there(void **state)
{
	static const enum store_query_kind KINDS[] = { STORE_GET_SESSION,  STORE_LIST_EVENTS,
						       STORE_LIST_PENDING, STORE_LIST_QUEUE,
						       STORE_LIST_CALLS,   STORE_LIST_ITEMS };
	struct rig *r = rig_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
		struct rows got = { 0 };

		rig_list(r, KINDS[i], "nobody", &got);
		assert_int_equal(got.sessions.len + got.events.len + got.inputs.len +
					 got.calls.len + got.items.len,
				 0);
		assert_false(got.more);
		rows_release(&got);
	}
	rig_free(&r);
}

static void
test_ill_formed(void **state)
{
	struct rig *r = rig_new();
	struct store_query q = { .kind = STORE_LIST_EVENTS, .session = STR("s") };
	struct rows got = { 0 };

	(void)state;
	rig_read(r, &q, &got);
	assert_int_equal(got.rc, ERR_INVALID);
	assert_string_not_equal(got.err.text, "");
	rows_release(&got);
	rig_free(&r);
}

/* The reader has had enough: no further row comes. */
static void
test_reader_stops(void **state)
{
	struct rig *r = rig_new();
	struct store_query q = { .kind = STORE_LIST_EVENTS, .session = STR("s"), .limit = 100 };
	struct rows got = { .stop_after = 2 };

	(void)state;
	rig_do(r, "s", "msg a; msg b; msg c; msg d");
	rig_read(r, &q, &got);
	assert_int_equal(got.rc, 0);
	assert_int_equal(got.events.len, 2);
	rows_release(&got);
	rig_free(&r);
}

static void
test_session_facts(void **state)
{
	struct rig *r = rig_new();
	struct make_created m = {
		.agent_id = STR("agent"),
		.agent_version = 7,
		.environment_id = STR("env"),
		.source = STR("{\"kind\":\"api\"}"),
		.group = true,
		.workspace_id = STR("ws"),
		.lane_key = STR("lane"),
		.parent_session_id = STR("parent"),
		.previous_session_id = STR("before"),
		.title = STR("a title"),
		.metadata = STR("{\"k\":[1]}"),
	};
	struct rows got = { 0 };
	const struct store_session *s;

	(void)state;
	rig_expect(r, "created", rig_item_created(r, "s", m), 0);
	rig_list(r, STORE_GET_SESSION, "s", &got);
	assert_int_equal(got.sessions.len, 1);
	s = &got.sessions.ptr[0];
	check_str("id", s->id, STR("s"));
	check_str("agent", s->agent_id, m.agent_id);
	assert_int_equal(s->agent_version, 7);
	check_str("environment", s->environment_id, m.environment_id);
	check_str("workspace", s->workspace_id, m.workspace_id);
	check_str("lane", s->lane_key, m.lane_key);
	check_str("parent", s->parent_id, m.parent_session_id);
	check_str("previous", s->previous_id, m.previous_session_id);
	check_str("source", s->source, m.source);
	check_str("metadata", s->metadata, m.metadata);
	check_str("title", s->row.title, m.title);
	assert_int_equal(s->row.title_source, TITLE_USER);
	assert_true(s->group);
	assert_int_equal(s->created_at_ms, 1000);
	rows_release(&got);
	rig_free(&r);
}

/* What a session.updated names is replaced, whatever it does not name stays; a refused one changes
 * nothing. PostgreSQL: columns of the session's row, updated in the same transaction, as here. */
static void
test_session_updates(void **state)
{
	static const struct {
		const char *step, *title, *metadata;
		enum title_source source;
	} ROWS[] = {
		{ "meta {\"a\":\"1\"}", "", "{\"a\":\"1\"}", TITLE_FALLBACK },
		{ "title one ai", "one", "{\"a\":\"1\"}", TITLE_AI },
		{ "meta {\"b\":\"2\"}", "one", "{\"b\":\"2\"}", TITLE_AI },
		{ "title two", "two", "{\"b\":\"2\"}", TITLE_USER },
		{ "life inactive", "two", "{\"b\":\"2\"}", TITLE_USER },
		{ "meta {}", "two", "{}", TITLE_USER },
	};
	struct rig *r = rig_new();

	(void)state;
	rig_do(r, "s", "");
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct rows got = { 0 };

		rig_do(r, "s", ROWS[i].step);
		rig_expect(r, "a refused update",
			   rig_item(r, "s", "meta {\"no\":\"0\"}; title no; run t1 nobody"),
			   ERR_CONFLICT);
		if (i == ARRAY_LEN(ROWS) / 2)
			rig_restart(r);
		rig_list(r, STORE_GET_SESSION, "s", &got);
		assert_int_equal(got.sessions.len, 1);
		check_str(ROWS[i].step, got.sessions.ptr[0].row.title, str_of(ROWS[i].title));
		assert_int_equal(got.sessions.ptr[0].row.title_source, ROWS[i].source);
		check_str(ROWS[i].step, got.sessions.ptr[0].metadata, str_of(ROWS[i].metadata));
		rows_release(&got);
	}
	rig_free(&r);
}

/* ---- pages of the queue, the calls and the transcript ---- */

/* Reads page by page and gives what each row's seq is, in order. */
static void
check_pages(struct rig *r, enum store_query_kind kind, bool all, size_t limit, const char *want)
{
	struct store_query q = {
		.kind = kind,
		.session = STR("s"),
		.all = all,
		.limit = limit,
	};
	struct buf seqs;
	bool more = true;

	buf_init(&seqs, 1024);
	for (int page = 0; more && page < 100; page++) {
		struct rows got = { 0 };

		rig_read(r, &q, &got);
		assert_int_equal(got.rc, 0);
		for (size_t i = 0; i < got.inputs.len; i++)
			buf_printf(&seqs, " %lld", (long long)(q.after = got.inputs.ptr[i].seq));
		for (size_t i = 0; i < got.calls.len; i++)
			buf_printf(&seqs, " %lld", (long long)(q.after = got.calls.ptr[i].seq));
		for (size_t i = 0; i < got.items.len; i++) {
			q.after_item = got.items.ptr[i].item;
			buf_printf(&seqs, " %lld", (long long)q.after_item.seq);
		}
		more = got.more;
		rows_release(&got);
	}
	check_str("pages", buf_str(&seqs), str_of(want));
	buf_release(&seqs);
}

/* The transcript from its end is the transcript. */
static void
check_items_down(struct rig *r, bool all, size_t limit, const char *want)
{
	struct store_query q = { .kind = STORE_LIST_ITEMS,
				 .session = STR("s"),
				 .all = all,
				 .descending = true,
				 .limit = limit };
	char seqs[256];
	size_t at = sizeof seqs - 1;
	bool more = true;

	seqs[at] = '\0';
	while (more) {
		struct rows got = { 0 };

		rig_read(r, &q, &got);
		assert_int_equal(got.rc, 0);
		for (size_t i = 0; i < got.items.len; i++) {
			char one[32];
			int n;

			q.after_item = got.items.ptr[i].item;
			n = snprintf(one, sizeof one, " %lld", (long long)q.after_item.seq);
			at -= (size_t)n;
			memcpy(seqs + at, one, (size_t)n);
		}
		more = got.more;
		rows_release(&got);
	}
	check_str("from the end", str_of(seqs + at), str_of(want));
}

static const struct pages_row {
	const char *name, *script;
	enum store_query_kind kind;
	bool all;
	const char *want;
} PAGES[] = {
	{ "Q1 pages: pending inputs in seq order",
	  "msg a; msg b; msg c class=passive; run t1 a; msg d; interrupt i", STORE_LIST_PENDING,
	  false, " 3 6 7" },
	{ "pages: the open turn's calls, closed ones too",
	  "msg a; run t1 a; tool c; tool d ask; ctool e; result c", STORE_LIST_CALLS, false,
	  " 4 5 6" },
	{ "pages: no calls between turns", "msg a; run t1 a; tool c; result c; end t1 end_turn",
	  STORE_LIST_CALLS, false, "" },
	{ "M9 pages: an input stands where it was consumed",
	  "msg a; msg b; run t1 a; msg p class=passive; say x; end t1 end_turn; run t2 b; say y",
	  STORE_LIST_ITEMS, false, " 2 6 5 3 9" },
	{ "M9 pages: two consumed by one event keep their order",
	  "msg a; msg b; msg c; run t1 c a b; say x", STORE_LIST_ITEMS, false, " 4 2 3 6" },
	{ "pages: a summary stands before what it kept",
	  "msg a; run t1 a; say x; end t1 end_turn; msg b; run t2 b; say y; end t2 end_turn; "
	  "compact k b",
	  STORE_LIST_ITEMS, false, " 10 6 8" },
	{ "pages: with what it summarised",
	  "msg a; run t1 a; say x; end t1 end_turn; msg b; run t2 b; say y; end t2 end_turn; "
	  "compact k b",
	  STORE_LIST_ITEMS, true, " 2 4 10 6 8" },
	{ "pages: two summaries in one place",
	  "msg a; run t1 a; say x; end t1 end_turn; msg b; run t2 b; say y; end t2 end_turn; "
	  "compact k b; compact l b",
	  STORE_LIST_ITEMS, true, " 2 4 10 11 6 8" },
	{ "pages: rewound entries are out of view",
	  "msg a; run t1 a; say x; end t1 end_turn; msg b; run t2 b; say y; end t2 end_turn; "
	  "rewind b",
	  STORE_LIST_ITEMS, false, " 2 4" },
	{ "pages: rewound entries, asked for",
	  "msg a; run t1 a; say x; end t1 end_turn; msg b; run t2 b; say y; end t2 end_turn; "
	  "rewind b",
	  STORE_LIST_ITEMS, true, " 2 4 6 8" },
};

static void
test_pages(void **state)
{
	const struct pages_row *row = *state;
	struct rig *r = rig_new();

	rig_do(r, "s", row->script);
	for (size_t limit = 1; limit <= 4; limit++) {
		check_pages(r, row->kind, row->all, limit, row->want);
		if (row->kind == STORE_LIST_ITEMS)
			check_items_down(r, row->all, limit, row->want);
	}
	check_pages(r, row->kind, row->all, STORE_PAGE_ROWS_MAX, row->want);
	compare_session(r, STR("s"), row->name);
	rig_free(&r);
}

static const struct queue_row {
	const char *name;
	size_t limit, stop_after, inputs;
	bool more;
} QUEUES[] = {
	{ "Q1 queue: the session, then what is pending", 9, 0, 3, false },
	{ "Q1 queue: the session counts among the rows", 3, 0, 2, true },
	{ "Q1 queue: the session alone", 1, 0, 0, true },
	{ "Q1 queue: who stops at the session gets no more", 9, 1, 0, false },
};

static void
test_queue(void **state)
{
	const struct queue_row *row = *state;
	static const int64_t PENDING[] = { 3, 5, 6 };
	struct store_query q = { .kind = STORE_LIST_QUEUE,
				 .session = STR("s"),
				 .limit = row->limit };
	struct rows got = { .stop_after = row->stop_after };
	struct rig *r = rig_new();

	rig_do(r, "s", "msg a; msg b; run t1 a; msg d; interrupt i");
	rig_read(r, &q, &got);
	assert_int_equal(got.rc, 0);
	assert_int_equal(got.sessions.len, 1);
	check_str("session", got.sessions.ptr[0].id, STR("s"));
	assert_int_equal(got.sessions.ptr[0].row.state.phase, TURN_RUNNING);
	assert_int_equal(got.inputs.len, row->inputs);
	for (size_t i = 0; i < row->inputs; i++)
		assert_int_equal(got.inputs.ptr[i].seq, PENDING[i]);
	assert_int_equal(got.more, row->more);
	rows_release(&got);
	rig_free(&r);
}

/* ---- changes ---- */

static void
test_changes_are_complete(void **state)
{
	enum { ITEMS = 120 };
	struct rig *r = rig_new();
	struct answer *answers[ITEMS];
	struct store_query q = { .kind = STORE_LIST_CHANGES, .limit = 7 };
	int64_t seen[3] = { 0 };
	size_t total = 0;
	char script[64], session[4] = "s0";
	bool more = true;

	(void)state;
	for (int i = 0; i < 3; i++) {
		session[1] = (char)('0' + i);
		rig_do(r, session, "");
	}
	for (int i = 0; i < ITEMS; i++) {
		session[1] = (char)('0' + i % 3);
		snprintf(script, sizeof script, "msg a%d class=passive; sys b%d", i, i);
		answers[i] = rig_submit(r, rig_item(r, session, script));
	}
	for (int i = 0; i < ITEMS; i++)
		rig_await(r, answers[i]);
	while (more) {
		struct rows got = { 0 };

		rig_read(r, &q, &got);
		assert_int_equal(got.rc, 0);
		for (size_t i = 0; i < got.events.len; i++, total++) {
			const struct store_event *ev = &got.events.ptr[i];

			assert_true(ev->change > q.after);
			q.after = ev->change;
			assert_int_equal(ev->ev.seq, ++seen[ev->session.ptr[1] - '0']);
		}
		more = got.more;
		rows_release(&got);
	}
	assert_int_equal(total, 3 + 2 * ITEMS);
	assert_true(q.after >= answers[ITEMS - 1]->result.change);
	rig_free(&r);
}

/* The cursor of a result is where its own changes end. */
static void
test_change_of_a_result(void **state)
{
	struct rig *r = rig_new();
	struct store_query q = { .kind = STORE_LIST_CHANGES, .limit = 10 };
	int64_t first;
	struct rows got = { 0 };

	(void)state;
	first = rig_append(r, rig_item(r, "s", "msg a"))->change;
	assert_true(first > 0);
	q.after = first;
	rig_read(r, &q, &got);
	assert_int_equal(got.events.len, 0);
	rows_release(&got);
	assert_true(rig_append(r, rig_item(r, "other", "msg b"))->change > first);
	rig_read(r, &q, &got);
	assert_int_equal(got.events.len, 2);
	check_str("session", got.events.ptr[1].session, STR("other"));
	check_str("id", got.events.ptr[1].ev.id, STR("b"));
	rows_release(&got);
	q.kinds = KIND(USER_MESSAGE);
	q.after = 0;
	rig_read(r, &q, &got);
	assert_int_equal(got.events.len, 2);
	rows_release(&got);
	rig_restart(r);
	assert_true(rig_append(r, rig_item(r, "s", "msg c"))->change > first);
	rig_free(&r);
}

/* ---- what was acknowledged is seen ---- */

static void
test_read_your_writes(void **state)
{
	struct rig *r = rig_new();
	char script[32];

	(void)state;
	rig_do(r, "s", "");
	for (int i = 0; i < 200; i++) {
		struct store_query q = { .kind = STORE_LIST_EVENTS,
					 .session = STR("s"),
					 .descending = true,
					 .limit = 1 };
		struct rows got = { 0 };

		snprintf(script, sizeof script, "msg m%d class=passive", i);
		rig_expect(r, "append", rig_item(r, "s", script), 0);
		rig_read(r, &q, &got);
		assert_int_equal(got.events.len, 1);
		assert_int_equal(got.events.ptr[0].ev.seq, 2 + i);
		rows_release(&got);
	}
	rig_free(&r);
}

void
contract_read(struct suite *s)
{
	SUITE_ROWS(s, EVENTS, test_events);
	suite_add(s, "reads: nothing there is no error", test_nothing_there, NULL);
	suite_add(s, "reads: an ill-formed query is answered", test_ill_formed, NULL);
	suite_add(s, "reads: the reader stops", test_reader_stops, NULL);
	suite_add(s, "M4 reads: the facts of a session", test_session_facts, NULL);
	suite_add(s, "M4 reads: title and metadata as last updated", test_session_updates, NULL);
	SUITE_ROWS(s, PAGES, test_pages);
	SUITE_ROWS(s, QUEUES, test_queue);
	suite_add(s, "M9 changes: increasing and complete", test_changes_are_complete, NULL);
	suite_add(s, "M9 changes: the cursor of a result", test_change_of_a_result, NULL);
	suite_add(s, "S1 reads: what was acknowledged is seen", test_read_your_writes, NULL);
}

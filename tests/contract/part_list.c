/* The list of sessions and the search: newest first, whatever the page size.
 *
 * PostgreSQL: the same keyset over (last_activity, id); a session that moves up while somebody pages
 * may be seen twice or not at all on that walk, on either backend. Search lags behind the log by a
 * second at most; the suite asks again until then. */
#include "base/clock.h"
#include "rig.h"

#define KIND(k) (UINT64_C(1) << EVENT_##k)

static void
create(struct rig *r, const char *id, const char *workspace, const char *agent)
{
	struct make_created m = {
		.agent_id = str_of(agent),
		.agent_version = 1,
		.environment_id = STR("local-default"),
		.source = STR("{\"kind\":\"api\"}"),
		.workspace_id = str_of(workspace),
	};

	rig_expect(r, id, rig_item_created(r, id, m), 0);
}

/* A message at an instant: what the list is ordered by. */
static void
say_at(struct rig *r, const char *session, int64_t at_ms)
{
	struct str script = arena_printf(&r->arena, "msg at%lld class=passive", (long long)at_ms);
	struct store_item *item = rig_item(r, session, script.ptr);
	struct event *ev = ARENA_NEW(&r->arena, struct event);

	*ev = item->events[0];
	ev->created_at_ms = at_ms;
	item->events = ev;
	rig_expect(r, session, item, 0);
}

/* a b c d e by id; activity 5000 3000 3000 3000 4000. */
static void
fill(struct rig *r)
{
	create(r, "cli:a", "w1", "main");
	create(r, "cli:b", "w1", "other");
	create(r, "web:c", "w2", "main");
	create(r, "web:d", "", "main");
	create(r, "web:e", "w1", "main");
	say_at(r, "cli:a", 5000);
	say_at(r, "web:c", 3000);
	say_at(r, "cli:b", 3000);
	say_at(r, "web:d", 3000);
	say_at(r, "web:e", 4000);
	rig_do(r, "web:e", "life archived");
}

static const struct list_row {
	const char *name;
	struct store_session_filter filter;
	const char *want; /* the last letter of each id, in order */
} LISTS[] = {
	{ "list: newest activity first, equal ones by id", { .lifecycles = 0 }, "aedcb" },
	{ "list: of a workspace", { .workspace_id = STR("w1") }, "aeb" },
	{ "list: of an agent", { .agent_id = STR("main") }, "aedc" },
	{ "list: of an agent in a workspace",
	  { .agent_id = STR("main"), .workspace_id = STR("w1") },
	  "ae" },
	{ "list: by the beginning of the id", { .id_prefix = STR("web:") }, "edc" },
	{ "list: active ones", { .lifecycles = 1 << LIFECYCLE_ACTIVE }, "adcb" },
	{ "list: archived ones", { .lifecycles = 1 << LIFECYCLE_ARCHIVED }, "e" },
	{ "list: either",
	  { .lifecycles = 1 << LIFECYCLE_ACTIVE | 1 << LIFECYCLE_ARCHIVED },
	  "aedcb" },
	{ "list: active since", { .active_since_ms = 4000 }, "ae" },
	{ "list: all filters at once",
	  { .workspace_id = STR("w1"),
	    .agent_id = STR("main"),
	    .id_prefix = STR("web"),
	    .lifecycles = 1 << LIFECYCLE_ARCHIVED,
	    .active_since_ms = 1 },
	  "e" },
	{ "list: none", { .workspace_id = STR("w9") }, "" },
};

/* What does not come from an index: f g h i, each later than the one before. */
static void
fill_filtered(struct rig *r)
{
	struct make_created m = {
		.agent_id = STR("main"),
		.agent_version = 1,
		.environment_id = STR("local-default"),
		.source = STR("{\"kind\":\"cli\",\"interactive\":true}"),
		.metadata = STR("{\"k\":\"v\",\"n\":\"%_\"}"),
		.title = STR("A Zebra"),
	};
	static const struct store_put PUTS[] = {
		{ .record = { .kind = STR("participant"),
			      .id = STR("s:f/u1"),
			      .owner = STR("u1"),
			      .body = STR("{}") },
		  .if_version = STORE_VERSION_ANY },
		{ .record = { .kind = STR("participant"),
			      .id = STR("s:h/u1"),
			      .owner = STR("u1"),
			      .body = STR("{}") },
		  .if_version = STORE_VERSION_ANY },
		{ .record = { .kind = STR("participant"),
			      .id = STR("s:h/u2"),
			      .owner = STR("u2"),
			      .body = STR("{}") },
		  .if_version = STORE_VERSION_ANY },
	};
	struct store_item people = { .puts = PUTS, .put_count = ARRAY_LEN(PUTS) };

	rig_expect(r, "f", rig_item_created(r, "s:f", m), 0);
	m.agent_version = 2;
	m.source = STR("{\"kind\":\"channel\",\"platform\":\"telegram\",\"interactive\":true}");
	m.metadata = STR("{\"k\":\"w\",\"v\":7}");
	m.title = (struct str){ 0 };
	m.group = true;
	rig_expect(r, "g", rig_item_created(r, "s:g", m), 0);
	m.group = false;
	m.source = STR("{\"kind\":\"api\",\"interactive\":false}");
	m.metadata = (struct str){ 0 };
	rig_expect(r, "h", rig_item_created(r, "s:h", m), 0);
	rig_expect(r, "i", rig_item_created(r, "s:i", m), 0);
	say_at(r, "s:f", 1000);
	say_at(r, "s:g", 2000);
	say_at(r, "s:h", 3000);
	say_at(r, "s:i", 4000);
	rig_do(r, "s:i", "msg q text=wants,100%");
	rig_expect(r, "people", &people, 0);
}

static const struct str OTHERS[] = { STR("age\"nt"), STR("main") };

static const struct list_row FILTERED[] = {
	{ "A9 list: of an agent's version", { .agent_version = 2 }, "ihg" },
	{ "P7 list: without an agent's", { .without_agents = { OTHERS, 1 } }, "ihgf" },
	{ "P7 list: without those of several", { .without_agents = { OTHERS, 2 } }, "" },
	{ "P2 list: of a person", { .participant = STR("u1") }, "hf" },
	{ "P2 list: of another", { .participant = STR("u2") }, "h" },
	{ "P2 list: of a stranger", { .participant = STR("u") }, "" },
	{ "A9 list: by kind", { .source_kind = STR("cli") }, "f" },
	{ "A9 list: by platform", { .platform = STR("telegram") }, "g" },
	{ "A9 list: interactive", { .interactive = 1 }, "gf" },
	{ "A9 list: not interactive", { .interactive = 2 }, "ih" },
	{ "A9 list: groups", { .group = 1 }, "g" },
	{ "A9 list: no groups", { .group = 2 }, "ihf" },
	{ "A9 list: by metadata", { .metadata_key = STR("k"), .metadata_value = STR("w") }, "g" },
	{ "A9 list: metadata that is a number",
	  { .metadata_key = STR("v"), .metadata_value = STR("7") },
	  "" },
	{ "A9 list: metadata with signs",
	  { .metadata_key = STR("n"), .metadata_value = STR("%_") },
	  "f" },
	{ "A9 list: a text in the title", { .text = STR("zEBRA") }, "f" },
	{ "A9 list: a text in the last message", { .text = STR("100%") }, "i" },
	{ "A9 list: signs are no pattern", { .text = STR("%e_ra") }, "" },
	{ "A9 list: with work", { .open_work = true }, "i" },
	{ "A9 list: phases", { .phases = 1 << TURN_RUNNING }, "" },
	{ "A9 list: created from", { .created_from_ms = INT64_MAX }, "" },
	{ "A9 list: created until", { .created_until_ms = INT64_MAX }, "ihgf" },
};

static void
check_list(struct rig *r, const struct list_row *row, size_t limit)
{
	struct store_query q = {
		.kind = STORE_LIST_SESSIONS,
		.filter = row->filter,
		.limit = limit,
	};
	struct buf ids;
	bool more = true;

	buf_init(&ids, 64);
	while (more) {
		struct rows got = { 0 };

		rig_read(r, &q, &got);
		assert_int_equal(got.rc, 0);
		assert_true(got.sessions.len <= limit);
		for (size_t i = 0; i < got.sessions.len; i++) {
			const struct store_session *s = &got.sessions.ptr[i];

			buf_putc(&ids, s->id.ptr[s->id.len - 1]);
			q.cursor_ms = s->row.counters.last_activity_ms;
			q.cursor_id = arena_str(&r->arena, s->id);
		}
		more = got.more;
		rows_release(&got);
	}
	check_str(row->name, buf_str(&ids), str_of(row->want));
	buf_release(&ids);
}

static void
test_list(void **state)
{
	const struct list_row *row = *state;
	struct rig *r = rig_new();

	fill(r);
	for (size_t limit = 1; limit <= 6; limit++)
		check_list(r, row, limit);
	rig_free(&r);
}

static void
test_filtered(void **state)
{
	const struct list_row *row = *state;
	struct rig *r = rig_new();

	fill_filtered(r);
	for (size_t limit = 1; limit <= 5; limit += 2)
		check_list(r, row, limit);
	rig_free(&r);
}

/* The same page from the other end. */
static void
test_oldest_first(void **state)
{
	struct store_query q = { .kind = STORE_LIST_SESSIONS, .limit = 2, .oldest_first = true };
	struct rig *r = rig_new();
	struct buf ids;
	bool more = true;

	(void)state;
	fill(r);
	buf_init(&ids, 64);
	while (more) {
		struct rows got = { 0 };

		rig_read(r, &q, &got);
		for (size_t i = 0; i < got.sessions.len; i++) {
			const struct store_session *s = &got.sessions.ptr[i];

			buf_putc(&ids, s->id.ptr[s->id.len - 1]);
			q.cursor_ms = s->row.counters.last_activity_ms;
			q.cursor_id = arena_str(&r->arena, s->id);
		}
		more = got.more;
		rows_release(&got);
	}
	check_str("oldest first", buf_str(&ids), STR("bcdea"));
	buf_release(&ids);
	rig_free(&r);
}

/* Many with one instant, and pages that end among them. */
static void
test_equal_instants(void **state)
{
	enum { SESSIONS = 100 };
	struct rig *r = rig_new();
	struct store_query q = { .kind = STORE_LIST_SESSIONS, .limit = 7 };
	char id[16];
	int next = SESSIONS - 1;
	bool more = true;

	(void)state;
	for (int i = 0; i < SESSIONS; i++) {
		snprintf(id, sizeof id, "s%03d", (i * 37) % SESSIONS);
		rig_do(r, id, "");
	}
	while (more) {
		struct rows got = { 0 };

		rig_read(r, &q, &got);
		for (size_t i = 0; i < got.sessions.len; i++) {
			snprintf(id, sizeof id, "s%03d", next--);
			check_str("session", got.sessions.ptr[i].id, str_of(id));
			q.cursor_ms = got.sessions.ptr[i].row.counters.last_activity_ms;
			q.cursor_id = arena_str(&r->arena, got.sessions.ptr[i].id);
		}
		more = got.more;
		rows_release(&got);
	}
	assert_int_equal(next, -1);
	rig_free(&r);
}

/* A session that speaks again moves to the top. */
static void
test_activity_moves(void **state)
{
	struct rig *r = rig_new();
	struct list_row row = { .name = "moved", .want = "beadc" };

	(void)state;
	fill(r);
	rig_do(r, "cli:a", "title x"); /* bookkeeping is no activity */
	rig_do(r, "web:e", "life active");
	say_at(r, "web:e", 6000);
	rig_do(r, "cli:b", "interrupt i"); /* at 1000003: the script's clock */
	check_list(r, &row, 2);
	rig_free(&r);
}

/* ---- search ---- */

static const struct search_row {
	const char *name, *text;
	const char *session, *workspace;
	uint64_t kinds;
	const char *want; /* ids, newest first */
} SEARCHES[] = {
	{ "search: a word", "apple", "", "", 0, "m4 m2 m1" },
	{ "search: without case", "APPLE", "", "", 0, "m4 m2 m1" },
	{ "search: all words, in any order", "pear apple", "", "", 0, "m2" },
	{ "search: whole words", "appl", "", "", 0, "" },
	{ "search: signs are no words", "\"apple\" -pear", "", "", 0, "m2" },
	{ "search: in a session", "apple", "s1", "", 0, "m2 m1" },
	{ "search: in a workspace", "apple", "", "w2", 0, "m4" },
	{ "search: what the agent said", "apple", "", "", KIND(AGENT_MESSAGE), "" },
	{ "search: what a message was changed to", "edited", "", "", 0, "e7" },
	{ "search: what a summary says", "sum", "", "", 0, "k" },
	{ "search: not what is deleted", "gone", "", "", 0, "" },
	{ "search: what nobody said", "cherry", "", "", 0, "" },
	{ "search: beyond ASCII", "gr\xc3\xbc\xc3\x9f", "", "", 0, "m3" },
};

static void
fill_search(struct rig *r)
{
	create(r, "s1", "w1", "main");
	create(r, "s2", "w2", "main");
	create(r, "s3", "w2", "main");
	rig_do(r, "s3", "msg m0 text=gone; delete");
	rig_do(r, "s1", "msg m1 text=apple; msg m2 text=pear,apple; title apple");
	rig_do(r, "s1", "msg m3 text=gr\xc3\xbc\xc3\x9f,apples");
	rig_do(r, "s1", "compact k; edit m3");
	rig_do(r, "s2", "msg m4 text=Apple!");
}

static void
search_once(struct rig *r, const struct search_row *row, struct buf *out)
{
	struct store_query q = {
		.kind = STORE_SEARCH,
		.text = str_of(row->text),
		.session = str_of(row->session),
		.filter.workspace_id = str_of(row->workspace),
		.kinds = row->kinds,
		.limit = 1, /* page by page */
	};
	bool more = true;

	while (more) {
		struct rows got = { 0 };

		rig_read(r, &q, &got);
		if (got.rc != 0)
			fail_msg("%s: %s", row->name, got.err.text);
		for (size_t i = 0; i < got.events.len; i++) {
			buf_printf(out, "%s" STR_FMT, out->len ? " " : "",
				   STR_ARG(got.events.ptr[i].ev.id));
			q.before = got.events.ptr[i].change;
		}
		more = got.more;
		rows_release(&got);
	}
}

/* The index may lag; it must not for long. */
static void
test_search(void **state)
{
	const struct search_row *row = *state;
	static const struct search_row LAST = { .text = "apple", .session = "s2" };
	int64_t deadline_ns = clock_monotonic_ns() + INT64_C(10000000000);
	struct rig *r = rig_new();
	struct buf got;

	fill_search(r);
	buf_init(&got, 256);
	while (got.len == 0 && clock_monotonic_ns() < deadline_ns)
		search_once(r, &LAST, &got);
	buf_clear(&got);
	search_once(r, row, &got);
	check_str(row->name, buf_str(&got), str_of(row->want));
	buf_release(&got);
	rig_free(&r);
}

void
contract_list(struct suite *s)
{
	SUITE_ROWS(s, LISTS, test_list);
	SUITE_ROWS(s, FILTERED, test_filtered);
	suite_add(s, "A9 list: oldest first", test_oldest_first, NULL);
	suite_add(s, "list: equal instants", test_equal_instants, NULL);
	suite_add(s, "M12 list: activity moves a session up", test_activity_moves, NULL);
	SUITE_ROWS(s, SEARCHES, test_search);
}

/* Records: versions, owners, due times.
 *
 * PostgreSQL: the version is compared in the UPDATE's own WHERE, so of two nodes that change one
 * record from the same version one gets ERR_CONFLICT. Lists are by the bytes of the id (COLLATE "C"). */
#include "rig.h"

static struct store_put
put_of(const char *id, const char *body, int64_t if_version)
{
	return (struct store_put){
		.record = { .kind = STR("wake"), .id = str_of(id), .body = str_of(body) },
		.if_version = if_version,
	};
}

static void
put(struct rig *r, const char *what, struct store_put p, int want)
{
	struct store_item *item = ARENA_NEW(&r->arena, struct store_item);
	struct store_put *kept = ARENA_NEW(&r->arena, struct store_put);

	*kept = p;
	item->puts = kept;
	item->put_count = 1;
	rig_expect(r, what, item, want);
}

/* "BODY@VERSION", or "-" when it is not there. */
static void
check_record(struct rig *r, const char *id, const char *want)
{
	struct store_query q = { .kind = STORE_GET_RECORD,
				 .record_kind = STR("wake"),
				 .record_id = str_of(id) };
	struct rows got = { 0 };
	struct str text = STR("-");

	rig_read(r, &q, &got);
	assert_int_equal(got.rc, 0);
	if (got.records.len > 0)
		text = arena_printf(&r->arena, STR_FMT "@%lld", STR_ARG(got.records.ptr[0].body),
				    (long long)got.records.ptr[0].version);
	check_str(id, text, str_of(want));
	rows_release(&got);
}

static void
test_versions(void **state)
{
	struct rig *r = rig_new();
	struct store_put removal = put_of("a", "", 3);

	(void)state;
	removal.remove = true;
	check_record(r, "a", "-");
	put(r, "not there yet", put_of("a", "{}", 1), ERR_CONFLICT);
	put(r, "new", put_of("a", "1", STORE_VERSION_ABSENT), 0);
	check_record(r, "a", "1@1");
	put(r, "there already", put_of("a", "2", STORE_VERSION_ABSENT), ERR_CONFLICT);
	put(r, "its version", put_of("a", "2", 1), 0);
	put(r, "an old version", put_of("a", "3", 1), ERR_CONFLICT);
	put(r, "any version", put_of("a", "3", STORE_VERSION_ANY), 0);
	check_record(r, "a", "3@3");
	removal.if_version = 2;
	put(r, "removed at an old version", removal, ERR_CONFLICT);
	check_record(r, "a", "3@3");
	removal.if_version = 3;
	put(r, "removed", removal, 0);
	check_record(r, "a", "-");
	put(r, "removed again", removal, ERR_CONFLICT);
	removal.if_version = STORE_VERSION_ANY;
	put(r, "removed whatever it is", removal, 0);
	put(r, "new again", put_of("a", "4", STORE_VERSION_ABSENT), 0);
	check_record(r, "a", "4@1");
	rig_restart(r);
	check_record(r, "a", "4@1");
	rig_free(&r);
}

/* One item's puts take effect one after the other, or not at all. */
static void
test_item_of_puts(void **state)
{
	struct rig *r = rig_new();
	struct store_put puts[] = {
		put_of("a", "1", STORE_VERSION_ABSENT),
		put_of("b", "1", STORE_VERSION_ABSENT),
		put_of("a", "2", 1),
	};
	struct store_item item = { .puts = puts, .put_count = 3 };

	(void)state;
	rig_expect(r, "in order", &item, 0);
	check_record(r, "a", "2@2");
	check_record(r, "b", "1@1");
	puts[0] = put_of("a", "3", 2);
	puts[1] = put_of("c", "1", STORE_VERSION_ABSENT);
	puts[2] = put_of("b", "2", 9);
	rig_expect(r, "the last is wrong", &item, ERR_CONFLICT);
	check_record(r, "a", "2@2");
	check_record(r, "b", "1@1");
	check_record(r, "c", "-");
	rig_free(&r);
}

/* A lane moves in the item that writes to its session, or neither happens. */
static void
test_beside_a_log(void **state)
{
	struct rig *r = rig_new();
	struct store_put lane = put_of("lane", "1", STORE_VERSION_ABSENT);
	struct store_item *item = rig_item(r, "s", "msg a");

	(void)state;
	item->puts = &lane;
	item->put_count = 1;
	rig_expect(r, "both are new", item, 0);
	item = rig_item(r, "s", "msg b");
	item->puts = &lane;
	item->put_count = 1;
	rig_expect(r, "the lane is there already", item, ERR_CONFLICT);
	check_record(r, "lane", "1@1");
	lane.if_version = 1;
	rig_expect(r, "the lane as it was read", item, 0);
	check_record(r, "lane", "1@2");
	rig_free(&r);
}

static void
test_kinds_are_apart(void **state)
{
	struct rig *r = rig_new();
	struct store_put other = put_of("a", "agent", STORE_VERSION_ABSENT);

	(void)state;
	put(r, "a wake", put_of("a", "wake", STORE_VERSION_ABSENT), 0);
	other.record.kind = STR("agent");
	put(r, "an agent of that id", other, 0);
	check_record(r, "a", "wake@1");
	rig_free(&r);
}

static void
fill(struct rig *r)
{
	static const struct {
		const char *id, *owner;
		int64_t due;
	} ROWS[] = {
		{ "d", "x", 30 }, { "a", "y", 10 }, { "c", "x", 0 },
		{ "b", "", 20 },  { "e", "x", 20 }, { "f", "", 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct store_put p = put_of(ROWS[i].id, "{}", STORE_VERSION_ABSENT);

		p.record.owner = str_of(ROWS[i].owner);
		p.record.due_at_ms = ROWS[i].due;
		put(r, "fill", p, 0);
	}
}

static const struct list_row {
	const char *name;
	const char *owner, *behind;
	int64_t due_until, after;
	size_t limit;
	const char *want; /* ids, then + when there are more */
	bool descending;
} LISTS[] = {
	{ "records: by id", "", "", 0, 0, 10, "abcdef" },
	{ "records: behind an id", "", "c", 0, 0, 10, "def" },
	{ "records: behind an id that is gone", "", "cc", 0, 0, 10, "def" },
	{ "records: a page of two", "", "", 0, 0, 2, "ab+" },
	{ "records: a page of all", "", "", 0, 0, 6, "abcdef" },
	{ "records: by owner", "x", "", 0, 0, 10, "cde" },
	{ "records: by owner, behind", "x", "c", 0, 0, 1, "d+" },
	{ "records: of nobody", "z", "", 0, 0, 10, "" },
	{ "records: last id first", "", "", 0, 0, 10, "fedcba", true },
	{ "records: last id first, behind an id", "", "c", 0, 0, 10, "ba", true },
	{ "records: last id first, a page of two", "", "e", 0, 0, 2, "dc+", true },
	{ "records: last id first, by owner", "x", "", 0, 0, 2, "ed+", true },
	{ "records: last id first, by owner, behind", "x", "d", 0, 0, 10, "c", true },
	{ "records: by due time", "", "", 99, 0, 10, "abed" },
	{ "records: due up to an instant", "", "", 20, 0, 10, "abe" },
	{ "records: not due yet", "", "", 9, 0, 10, "" },
	{ "records: due, a page of two", "", "", 99, 0, 2, "ab+" },
	{ "records: due, behind the page", "", "b", 99, 20, 10, "ed" },
	{ "records: due and by owner", "x", "", 99, 0, 10, "ed" },
	{ "records: due times have one order", "", "", 99, 0, 10, "abed", true },
};

static void
test_list(void **state)
{
	const struct list_row *row = *state;
	struct rig *r = rig_new();
	struct store_query q = {
		.kind = STORE_LIST_RECORDS,
		.record_kind = STR("wake"),
		.record_owner = str_of(row->owner),
		.record_id = str_of(row->behind),
		.due_until_ms = row->due_until,
		.after = row->after,
		.descending = row->descending,
		.limit = row->limit,
	};
	struct rows got = { 0 };
	struct buf ids;

	fill(r);
	rig_read(r, &q, &got);
	assert_int_equal(got.rc, 0);
	buf_init(&ids, 64);
	for (size_t i = 0; i < got.records.len; i++)
		buf_put_str(&ids, got.records.ptr[i].id);
	buf_puts(&ids, got.more ? "+" : "");
	check_str(row->name, buf_str(&ids), str_of(row->want));
	buf_release(&ids);
	rows_release(&got);
	rig_free(&r);
}

/* Every field comes back as it went in. */
static void
test_round_trip(void **state)
{
	struct rig *r = rig_new();
	struct store_put p = put_of("gr\xc3\xbc\xc3\x9f", "{ \"a\" : 1 }", STORE_VERSION_ANY);
	struct store_query q = { .kind = STORE_LIST_RECORDS,
				 .record_kind = STR("wake"),
				 .limit = 10 };
	struct rows got = { 0 };

	(void)state;
	p.record.owner = STR("who:ever");
	p.record.due_at_ms = INT64_C(4102444800000);
	put(r, "put", p, 0);
	rig_read(r, &q, &got);
	assert_int_equal(got.records.len, 1);
	check_str("kind", got.records.ptr[0].kind, p.record.kind);
	check_str("id", got.records.ptr[0].id, p.record.id);
	check_str("owner", got.records.ptr[0].owner, p.record.owner);
	check_str("body", got.records.ptr[0].body, p.record.body);
	assert_int_equal(got.records.ptr[0].due_at_ms, p.record.due_at_ms);
	assert_int_equal(got.records.ptr[0].version, 1);
	rows_release(&got);
	rig_free(&r);
}

void
contract_record(struct suite *s)
{
	suite_add(s, "records: versions", test_versions, NULL);
	suite_add(s, "S1 records: an item of puts", test_item_of_puts, NULL);
	suite_add(s, "S1 records: beside a log", test_beside_a_log, NULL);
	suite_add(s, "records: kinds are apart", test_kinds_are_apart, NULL);
	SUITE_ROWS(s, LISTS, test_list);
	suite_add(s, "records: round trip", test_round_trip, NULL);
}

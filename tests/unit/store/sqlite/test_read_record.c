#include "sqlite_fill.h"

#include "store/sqlite/key_digest.h"
#include "store/sqlite/read.h"

static struct fill fill;

/* clang-format off: one query a line */
static const struct fill_query QUERIES[] = {
	{ "one",
	  { .kind = STORE_GET_RECORD, .record_kind = STR("wake"), .record_id = STR("b") },
	  "b" },
	{ "of that kind only",
	  { .kind = STORE_GET_RECORD, .record_kind = STR("lane"), .record_id = STR("b") },
	  "" },
	{ "by id", { .kind = STORE_LIST_RECORDS, .record_kind = STR("wake") }, "a b c d" },
	{ "a page",
	  { .kind = STORE_LIST_RECORDS, .record_kind = STR("wake"), .limit = 2 },
	  "a b +" },
	{ "behind it",
	  { .kind = STORE_LIST_RECORDS, .record_kind = STR("wake"), .record_id = STR("b") },
	  "c d" },
	{ "by owner",
	  { .kind = STORE_LIST_RECORDS, .record_kind = STR("wake"), .record_owner = STR("s1") },
	  "a c" },
	{ "by owner, behind",
	  { .kind = STORE_LIST_RECORDS,
	    .record_kind = STR("wake"),
	    .record_owner = STR("s1"),
	    .record_id = STR("a") },
	  "c" },
	{ "by due time, equal ones by id",
	  { .kind = STORE_LIST_RECORDS, .record_kind = STR("wake"), .due_until_ms = 20 },
	  "c a b" },
	{ "not yet due",
	  { .kind = STORE_LIST_RECORDS, .record_kind = STR("wake"), .due_until_ms = 19 },
	  "c" },
	{ "due, behind (10, c)",
	  { .kind = STORE_LIST_RECORDS,
	    .record_kind = STR("wake"),
	    .due_until_ms = 20,
	    .after = 10,
	    .record_id = STR("c") },
	  "a b" },
	{ "due, behind (20, a)",
	  { .kind = STORE_LIST_RECORDS,
	    .record_kind = STR("wake"),
	    .due_until_ms = 20,
	    .after = 20,
	    .record_id = STR("a") },
	  "b" },
	{ "due, of one owner",
	  { .kind = STORE_LIST_RECORDS,
	    .record_kind = STR("wake"),
	    .due_until_ms = 20,
	    .record_owner = STR("s1") },
	  "c a" },
	{ "A10 a key's answer",
	  { .kind = STORE_FIND_KEY,
	    .key_kind = STORE_KEY_IDEMPOTENCY,
	    .key_scope = STR("p"),
	    .key_name = STR("k") },
	  "yes" },
	{ "of that kind only",
	  { .kind = STORE_FIND_KEY,
	    .key_kind = STORE_KEY_DEDUPE,
	    .key_scope = STR("p"),
	    .key_name = STR("k") },
	  "" },
};
/* clang-format on */

static void
query(void **state)
{
	fill_check(&fill, *state);
}

static bool
check_none(void *ctx, const struct store_row *row)
{
	(void)ctx;
	assert_null(row->record->owner.ptr);
	assert_int_equal(row->record->due_at_ms, 0);
	check_str("body", row->record->body, STR("{}"));
	assert_int_equal(row->record->version, 3);
	return true;
}

static void
absent_fields_stay_absent(void **state)
{
	struct store_query q = { .kind = STORE_GET_RECORD,
				 .record_kind = STR("wake"),
				 .record_id = STR("d") };
	struct err e = { 0 };
	struct read read;
	struct db db;
	bool more;

	(void)state;
	assert_int_equal(db_open(&db, fill.path, DB_READER, NULL, &e), 0);
	read_init(&read, &db, STR("me"));
	assert_int_equal(read_run(&read, &q, check_none, NULL, &more, &e), 0);
	assert_int_equal(read.given, 1);
	read_release(&read);
	db_close(&db);
}

static void
put_key(void)
{
	struct sha256_ctx ctx;
	struct key_digest d;
	sqlite3_stmt *st;
	int rc = SQLITE_OK;

	sha256_init(&ctx);
	d = key_digest_of(&ctx, STORE_KEY_IDEMPOTENCY, STR("p"), STR("k"));
	sha256_release(&ctx);
	st = db_prepare(&fill.db, "INSERT INTO key VALUES (?1, ?1, 1, 1, 1, 'yes', 9)", &rc);
	db_bind_blob(st, 1, d.bytes, sizeof d.bytes);
	sqlite3_step(st);
	sqlite3_reset(st);
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	fill_open(&fill);
	fill_run(&fill, "INSERT INTO record VALUES ('wake', 'a', 's1', 20, '{}', 1),"
			" ('wake', 'b', 's2', 20, '{}', 1), ('wake', 'c', 's1', 10, '{}', 2),"
			" ('wake', 'd', NULL, NULL, '{}', 3), ('lane', 'a', 's1', 1, '{}', 1)");
	put_key();
	SUITE_ROWS(&s, QUERIES, query);
	SUITE_TEST(&s, absent_fields_stay_absent);
	failed = suite_run(&s, "store/sqlite/read_record");
	fill_close(&fill);
	return failed;
}

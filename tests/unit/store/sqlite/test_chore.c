/* The index is a stub that moves as far as it is told; time is a number. */
#include "store/sqlite/chore.h"

#include "sqlite_fill.h"

static const int64_t MS = 1000000;

static struct {
	int64_t end; /* the log's */
	int steps, rc;
} index_stub;

static int
index_fn(struct db *db, size_t max, int64_t *indexed_to, struct err *e)
{
	int64_t to = (*indexed_to < 0 ? 0 : *indexed_to) + (int64_t)max;

	(void)db;
	index_stub.steps++;
	if (index_stub.rc != 0)
		return err_set(e, index_stub.rc, "stub");
	*indexed_to = to < index_stub.end ? to : index_stub.end;
	return 0;
}

struct rig {
	struct fill fill;
	struct tx tx;
	struct chore chore;
	int64_t now_ns;
};

static void
log_reaches(struct rig *r, int64_t change)
{
	index_stub.end = r->tx.last_change = change;
}

static void
rig_init(struct rig *r)
{
	*r = (struct rig){ .now_ns = 1000000 * MS, .tx.first_expiry_ms = INT64_MAX };
	index_stub.steps = index_stub.rc = 0;
	fill_open(&r->fill);
	r->tx.db = &r->fill.db;
	chore_init(&r->chore, &r->fill.db, &r->tx, index_fn);
	r->chore.checkpoint.idle_pages = r->chore.checkpoint.forced_pages = INT64_MAX;
	log_reaches(r, 0);
}

static void
rig_release(struct rig *r)
{
	fill_close(&r->fill);
}

static int
busy(struct rig *r, int64_t pass_ms)
{
	struct err e;

	r->now_ns += pass_ms * MS;
	return chore_when_busy(&r->chore, r->now_ns, &e);
}

static int
quiet(struct rig *r)
{
	struct err e;

	return chore_when_quiet(&r->chore, r->now_ns, &e);
}

/* A round goes on between any two batches until it has what was there when it began; what came
 * meanwhile waits for the next one. */
static void
C8_a_busy_index_works_in_rounds(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r);
	log_reaches(&r, 2500);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(busy(&r, 5), 0);
		assert_int_equal(index_stub.steps, i);
		log_reaches(&r, 2500 + i * 300);
	}
	assert_true(r.chore.indexed_to >= 2500);
	assert_int_equal(busy(&r, 5), 0);
	assert_int_equal(busy(&r, CHORE_INDEX_EVERY_MS - 6), 0);
	assert_int_equal(index_stub.steps, 3);
	log_reaches(&r, 9000);
	assert_int_equal(busy(&r, 1), 0);
	assert_int_equal(index_stub.steps, 4);
	while (r.chore.indexed_to < 9000)
		assert_int_equal(busy(&r, 5), 0);
	assert_int_equal(index_stub.steps, 9);
	rig_release(&r);
}

static void
C8_a_quiet_index_reaches_the_end(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r);
	log_reaches(&r, 1500);
	while (chore_is_due(&r.chore))
		assert_int_equal(quiet(&r), 0);
	assert_int_equal(index_stub.steps, 2);
	assert_int_equal(r.chore.indexed_to, 1500);
	log_reaches(&r, 1501);
	assert_true(chore_is_due(&r.chore));
	rig_release(&r);
}

/* A batch that was taken back leaves numbers that no event has. */
static void
an_index_at_the_end_rests(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r);
	log_reaches(&r, 10);
	r.tx.last_change = 20;
	assert_int_equal(quiet(&r), 0);
	assert_int_equal(quiet(&r), 0);
	assert_false(chore_is_due(&r.chore));
	log_reaches(&r, 21);
	assert_int_equal(busy(&r, 1000), 0);
	assert_int_equal(r.chore.indexed_to, 21);
	assert_false(chore_is_due(&r.chore));
	rig_release(&r);
}

static void
S1_a_full_disk_is_tried_again_a_broken_one_is_not(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r);
	log_reaches(&r, 10);
	index_stub.rc = ERR_NO_SPACE;
	assert_int_equal(quiet(&r), 0);
	assert_false(chore_is_due(&r.chore));
	log_reaches(&r, 11);
	index_stub.rc = ERR_IO;
	assert_int_equal(busy(&r, 1000), ERR_IO);
	log_reaches(&r, 12);
	index_stub.rc = ERR_CORRUPT;
	assert_int_equal(quiet(&r), ERR_CORRUPT);
	rig_release(&r);
}

static void
add_keys(struct rig *r, int keys)
{
	char sql[400];

	snprintf(sql, sizeof sql,
		 "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)"
		 " INSERT INTO key (digest, request, first_seq, head_seq, expires_at)"
		 " SELECT CAST(printf('%%16d', n) AS BLOB), zeroblob(16), 0, 0, n FROM i",
		 keys);
	fill_run(&r->fill, sql);
	r->tx.first_expiry_ms = 1;
}

static void
A10_expired_keys_go_in_steps(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r);
	r.chore.index = NULL;
	add_keys(&r, 3 * CHORE_PURGE_KEYS);
	assert_false(chore_is_due(&r.chore)); /* no event has told the time */
	r.tx.newest_ms = 3 * CHORE_PURGE_KEYS - 1;
	log_reaches(&r, 1);
	assert_true(chore_is_due(&r.chore));
	assert_int_equal(busy(&r, 1), 0);
	assert_int_equal(r.tx.first_expiry_ms, CHORE_PURGE_KEYS + 1);
	assert_int_equal(busy(&r, CHORE_PURGE_EVERY_MS), 0); /* not yet again */
	assert_int_equal(r.tx.first_expiry_ms, CHORE_PURGE_KEYS + 1);
	assert_int_equal(busy(&r, 1), 0);
	assert_int_equal(r.tx.first_expiry_ms, 2 * CHORE_PURGE_KEYS + 1);
	assert_int_equal(quiet(&r), 0);
	assert_int_equal(r.tx.first_expiry_ms, 3 * CHORE_PURGE_KEYS); /* alive */
	assert_false(chore_is_due(&r.chore));
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, C8_a_busy_index_works_in_rounds);
	SUITE_TEST(&s, C8_a_quiet_index_reaches_the_end);
	SUITE_TEST(&s, an_index_at_the_end_rests);
	SUITE_TEST(&s, S1_a_full_disk_is_tried_again_a_broken_one_is_not);
	SUITE_TEST(&s, A10_expired_keys_go_in_steps);
	return suite_run(&s, "store/sqlite/chore");
}

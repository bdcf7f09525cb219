/* Batches and their failures, seen through the adapter. Items that a callback submits reach the
 * writer together, so a burst is one batch: which makes the counts below exact. */
#include "store/sqlite/writer.h"

#include "base/failpoint.h"
#include "base/xalloc.h"
#include "core/event_make.h"
#include "sqlite_dir.h"

enum { WAIT_MS = 10000, LARGE_BYTES = 1024 * 1024 };

/* One message on its way, and what became of it. */
struct post {
	struct store_item item;
	struct event ev;
	struct store_key key;
	char id[32], name[32];
	struct store_result result;
	char session[32], answer[32];
	bool done;
};

struct rig {
	struct sqlite_dir dir;
	struct store *store;
	struct post *posts;
	size_t count, answered;
	char *text; /* of the messages */
};

static void
arm(const char *points)
{
#ifdef PERDURE_TEST_HOOKS
	if (points)
		setenv("PERDURE_FAILPOINTS", points, 1);
	else
		unsetenv("PERDURE_FAILPOINTS");
	failpoint_test_reload();
#else
	(void)points;
#endif
}

static void
keep_result(struct post *p, const struct store_result *r)
{
	p->result = *r;
	p->done = true;
	snprintf(p->session, sizeof p->session, STR_FMT, STR_ARG(r->session));
	snprintf(p->answer, sizeof p->answer, STR_FMT, STR_ARG(r->answer));
}

static void
on_post(void *ctx, const struct store_result *r)
{
	keep_result(ctx, r);
}

static void
await(struct rig *r, const struct post *p)
{
	while (!p->done) {
		assert_true(store_wait(r->store, WAIT_MS));
		store_dispatch(r->store);
	}
}

static void
create(struct rig *r, const char *session)
{
	struct make_created m = { .agent_id = STR("main"),
				  .agent_version = 1,
				  .environment_id = STR("local-default"),
				  .source = STR("{\"kind\":\"api\"}") };
	struct buf payload;
	struct post p = { .done = false };

	buf_init(&payload, 4096);
	event_make_created(&payload, &m);
	p.ev = (struct event){ .id = STR("created"),
			       .kind = EVENT_SESSION_CREATED,
			       .author = AUTHOR_SYSTEM,
			       .created_at_ms = 1000,
			       .payload = buf_str(&payload) };
	p.item = (struct store_item){ .session = str_of(session),
				      .require.absent = true,
				      .events = &p.ev,
				      .event_count = 1 };
	store_append(r->store, &p.item, on_post, &p);
	await(r, &p);
	assert_int_equal(p.result.rc, 0);
	buf_release(&payload);
}

static void
rig_init(struct rig *r, const struct store_sqlite_config *cfg)
{
	arm(NULL);
	*r = (struct rig){ 0 };
	sqlite_dir_init(&r->dir);
	r->store = sqlite_dir_open(&r->dir, cfg);
	create(r, "s");
}

static void
rig_release(struct rig *r)
{
	arm(NULL);
	store_free(&r->store);
	sqlite_dir_release(&r->dir);
	free(r->posts);
	free(r->text);
}

/* count messages of text_bytes each to session s, not submitted yet. */
static void
prepare(struct rig *r, size_t count, size_t text_bytes)
{
	static unsigned serial;

	free(r->posts);
	free(r->text);
	r->posts = xcalloc(count, sizeof *r->posts);
	r->text = xcalloc(1, text_bytes + 128);
	snprintf(r->text, text_bytes + 128,
		 "{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":\"%0*d\"}]}",
		 (int)text_bytes, 7);
	r->count = count;
	for (size_t i = 0; i < count; i++) {
		struct post *p = &r->posts[i];
		snprintf(p->id, sizeof p->id, "m%u", ++serial);
		snprintf(p->name, sizeof p->name, "k%u", serial);
		p->ev = (struct event){ .id = str_of(p->id),
					.kind = EVENT_USER_MESSAGE,
					.created_at_ms = 2000 + serial,
					.meta = STR("{\"class\":\"trigger\"}"),
					.payload = str_of(r->text) };
		p->key = (struct store_key){ .kind = STORE_KEY_DEDUPE,
					     .scope = STR("s"),
					     .name = str_of(p->name),
					     .answer = STR("yes"),
					     .expires_at_ms = INT64_MAX };
		p->item = (struct store_item){ .session = STR("s"),
					       .events = &p->ev,
					       .event_count = 1,
					       .keys = &p->key,
					       .key_count = 1 };
	}
}

static void
submit_all(void *ctx, const struct store_result *result)
{
	struct rig *r = ctx;

	(void)result;
	for (size_t i = 0; i < r->count; i++) {
		r->posts[i].done = false;
		store_append(r->store, &r->posts[i].item, on_post, &r->posts[i]);
	}
}

/* All prepared messages at once, from a callback; returns when all are answered. */
static void
burst(struct rig *r)
{
	static const struct store_put PUT = {
		.record = { .kind = STR("probe"), .id = STR("p"), .body = STR("{}") },
		.if_version = STORE_VERSION_ANY,
	};
	static const struct store_item PROBE = { .puts = &PUT, .put_count = 1 };

	r->posts[0].done = false;
	store_append(r->store, &PROBE, submit_all, r);
	for (size_t i = 0; i < r->count; i++)
		await(r, &r->posts[i]);
}

static size_t
count_rc(const struct rig *r, int rc)
{
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++)
		count += r->posts[i].result.rc == rc;
	return count;
}

/* The acknowledged ones have seqs that follow each other from first on. */
static void
check_dense(const struct rig *r, int64_t first)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->posts[i].result.rc == 0)
			assert_int_equal(r->posts[i].result.first_seq, first++);
}

static void
S1_a_repeat_is_told_what_the_first_was(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, NULL);
	prepare(&r, 3, 10);
	burst(&r);
	assert_int_equal(count_rc(&r, 0), 3);
	check_dense(&r, 2);
	burst(&r);
	assert_int_equal(count_rc(&r, STORE_REPLAYED), 3);
	assert_int_equal(r.posts[2].result.first_seq, 4);
	assert_string_equal(r.posts[2].session, "s");
	assert_string_equal(r.posts[2].answer, "yes");
	rig_release(&r);
}

static void
S1_more_sessions_than_heads(void **state)
{
	enum { EXTRA = 300 };
	struct rig r;
	char name[32];

	(void)state;
	rig_init(&r, &(struct store_sqlite_config){ .synchronous = "OFF" });
	for (int i = 0; i < HEADS_MAX + EXTRA; i++) {
		snprintf(name, sizeof name, "other %d", i);
		create(&r, name);
	}
	prepare(&r, 2, 10);
	burst(&r);
	assert_int_equal(count_rc(&r, 0), 2);
	check_dense(&r, 2);
	rig_release(&r);
}

static void
S1_freeing_answers_all_that_was_submitted(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, NULL);
	prepare(&r, 50, 10);
	submit_all(&r, NULL);
	store_free(&r.store);
	assert_int_equal(count_rc(&r, 0), 50);
	r.store = sqlite_dir_open(&r.dir, NULL);
	burst(&r);
	assert_int_equal(count_rc(&r, STORE_REPLAYED), 50);
	rig_release(&r);
}

static void
S1_the_log_moves_into_the_database(void **state)
{
	struct rig r;
	char wal[128];
	FILE *f;

	(void)state;
	rig_init(&r, &(struct store_sqlite_config){ .checkpoint_idle_pages = 4,
						    .checkpoint_forced_pages = 16 });
	for (int i = 0; i < 20; i++) {
		prepare(&r, 10, 1000);
		burst(&r);
		assert_int_equal(count_rc(&r, 0), 10);
	}
	assert_int_equal(store_health(r.store, NULL), 0);
	snprintf(wal, sizeof wal, "%s-wal", r.dir.file);
	store_free(&r.store);
	f = fopen(wal, "r"); /* closed by now: nobody's locks are in danger */
	if (f) {
		fseek(f, 0, SEEK_END);
		assert_int_equal(ftell(f), 0);
		fclose(f);
	}
	rig_release(&r);
}

#ifdef PERDURE_TEST_HOOKS
static void
S1_a_burst_is_one_batch(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, NULL);
	prepare(&r, 256, 10);
	arm("writer.before_commit=2:fail"); /* the first is the probe's */
	burst(&r);
	assert_int_equal(count_rc(&r, ERR_NO_SPACE), 256);
	assert_int_equal(store_health(r.store, NULL), 0);
	burst(&r); /* space has returned: none of them had left a trace */
	assert_int_equal(count_rc(&r, 0), 256);
	check_dense(&r, 2);
	rig_release(&r);
}

static void
S1_a_batch_is_bounded_by_count(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, NULL);
	prepare(&r, BATCH_ITEMS_MAX + 476, 10);
	arm("writer.before_commit=2:fail");
	burst(&r);
	assert_int_equal(count_rc(&r, ERR_NO_SPACE), BATCH_ITEMS_MAX);
	assert_int_equal(count_rc(&r, 0), 476);
	check_dense(&r, 2);
	rig_release(&r);
}

static void
S1_a_batch_is_bounded_by_bytes(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, NULL);
	prepare(&r, 7, LARGE_BYTES);
	arm("writer.before_commit=2:fail");
	burst(&r);
	assert_int_equal(count_rc(&r, ERR_NO_SPACE), BATCH_BYTES_MAX / LARGE_BYTES);
	assert_int_equal(count_rc(&r, 0), 7 - BATCH_BYTES_MAX / LARGE_BYTES);
	rig_release(&r);
}

static void
S1_an_item_at_fault_fails_alone(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, NULL);
	prepare(&r, 5, 10);
	/* The third breaks a constraint, and again when each is tried on its own. */
	arm("append.after_event=3:fail,append.after_event=6:fail");
	burst(&r);
	assert_int_equal(count_rc(&r, 0), 4);
	assert_int_equal(r.posts[2].result.rc, ERR_CONFLICT);
	check_dense(&r, 2);
	arm(NULL);
	burst(&r);
	assert_int_equal(count_rc(&r, STORE_REPLAYED), 4);
	assert_int_equal(r.posts[2].result.first_seq, 6);
	rig_release(&r);
}

static const struct passing_row {
	const char *name, *points;
	size_t fail; /* items: the others get a transaction of their own */
} PASSING[] = {
	{ "S1 no transaction, no trace", "writer.before_begin=2:fail", 1 },
	{ "S1 a transaction that fails at once", "writer.after_begin=2:fail", 1 },
	{ "S1 a full disk at the commit", "writer.before_commit=2:fail", 4 },
};

static void
check_passing(void **state)
{
	const struct passing_row *row = *state;
	struct rig r;

	rig_init(&r, NULL);
	prepare(&r, 4, 10);
	arm(row->points);
	burst(&r);
	assert_int_equal(count_rc(&r, ERR_NO_SPACE), row->fail);
	assert_int_equal(count_rc(&r, 0), 4 - row->fail);
	assert_true(r.posts[0].result.err.text[0] != '\0');
	burst(&r);
	assert_int_equal(count_rc(&r, 0), row->fail);
	assert_int_equal(count_rc(&r, STORE_REPLAYED), 4 - row->fail);
	rig_release(&r);
}

static void
S1_after_a_failed_sync_nothing_is_written(void **state)
{
	struct rig r;
	struct err e;

	(void)state;
	rig_init(&r, NULL);
	prepare(&r, 3, 10);
	arm("writer.after_commit=2:fail");
	burst(&r);
	assert_int_equal(count_rc(&r, ERR_UNAVAILABLE), 3); /* who knows */
	assert_int_equal(store_health(r.store, &e), ERR_IO);
	assert_true(str_contains(str_of(e.text), STR("stopped writing for good")));
	submit_all(&r, NULL);
	for (size_t i = 0; i < r.count; i++)
		await(&r, &r.posts[i]);
	assert_int_equal(count_rc(&r, ERR_IO), 3);
	store_free(&r.store);
	r.store = sqlite_dir_open(&r.dir, NULL);
	burst(&r); /* the key settles it: this time the disk had it */
	assert_int_equal(count_rc(&r, STORE_REPLAYED), 3);
	rig_release(&r);
}

static void
S1_a_failed_checkpoint_stops_it_too(void **state)
{
	struct rig r;
	struct err e;

	(void)state;
	rig_init(&r, &(struct store_sqlite_config){ .checkpoint_idle_pages = 80,
						    .checkpoint_forced_pages = 80 });
	prepare(&r, 300, 1000);
	arm("writer.before_checkpoint=1:fail");
	burst(&r);
	assert_int_equal(count_rc(&r, 0), 300);
	prepare(&r, 1, 10);
	burst(&r);
	assert_int_equal(count_rc(&r, ERR_IO), 1);
	assert_int_equal(store_health(r.store, &e), ERR_IO);
	rig_release(&r);
}
#endif

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, S1_a_repeat_is_told_what_the_first_was);
	SUITE_TEST(&s, S1_more_sessions_than_heads);
	SUITE_TEST(&s, S1_freeing_answers_all_that_was_submitted);
	SUITE_TEST(&s, S1_the_log_moves_into_the_database);
#ifdef PERDURE_TEST_HOOKS
	SUITE_TEST(&s, S1_a_burst_is_one_batch);
	SUITE_TEST(&s, S1_a_batch_is_bounded_by_count);
	SUITE_TEST(&s, S1_a_batch_is_bounded_by_bytes);
	SUITE_TEST(&s, S1_an_item_at_fault_fails_alone);
	SUITE_ROWS(&s, PASSING, check_passing);
	SUITE_TEST(&s, S1_after_a_failed_sync_nothing_is_written);
	SUITE_TEST(&s, S1_a_failed_checkpoint_stops_it_too);
#endif
	return suite_run(&s, "writer");
}

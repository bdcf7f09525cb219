#include "app/mirror_sync.h"

#include <stdlib.h>
#include <unistd.h>

#include "api/bundle.h"
#include "base/file.h"
#include "core/mirror_state.h"
#include "engine_rig.h"

#define FOLDER "agents/main/sessions/cli%%3Aa/"

struct place {
	struct engine_rig rig;
	char data[64];
	struct mirror_source from;
	int reads_left; /* negative: as many as it wants */
};

struct reading {
	bool done, more;
	int rc;
	struct err err;
};

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct reading *r = ctx;

	r->done = true;
	r->rc = rc;
	r->more = more;
	if (rc != 0)
		r->err = *err;
}

struct passing {
	store_row_fn *row;
	void *ctx;
	struct reading reading;
};

static bool
pass_row(void *ctx, const struct store_row *row)
{
	struct passing *p = ctx;

	return p->row(p->ctx, row);
}

static void
pass_done(void *ctx, int rc, bool more, const struct err *err)
{
	on_read(&((struct passing *)ctx)->reading, rc, more, err);
}

static int
read_page(void *ctx, const struct store_query *q, store_row_fn *row, void *row_ctx, bool *more,
	  struct err *e)
{
	struct place *p = ctx;
	struct passing passing = { .row = row, .ctx = row_ctx };

	if (p->reads_left == 0)
		return err_set(e, ERR_UNAVAILABLE, "no more");
	p->reads_left--;
	store_read(p->rig.store, q, pass_row, pass_done, &passing);
	engine_rig_await(&p->rig, &passing.reading.done);
	*more = passing.reading.more;
	if (passing.reading.rc != 0)
		*e = passing.reading.err;
	return passing.reading.rc;
}

static int64_t
now_ms(void *ctx)
{
	return host_now_ms(&((struct place *)ctx)->rig.host.host);
}

static void
begin(struct place *p, bool on_sqlite)
{
	*p = (struct place){ .reads_left = -1 };
	snprintf(p->data, sizeof p->data, "/tmp/perdure-sync-XXXXXX");
	assert_non_null(mkdtemp(p->data));
	p->from = (struct mirror_source){ read_page, now_ms, p };
	engine_rig_init(&p->rig, on_sqlite);
	rig_open(&p->rig, NULL, "cli:a");
}

static void
end(struct place *p)
{
	assert_int_equal(system(arena_printf(&p->rig.arena, "rm -rf %s", p->data).ptr), 0);
	engine_rig_release(&p->rig);
}

static void
say(struct place *p, const char *text)
{
	rig_expect(rig_say(&p->rig, &(struct engine_message){ .text = str_of(text) },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	virtual_host_advance(&p->rig.host, 1000);
}

static void
append_note(struct place *p, const char *text)
{
	rig_expect(rig_say(&p->rig,
			   &(struct engine_message){ .text = str_of(text), .append_only = true },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
}

static void
sync_session(struct place *p)
{
	struct err e;

	if (mirror_sync(&p->from, str_of(p->data), STR("cli:a"), &e) != 0)
		fail_msg("%s", e.text);
}

static const char *
path(struct place *p, const char *name)
{
	return arena_printf(&p->rig.arena, "%s/" FOLDER "%s", p->data, name).ptr;
}

static struct str
text_of(struct place *p, const char *name)
{
	struct str text = { 0 };
	struct err e;

	if (file_read(path(p, name), 1 << 26, &p->rig.arena, &text, &e) != 0)
		fail_msg("%s", e.text);
	return text;
}

/* The lines of events.jsonl that are events are those of a bundle. */
struct compare {
	struct buf want;
	size_t inputs, processed;
};

static bool
on_event(void *ctx, const struct store_row *row)
{
	struct compare *c = ctx;

	bundle_write_event(&c->want, &row->event->ev, &row->event->hash);
	c->inputs += row->event->ev.meta.len > 0;
	c->processed += row->event->ev.meta.len > 0 && row->event->processed_at_ms != 0;
	return true;
}

static void
expect_equal(struct place *p)
{
	struct compare c = { 0 };
	struct str rest = text_of(p, "events.jsonl"), line;
	struct mirror_state state = { 0 }, said = { 0 };
	struct mirror_record r;
	struct buf got;
	struct err e;
	bool more = true;

	buf_init(&c.want, 1 << 26);
	buf_init(&got, 1 << 26);
	for (int64_t after = 0; more; after += STORE_PAGE_ROWS_MAX)
		assert_int_equal(read_page(p,
					   &(struct store_query){ .kind = STORE_LIST_EVENTS,
								  .session = STR("cli:a"),
								  .after = after,
								  .limit = STORE_PAGE_ROWS_MAX },
					   on_event, &c, &more, &e),
				 0);
	while (rest.len > 0) {
		str_cut(rest, '\n', &line, &rest);
		assert_int_equal(mirror_record_read(line, &p->rig.arena, &r, &e), 0);
		assert_int_equal(mirror_state_take(&state, &r, &p->rig.arena, &e), 0);
		if (r.kind == MIRROR_EVENT)
			buf_put(&got, line.ptr, line.len + 1);
	}
	check_str("events", buf_str(&got), buf_str(&c.want));
	assert_int_equal(state.pending.len, c.inputs - c.processed);
	assert_int_equal(mirror_state_read(text_of(p, "session.json"), &p->rig.arena, &said, &e),
			 0);
	assert_int_equal(said.head_seq, state.head_seq);
	assert_memory_equal(&said.head_hash, &state.head_hash, sizeof said.head_hash);
	assert_int_equal(said.pending.len, state.pending.len);
	mirror_state_release(&state);
	mirror_state_release(&said);
	buf_release(&got);
	buf_release(&c.want);
}

static void
M13_the_mirror_equals_the_log(void **state)
{
	struct place p;

	begin(&p, *state != NULL);
	sync_session(&p);
	expect_equal(&p);
	say(&p, "think hm\nsay hello");
	sync_session(&p);
	expect_equal(&p);
	for (int i = 0; i < 600; i++) /* more than a page */
		append_note(&p, "noted\nwith a line end");
	sync_session(&p);
	expect_equal(&p);
	say(&p, "say more");
	sync_session(&p);
	expect_equal(&p);
	end(&p);
}

static void
M13_nothing_new_writes_nothing(void **state)
{
	struct place p;
	struct str events, session;

	(void)state;
	begin(&p, false);
	say(&p, "say hello");
	sync_session(&p);
	events = text_of(&p, "events.jsonl");
	session = text_of(&p, "session.json");
	assert_int_equal(unlink(path(&p, "session.json.new")), -1);
	sync_session(&p);
	check_str("events", text_of(&p, "events.jsonl"), events);
	check_str("session", text_of(&p, "session.json"), session);
	end(&p);
}

/* A message that waits behind a turn is pending, and marked when its own turn takes it. */
static void
M13_processed_markers_follow(void **state)
{
	struct place p;
	struct str before;

	(void)state;
	begin(&p, false);
	rig_expect(rig_say(&p.rig, &(struct engine_message){ .text = STR("wait 60\nsay one") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	rig_expect(rig_say(&p.rig, &(struct engine_message){ .text = STR("say two") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	sync_session(&p);
	expect_equal(&p);
	before = text_of(&p, "session.json");
	assert_true(str_contains(before, STR("\"pending\":[{")));
	virtual_host_advance(&p.rig.host, 120000);
	sync_session(&p);
	expect_equal(&p);
	assert_true(str_contains(text_of(&p, "session.json"), STR("\"pending\":[]")));
	end(&p);
}

/* Whatever a kill leaves of the three files, the rest comes from the log. */
static void
M13_a_kill_anywhere_is_completed_from_the_log(void **state)
{
	struct place p;
	struct str whole;

	(void)state;
	begin(&p, false);
	say(&p, "think hm\nsay hello");
	sync_session(&p);
	whole = text_of(&p, "events.jsonl");
	for (size_t cut = 0; cut < whole.len; cut += 37) {
		assert_int_equal(truncate(path(&p, "events.jsonl"), (off_t)cut), 0);
		sync_session(&p);
		expect_equal(&p);
		assert_int_equal(text_of(&p, "events.jsonl").len, whole.len);
		if (cut % 2 == 0)
			unlink(path(&p, "session.json"));
		if (cut % 3 == 0)
			unlink(path(&p, "wake-queue.jsonl"));
	}
	/* and a store that ends in the middle of it */
	for (int reads = 0; reads < 8; reads++) {
		struct err e;

		say(&p, "say more");
		p.reads_left = reads;
		IGNORE(mirror_sync(&p.from, str_of(p.data), STR("cli:a"), &e)); /* cut short */
		p.reads_left = -1;
		sync_session(&p);
		expect_equal(&p);
	}
	end(&p);
}

static void
M13_another_log_is_written_anew(void **state)
{
	struct place p;

	(void)state;
	begin(&p, false);
	say(&p, "say of another server");
	say(&p, "say it was longer");
	sync_session(&p);
	engine_rig_release(&p.rig);
	engine_rig_init(&p.rig, false);
	virtual_host_advance(&p.rig.host, 12345);
	rig_open(&p.rig, NULL, "cli:a");
	sync_session(&p); /* shorter */
	expect_equal(&p);
	say(&p, "say one");
	say(&p, "say two");
	say(&p, "say three");
	unlink(path(&p, "session.json"));
	sync_session(&p);
	expect_equal(&p);
	end(&p);
}

static void
on_put(void *ctx, const struct store_result *r)
{
	on_read(ctx, r->rc, false, &r->err);
}

static void
put_wake(struct place *p, const char *id, int64_t due_at_ms, const char *body)
{
	struct store_put put = { .record = { .kind = RECORD_WAKE,
					     .id = str_of(id),
					     .owner = STR("cli:a"),
					     .due_at_ms = due_at_ms,
					     .body = str_of(body ? body : "{}") },
				 .if_version = STORE_VERSION_ANY,
				 .remove = body == NULL };
	struct store_item item = { .puts = &put, .put_count = 1 };
	struct reading done = { 0 };

	store_append(p->rig.store, &item, on_put, &done);
	engine_rig_await(&p->rig, &done.done);
	assert_int_equal(done.rc, 0);
}

static void
M13_wakes_are_queued_changed_and_completed(void **state)
{
	struct place p;
	struct str lines;

	(void)state;
	begin(&p, false);
	sync_session(&p);
	check_str("none", text_of(&p, "wake-queue.jsonl"), STR(""));
	put_wake(&p, "wake_1", INT64_C(9000000000000), "{\"attempt\":0}");
	put_wake(&p, "wake_2", 0, "{\"parked\":true}");
	sync_session(&p);
	sync_session(&p);
	lines = STR("{\"record\":\"enqueued\",\"wake_id\":\"wake_1\",\"due_at_ms\":9000000000000,"
		    "\"wake\":{\"attempt\":0}}\n"
		    "{\"record\":\"enqueued\",\"wake_id\":\"wake_2\",\"due_at_ms\":0,\"wake\":"
		    "{\"parked\":true}}\n");
	check_str("two", text_of(&p, "wake-queue.jsonl"), lines);
	put_wake(&p, "wake_1", INT64_C(9000000000000), "{\"attempt\":1}");
	sync_session(&p);
	put_wake(&p, "wake_1", 0, NULL);
	put_wake(&p, "wake_2", 0, NULL);
	sync_session(&p);
	lines = str_slice(text_of(&p, "wake-queue.jsonl"), lines.len, 1 << 20);
	assert_true(str_starts(lines, STR("{\"record\":\"enqueued\",\"wake_id\":\"wake_1\"")));
	assert_true(str_contains(lines, STR("{\"attempt\":1}")));
	assert_true(str_contains(lines, STR("\"completed\",\"wake_id\":\"wake_2\"")));
	assert_true(str_contains(lines, STR("\"completed\",\"wake_id\":\"wake_1\"")));
	end(&p);
}

static void
M13_a_deleted_session_has_no_mirror(void **state)
{
	struct place p;

	(void)state;
	begin(&p, false);
	sync_session(&p);
	rig_expect(rig_end(&p.rig, engine_session_delete, (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	sync_session(&p);
	assert_int_not_equal(access(path(&p, "events.jsonl"), F_OK), 0);
	assert_int_not_equal(access(path(&p, "session.json"), F_OK), 0);
	end(&p);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, M13_the_mirror_equals_the_log);
	suite_add(&s, "M13 the mirror equals the log in sqlite", M13_the_mirror_equals_the_log,
		  &SQLITE);
	SUITE_TEST(&s, M13_nothing_new_writes_nothing);
	SUITE_TEST(&s, M13_processed_markers_follow);
	SUITE_TEST(&s, M13_a_kill_anywhere_is_completed_from_the_log);
	SUITE_TEST(&s, M13_another_log_is_written_anew);
	SUITE_TEST(&s, M13_wakes_are_queued_changed_and_completed);
	SUITE_TEST(&s, M13_a_deleted_session_has_no_mirror);
	return suite_run(&s, "app/mirror_sync");
}

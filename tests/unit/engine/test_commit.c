#include "engine/commit.h"

#include "base/buf.h"
#include "engine_rig.h"

/* What happened, in order: t for told, d for done. */
struct order {
	struct buf text;
	int rc;
	bool done;
	size_t event_count;
	int64_t first_seq, last_seq;
	size_t joined_count;
	int64_t joined_seq;
	int64_t changes[8];
	size_t told;
};

static void
on_event(void *ctx, const struct store_event *ev)
{
	struct order *o = ctx;

	buf_printf(&o->text, "t%lld ", (long long)ev->ev.seq);
	o->changes[o->told++] = ev->change;
}

static void
on_done(void *ctx, const struct commit_result *result)
{
	struct order *o = ctx;

	buf_puts(&o->text, "d");
	o->done = true;
	o->rc = result->store->rc;
	o->event_count = result->event_count;
	if (result->event_count > 0) {
		o->first_seq = result->events[0].seq;
		o->last_seq = result->events[result->event_count - 1].seq;
	}
	o->joined_count = result->joined_count;
	if (result->joined_count > 0)
		o->joined_seq = result->joined_events[0].seq;
}

static void
append_note(struct commit *c, const char *text)
{
	struct str payload = arena_printf(commit_arena(c),
					  "{\"type\":\"system.message\",\"content\":[{\"type\":"
					  "\"text\",\"text\":\"%s\"}]}",
					  text);

	commit_append(c, &(struct commit_event){ .kind = EVENT_SYSTEM_MESSAGE,
						 .author = AUTHOR_USER,
						 .meta = STR("{\"class\":\"passive\"}"),
						 .payload = payload });
}

static void
A2_durable_then_told_then_answered(void **state)
{
	struct engine_rig r;
	struct order o = { 0 };
	struct engine_watch watch = { .on_event = on_event, .ctx = &o };
	struct commit *c;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	buf_init(&o.text, 1000);
	list_init(&watch.node);
	engine_watch_session(r.en, STR("cli:a"), &watch);
	c = commit_new(r.en, STR("cli:a"));
	for (int i = 0; i < 6; i++) /* more than it has room for by itself */
		append_note(c, "x");
	commit_submit(c, on_done, &o);
	check_str("before the store answers", buf_str(&o.text), STR(""));
	engine_rig_await(&r, &o.done);
	assert_int_equal(o.rc, 0);
	check_str("order", buf_str(&o.text), STR("t2 t3 t4 t5 t6 t7 d"));
	assert_int_equal(o.first_seq, 2);
	assert_int_equal(o.last_seq, 7);
	for (size_t i = 1; i < o.told; i++)
		assert_int_equal(o.changes[i], o.changes[i - 1] + 1);
	assert_int_equal(engine_change_head(r.en), o.changes[5]);
	assert_int_equal(engine_head(r.en, STR("cli:a")), 7);
	engine_unwatch(&watch);
	buf_release(&o.text);
	engine_rig_release(&r);
}

static void
A2_what_is_refused_is_told_to_nobody(void **state)
{
	struct engine_rig r;
	struct order o = { 0 };
	struct engine_watch watch = { .on_event = on_event, .ctx = &o };
	struct commit *c;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	buf_init(&o.text, 1000);
	list_init(&watch.node);
	engine_watch_session(r.en, STR("cli:a"), &watch);
	c = commit_new(r.en, STR("cli:a"));
	append_note(c, "x");
	commit_require(c)->lifecycles = 1u << LIFECYCLE_ARCHIVED;
	commit_submit(c, on_done, &o);
	engine_rig_await(&r, &o.done);
	assert_int_equal(o.rc, ERR_CONFLICT);
	assert_int_equal(o.event_count, 0);
	check_str("order", buf_str(&o.text), STR("d"));
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	engine_unwatch(&watch);
	buf_release(&o.text);
	engine_rig_release(&r);
}

/* What a commit is given may be gone before it is submitted. */
static void
a_commit_keeps_what_it_is_given(void **state)
{
	struct engine_rig r;
	struct order o = { 0 };
	struct commit *c;
	char session[] = "cli:a", body[] = "{\"a\":1}", id[] = "one", kind[] = "resource";

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	buf_init(&o.text, 1000);
	c = commit_new(r.en, str_of(session));
	for (int i = 0; i < 6; i++) {
		id[2] = (char)('a' + i);
		commit_put(c, &(struct store_put){ .record = { .kind = str_of(kind),
							       .id = str_of(id),
							       .owner = str_of(session),
							       .body = str_of(body) },
						   .if_version = STORE_VERSION_ABSENT });
	}
	append_note(c, "x");
	memset(session, '!', sizeof session - 1);
	memset(body, '!', sizeof body - 1);
	memset(id, '!', sizeof id - 1);
	memset(kind, '!', sizeof kind - 1);
	commit_submit(c, on_done, &o);
	engine_rig_await(&r, &o.done);
	assert_int_equal(o.rc, 0);
	assert_int_equal(engine_rig_count(&r, RECORD_RESOURCE), 6);
	check_str("body", engine_rig_record(&r, RECORD_RESOURCE, STR("onf")), STR("{\"a\":1}"));
	buf_release(&o.text);
	engine_rig_release(&r);
}

/* As fanout tells them: s for the session's own, j for the joined one's. */
static void
on_any_event(void *ctx, const struct store_event *ev)
{
	struct order *o = ctx;

	buf_printf(&o->text, "%s%lld ", str_eq(ev->session, STR("cli:a")) ? "s" : "j",
		   (long long)ev->ev.seq);
	o->changes[o->told++] = ev->change;
}

static struct commit *
joined_commit(struct engine_rig *r)
{
	struct commit *c = commit_new(r->en, STR("cli:a")), *j = commit_join(c, STR("cli:b"));

	append_note(j, "y");
	for (int i = 0; i < 3; i++)
		append_note(c, "x");
	commit_put(j, &(struct store_put){ .record = { .kind = RECORD_RESOURCE,
						       .id = STR("one"),
						       .body = STR("{}") },
					   .if_version = STORE_VERSION_ABSENT });
	return c;
}

static void
R3_both_parts_are_told_in_order(void **state)
{
	struct engine_rig r;
	struct order o = { 0 };
	struct engine_watch watch = { .on_event = on_any_event, .ctx = &o };

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	rig_open(&r, NULL, "cli:b");
	buf_init(&o.text, 1000);
	list_init(&watch.node);
	engine_watch_all(r.en, &watch);
	commit_submit(joined_commit(&r), on_done, &o);
	engine_rig_await(&r, &o.done);
	assert_int_equal(o.rc, 0);
	check_str("order", buf_str(&o.text), STR("s2 s3 s4 j2 d"));
	assert_int_equal(o.event_count, 3);
	assert_int_equal(o.joined_count, 1);
	assert_int_equal(o.joined_seq, 2);
	for (size_t i = 1; i < o.told; i++)
		assert_int_equal(o.changes[i], o.changes[i - 1] + 1);
	assert_int_equal(engine_change_head(r.en), o.changes[3]);
	assert_int_equal(engine_rig_count(&r, RECORD_RESOURCE), 1);
	engine_unwatch(&watch);
	buf_release(&o.text);
	engine_rig_release(&r);
}

static void
R3_of_both_parts_or_of_none(void **state)
{
	struct engine_rig r;
	struct order o = { 0 };

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a"); /* and no cli:b */
	buf_init(&o.text, 1000);
	commit_submit(joined_commit(&r), on_done, &o);
	engine_rig_await(&r, &o.done);
	assert_int_equal(o.rc, ERR_NOT_FOUND);
	assert_int_equal(o.event_count + o.joined_count, 0);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	assert_int_equal(engine_rig_count(&r, RECORD_RESOURCE), 0);
	buf_release(&o.text);
	engine_rig_release(&r);
}

static void
A10_a_key_lives_thirty_days(void **state)
{
	static const int64_t DAY_MS = 86400000;
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_make(&r, engine_user_create,
			    (struct rig_call){ .key = "k", .body = "{'name':'x'}" }),
		   0, NULL);
	virtual_host_advance(&r.host, 29 * DAY_MS);
	rig_open(&r, NULL, "cli:a"); /* the log's time moves on */
	a = rig_make(&r, engine_user_create,
		     (struct rig_call){ .key = "k", .body = "{'name':'x'}" });
	assert_true(a->replayed);
	engine_rig_release(&r);
}

static void
nothing_comes_of_an_abandoned_one(void **state)
{
	struct engine_rig r;
	struct commit *c;

	(void)state;
	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:a");
	c = commit_new(r.en, STR("cli:a"));
	append_note(c, "x");
	commit_abandon(&c);
	assert_null(c);
	commit_abandon(&c);
	virtual_host_settle(&r.host);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, A2_durable_then_told_then_answered);
	suite_add(&s, "A2 durable, told, answered in sqlite", A2_durable_then_told_then_answered,
		  &SQLITE);
	SUITE_TEST(&s, A2_what_is_refused_is_told_to_nobody);
	SUITE_TEST(&s, a_commit_keeps_what_it_is_given);
	SUITE_TEST(&s, R3_both_parts_are_told_in_order);
	suite_add(&s, "R3 both parts are told in sqlite", R3_both_parts_are_told_in_order, &SQLITE);
	SUITE_TEST(&s, R3_of_both_parts_or_of_none);
	SUITE_TEST(&s, A10_a_key_lives_thirty_days);
	SUITE_TEST(&s, nothing_comes_of_an_abandoned_one);
	return suite_run(&s, "engine/commit");
}

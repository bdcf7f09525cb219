#include "engine/engine.h"

#include "base/vec.h"
#include "engine_rig.h"

/* A log as it stands in a store, kept. */
struct kept {
	struct engine_rig *rig;
	VEC(struct event) events;
	VEC(struct sha256) hashes;
	bool done;
};

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct kept *k = ctx;
	struct event ev = row->event->ev;
	struct arena *a = &k->rig->arena;

	ev.id = arena_str(a, ev.id);
	ev.turn = arena_str(a, ev.turn);
	ev.meta = arena_str(a, ev.meta);
	ev.payload = arena_str(a, ev.payload);
	*vec_push(&k->events) = ev;
	*vec_push(&k->hashes) = row->event->hash;
	return true;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	(void)err;
	assert_int_equal(rc, 0);
	assert_false(more);
	((struct kept *)ctx)->done = true;
}

static void
keep(struct kept *k, struct engine_rig *r, const char *session)
{
	*k = (struct kept){ .rig = r };
	store_read(r->store,
		   &(struct store_query){ .kind = STORE_LIST_EVENTS,
					  .session = str_of(session),
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_row, on_read, k);
	engine_rig_await(r, &k->done);
}

static void
forget(struct kept *k)
{
	vec_release(&k->events);
	vec_release(&k->hashes);
}

static struct rig_answer *
import_as(struct engine_rig *r, const struct engine_caller *who, struct str session,
	  const struct kept *k, size_t count)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_log *log = ARENA_NEW(&r->arena, struct engine_log);
	struct engine_call call = { .caller = who ? who : &r->owner,
				    .done = rig_answered,
				    .ctx = a };

	a->rig = r;
	*log = (struct engine_log){
		.session = session, .events = k->events.ptr, .hashes = k->hashes.ptr, .count = count
	};
	engine_import(r->en, &call, log);
	assert_false(a->done);
	engine_rig_await(r, &a->done);
	return a;
}

/* A conversation with a turn in it, of another server. */
static void
other_server(struct engine_rig *r, struct kept *k, int notes)
{
	engine_rig_init(r, false);
	rig_open(r, NULL, "cli:a");
	rig_expect(rig_say(r, &(struct engine_message){ .text = STR("think hm\nsay hello") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	virtual_host_advance(&r->host, 1000);
	for (int i = 0; i < notes; i++)
		rig_expect(rig_events(r,
				      (struct rig_call){
					      .id = STR("cli:a"),
					      .body = "[{'type':'system.message','content':[{"
						      "'type':'text','text':'x'}]}]" }),
			   0, NULL);
	keep(k, r, "cli:a");
}

static void
expect_same(struct engine_rig *r, const struct kept *want, size_t count)
{
	struct kept got;

	keep(&got, r, "cli:a");
	assert_int_equal(got.events.len, count);
	for (size_t i = 0; i < count; i++) {
		const struct event *a = &got.events.ptr[i], *b = &want->events.ptr[i];

		assert_int_equal(a->seq, b->seq);
		assert_int_equal(a->kind, b->kind);
		assert_int_equal(a->author, b->author);
		assert_int_equal(a->created_at_ms, b->created_at_ms);
		check_str("id", a->id, b->id);
		check_str("turn", a->turn, b->turn);
		check_str("meta", a->meta, b->meta);
		check_str("payload", a->payload, b->payload);
		assert_memory_equal(&got.hashes.ptr[i], &want->hashes.ptr[i],
				    sizeof *got.hashes.ptr);
	}
	forget(&got);
}

static void
S3_a_log_comes_back_byte_for_byte(void **state)
{
	struct engine_rig there, here;
	struct rig_answer *a;
	struct kept k;

	other_server(&there, &k, 600); /* more than one item holds */
	engine_rig_init(&here, *state != NULL);
	a = import_as(&here, NULL, STR("cli:a"), &k, k.events.len);
	rig_expect(a, 0, NULL);
	assert_true(a->created);
	expect_same(&here, &k, k.events.len);
	a = import_as(&here, NULL, STR("cli:a"), &k, k.events.len);
	rig_expect(a, 0, NULL);
	assert_false(a->created); /* equal content is skipped */
	expect_same(&here, &k, k.events.len);
	/* and it goes on from there */
	rig_expect(rig_say(&here, &(struct engine_message){ .text = STR("say more") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	engine_rig_release(&here);
	forget(&k);
	engine_rig_release(&there);
}

static void
S3_a_beginning_is_continued(void **state)
{
	struct engine_rig there, here;
	struct kept k;

	other_server(&there, &k, 5);
	engine_rig_init(&here, *state != NULL);
	for (size_t count = 1; count <= k.events.len; count++) {
		rig_expect(import_as(&here, NULL, STR("cli:a"), &k, count), 0, NULL);
		expect_same(&here, &k, count);
	}
	/* a shorter one is there already */
	assert_false(import_as(&here, NULL, STR("cli:a"), &k, 2)->created);
	expect_same(&here, &k, k.events.len);
	engine_rig_release(&here);
	forget(&k);
	engine_rig_release(&there);
}

static void
S3_another_log_under_the_same_id_is_refused(void **state)
{
	struct engine_rig there, here;
	struct kept k;

	other_server(&there, &k, 0);
	engine_rig_init(&here, *state != NULL);
	rig_open(&here, NULL, "cli:a");
	rig_expect(import_as(&here, NULL, STR("cli:a"), &k, k.events.len), ERR_CONFLICT,
		   "another log");
	check_str("log", engine_rig_log(&here, "cli:a", 1), STR("created"));
	engine_rig_release(&here);
	forget(&k);
	engine_rig_release(&there);
}

/* It is gone for good, and an import that says it was skipped would be a lie. */
static void
P6_a_deleted_session_does_not_come_back(void **state)
{
	struct engine_rig there, here;
	struct kept k;

	other_server(&there, &k, 0);
	engine_rig_init(&here, *state != NULL);
	rig_expect(import_as(&here, NULL, STR("cli:a"), &k, k.events.len), 0, NULL);
	rig_expect(rig_end(&here, engine_session_delete, (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	rig_expect(import_as(&here, NULL, STR("cli:a"), &k, k.events.len), ERR_CONFLICT, "deleted");
	engine_rig_release(&here);
	forget(&k);
	engine_rig_release(&there);
}

/* Somebody writes while the import looks at what is there: it gives up and leaves the log alone. */
static void
S3_a_session_that_moves_on_meanwhile_is_left_alone(void **state)
{
	struct engine_rig there, here;
	struct rig_answer a = { .rig = &here }, b = { .rig = &here };
	struct engine_call importing = { .done = rig_answered, .ctx = &a };
	struct engine_call sending = { .done = rig_answered, .ctx = &b };
	struct engine_log log;
	struct kept k;

	other_server(&there, &k, 0);
	engine_rig_init(&here, *state != NULL);
	importing.caller = sending.caller = &here.owner;
	rig_expect(import_as(&here, NULL, STR("cli:a"), &k, 1), 0, NULL);
	log = (struct engine_log){ .session = STR("cli:a"),
				   .events = k.events.ptr,
				   .hashes = k.hashes.ptr,
				   .count = k.events.len };
	engine_import(here.en, &importing, &log);
	engine_send(here.en, &sending, STR("cli:a"),
		    engine_rig_json(&here, "[{'type':'system.message','content':[{'type':'text',"
					   "'text':'x'}]}]"));
	rig_expect(&b, 0, NULL);
	rig_expect(&a, ERR_CONFLICT, NULL);
	check_str("log", engine_rig_log(&here, "cli:a", 1), STR("created message"));
	engine_rig_release(&here);
	forget(&k);
	engine_rig_release(&there);
}

static void
P2_only_operators_import(void **state)
{
	struct engine_rig there, here;
	struct kept k;

	other_server(&there, &k, 0);
	engine_rig_init(&here, *state != NULL);
	rig_expect(import_as(&here, rig_person(&here, "ann"), STR("cli:a"), &k, k.events.len),
		   ERR_NOT_FOUND, NULL);
	assert_null(engine_rig_session(&here, "cli:a"));
	rig_expect(import_as(&here, NULL, STR("cli:a"), &k, 0), ERR_INVALID, "at least one");
	engine_rig_release(&here);
	forget(&k);
	engine_rig_release(&there);
}

/* They run here as they would have there, and not before the whole log is in. */
static void
M13_queued_wakes_come_along(void **state)
{
	struct engine_rig there, here;
	struct engine_log_wake wakes[] = {
		{ STR("wake_1"), 0, STR("{\"id\":\"wake_1\",\"parked\":true}") },
		{ STR("wake_2"), 0, STR("{\"id\":\"wake_2\",\"reason\":\"look\"}") },
	};
	struct rig_answer a = { .rig = &here };
	struct engine_call call = { .done = rig_answered, .ctx = &a };
	struct engine_log log;
	struct kept k;

	other_server(&there, &k, 600);
	engine_rig_init(&here, *state != NULL);
	call.caller = &here.owner;
	wakes[1].due_at_ms = host_now_ms(&here.host.host) + 60000;
	log = (struct engine_log){ .session = STR("cli:a"),
				   .events = k.events.ptr,
				   .hashes = k.hashes.ptr,
				   .count = k.events.len,
				   .wakes = wakes,
				   .wake_count = ARRAY_LEN(wakes) };
	engine_import(here.en, &call, &log);
	rig_expect(&a, 0, NULL);
	check_str("parked", engine_rig_record(&here, RECORD_WAKE, STR("wake_1")), wakes[0].body);
	check_str("queued", engine_rig_record(&here, RECORD_WAKE, STR("wake_2")), wakes[1].body);
	expect_same(&here, &k, k.events.len);
	virtual_host_advance(&here.host, 61000);
	while (engine_rig_count(&here, RECORD_WAKE) > 1)
		virtual_host_advance(&here.host, 1000);
	assert_true(str_contains(engine_rig_log(&here, "cli:a", (int64_t)k.events.len + 1),
				 STR("status_running")));
	engine_rig_release(&here);
	forget(&k);
	engine_rig_release(&there);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, S3_a_log_comes_back_byte_for_byte);
	suite_add(&s, "S3 a log comes back byte for byte in sqlite",
		  S3_a_log_comes_back_byte_for_byte, &SQLITE);
	SUITE_TEST(&s, S3_a_beginning_is_continued);
	SUITE_TEST(&s, M13_queued_wakes_come_along);
	suite_add(&s, "M13 queued wakes come along in sqlite", M13_queued_wakes_come_along,
		  &SQLITE);
	SUITE_TEST(&s, S3_another_log_under_the_same_id_is_refused);
	SUITE_TEST(&s, P6_a_deleted_session_does_not_come_back);
	SUITE_TEST(&s, S3_a_session_that_moves_on_meanwhile_is_left_alone);
	SUITE_TEST(&s, P2_only_operators_import);
	return suite_run(&s, "engine/import");
}

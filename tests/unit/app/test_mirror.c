#include "app/mirror.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/host_loop.h"
#include "base/clock.h"
#include "base/file.h"
#include "harness.h"
#include "store/mem/mem.h"

/* A server without surfaces: a loop, a store in memory and the engine. */
struct place {
	struct loop *loop;
	struct host *host;
	struct loop_wake *stored;
	struct loop_timer *tick;
	struct store *store;
	struct engine *engine;
	struct engine_caller owner;
	struct mirror *mirror;
	char data[64];
	struct arena a;
	int rc;
	struct err e;
};

static void
on_wakeup(void *ctx)
{
	loop_wake_send(((struct place *)ctx)->stored);
}

static void
on_stored(void *ctx)
{
	store_dispatch(((struct place *)ctx)->store);
}

static void
on_tick(void *ctx)
{
	loop_stop(((struct place *)ctx)->loop);
}

static void
on_started(void *ctx, int rc, const struct err *err)
{
	struct place *p = ctx;

	if (rc != 0)
		fail_msg("%s", err->text);
	loop_stop(p->loop);
}

static void
on_drained(void *ctx)
{
	loop_stop(((struct place *)ctx)->loop);
}

#define TOKEN "pdr_00000000000000000000000000000000000000000000000000000000000000aa"

static void
begin(struct place *p)
{
	*p = (struct place){ 0 };
	arena_init(&p->a);
	snprintf(p->data, sizeof p->data, "/tmp/perdure-mirror-XXXXXX");
	assert_non_null(mkdtemp(p->data));
	p->loop = loop_new();
	p->host = host_loop_new(p->loop);
	p->stored = loop_wake_new(p->loop, on_stored, p);
	p->tick = loop_timer_new(p->loop, on_tick, p);
	p->store = store_mem_new((struct store_owner){ on_wakeup, NULL, p }, "place");
	p->engine = engine_new(&(struct engine_config){ .store = p->store,
							.host = p->host,
							.owner_token = STR(TOKEN),
							.settings.default_model = STR("demo") });
	engine_start(p->engine, on_started, p);
	loop_run(p->loop);
	assert_int_equal(engine_authenticate(p->engine, STR(TOKEN), &p->owner, &p->e), 0);
}

static void
end(struct place *p)
{
	mirror_free(&p->mirror);
	engine_drain(p->engine, 0, RECOVER_SHUTDOWN_TIMEOUT, on_drained, p);
	loop_run(p->loop);
	store_free(&p->store);
	engine_free(&p->engine);
	loop_wake_free(&p->stored);
	loop_timer_free(&p->tick);
	host_loop_free(&p->host);
	loop_free(&p->loop);
	assert_int_equal(system(arena_printf(&p->a, "rm -rf %s", p->data).ptr), 0);
	arena_release(&p->a);
}

static void
start_mirror(struct place *p)
{
	assert_int_equal(mirror_new(&p->mirror,
				    &(struct mirror_config){ .loop = p->loop,
							     .store = p->store,
							     .engine = p->engine,
							     .data = str_of(p->data) },
				    &p->e),
			 0);
}

static void
on_answer(void *ctx, const struct engine_answer *answer)
{
	struct place *p = ctx;

	p->rc = answer->rc;
	loop_stop(p->loop);
}

static void
note(struct place *p, const char *session, const char *text)
{
	struct engine_call call = { .caller = &p->owner, .done = on_answer, .ctx = p };
	struct engine_message m = { .text = str_of(text), .append_only = true };

	engine_post(p->engine, &call, str_of(session), &m);
	loop_run(p->loop);
	assert_int_equal(p->rc, 0);
}

static void
open_session(struct place *p, const char *session)
{
	struct engine_call call = { .caller = &p->owner, .done = on_answer, .ctx = p };
	struct json_doc doc;
	struct str text = arena_printf(&p->a, "{\"id\":\"%s\",\"agent\":\"main\"}", session);

	assert_int_equal(json_parse(&p->a, text, &JSON_LIMITS_DEFAULT, &doc, &p->e), 0);
	engine_session_open(p->engine, &call, json_root(&doc));
	loop_run(p->loop);
	assert_int_equal(p->rc, 0);
}

static bool
has(struct place *p, const char *session, const char *part)
{
	const char *path =
		arena_printf(&p->a, "%s/agents/main/sessions/%s/events.jsonl", p->data, session)
			.ptr;
	struct str text;

	return file_read(path, 1 << 20, &p->a, &text, &p->e) == 0 &&
	       str_contains(text, str_of(part));
}

/* The loop turns until it is there; a test that waits for ever is ended by who runs it. */
static void
await(struct place *p, const char *session, const char *part)
{
	int64_t until = clock_monotonic_ns() + INT64_C(20000000000);

	while (!has(p, session, part)) {
		if (clock_monotonic_ns() > until)
			fail_msg("%s has no %s", session, part);
		loop_timer_set(p->tick, 5);
		loop_run(p->loop);
	}
}

static void
M13_a_start_completes_what_is_missing_and_a_log_is_followed(void **state)
{
	struct place p;

	(void)state;
	begin(&p);
	for (int i = 0; i < 210; i++) /* more than a page of sessions */
		open_session(&p, arena_printf(&p.a, "s%d", i).ptr);
	note(&p, "s7", "from before");
	start_mirror(&p);
	await(&p, "s7", "from before");
	await(&p, "s0", "session.created");
	await(&p, "s209", "session.created");
	note(&p, "s7", "meanwhile");
	await(&p, "s7", "meanwhile");
	open_session(&p, "late");
	await(&p, "late", "session.created");
	end(&p);
}

static void
M13_an_end_writes_what_is_known_to_be_missing(void **state)
{
	struct place p;

	(void)state;
	begin(&p);
	open_session(&p, "a");
	start_mirror(&p);
	await(&p, "a", "session.created");
	for (int i = 0; i < 20; i++)
		note(&p, "a", arena_printf(&p.a, "note %d", i).ptr);
	mirror_free(&p.mirror);
	assert_true(has(&p, "a", "note 19"));
	end(&p);
}

static void
M13_files_that_cannot_be_written_harm_nobody(void **state)
{
	struct place p;

	(void)state;
	begin(&p);
	assert_int_equal(system(arena_printf(&p.a, "touch %s/agents", p.data).ptr), 0);
	open_session(&p, "a");
	start_mirror(&p);
	for (int i = 0; i < 20; i++)
		note(&p, "a", "said");
	mirror_free(&p.mirror);
	end(&p);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M13_a_start_completes_what_is_missing_and_a_log_is_followed);
	SUITE_TEST(&s, M13_an_end_writes_what_is_known_to_be_missing);
	SUITE_TEST(&s, M13_files_that_cannot_be_written_harm_nobody);
	return suite_run(&s, "app/mirror");
}

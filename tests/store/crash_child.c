/* crash_child DIRECTORY JOURNAL CYCLE ACKS - puts a store under load until it is killed, or closes it
 * after that many acknowledgements. One context per session runs turns, the others only post; each
 * has one item on its way and sends the next from the answer. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "await.h"
#include "base/buf.h"
#include "base/vec.h"
#include "core/event_make.h"
#include "crash_load.h"
#include "store/sqlite/sqlite.h"

enum { POSTERS = 6, CONSUMED_MAX = 8, PAYLOAD_MAX = 64 * 1024, EXIT_REFUSED = 9 };

enum stage { STAGE_MESSAGE, STAGE_RUN, STAGE_CALL, STAGE_RESULT, STAGE_END };

struct child;

struct context {
	struct child *c;
	int session; /* -1: posts to all in turn */
	enum stage stage;
	struct arena arena; /* of the item on its way */
	struct load_item it;
	struct str name; /* the key, when it has one */
	char turn[LOAD_NAME_MAX], call[LOAD_NAME_MAX];
	int64_t fence;
};

struct child {
	struct store *store;
	int journal;
	int64_t cycle, acks_left, made;
	bool done;
	struct context contexts[LOAD_SESSIONS + POSTERS];
	/* Names acknowledged and not consumed yet, by session. */
	struct {
		char names[CONSUMED_MAX][LOAD_NAME_MAX];
		size_t count;
	} pending[LOAD_SESSIONS];
};

static struct str
fresh_name(struct context *x, int session)
{
	return arena_printf(&x->arena, "c%d.%lld.%lld", session, (long long)x->c->cycle,
			    (long long)x->c->made++);
}

static void
make_message(struct context *x, int session)
{
	x->name = fresh_name(x, session);
	load_message(&x->it, &x->arena, x->name);
	load_journal_sent(x->c->journal, x->name);
}

static void
begin_step(struct context *x)
{
	x->it = (struct load_item){ .item.session = load_session(&x->arena, x->session),
				    .item.require.fence = x->fence };
}

static void
add(struct context *x, enum event_kind kind, struct str id, struct buf *payload)
{
	load_event(&x->it, &x->arena, kind, id, str_of(x->turn), buf_str(payload));
	buf_clear(payload);
}

static void
make_run(struct context *x, struct buf *out)
{
	size_t count = x->c->pending[x->session].count;
	struct str *ids = ARENA_ARRAY(&x->arena, count, struct str);

	for (size_t i = 0; i < count; i++)
		ids[i] = arena_str(&x->arena, str_of(x->c->pending[x->session].names[i]));
	x->c->pending[x->session].count = 0;
	snprintf(x->turn, sizeof x->turn, STR_FMT, STR_ARG(fresh_name(x, x->session)));
	x->fence = 0;
	begin_step(x);
	x->it.item.require.pending = (struct str_list){ ids, count };
	x->it.item.lease = STORE_LEASE_TAKE;
	event_make_running(out, str_of(x->turn), x->it.item.require.pending, (struct str_list){ 0 },
			   (struct str){ 0 });
	add(x, EVENT_STATUS_RUNNING, fresh_name(x, x->session), out);
}

static void
make_call(struct context *x, struct buf *out)
{
	struct make_tool_use m = { .kind = EVENT_AGENT_TOOL_USE,
				   .name = STR("bash"),
				   .input = STR("{\"command\":\"true\"}"),
				   .permission = STR("allow") };

	begin_step(x);
	snprintf(x->call, sizeof x->call, STR_FMT, STR_ARG(fresh_name(x, x->session)));
	event_make_tool_use(out, &m);
	add(x, EVENT_AGENT_TOOL_USE, str_of(x->call), out);
}

/* Every fourth result is large enough for a blob. */
static void
make_result(struct context *x, struct buf *out)
{
	struct buf text;

	buf_init(&text, PAYLOAD_MAX);
	do
		buf_printf(&text, "%s line %zu. ", x->call, text.len);
	while (x->c->made % 4 == 0 && text.len < STORE_INLINE_MAX);
	begin_step(x);
	event_make_tool_result(out, false, str_of(x->call), OUTCOME_OK, buf_str(&text));
	add(x, EVENT_AGENT_TOOL_RESULT, fresh_name(x, x->session), out);
	buf_release(&text);
}

static void
make_end(struct context *x, struct buf *out)
{
	begin_step(x);
	x->it.item.lease = STORE_LEASE_RELEASE;
	event_make_agent_message(out, STR("Done."), STR("demo"), false);
	add(x, EVENT_AGENT_MESSAGE, fresh_name(x, x->session), out);
	event_make_idle(out, str_of(x->turn), STOP_END_TURN, (struct str_list){ 0 },
			(struct str_list){ 0 });
	add(x, EVENT_STATUS_IDLE, fresh_name(x, x->session), out);
}

static void on_done(void *ctx, const struct store_result *r);

static void
send_next(struct context *x)
{
	struct buf out;

	arena_reset(&x->arena);
	x->name = (struct str){ 0 };
	buf_init(&out, 2 * PAYLOAD_MAX);
	switch (x->stage) {
	case STAGE_MESSAGE:
		make_message(x, x->session >= 0 ? x->session : (int)(x->c->made % LOAD_SESSIONS));
		break;
	case STAGE_RUN: make_run(x, &out); break;
	case STAGE_CALL: make_call(x, &out); break;
	case STAGE_RESULT: make_result(x, &out); break;
	case STAGE_END: make_end(x, &out); break;
	}
	buf_release(&out);
	store_append(x->c->store, &x->it.item, on_done, x);
}

static void
remember(struct child *c, struct str name)
{
	size_t session = (size_t)(name.ptr[1] - '0');

	if (c->pending[session].count < CONSUMED_MAX)
		snprintf(c->pending[session].names[c->pending[session].count++], LOAD_NAME_MAX,
			 STR_FMT, STR_ARG(name));
}

static void
refuse(struct child *c, const struct err *e)
{
	load_journal_error(c->journal, e);
	_exit(EXIT_REFUSED);
}

static void
on_done(void *ctx, const struct store_result *r)
{
	struct context *x = ctx;
	struct child *c = x->c;

	if (r->rc != 0)
		refuse(c, &r->err);
	load_journal_acked(c->journal, x->it.item.session, r, x->name);
	if (x->name.len > 0)
		remember(c, x->name);
	if (x->stage == STAGE_RUN)
		x->fence = r->fence;
	if (x->session >= 0)
		x->stage = x->stage == STAGE_END ? STAGE_MESSAGE : x->stage + 1;
	c->done = --c->acks_left <= 0;
	if (!c->done)
		send_next(x);
}

/* The sessions must be there before anybody posts to all of them. */
static void
create_all(struct child *c)
{
	struct arena a;

	arena_init(&a);
	for (int i = 0; i < LOAD_SESSIONS; i++) {
		struct load_item it;
		struct store_result r;
		load_created(&it, &a, load_session(&a, i));
		r = await_append(c->store, &it.item);
		if (r.rc == 0)
			load_journal_acked(c->journal, it.item.session, &r, (struct str){ 0 });
		else if (r.rc != ERR_CONFLICT) /* there since an earlier cycle */
			refuse(c, &r.err);
	}
	arena_release(&a);
}

/* A session of this cycle alone is made, deleted and purged, so that a kill can hit its purge; wherever it
 * does, the store must open and check clean. */
static void
purge_one(struct child *c)
{
	struct load_item it;
	struct store_result r;
	struct buf payload;
	struct arena a;
	struct str session, id;

	arena_init(&a);
	session = arena_printf(&a, "gone-%lld", (long long)c->cycle);
	id = arena_printf(&a, "gone-%lld-deleted", (long long)c->cycle);
	load_created(&it, &a, session);
	r = await_append(c->store, &it.item);
	if (r.rc == 0) {
		buf_init(&payload, PAYLOAD_MAX);
		event_make_deleted(&payload);
		it = (struct load_item){ .item.session = session };
		load_event(&it, &a, EVENT_SESSION_DELETED, id, STR(""), buf_str(&payload));
		r = await_append(c->store, &it.item);
		buf_release(&payload);
	}
	if (r.rc == 0)
		r = await_append(c->store,
				 &(struct store_item){ .session = session, .purge = true });
	if (r.rc != 0)
		refuse(c, &r.err);
	arena_release(&a);
}

static int
run(struct child *c)
{
	create_all(c);
	purge_one(c);
	for (int i = 0; i < LOAD_SESSIONS + POSTERS; i++) {
		struct context *x = &c->contexts[i];
		*x = (struct context){ .c = c,
				       .session = i < LOAD_SESSIONS ? i : -1,
				       .stage = STAGE_MESSAGE };
		arena_init(&x->arena);
		send_next(x);
	}
	while (!c->done) {
		store_wait(c->store, 1000);
		store_dispatch(c->store);
	}
	store_free(&c->store);
	for (size_t i = 0; i < ARRAY_LEN(c->contexts); i++)
		arena_release(&c->contexts[i].arena);
	return 0;
}

int
main(int argc, char **argv)
{
	static struct child c;
	struct store_sqlite_config config = { 0 };
	char incarnation[32];
	struct err e;

	if (argc != 5 || !str_to_int(str_of(argv[3]), &c.cycle) ||
	    !str_to_int(str_of(argv[4]), &c.acks_left))
		return 2;
	c.journal = open(argv[2], O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
	if (c.journal < 0)
		return 3;
	snprintf(incarnation, sizeof incarnation, "child-%lld", (long long)c.cycle);
	config.directory = argv[1];
	config.incarnation = str_of(incarnation);
	if (store_sqlite_open(&c.store, &config, (struct store_owner){ 0 }, &e) != 0)
		refuse(&c, &e);
	return run(&c);
}

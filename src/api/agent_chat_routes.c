/* agent_chat_routes - /agent/chat, /agent/chat/stream, /agent/reset: a conversation by its surface, whose
 * session is found or opened with each request. */
#include "api/agent_chat_form.h"
#include "api/handlers.h"
#include "api/session_routes.h"

static const int64_t CHAT_TIMEOUT_MS = INT64_C(1800) * 1000; /* of a turn */

struct chat {
	struct exchange *x;
	bool streams;
	struct engine_message message;
	struct message_posted posted;
	bool found;
};

/* ---- the request ---- */

/* The key of the conversation, as the engine reads it. message NULL: the route takes none. */
static int
read_request(struct exchange *x, struct str *message, struct json *resolve, struct err *e)
{
	struct json text = { 0 }, agent = { 0 }, surface = { 0 }, id = { 0 }, workspace = { 0 };
	const struct json_field fields[] = {
		{ "agentId", JSON_WANT_STRING | JSON_WANT_NULL, false, &agent },
		{ "surface", JSON_WANT_STRING, true, &surface },
		{ "surfaceId", JSON_WANT_STRING, true, &id },
		{ "workspaceId", JSON_WANT_STRING | JSON_WANT_NULL, false, &workspace },
		{ "message", JSON_WANT_STRING, true, &text },
	};
	struct json_doc *doc = ARENA_NEW(x->arena, struct json_doc);
	struct buf out;
	struct jw w;
	int rc = json_fields(x->body, fields, ARRAY_LEN(fields) - (message ? 0 : 1), e);

	if (rc == 0 && message)
		rc = json_take_str(text, x->arena, message, e);
	if (rc == 0 && message && message->len == 0)
		rc = json_fail(text, e, "must not be empty");
	if (rc != 0)
		return rc;
	buf_init(&out, STORE_PAYLOAD_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	jw_field_object(&w, "key");
	jw_field_raw(&w, "surface", json_raw(surface));
	jw_field_raw(&w, "surface_id", json_raw(id));
	if (json_is_set(agent))
		jw_field_raw(&w, "agent_id", json_raw(agent));
	if (json_is_set(workspace))
		jw_field_raw(&w, "workspace_id", json_raw(workspace));
	jw_end_object(&w);
	jw_field_bool(&w, "force_new", !message);
	jw_end_object(&w);
	rc = json_parse(x->arena, arena_str(x->arena, buf_str(&out)), &JSON_LIMITS_DEFAULT, doc, e);
	buf_release(&out);
	*resolve = json_root(doc);
	return rc;
}

/* ---- chat ---- */

static void
follow(struct chat *c)
{
	if (c->streams)
		message_turn_stream(c->x, &c->posted, CHAT_TIMEOUT_MS);
	else
		message_turn_wait(c->x, &c->posted, CHAT_TIMEOUT_MS);
}

static bool
on_first_row(void *ctx, const struct store_row *row)
{
	struct chat *c = ctx;

	c->posted.event_id = c->posted.message_id = arena_str(c->x->arena, row->event->ev.id);
	return false;
}

static void
on_first(void *ctx, int rc, bool more, const struct err *err)
{
	struct chat *c = ctx;
	struct err e;

	(void)more;
	if (rc == 0 && c->posted.event_id.len == 0) {
		rc = err_set(&e, ERR_NOT_FOUND, "the first answer's message is not kept any more");
		err = &e;
	}
	if (rc != 0)
		exchange_fail(c->x, rc, err);
	else
		follow(c);
}

/* A repeat: the first answer names its message by seq only, in the session it was said in. */
static void
read_first(struct chat *c)
{
	struct store_query q = {
		.kind = STORE_LIST_EVENTS,
		.session = c->posted.session,
		.after = c->posted.seq - 1,
		.limit = 1,
	};

	engine_read(c->x->engine, &c->x->caller, &q, on_first_row, on_first, c);
}

static void
on_posted(void *ctx, const struct engine_answer *answer)
{
	struct chat *c = ctx;

	if (answer->rc != 0) {
		session_fail(c->x, answer);
		return;
	}
	c->posted.seq = answer->first_seq + (int64_t)answer->event_count - 1;
	c->posted.triggered = answer->triggered;
	c->posted.queue_position = answer->queue_position;
	c->posted.replayed = answer->replayed;
	if (answer->id.len > 0)
		c->posted.session = arena_str(c->x->arena, answer->id);
	if (!answer->events) {
		read_first(c);
		return;
	}
	c->posted.event_id = c->posted.message_id =
		arena_str(c->x->arena, answer->events[answer->event_count - 1].id);
	follow(c);
}

static void
on_resolved(void *ctx, const struct engine_answer *answer)
{
	struct chat *c = ctx;
	struct exchange *x = c->x;

	if (answer->rc != 0) {
		session_fail(x, answer);
		return;
	}
	c->posted.session = arena_str(x->arena, answer->id);
	c->posted.created = answer->created;
	if (answer->reset_reason.ptr)
		c->posted.reset_reason = arena_str(x->arena, answer->reset_reason);
	x->call.done = on_posted;
	x->call.repeat = &x->repeat;
	engine_post(x->engine, &x->call, c->posted.session, &c->message);
}

static void
chat(struct exchange *x, bool streams)
{
	struct chat *c = ARENA_NEW(x->arena, struct chat);
	struct json resolve;
	struct err e;
	int rc;

	*c = (struct chat){ .x = x, .streams = streams, .posted.form = &AGENT_CHAT_FORM };
	rc = read_request(x, &c->message.text, &resolve, &e);
	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	x->call.done = on_resolved;
	x->call.ctx = c;
	x->call.repeat = NULL; /* the key is the message's: finding a session can be repeated */
	engine_session_resolve(x->engine, &x->call, resolve);
}

void
agent_chat_route(struct exchange *x)
{
	chat(x, false);
}

void
agent_chat_stream_route(struct exchange *x)
{
	chat(x, true);
}

/* ---- reset ---- */

struct reset {
	struct exchange *x;
	struct str session, archived;
	bool was_reset, replayed;
};

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct reset *r = ctx;

	r->archived = arena_str(r->x->arena, row->session->previous_id);
	return false;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct reset *r = ctx;
	struct buf *out;
	struct jw w;

	(void)more;
	if (rc != 0) {
		exchange_fail(r->x, rc, err);
		return;
	}
	out = exchange_buf(r->x);
	jw_init(&w, out);
	jw_object(&w);
	jw_field_bool(&w, "reset", r->was_reset);
	jw_field_opt(&w, "archivedSessionId",
		     r->was_reset && r->archived.len > 0 ? r->archived : (struct str){ 0 });
	jw_field_str(&w, "sessionId", r->session);
	jw_end_object(&w);
	exchange_json(r->x, 200, buf_str(out), r->replayed);
}

static void
on_reset(void *ctx, const struct engine_answer *answer)
{
	struct reset *r = ctx;
	struct store_query q = { .kind = STORE_GET_SESSION, .limit = 1 };

	if (answer->rc != 0) {
		session_fail(r->x, answer);
		return;
	}
	r->session = q.session = arena_str(r->x->arena, answer->id);
	r->was_reset = answer->reset_reason.ptr != NULL;
	r->replayed = answer->replayed;
	engine_read(r->x->engine, &r->x->caller, &q, on_session_row, on_session, r);
}

void
agent_reset_route(struct exchange *x)
{
	struct reset *r = ARENA_NEW(x->arena, struct reset);
	struct json resolve;
	struct err e;
	int rc = read_request(x, NULL, &resolve, &e);

	r->x = x;
	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	x->call.done = on_reset;
	x->call.ctx = r;
	engine_session_resolve(x->engine, &x->call, resolve);
}

#include "engine/own_tool_directive.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/sha256.h"
#include "base/timestamp.h"
#include "base/xalloc.h"
#include "engine/actor.h"
#include "engine/turn.h"

enum { TEXT_BYTES_MAX = 64 * 1024 };

static const struct str FOLLOW_UP = STR("session.follow_up");

int
directive_order_read(struct str arguments, int continues, struct arena *a,
		     struct directive_order *out, struct err *e)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct directive_order o = { .given = true };
	int rc = json_parse(a, arena_str(a, arguments), &EVENT_PAYLOAD_LIMITS, doc, e);

	if (rc == 0)
		rc = directive_args_read(json_root(doc), a, &o.asked, e);
	if (rc != 0)
		return rc;
	o.plan = directive_policy_decide(&o.asked, continues);
	*out = o;
	return 0;
}

bool
directive_order_wakes(const struct directive_order *o)
{
	return o->given && (o->plan.follow_up_ms >= 0 || o->asked.wake_count > 0);
}

int
directive_continues(struct wake_list wakes)
{
	int most = 0;

	for (size_t i = 0; i < wakes.len; i++)
		if (wakes.ptr[i].continues > most)
			most = wakes.ptr[i].continues;
	return most;
}

/* ---- carrying it out ---- */

static struct str
learning_id(struct arena *a, struct str agent, const struct directive_learning *l)
{
	enum { HASH_BYTES = 16 };
	struct str text =
		arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(l->title), STR_ARG(l->detail));
	struct sha256 hash;
	char hex[2 * HASH_BYTES + 1];

	for (size_t i = 0; i < text.len; i++) /* said again with other letters it is the same */
		if (text.ptr[i] >= 'A' && text.ptr[i] <= 'Z')
			((char *)text.ptr)[i] |= 0x20;
	hash = sha256_of(text);
	sha256_hex(&hash, HASH_BYTES, hex);
	return arena_printf(a, STR_FMT "/%s", STR_ARG(agent), hex);
}

static void
put_learning(const struct directive_learning *l, const struct directive_scene *at, struct commit *c)
{
	struct str id = learning_id(commit_arena(c), at->agent, l);
	char now[TIMESTAMP_TEXT_MAX];
	struct buf body;
	struct jw w;

	buf_init(&body, TEXT_BYTES_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "id", id);
	jw_field_str(&w, "type", STR("learning"));
	jw_field_str(&w, "agent_id", at->agent);
	jw_field_str(&w, "session_id", at->session);
	jw_field_str(&w, "turn_id", at->turn);
	jw_field_str(&w, "created_at", timestamp_format(host_now_ms(at->en->host), now));
	jw_field_str(&w, "title", l->title);
	jw_field_str(&w, "detail", l->detail);
	jw_end_object(&w);
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_LEARNING,
						       .id = id,
						       .owner = at->agent,
						       .body = buf_str(&body) },
					   .if_version = STORE_VERSION_ANY });
	buf_release(&body);
}

void
directive_order_commit(const struct directive_order *o, const struct directive_scene *at,
		       struct commit *c)
{
	int64_t now_ms = host_now_ms(at->en->host);

	if (!o->given)
		return;
	if (o->plan.follow_up_ms >= 0)
		wake_queue_add(
			at->en, c, at->session,
			&(struct queued_wake){ .item = { .due_ms = now_ms + o->plan.follow_up_ms,
							 .priority = WAKE_NORMAL,
							 .reason = FOLLOW_UP,
							 .dedupe_key = FOLLOW_UP },
					       .continues = o->plan.continues },
			o->known);
	for (size_t i = 0; i < o->asked.wake_count; i++) {
		const struct directive_wake *w = &o->asked.wakes[i];

		wake_queue_add(
			at->en, c, at->session,
			&(struct queued_wake){ .item = { .due_ms = now_ms + w->delay_s * 1000,
							 .priority = WAKE_NORMAL,
							 .reason = w->reason,
							 .note = w->note } },
			o->known);
	}
	for (size_t i = 0; i < o->asked.learning_count; i++)
		put_learning(&o->asked.learnings[i], at, c);
}

/* ---- the tool ---- */

static struct str
answer_of(const struct directive_order *o, struct arena *a)
{
	const char *outcome = o->plan.outcome == DIRECTIVE_CONTINUE ? "continue" : "sleep";

	if (o->plan.forced)
		return arena_printf(a,
				    "noted, but %d turns in a row have asked to continue: the "
				    "session sleeps after this one until somebody writes or one of "
				    "its wakes is due",
				    DIRECTIVE_CONTINUES_MAX);
	if (o->plan.follow_up_ms >= 0)
		return arena_printf(a,
				    "noted for the end of this turn: %s, follow-up in %lld s, %zu "
				    "wakes, %zu learnings",
				    outcome, (long long)(o->plan.follow_up_ms / 1000),
				    o->asked.wake_count, o->asked.learning_count);
	return arena_printf(a, "noted for the end of this turn: %s, %zu wakes, %zu learnings",
			    outcome, o->asked.wake_count, o->asked.learning_count);
}

/* One call, while the wakes that are queued are being read. */
struct noting {
	struct own_tool_call *call; /* NULL: it was cancelled */
	struct arena arena;
};

static void
on_wakes(void *ctx, int rc, const struct err *err, const struct wake_list *wakes)
{
	struct noting *n = ctx;
	struct own_tool_call *call = n->call;
	struct actor *actor = call ? actor_find(call->en, call->session) : NULL;
	struct directive_order order;
	struct err e;

	(void)err;
	if (actor && actor->turn) {
		struct arena *a = turn_arena(actor->turn);

		rc = rc != 0 ? err_set(&e, rc, "the session's wakes cannot be read: try again")
			     : directive_order_read(call->arguments,
						    directive_continues(turn_wakes(actor->turn)), a,
						    &order, &e);
		if (rc == 0) {
			order.known = wake_queue_less(*wakes, turn_wakes(actor->turn), a);
			turn_direct(actor->turn, &order);
			own_tool_done(call, OUTCOME_OK, answer_of(&order, call->arena));
		} else {
			own_tool_done(call, OUTCOME_ERROR, str_of(e.text));
		}
	}
	arena_release(&n->arena);
	free(n);
}

static void
start(struct own_tool_call *call)
{
	struct noting *n = xcalloc(1, sizeof *n);

	n->call = call;
	call->state = n;
	arena_init(&n->arena);
	wake_queue_read(call->en, call->session, &n->arena, on_wakes, n);
}

static void
cancel(struct own_tool_call *call)
{
	struct noting *n = call->state;

	n->call = NULL; /* it is freed when the store has answered */
}

const struct own_tool OWN_TOOL_DIRECTIVE = {
	{ .name = DIRECTIVE_TOOL_NAME,
	  .description = STR(
		  "Says what happens to this session when the turn is over: sleep until somebody "
		  "writes, or continue by yourself after follow_up_seconds (300 if not given; at "
		  "most 3 times in a row). wakes (at most 3, 1 second to 24 hours from now) wake "
		  "the "
		  "session again with your reason and note; learnings (at most 3) are kept for all "
		  "sessions of this agent. The last directive of a turn counts. Without one the "
		  "session sleeps."),
	  .input_schema = STR(DIRECTIVE_ARGS_SCHEMA),
	  .read_only = true },
	start,
	cancel,
};

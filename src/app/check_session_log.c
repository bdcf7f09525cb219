/* check_session_log - is every event there, unchanged, and allowed where it stands? */
#include <string.h>

#include "app/check_session_private.h"
#include "core/input.h"

static struct str
text_of(struct check_session *c, struct json payload, const char *name)
{
	struct json v;

	return json_find(payload, str_of(name), &v) ? arena_str(&c->kept, json_str(v, &c->scratch))
						    : (struct str){ 0 };
}

static struct str
raw_of(struct check_session *c, struct json payload, const char *name)
{
	struct json v;

	return json_find(payload, str_of(name), &v) ? arena_str(&c->kept, json_raw(v))
						    : (struct str){ 0 };
}

/* The replay has accepted it: it parses and is complete. */
static void
keep_created(struct check_session *c, const struct event *ev)
{
	struct check_created *k = &c->created;
	struct json_doc doc;
	struct json root, v;
	struct err e;

	if (json_parse(&c->scratch, ev->payload, &JSON_LIMITS_DEFAULT, &doc, &e) != 0)
		return;
	root = json_root(&doc);
	k->agent_id = text_of(c, root, "agent_id");
	k->environment_id = text_of(c, root, "environment_id");
	k->workspace_id = text_of(c, root, "workspace_id");
	k->lane_key = text_of(c, root, "lane_key");
	k->parent_id = text_of(c, root, "parent_session_id");
	k->previous_id = text_of(c, root, "previous_session_id");
	k->source = raw_of(c, root, "source");
	k->group = str_eq(text_of(c, root, "session_type"), STR("group"));
	k->created_at_ms = ev->created_at_ms;
	if (json_find(root, STR("agent_version"), &v))
		json_int(v, &k->agent_version);
}

/* Each event against the stored hash before it, so that one change is one problem. */
static void
check_chain(struct check_session *c, const struct store_event *event)
{
	struct sha256 hash = event_hash(&c->hash, &c->last_hash, &event->ev);
	char stored[17], computed[17];

	if (memcmp(&hash, &event->hash, sizeof hash) == 0)
		return;
	sha256_hex(&event->hash, 8, stored);
	sha256_hex(&hash, 8, computed);
	check_found(c, event->ev.seq,
		    "the event or its hash was changed: stored hash %s..., computed %s...", stored,
		    computed);
}

static void
check_gap(struct check_session *c, int64_t seq)
{
	if (seq == c->last_seq + 2)
		check_found(c, c->last_seq + 1, "the event is missing");
	else if (seq != c->last_seq + 1)
		check_found(c, c->last_seq + 1, "the events up to seq %lld are missing",
			    (long long)seq - 1);
	c->broken |= seq != c->last_seq + 1;
}

static void
replay_one(struct check_session *c, const struct event *ev)
{
	struct err e;

	if (replay_apply(c->replay, ev, &e) != 0) {
		check_found(c, ev->seq, "the log does not replay: %s", e.text);
		c->broken = true;
	} else if (ev->seq == 1) {
		keep_created(c, ev);
	}
}

/* Of inputs the instant is known only when the log has been read to its end. */
static void
keep_processed(struct check_session *c, const struct store_event *event)
{
	struct classify_facts f = { .kind = event->ev.kind };
	enum input_class class;

	if (input_classify(&f, &class))
		*vec_push(&c->processed) = event->processed_at_ms;
	else
		check_same_int(c, event->ev.seq, "processed_at", event->processed_at_ms,
			       event->ev.created_at_ms);
}

static bool
on_event(void *ctx, const struct store_row *row)
{
	struct check_session *c = ctx;
	const struct store_event *event = row->event;

	arena_reset(&c->scratch);
	if (event->ev.seq == c->last_seq + 1)
		check_chain(c, event);
	else
		check_gap(c, event->ev.seq); /* what it was chained to is not there */
	if (!c->broken)
		replay_one(c, &event->ev);
	keep_processed(c, event);
	c->last_seq = event->ev.seq;
	c->last_hash = event->hash;
	c->report->events++;
	return true;
}

static void
check_processed(struct check_session *c)
{
	size_t count;
	const struct input_row *in = replay_inputs(c->replay, &count);

	for (size_t i = 0; i < count && i < c->processed.len; i++)
		check_same_int(c, in[i].seq, "processed_at", c->processed.ptr[i],
			       in[i].processed_at_ms);
}

/* ---- forks: what the other log showed then, by a replay of its own ---- */

enum { DEPTH_MAX = 1000 }; /* a damaged store may go in circles */

struct fork {
	struct arena arena;
	struct str parent; /* empty: it is none */
	int64_t at_seq;
};

static bool
on_forked(void *ctx, const struct store_row *row)
{
	struct fork *f = ctx;
	struct json_doc doc;
	struct json id, at;

	if (json_parse(&f->arena, arena_str(&f->arena, row->event->ev.payload),
		       &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0 &&
	    json_find(json_root(&doc), STR("parent_session_id"), &id) &&
	    json_find(json_root(&doc), STR("at_seq"), &at) && json_int(at, &f->at_seq))
		f->parent = json_str(id, &f->arena);
	return false;
}

struct ancestor {
	struct replay *replay;
	int64_t last_seq;
	bool broken;
};

static bool
on_ancestor_event(void *ctx, const struct store_row *row)
{
	struct ancestor *a = ctx;

	a->broken = replay_apply(a->replay, &row->event->ev, NULL) != 0;
	a->last_seq = row->event->ev.seq;
	return !a->broken;
}

/* What the session before up_to was forked from, as it was then; *out is NULL when it was not. False: it
 * cannot be replayed, which its own check tells. */
static bool
replay_parent(struct store *store, struct str session, int64_t up_to, int depth,
	      struct replay **out)
{
	struct fork f = { 0 };
	struct ancestor a = { 0 };
	struct store_query q = { .kind = STORE_LIST_EVENTS,
				 .session = session,
				 .kinds = UINT64_C(1) << EVENT_SESSION_FORKED,
				 .before = up_to,
				 .limit = 1 };
	struct replay *parent = NULL;
	bool more = true, ok;

	*out = NULL;
	arena_init(&f.arena);
	ok = depth < DEPTH_MAX && check_read(store, &q, on_forked, &f, &more, NULL) == 0;
	if (ok && f.parent.len > 0) {
		ok = replay_parent(store, f.parent, f.at_seq + 1, depth + 1, &parent);
		a.replay = replay_new();
		if (parent)
			replay_inherit(a.replay, parent);
		q = (struct store_query){ .kind = STORE_LIST_EVENTS,
					  .session = f.parent,
					  .before = f.at_seq + 1,
					  .limit = STORE_PAGE_ROWS_MAX };
		for (more = true; ok && more && !a.broken; q.after = a.last_seq)
			ok = check_read(store, &q, on_ancestor_event, &a, &more, NULL) == 0;
		ok = ok && !a.broken && a.last_seq == f.at_seq;
		replay_free(&parent);
	}
	*out = a.replay;
	arena_release(&f.arena);
	return ok;
}

int
check_session_log(struct check_session *c, struct err *e)
{
	struct store_query q = { .kind = STORE_LIST_EVENTS,
				 .session = c->id,
				 .limit = STORE_PAGE_ROWS_MAX };
	struct replay *parent;
	bool more = true;
	int rc = 0;

	if (!replay_parent(c->store, c->id, 0, 0, &parent))
		check_found(c, 0, "what it was forked from cannot be replayed");
	else if (parent)
		replay_inherit(c->replay, parent);
	while (rc == 0 && more) {
		q.after = c->last_seq;
		rc = check_read(c->store, &q, on_event, c, &more, e);
	}
	replay_free(&parent);
	if (rc == 0 && c->last_seq == 0)
		check_found(c, 1, "the log is empty");
	if (rc != 0 || c->last_seq == 0)
		c->broken = true;
	else if (!c->broken)
		check_processed(c);
	return rc;
}

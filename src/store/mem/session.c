/* session - one log in memory: its events, their replay and the facts of its creation. */
#include "base/json.h"
#include "base/xalloc.h"
#include "core/turn_mutant.h"
#include "store/mem/mem_private.h"

struct mem_session *
mem_session_new(struct str id)
{
	struct mem_session *s = xcalloc(1, sizeof *s);

	arena_init(&s->kept);
	map_init(&s->ids, 0);
	s->replay = replay_new();
	s->facts.id = arena_str(&s->kept, id);
	return s;
}

void
mem_session_free(struct mem_session **p)
{
	struct mem_session *s = *p;

	if (!s)
		return;
	replay_free(&s->replay);
	vec_release(&s->events);
	map_release(&s->ids);
	arena_release(&s->kept);
	free(s);
	*p = NULL;
}

static struct str
text_of(struct mem_session *s, struct json payload, const char *name)
{
	struct json v;

	return json_find(payload, str_of(name), &v) ? json_str(v, &s->kept) : (struct str){ 0 };
}

static struct str
json_of(struct json payload, const char *name)
{
	struct json v;

	return json_find(payload, str_of(name), &v) ? json_raw(v) : (struct str){ 0 };
}

/* From session.created, which the replay has checked; views of the kept payload. */
static void
read_facts(struct mem_session *s)
{
	const struct event *ev = &s->events.ptr[0].ev;
	struct store_session *f = &s->facts;
	struct json_doc *doc = ARENA_NEW(&s->kept, struct json_doc);
	struct json p, version;

	if (json_parse(&s->kept, ev->payload, &EVENT_PAYLOAD_LIMITS, doc, NULL) != 0)
		return;
	p = json_root(doc);
	f->agent_id = text_of(s, p, "agent_id");
	f->environment_id = text_of(s, p, "environment_id");
	f->workspace_id = text_of(s, p, "workspace_id");
	f->lane_key = text_of(s, p, "lane_key");
	f->parent_id = text_of(s, p, "parent_session_id");
	f->previous_id = text_of(s, p, "previous_session_id");
	f->source = json_of(p, "source");
	f->group = str_eq(text_of(s, p, "session_type"), STR("group"));
	f->created_at_ms = ev->created_at_ms;
	if (json_find(p, STR("agent_version"), &version))
		json_int(version, &f->agent_version);
}

static struct event
keep_event(struct mem_session *s, const struct event *ev)
{
	struct event kept = *ev;

	kept.id = arena_str(&s->kept, ev->id);
	kept.turn = arena_str(&s->kept, ev->turn);
	kept.meta = arena_str(&s->kept, ev->meta);
	kept.payload = arena_str(&s->kept, ev->payload);
	return kept;
}

/* ---- forks ---- */

const struct mem_session *
mem_session_origin(const struct mem_session *s, int32_t depth)
{
	while (depth-- > 0)
		s = s->parent;
	return s;
}

static struct replay *replay_up_to(const struct mem_session *s, int64_t seq);

/* What a fork begins with is what its parent showed at that seq. */
static int
apply(struct replay *r, const struct mem_session *parent, const struct event *ev, struct err *e)
{
	struct replay *before = NULL;
	struct json_doc doc;
	struct json at;
	struct arena a;
	int64_t seq = 0;
	int rc;

	if (ev->kind != EVENT_SESSION_FORKED || !parent)
		return replay_apply(r, ev, e);
	arena_init(&a);
	if (json_parse(&a, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0 &&
	    json_find(json_root(&doc), STR("at_seq"), &at))
		json_int(at, &seq);
	before = replay_up_to(parent, seq);
	replay_inherit(r, before);
	rc = replay_apply(r, ev, e);
	replay_free(&before);
	arena_release(&a);
	return rc;
}

static struct replay *
replay_up_to(const struct mem_session *s, int64_t seq)
{
	struct replay *r = replay_new();

	for (size_t i = 0; i < s->events.len && (int64_t)i < seq; i++)
		IGNORE(apply(r, s->parent, &s->events.ptr[i].ev, NULL)); /* it did once */
	return r;
}

static int
find_parent(const struct mem *m, struct mem_session *s, const struct event *ev, struct err *e)
{
	struct json_doc doc;
	struct json id;
	struct arena a;
	struct mem_session *parent = NULL;

	if (ev->kind != EVENT_SESSION_FORKED)
		return 0;
	arena_init(&a);
	if (json_parse(&a, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0 &&
	    json_find(json_root(&doc), STR("parent_session_id"), &id))
		parent = map_find(&m->sessions, json_str(id, &a));
	arena_release(&a);
	if (!parent || parent == s)
		return err_set(e, ERR_CONFLICT, "the session it was forked from is not here");
	s->parent = parent;
	return 0;
}

/* A replay that refused an event is spoilt: it is made again from what stands. */
static void
rebuild(struct mem_session *s)
{
	replay_free(&s->replay);
	s->replay = replay_up_to(s, INT64_MAX);
}

void
mem_session_cut(struct mem_session *s, size_t count)
{
	while (count-- > 0)
		map_remove(&s->ids, vec_pop(&s->events).ev.id);
	rebuild(s);
}

/* The replay looks at the ids of inputs and transcript entries only; here all are held to it. */
static int
add_event(const struct mem *m, struct mem_session *s, const struct event *ev, struct err *e)
{
	struct err why;
	int rc = find_parent(m, s, ev, e);

	if (rc != 0)
		return rc;

	if (map_find(&s->ids, ev->id))
		return err_set(e, ERR_CONFLICT, "seq %lld (%s): its id is taken",
			       (long long)ev->seq, event_type(ev->kind));
	if (apply(s->replay, s->parent, ev, &why) != 0)
		return err_set(e, ERR_CONFLICT, "%s", why.text);
	*vec_push(&s->events) = (struct mem_event){
		.ev = keep_event(s, ev),
		.hash = replay_session(s->replay)->head_hash,
	};
	map_put(&s->ids, s->events.ptr[s->events.len - 1].ev.id, s);
	return 0;
}

int
mem_session_extend(const struct mem *m, struct mem_session *s, const struct event *events,
		   size_t count, struct err *e)
{
	int64_t head = replay_session(s->replay)->head_seq;

	for (size_t i = 0; i < count; i++) {
		struct event ev = events[i];
		int rc;

		ev.seq = head + 1 + (int64_t)i;
		rc = add_event(m, s, &ev, e);
		if (rc != 0) {
			mem_session_cut(s, i);
			return rc;
		}
	}
	if (head == 0 && count > 0)
		read_facts(s);
	return 0;
}

size_t
mem_session_waiting(const struct mem_session *s)
{
	size_t count, waiting = 0;
	const struct input_row *in = replay_inputs(s->replay, &count);

	for (size_t i = 0; i < count; i++)
		waiting += in[i].meta.class == INPUT_TRIGGER && in[i].processed_at_ms == 0;
	return waiting;
}

bool
mem_session_is_held(const struct mem_session *s, const struct mem *m)
{
	return s->holder.len > 0 && (MUTANT(LEASE_KEPT) || str_eq(s->holder, m->incarnation));
}

#include "engine/commit.h"

#include "core/event_make.h"
#include "engine/agent_cache.h"
#include "engine/fanout.h"
#include "engine/retention.h"
#include "engine/wake.h"

enum { KEY_DAYS = 30 };
static const int64_t KEY_LIFE_MS = KEY_DAYS * INT64_C(86400000);

/* Most commits carry one or two of each. */
enum { ROOM = 2, KEYS_MAX = 4 };

struct commit {
	struct engine *en;
	struct arena arena;
	struct store_item item;
	struct event *events;
	size_t event_room;
	struct store_put *puts;
	size_t put_room;
	struct store_key *keys; /* room for KEYS_MAX */
	struct commit *joined;  /* the part of another session, in our arena; NULL: none */
	struct commit *whole;   /* of that part: what it is joined to */
	commit_fn *done;
	void *ctx;
};

/* It lives in its own arena: one append, one block of memory. */
struct commit *
commit_new(struct engine *en, struct str session)
{
	struct commit *c;
	struct arena arena;

	arena_init_in(&arena, &en->arenas);
	c = ARENA_NEW(&arena, struct commit);
	c->en = en;
	if (session.len > 0)
		c->item.session = arena_str(&arena, session);
	c->arena = arena;
	return c;
}

static void
commit_free(struct commit *c)
{
	struct arena arena = c->arena;

	arena_release(&arena);
}

void
commit_abandon(struct commit **c)
{
	if (*c)
		commit_free(TAKE(*c));
}

struct engine *
commit_engine(const struct commit *c)
{
	return c->en;
}

struct arena *
commit_arena(struct commit *c)
{
	return c->whole ? &c->whole->arena : &c->arena;
}

struct commit *
commit_join(struct commit *c, struct str session)
{
	c->joined = ARENA_NEW(&c->arena, struct commit);
	c->joined->en = c->en;
	c->joined->whole = c;
	c->joined->item.session = arena_str(&c->arena, session);
	return c->joined;
}

struct store_require *
commit_require(struct commit *c)
{
	return &c->item.require;
}

void
commit_lease(struct commit *c, enum store_lease lease)
{
	c->item.lease = lease;
}

void
commit_purge(struct commit *c)
{
	c->item.purge = true;
}

void
commit_ask_rest(struct commit *c)
{
	c->item.rest_kind = RECORD_WAKE;
}

/* Makes room for one more in an array of the arena's. */
static void *
grow(struct arena *a, void *array, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room == 0 ? ROOM : *room * 2;

	if (count < *room)
		return array;
	array = *room == 0 ? arena_alloc(a, wanted * size)
			   : arena_resize(a, array, *room * size, wanted * size);
	*room = wanted;
	return array;
}

static struct str
keep(struct commit *c, struct str text, bool borrowed)
{
	return borrowed || text.len == 0 ? text : arena_str(commit_arena(c), text);
}

struct str
commit_append(struct commit *c, const struct commit_event *ev)
{
	struct arena *a = commit_arena(c);
	struct event *out;

	c->events = grow(a, c->events, c->item.event_count, &c->event_room, sizeof *c->events);
	out = &c->events[c->item.event_count++];
	*out = (struct event){
		.id = ev->id.len > 0 ? keep(c, ev->id, ev->borrowed)
				     : engine_make_id(c->en, a, "sevt"),
		.kind = ev->kind,
		.author = ev->author,
		.created_at_ms = host_now_ms(c->en->host),
		.turn = keep(c, ev->turn, ev->borrowed),
		.meta = keep(c, ev->meta, ev->borrowed),
		.payload = keep(c, ev->payload, ev->borrowed),
	};
	return out->id;
}

struct str
commit_append_made(struct commit *c, enum event_kind kind, struct str turn, struct buf *payload)
{
	struct str id = commit_append(c, &(struct commit_event){
						 .kind = kind,
						 .author = event_usual_author(kind),
						 .turn = turn,
						 .payload = buf_str(payload),
					 });

	buf_release(payload);
	return id;
}

void
commit_put(struct commit *c, const struct store_put *put)
{
	struct store_put *out;

	if (c->whole) /* records and keys belong to no session: the whole has them */
		c = c->whole;
	c->puts = grow(&c->arena, c->puts, c->item.put_count, &c->put_room, sizeof *c->puts);
	out = &c->puts[c->item.put_count++];
	*out = *put;
	out->record.kind = keep(c, put->record.kind, false);
	out->record.id = keep(c, put->record.id, false);
	out->record.owner = keep(c, put->record.owner, false);
	out->record.body = keep(c, put->record.body, false);
}

void
commit_key(struct commit *c, const struct store_key *key)
{
	struct store_key *out;

	if (c->whole)
		c = c->whole;
	if (!c->keys)
		c->keys = ARENA_ARRAY(&c->arena, KEYS_MAX, struct store_key);
	out = &c->keys[c->item.key_count++];
	*out = *key;
	out->scope = keep(c, key->scope, false);
	out->name = keep(c, key->name, false);
	out->answer = keep(c, key->answer, false);
	if (out->expires_at_ms == 0)
		out->expires_at_ms = host_now_ms(c->en->host) + KEY_LIFE_MS;
}

void
commit_repeat(struct commit *c, const struct engine_repeat *repeat, struct str answer)
{
	if (repeat && repeat->key.len > 0)
		commit_key(c, &(struct store_key){
				      .kind = STORE_KEY_IDEMPOTENCY,
				      .scope = repeat->scope,
				      .name = repeat->key,
				      .request = repeat->request,
				      .answer = answer,
			      });
}

/* The events of one part are stored: numbered and told. */
static void
tell(struct commit *c, int64_t first_seq, int64_t change, int64_t waiting)
{
	for (size_t i = 0; i < c->item.event_count; i++) {
		c->events[i].seq = first_seq + (int64_t)i;
		if (c->events[i].kind == EVENT_SESSION_RESET ||
		    c->events[i].kind == EVENT_SESSION_DELETED)
			agent_cache_forget(c->en->agents, c->item.session); /* its last turn was */
		if (c->events[i].kind == EVENT_SESSION_DELETED)
			retention_on_deleted(c->en->retention);
	}
	c->en->events_appended += c->item.event_count;
	fanout_events(c->en, c->item.session, c->events, c->item.event_count, change, waiting);
}

static void
on_stored(void *ctx, const struct store_result *result)
{
	struct commit *c = ctx;
	struct engine *en = c->en;
	struct commit_result out = { .store = result };
	bool stored = result->rc == 0 || result->rc == ERR_UNAVAILABLE; /* it may be */

	if (stored)
		agent_cache_written(en->agents, c->puts, c->item.put_count);
	if (result->rc == 0 && c->item.event_count > 0) {
		tell(c, result->first_seq, result->change, result->waiting);
		out.events = c->events;
		out.event_count = c->item.event_count;
	}
	if (result->rc == 0 && c->joined && c->joined->item.event_count > 0) {
		tell(c->joined, result->joined.first_seq, result->joined.change,
		     result->joined.waiting);
		out.joined_events = c->joined->events;
		out.joined_count = c->joined->item.event_count;
	}
	if (stored && c->item.put_count > 0)
		wake_queued(en, c->puts, c->item.put_count);
	c->done(c->ctx, &out);
	commit_free(c);
}

void
commit_submit(struct commit *c, commit_fn *done, void *ctx)
{
	c->done = done;
	c->ctx = ctx;
	c->item.events = c->events;
	c->item.puts = c->puts;
	c->item.keys = c->keys;
	if (c->joined) {
		c->joined->item.events = c->joined->events;
		c->item.joined = &c->joined->item;
	}
	store_append(c->en->store, &c->item, on_stored, c);
}

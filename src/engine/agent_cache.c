#include "engine/agent_cache.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct agent_cache {
	struct engine *en;
	struct map by_session;   /* those that are kept */
	struct list known, idle; /* kept or being made · kept and unused, the latest at the end */
	size_t bytes;            /* of those that are kept */
};

struct agent_cache *
agent_cache_new(struct engine *en)
{
	struct agent_cache *c = xcalloc(1, sizeof *c);

	c->en = en;
	map_init(&c->by_session, rand_u64(&en->rand));
	list_init(&c->known);
	list_init(&c->idle);
	return c;
}

static void
agent_free(struct cached_agent *agent)
{
	arena_release(&agent->arena);
	free(agent);
}

/* Nobody finds it any more; it is gone once nobody uses it. */
static void
let_go(struct cached_agent *agent)
{
	struct agent_cache *c = agent->cache;

	if (agent->kept) {
		map_remove(&c->by_session, agent->session);
		c->bytes -= agent->bytes;
	}
	list_remove(&agent->node);
	list_remove(&agent->idle);
	agent->kept = false;
	agent->cache = NULL;
	if (agent->users == 0)
		agent_free(agent);
}

void
agent_cache_free(struct agent_cache **c)
{
	if (!*c)
		return;
	while (!list_is_empty(&(*c)->known))
		let_go(LIST_OWNER((*c)->known.next, struct cached_agent, node));
	map_release(&(*c)->by_session);
	free(TAKE(*c));
}

/* ---- use ---- */

/* What is used counts but stays: turns hold no more than they would without us. */
static void
trim(struct agent_cache *c)
{
	while ((c->by_session.count > AGENT_CACHE_MAX || c->bytes > AGENT_CACHE_BYTES_MAX) &&
	       !list_is_empty(&c->idle))
		let_go(LIST_OWNER(c->idle.next, struct cached_agent, idle));
}

void
agent_cache_use(struct cached_agent *agent)
{
	agent->users++;
	list_remove(&agent->idle);
}

void
agent_cache_release(struct cached_agent **p)
{
	struct cached_agent *agent = *p;

	*p = NULL;
	if (!agent || --agent->users > 0)
		return;
	if (!agent->cache) {
		agent_free(agent);
	} else if (!agent->kept) {
		let_go(agent);
	} else {
		agent->idle_since_ms = host_now_ms(agent->cache->en->host);
		list_append(&agent->cache->idle, &agent->idle);
		trim(agent->cache);
	}
}

struct cached_agent *
agent_cache_find(struct agent_cache *c, const struct store_session *session)
{
	struct cached_agent *agent = map_find(&c->by_session, session->id);

	if (!agent)
		return NULL;
	if (agent->agent_version != session->agent_version ||
	    !str_eq(agent->agent_id, session->agent_id) ||
	    !str_eq(agent->environment_id, session->environment_id)) {
		let_go(agent);
		return NULL;
	}
	agent->in_lane = session->lane_key.len > 0;
	agent_cache_use(agent);
	return agent;
}

struct cached_agent *
agent_cache_begin(struct agent_cache *c, const struct store_session *session)
{
	struct cached_agent *agent = xcalloc(1, sizeof *agent);

	arena_init(&agent->arena);
	list_init(&agent->idle);
	list_init(&agent->node);
	list_append(&c->known, &agent->node);
	agent->cache = c;
	agent->users = 1;
	agent->session = arena_str(&agent->arena, session->id);
	agent->agent_id = arena_str(&agent->arena, session->agent_id);
	agent->agent_version = session->agent_version;
	agent->environment_id = arena_str(&agent->arena, session->environment_id);
	agent->in_lane = session->lane_key.len > 0;
	return agent;
}

void
agent_cache_keep(struct cached_agent *agent)
{
	struct agent_cache *c = agent->cache;
	struct cached_agent *other;

	if (!c)
		return;
	agent->bytes = sizeof *agent + arena_held_bytes(&agent->arena);
	if (agent->bytes > AGENT_CACHE_ONE_BYTES_MAX) {
		let_go(agent);
		return;
	}
	other = map_find(&c->by_session, agent->session); /* made at the same time */
	if (other)
		let_go(other);
	agent->kept = true;
	map_put(&c->by_session, agent->session, agent);
	c->bytes += agent->bytes;
	trim(c);
}

/* ---- the end of it ---- */

void
agent_cache_forget(struct agent_cache *c, struct str session)
{
	list_for_each (at, &c->known) {
		struct cached_agent *agent = LIST_OWNER(at, struct cached_agent, node);

		if (str_eq(agent->session, session))
			let_go(agent);
	}
}

/* Those that are made of the record. A version of an agent never changes, but an agent may go. */
static void
forget_made_of(struct agent_cache *c, const struct store_record *record)
{
	bool environment = str_eq(record->kind, RECORD_ENVIRONMENT);

	list_for_each (at, &c->known) {
		struct cached_agent *agent = LIST_OWNER(at, struct cached_agent, node);

		if (str_eq(environment ? agent->environment_id : agent->agent_id, record->id))
			let_go(agent);
	}
}

void
agent_cache_written(struct agent_cache *c, const struct store_put *puts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct store_record *r = &puts[i].record;

		if (str_eq(r->kind, RECORD_SESSION_EXTRA))
			agent_cache_forget(c, r->id);
		else if (str_eq(r->kind, RECORD_ENVIRONMENT) || str_eq(r->kind, RECORD_AGENT))
			forget_made_of(c, r);
	}
}

void
agent_cache_evict(struct agent_cache *c, struct str session)
{
	struct cached_agent *agent = map_find(&c->by_session, session);

	if (agent && agent->users == 0)
		let_go(agent);
}

void
agent_cache_sweep(struct agent_cache *c)
{
	int64_t now_ms = host_now_ms(c->en->host);

	list_for_each (at, &c->idle) {
		struct cached_agent *agent = LIST_OWNER(at, struct cached_agent, idle);

		if (agent->idle_since_ms > now_ms) /* the clock was set back */
			agent->idle_since_ms = now_ms;
		if (now_ms - agent->idle_since_ms >=
		    (agent->in_lane ? AGENT_CACHE_LANE_MS : AGENT_CACHE_OTHER_MS))
			let_go(agent);
	}
}

size_t
agent_cache_count(const struct agent_cache *c)
{
	return c->by_session.count;
}

size_t
agent_cache_bytes(const struct agent_cache *c)
{
	return c->bytes;
}

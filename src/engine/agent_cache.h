/* agent_cache - prepared agents: what the records of a session say of who answers in it, read and parsed
 * once (engine/agent_prepare) and kept from one turn to the next.
 *
 * One is kept a session, the 128 that were used last, within a bound of bytes, for an hour after the last
 * turn in a lane and half an hour elsewhere. What a turn uses is evicted by none of that.
 *
 * None is ever stale: it is made of the session's own record, its environment's and its agent's alone (its
 * version's, and of the latest one what may overrule that: the approval rules), and whatever is committed of these lets go of it, also while it is being made. A turn that runs goes on with
 * the one it began with. What may change without a record (models, lists of tools, folders) is no part of
 * it. */
#pragma once
#include "core/agent_run.h"
#include "core/environment_run.h"
#include "engine/engine_private.h"

enum {
	AGENT_CACHE_MAX = 128,
	AGENT_CACHE_BYTES_MAX = 16 * 1024 * 1024,
	AGENT_CACHE_ONE_BYTES_MAX = 1024 * 1024, /* a larger one would crowd out the others */
	AGENT_CACHE_LANE_MS = 3600 * 1000,
	AGENT_CACHE_OTHER_MS = 1800 * 1000,
};

struct cached_agent {
	struct arena arena; /* holds the rest */
	struct agent_run run;
	struct json latest_rules; /* of the agent's latest version, if the session has another */
	bool chosen;              /* the session has chosen its model itself */
	struct str problem;       /* the agent is gone; empty: none */
	struct environment_run where; /* the session's environment */
	const struct tool_server *servers;
	size_t server_count;
	int64_t session_budget; /* picodollars, or BUDGET_UNLIMITED */

	/* the cache's own */
	struct agent_cache *cache;
	struct list node; /* in cache.known: hears of changes */
	struct list idle; /* in cache.idle: kept, and nobody uses it */
	struct str session, agent_id, environment_id;
	int64_t agent_version;
	bool in_lane, kept;
	size_t users, bytes;
	int64_t idle_since_ms;
};

struct agent_cache *agent_cache_new(struct engine *en);
/* Those that are in use live on until they are released. */
void agent_cache_free(struct agent_cache **c);

/* Each use ends with one release. NULL: none is kept that is still right. */
struct cached_agent *agent_cache_find(struct agent_cache *c, const struct store_session *session);
/* One to be filled, in use. */
struct cached_agent *agent_cache_begin(struct agent_cache *c, const struct store_session *session);
/* It is whole: it is kept, unless it is too large or something that it is made of was changed. */
void agent_cache_keep(struct cached_agent *agent);
void agent_cache_use(struct cached_agent *agent); /* once more */
void agent_cache_release(struct cached_agent **agent);

/* These records were written. */
void agent_cache_written(struct agent_cache *c, const struct store_put *puts, size_t count);
/* The session's is not to be used for another turn. */
void agent_cache_forget(struct agent_cache *c, struct str session);
/* The session rests: its agent goes, unless somebody uses it. */
void agent_cache_evict(struct agent_cache *c, struct str session);
/* Those that nobody used for so long. */
void agent_cache_sweep(struct agent_cache *c);

size_t agent_cache_count(const struct agent_cache *c);
size_t agent_cache_bytes(const struct agent_cache *c);

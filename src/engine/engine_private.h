/* engine_private - the engine's parts as its own files see them. */
#pragma once
#include "base/buf.h"
#include "base/id.h"
#include "base/map.h"
#include "base/rand.h"
#include "engine/engine.h"

struct admission;
struct agent_cache;
struct identity;
struct catalog;
struct expiry;
struct own_tool;
struct retention;
struct schedule;
struct spending;
struct wake;
struct work;
struct workspaces;

struct engine {
	struct engine_config config;
	struct store *store;
	struct host *host;
	struct rand rand;
	struct id_gen ids;
	struct buf scratch;       /* for texts that are copied at once */
	struct arena_pool arenas; /* of commands and commits on their way */

	struct map actors; /* live sessions by id: watched, or with a turn (engine/actor) */
	size_t open_turns, put_off;
	uint64_t events_appended;
	struct list watches;    /* of all sessions */
	struct list told_up_to; /* engine/fanout's place in the list it goes through */
	int64_t change_head;

	struct identity *identity;     /* users and tokens (engine/identity) */
	struct admission *admission;   /* who may use which agent (engine/admission) */
	struct catalog *catalog;       /* agents and environments (engine/catalog) */
	struct workspaces *workspaces; /* what they settle for their sessions (engine/workspace) */
	struct agent_cache *agents;    /* prepared for the next turn (engine/agent_cache) */
	struct wake *wake;             /* looks put off, what a start found (engine/wake) */
	struct spending *spending;     /* what was spent, by whom (engine/spending) */
	bool lanes_busy;    /* some lane has a busy mode of its own (engine/busy_default) */
	struct map flights; /* lanes that are being resolved (engine/lane_resolve) */
	struct list setups; /* turns-to-be whose tools are being listed */
	const struct own_tool *const *own_tools; /* NULL behind the last (engine/own_tool) */
	struct work *work;                       /* queues of environments (engine/work) */
	struct schedule *schedule;               /* turns by the clock (engine/schedule) */
	struct expiry *expiry;       /* what time does to those at rest (engine/expiry) */
	struct retention *retention; /* what is removed after a while (engine/retention) */
	bool start_counted; /* as one of too many, until a turn succeeds (engine/recover) */
	char instance[ID_TEXT_MAX];
	int64_t started_at_ms;
	size_t carried_over; /* turns that the start found open (engine/wake_recover) */
	bool draining;
	enum recover_reason drain_why; /* of turns that it cannot wait for */
	void (*drained)(void *ctx);
	void *drained_ctx;
	struct host_task drain_task;
	struct host_task rights_task; /* engine/fanout */
};

/* An id of the engine's own making, in a: "sevt_…". */
struct str engine_make_id(struct engine *en, struct arena *a, const char *prefix);
/* Answers call later with rc and the sentence of e: refusals that never reach the store. */
void engine_refuse(struct engine *en, const struct engine_call *call, int rc, const struct err *e);
/* While draining: refuses the call and says true. */
bool engine_is_closed(struct engine *en, const struct engine_call *call);
/* Whoever lowers open_turns says so: a drain may be over. */
void engine_turn_closed(struct engine *en);

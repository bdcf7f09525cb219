/* lane_resolve_private - a conversation being resolved, as engine/lane_resolve and engine/lane_open share it. */
#pragma once
#include "core/lane_ask.h"
#include "core/resolve_policy.h"
#include "engine/lane.h"

struct resolving {
	struct list node;  /* in the queue of the one before it */
	struct list queue; /* those behind it; of the one that is in flight */
	bool in_flight;
	struct engine *en;
	struct engine_call call;
	struct engine_caller caller;
	struct arena arena;
	struct lane_ask ask;
	struct str user; /* whom the conversation is with; empty: nobody in particular */
	struct str key;  /* the lane's text */
	bool shared;
	struct lane lane;             /* its id is set from the start */
	struct store_session session; /* the current one, while there is one to go on with */
	bool has_session, takes_part;
	int64_t agent_version;
	bool agent_archived;    /* then its conversations go on, but no new one begins */
	struct str environment; /* of a session that is opened */
	struct resolve_plan plan;
	struct str id;  /* of the session that comes out */
	bool work_open; /* a reset found out: the session goes on */
	int tries;
};

/* Answers, and lets those who wait go on. */
void resolving_done(struct resolving *r);
void resolving_fail(struct resolving *r, int rc, const struct err *err);
/* What was remembered of the request's first answer. */
void resolving_replay(struct resolving *r, struct str first);
/* A conflict: somebody was quicker, so it is looked at again. */
void resolving_retry(struct resolving *r, const struct err *err);
void resolving_committed(void *ctx, const struct commit_result *result);
struct str resolving_remembered(struct resolving *r);
void resolving_put_participant(struct resolving *r, struct commit *c, struct str session);

/* engine/lane_open: the first session of a lane, or the next one in place of that which is current. */
void lane_open_first(struct resolving *r);
void lane_open_next(struct resolving *r);

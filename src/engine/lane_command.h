/* lane_command - one command about a lane: may the caller, by what they are to its current session? is it
 * a repeat? then decided about the lane as it is now, committed, answered; again when somebody was
 * quicker. Commands of engine.h: engine_lane_update, _suspend, _mark_resume, _clear_resume. */
#pragma once
#include "engine/lane.h"

struct lane_order;

struct lane_plan {
	enum access_verb verb; /* on the lane's current session */
	/* Reads the body; NULL: there is none. */
	int (*read)(struct lane_order *o, struct err *e);
	/* Carries it out, and ends with lane_order_commit, _done, _fail or _retry. */
	void (*run)(struct lane_order *o);
};

struct lane_order {
	struct engine *en;
	const struct lane_plan *plan;
	struct engine_call call;
	struct engine_caller caller;
	struct arena arena; /* lives as long as the order */
	struct json body;
	struct lane lane;             /* as it was read just now; run may change its entry */
	struct store_session session; /* its current one */
	bool takes_part;
	struct str result; /* the session that the answer names; empty: the lane's */
	int tries;
	/* what bodies say */
	struct str text;
	int64_t number;
	size_t word;
};

void lane_order_start(struct engine *en, const struct lane_plan *plan,
		      const struct engine_call *call, struct str lane, struct json body);
/* The lane as the order has it now goes into c, which is submitted. */
void lane_order_commit(struct lane_order *o, struct commit *c);
/* For commits of the plan's own: answers, tries again or fails. */
void lane_order_committed(void *ctx, const struct commit_result *result);
/* A conflict: looked at again, unless that was tried too often. */
void lane_order_retry(struct lane_order *o, const struct err *err);
void lane_order_done(struct lane_order *o, bool replayed);
void lane_order_fail(struct lane_order *o, int rc, const struct err *err);
/* What a repeat needs, for commits of the plan's own. */
struct str lane_order_remembered(struct lane_order *o);

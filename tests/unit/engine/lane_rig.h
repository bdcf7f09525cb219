/* lane_rig - lanes of an engine_rig: resolved, and read as they are stored. */
#pragma once
#include "core/lane_entry.h"
#include "engine/lane.h"
#include "engine_rig.h"

static inline struct rig_answer *
resolve_as(struct engine_rig *r, const struct engine_caller *who, const char *body)
{
	return rig_make(r, engine_session_resolve,
			(struct rig_call){ .caller = who, .body = body });
}

/* One that must work. */
static inline struct rig_answer *
resolve(struct engine_rig *r, const char *body)
{
	struct rig_answer *a = resolve_as(r, NULL, body);

	rig_expect(a, 0, NULL);
	return a;
}

static inline struct lane_entry
stored_entry(struct engine_rig *r, struct str lane)
{
	struct json_doc *doc = ARENA_NEW(&r->arena, struct json_doc);
	struct lane_entry entry = { 0 };
	struct err e;

	if (json_parse(&r->arena, engine_rig_record(r, RECORD_LANE, lane), &JSON_LIMITS_DEFAULT,
		       doc, &e) != 0 ||
	    lane_entry_read(json_root(doc), &r->arena, &entry, &e) != 0)
		fail_msg("the lane " STR_FMT ": %s", STR_ARG(lane), e.text);
	return entry;
}

struct changed_lane {
	struct engine_rig *rig;
	bool done;
	int rc;
	struct lane lane;
};

static inline void
on_changed_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct changed_lane *c = ctx;

	(void)err;
	c->done = true;
	c->rc = rc;
	c->lane = lane_copy(&c->rig->arena, lane);
}

/* The policy of tests that reset: after a minute, and at four. */
static inline struct reset_settings
reset_soon(void *ctx, const struct engine_lane *lane)
{
	(void)ctx, (void)lane;
	return (struct reset_settings){ RESET_MODE_BOTH, 4, 1, true };
}

/* resolve_policy - a message arrives for a lane: create, continue, resume or roll over its session?
 * In this order: nothing there or a new one demanded → create; suspended → reset, even while work
 * is open; interrupted by a restart → resume, before any reset policy can put it away; the reset
 * policy; continue. Pure. */
#pragma once
#include <stdbool.h>
#include "base/str.h"
#include "core/reset_policy.h"

enum resolve_action { RESOLVE_CREATE, RESOLVE_CONTINUE, RESOLVE_RESUME, RESOLVE_RESET };

enum resolve_reason {
	RESOLVE_NEW,
	RESOLVE_FORCED,
	RESOLVE_SUSPENDED,
	RESOLVE_RESUME_PENDING,
	RESOLVE_IDLE,
	RESOLVE_DAILY,
	RESOLVE_ACTIVE
};

struct resolve_facts {
	bool has_entry; /* the lane has a session; else the flags and .reset are not looked at */
	bool suspended, resume_pending;
	bool force_new; /* the caller wants a new session whatever is there */
	struct reset_facts reset;
};

struct resolve_plan {
	enum resolve_action action;
	enum resolve_reason reason;
	bool opens_session;            /* a new session becomes the lane's */
	bool archives_session;         /* the old one is put away in the same transaction */
	bool bumps_activity;           /* the session lives on: updated_at = now */
	enum reset_reason rolled_over; /* for the new session's marks; RESET_NONE: it gets none */
};

/* Total: cannot fail. */
struct resolve_plan
resolve_policy_decide(const struct reset_policy *policy, const struct resolve_facts *f);

/* "create", "continue", "resume", "reset". */
struct str resolve_action_name(enum resolve_action action);
/* "new", "forced", "suspended", "resume_pending", "idle", "daily", "active". */
struct str resolve_reason_name(enum resolve_reason reason);
/* The wire's reset_reason: "idle", "daily", "suspended", "manual"; NULL ptr when nothing was put
 * away. */
struct str resolve_reset_reason(const struct resolve_plan *plan);

/* reset_policy - does the next message continue this session or open a new one, and who is told?
 * Pure: no clock, no I/O, no allocation. Instants are ms since the epoch, UTC. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

enum reset_mode { RESET_MODE_NONE, RESET_MODE_IDLE, RESET_MODE_DAILY, RESET_MODE_BOTH };

enum { RESET_IDLE_MINUTES_MAX = 525600 }; /* a year */

/* As people write it; RESET_SETTINGS_DEFAULT never resets: losing context must be asked for. */
struct reset_settings {
	enum reset_mode mode;
	int at_hour;      /* local hour 0..23 */
	int idle_minutes; /* 0..RESET_IDLE_MINUTES_MAX; 0: idleness never resets */
	bool notify;      /* tell the user when a conversation with content was put away */
};
extern const struct reset_settings RESET_SETTINGS_DEFAULT; /* none, 4, 1440, true */

/* Where settings may stand; NULL: nothing said there. The first that speaks decides alone. */
struct reset_layers {
	const struct reset_settings *platform, *chat_type, *agent, *workspace;
};

/* As the decision reads it. */
struct reset_policy {
	int64_t idle_ms; /* 0: idleness never resets */
	int daily_hour;  /* -1: the clock never resets */
	bool notify;
};

/* RESET_SUSPENDED comes from the lane's flag (resolve_policy), never from a policy. */
enum reset_reason { RESET_NONE, RESET_IDLE, RESET_DAILY, RESET_SUSPENDED };

struct reset_facts { /* all the decision may depend on, gathered by the caller */
	int64_t now_ms, last_active_ms;
	int64_t boundary_ms; /* latest daily_hour:00 in the agent's zone, not after now (core/zone) */
	bool work_open; /* a turn, an approval, a background process or an open tool is alive */
};

/* What a rollover leaves on the new session, to be told once. */
struct reset_marks {
	bool was_auto_reset;
	enum reset_reason reason;
	bool had_activity; /* the old session had used tokens */
};
struct reset_past { /* of the session put away */
	int64_t total_tokens;
	bool quiet_platform; /* its platform never gets notices (an API, a webhook) */
};

/* "none", "idle", "daily", "both". */
extern const char *const RESET_MODE_NAMES[4];
/* "idle", "daily", "suspended"; empty for RESET_NONE. */
struct str reset_reason_name(enum reset_reason why);

const struct reset_settings *reset_policy_choose(const struct reset_layers *layers);
/* Fill *out; on error *out is untouched. */
NODISCARD int
reset_policy_init(struct reset_policy *out, const struct reset_settings *s, struct err *e);
/* Total: cannot fail. Idle is named before daily when both apply; never while work is open. */
enum reset_reason reset_policy_decide(const struct reset_policy *p, const struct reset_facts *f);

/* The marks of the session that replaces one put away for a reason other than RESET_NONE. */
struct reset_marks reset_policy_roll_over(enum reset_reason why, const struct reset_past *old);
/* Hands the marks out and clears them: the first message takes them, the second finds none. */
struct reset_marks reset_marks_take(struct reset_marks *marks);
/* What the model reads before that message; empty when nothing was reset. */
struct str reset_model_notice(const struct reset_marks *marks);
/* What the user reads; empty when nothing is to be said. A suspended session is always told: the
 * user did not wait for it and set no policy. */
struct str reset_user_notice(const struct reset_policy *p, const struct reset_marks *marks,
			     const struct reset_past *old);

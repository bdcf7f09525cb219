/* approval_open - a question that waits for a person: must it go on waiting?
 * Asked again whenever something may have changed: a rule that somebody made meanwhile allows or denies
 * it, nobody is there to ask, or it has waited long enough. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/str.h"
#include "core/approval_policy.h"

struct approval_question {
	struct tool_ref tool;
	struct str arguments;      /* JSON object */
	enum approval_mode policy; /* the agent's, when it was asked */
	int64_t asked_ms;
};

struct approval_open_facts {
	struct approval_rules rules; /* of agent, operator and session */
	struct approval_settings settings;
	bool interactive; /* a person is there */
	int64_t now_ms;
};

struct approval_verdict {
	enum approval_action action; /* ask: it waits on */
	struct str deny_message;
	int64_t due_ms; /* of ask: when to ask again; 0: only when something changes */
};

struct approval_verdict approval_open_decide(const struct approval_open_facts *f,
					     const struct approval_question *q, struct arena *a);

/* approval_policy - may this tool call run, must a person be asked, or is it refused?
 *
 * Rules name a tool (`*` allowed), optionally a pattern (core/wildcard) over what the call does
 * (core/approval_subject), and an action. Within a layer the last rule that matches wins. Layers
 * are asked in the order agent, operator, session; a later one that matches overrides an earlier
 * one, except that a deny of the agent's or the operator's layer is final. Nothing matches: ask. The
 * agent's word is the stricter of two: of the version that the session has, and of the latest.
 *
 * What a server's tool is offered as depends on who else is there, so rules match what does not
 * change: the server, and what it calls the tool (docs/decisions/0029, 0034). A rule that names a
 * server is about that server's tools alone. Of the others an allow speaks of a server's tool only as
 * SERVER__TOOL, while ask and deny hold for whatever has the name.
 *
 * A redirection of a shell line is judged as the path that it is: by rules of read and write, and by the
 * shell's own. An allow of the shell's covers it only as a whole, by `*`, or by a pattern of paths, which
 * begins with / ./ or ../ and has a `*` but no blank: `git *` does not cover `> git\ x`.
 *
 * A call with several subjects (a shell line of several commands) gets the strictest of their
 * outcomes: deny, then ask, then allow.
 *
 * A rule with a pattern never allows an unsafe command: for such a rule it simply does not match.
 * A rule without a pattern speaks of the tool as a whole ("bash is allowed"), and does. A line
 * that cannot be read is never allowed. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"
#include "core/tool_ref.h"

enum approval_action { APPROVAL_ALLOW, APPROVAL_ASK, APPROVAL_DENY }; /* by strictness */
enum approval_layer {
	APPROVAL_AGENT,        /* the session's version: its tool blocks, then its rules */
	APPROVAL_AGENT_LATEST, /* rules of the latest version, where the session has another */
	APPROVAL_OPERATOR,     /* of the configuration */
	APPROVAL_SESSION,      /* what people allowed for good */
};
enum { APPROVAL_LAYERS = APPROVAL_SESSION + 1 };
enum { APPROVAL_NO_RULE = -1 };

struct approval_rule {
	struct str tool;    /* with a server: what that one calls it */
	struct str server;  /* empty: none is named */
	struct str pattern; /* ptr NULL: the whole tool */
	enum approval_action action;
	enum approval_layer layer;
	bool exact; /* tool and server are names, not patterns; without a server it is no server's */
};

struct approval_rules {
	const struct approval_rule *ptr;
	size_t count; /* in the order they were given, layers mixed */
};

struct approval_decision {
	enum approval_action action;
	/* The rule behind it, by its index among all rules; of several equally strict outcomes the
	 * first subject's. APPROVAL_NO_RULE: none matched, which is why a person is asked. */
	int64_t rule;
};

/* Total. An absent arguments value counts as no arguments. To re-evaluate pending calls after
 * "allow always", ask again with the new rules appended. */
struct approval_decision approval_policy_decide(struct approval_rules rules, struct tool_ref tool,
						struct json arguments, struct arena *a);

/* How an agent's tool is configured. */
enum approval_mode { APPROVAL_ALWAYS_ALLOW, APPROVAL_ALWAYS_ASK, APPROVAL_AUTO };
/* "always_allow", "always_ask", "auto". */
struct str approval_mode_name(enum approval_mode mode);
bool approval_mode_parse(struct str word, enum approval_mode *out);
/* The agent-layer rule a mode stands for; false for auto, which leaves it to the other rules. */
bool
approval_policy_mode_rule(enum approval_mode mode, struct tool_ref tool, struct approval_rule *out);

/* What happens to a question nobody can or does answer. */
struct approval_settings {
	enum approval_action unattended; /* ask in a session without a person: allow or deny */
	int64_t expire_after_ms;         /* 0: a question waits for ever */
	enum approval_action expired;    /* allow or deny */
};

/* Ask becomes the unattended action when nobody is there; allow and deny stay. */
enum approval_action approval_policy_attend(const struct approval_settings *s,
					    enum approval_action action, bool interactive);
/* A question asked at asked_ms: ask while it waits, the expired action from its deadline on. */
enum approval_action
approval_policy_expire(const struct approval_settings *s, int64_t asked_ms, int64_t now_ms);

/* Why a deny denies, which is always a rule's: "a rule of the agent (bash: rm *) denies it". */
struct str
approval_policy_reason(struct approval_rules rules, struct approval_decision d, struct arena *a);
/* What the model reads as the result of a denied call: the reason or a person's message, if any. */
struct str approval_policy_denial(struct str message, struct arena *a);

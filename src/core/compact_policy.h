/* compact_policy - is it time to summarise, which messages go into the summary, which stay as they
 * are, and is the summary any good?
 *
 * Asked before every model call with the estimate of the view about to be sent (after pruning) and
 * after every turn with the provider's figure, which wins when known. Due at 70 % of the window by
 * estimate, at 80 % by real usage, from 6 messages on.
 *
 * What stays: the system messages at the head (the prompt), and the recent part: the last 4 turns
 * (keep_turns, the default) or the last 10 messages (keep_messages). The cut moves back until no
 * tool result stands without its call. The checkpoint pair (a synthetic user message and the
 * assistant's summary) takes the place of what was cut out, before the recent part; a previous pair
 * is part of what is summarised, so its content is folded into the new one.
 *
 * A transcript whose recent part is all there is has nothing to summarise. One endless turn is such
 * a transcript under keep_turns; the caller asks again with keep_messages. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"
#include "core/message.h"

enum compact_profile { COMPACT_KEEP_MESSAGES, COMPACT_KEEP_TURNS };
enum { COMPACT_PROFILES = COMPACT_KEEP_TURNS + 1 };
/* Their words in settings and facts. */
extern const char *const COMPACT_PROFILE_NAMES[COMPACT_PROFILES];

/* Why it is asked. */
enum compact_cause {
	COMPACT_CHECK,      /* the regular check */
	COMPACT_AGGRESSIVE, /* the provider refused the prompt as too long: the shares do not count */
	COMPACT_COMMAND,    /* a person asked (/compress): nor does the breaker */
};

enum compact_reason {
	COMPACT_OVER_THRESHOLD, /* needed */
	COMPACT_OVERFLOW,       /* needed: COMPACT_AGGRESSIVE */
	COMPACT_REQUESTED,      /* needed: COMPACT_COMMAND */
	COMPACT_BELOW_THRESHOLD,
	COMPACT_TOO_FEW_MESSAGES, /* under the minimum, or no more than are kept */
	COMPACT_TOO_FEW_TURNS,    /* nothing is older than the turns that are kept */
	COMPACT_NOTHING_NEW,      /* nothing but the last summary would be summarised */
	COMPACT_COOLING_DOWN,     /* the breaker is open */
};

/* Consecutive failures of one session; the zero value is closed, a success makes it zero again. */
struct compact_breaker {
	unsigned failures;
	int64_t last_failure_ms;
};

struct compact_facts {
	const struct message *messages; /* linked, tokens set */
	size_t count;
	int64_t window_tokens;   /* above 0 */
	int64_t reported_tokens; /* prompt size counted by the provider; -1 unknown */
	enum compact_profile profile;
	enum compact_cause cause;
	struct compact_breaker breaker;
	int64_t now_ms;
};

struct compact_plan {
	enum compact_reason reason;
	bool needed;
	size_t from, to; /* messages [from, to) are summarised, all others stay */
};

struct compact_plan compact_policy_decide(const struct compact_facts *f);
/* The words of `perdure explain compact` and of the log. */
const char *compact_policy_reason_name(enum compact_reason reason);

/* From the third failure in a row on, waits 60, 300 and then always 900 s; 0 before that. */
int64_t compact_policy_cooldown_ms(unsigned failures);

struct compact_limits {
	int words;             /* what the model is asked for */
	int max_tokens;        /* what it is allowed */
	int temperature_milli; /* thousandths, so that no rounding shows in a request */
};
struct compact_limits compact_policy_limits(enum compact_profile profile);

/* The user half of a checkpoint pair. */
extern const struct str COMPACT_BOUNDARY;
/* The instruction for the summarising call. focus: what a person asked to keep in view, may be
 * empty. */
void compact_policy_prompt(struct buf *out, enum compact_profile profile, struct str focus);

enum compact_verdict { COMPACT_ACCEPT, COMPACT_EMPTY, COMPACT_NOT_SMALLER };
/* May the summary replace what it summarises? Both sides in estimated tokens, the whole pair. */
enum compact_verdict
compact_policy_judge(struct str summary, int64_t pair_tokens, int64_t replaced_tokens);

/* directive_policy - may the model ask for this at the end of a cycle, and what is done about it?
 * The limits of the session_directive tool: what a model may queue for itself is small, so that an
 * agent cannot keep itself awake for ever. A directive beyond them is refused whole, with the
 * field named, so that the model can correct it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

enum {
	DIRECTIVE_WAKES_MAX = 3,
	DIRECTIVE_LEARNINGS_MAX = 3,
	DIRECTIVE_DELAY_MIN_S = 1,
	DIRECTIVE_DELAY_MAX_S = 24 * 60 * 60,
	DIRECTIVE_FOLLOW_UP_DEFAULT_S = 300,
	DIRECTIVE_CONTINUES_MAX = 3,
	DIRECTIVE_REASON_MAX_CHARS = 120,
	DIRECTIVE_NOTE_MAX_CHARS = 400,
	DIRECTIVE_TITLE_MAX_CHARS = 120,
	DIRECTIVE_DETAIL_MAX_CHARS = 400,
};

enum directive_outcome { DIRECTIVE_SLEEP, DIRECTIVE_CONTINUE };

struct directive_wake {
	int64_t delay_s;
	struct str reason, note;
};
struct directive_learning {
	struct str title, detail;
};

struct directive {
	enum directive_outcome outcome;
	bool has_follow_up;
	int64_t follow_up_s;
	const struct directive_wake *wakes;
	size_t wake_count;
	const struct directive_learning *learnings;
	size_t learning_count;
};

/* ERR_INVALID naming the field: `wakes[1].delay_seconds: ...`. */
NODISCARD int directive_policy_check(const struct directive *d, struct err *e);

struct directive_plan {
	enum directive_outcome outcome;
	bool forced;          /* it asked to continue once too often */
	int continues;        /* to be kept for the next decision */
	int64_t follow_up_ms; /* -1: no follow-up wake */
};
/* For a checked directive; continues counts the consecutive ones before it. After
 * DIRECTIVE_CONTINUES_MAX of them the next is put to sleep, and the count starts over. Sleeping
 * keeps the follow-up the model asked for by name, a forced sleep keeps none. */
struct directive_plan directive_policy_decide(const struct directive *d, int continues);

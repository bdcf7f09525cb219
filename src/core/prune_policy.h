/* prune_policy - which old tool results shrink in the model's view, and what is shown instead?
 * Stored events are never touched; the next call asks again from the full transcript.
 *
 * Candidates are tool results between the first user message and the third-last assistant message;
 * what follows it is what the model is working on. Results of the skill tool are instructions, not
 * output, and stay. With fewer than three assistant messages there are no candidates.
 *
 *   1. trim   while the view holds 30 % of the window or more, the oldest candidate of more than
 *             4,000 characters keeps its first and last 1,500;
 *   2. clear  if the trimmed view still holds 50 % or more, and its candidates 50,000 characters
 *             or more in total, the oldest candidates become a notice, until it holds less.
 *
 * Aggressive mode (after the provider refused the prompt as too long) sets those three thresholds,
 * 30 %, 50 % and 50,000, to 0: every candidate is cleared. Who is a candidate does not change.
 * A result no longer than the notice that would replace it (48 characters) is never cleared. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/str.h"
#include "core/message.h"

enum prune_action { PRUNE_KEEP, PRUNE_TRIM, PRUNE_CLEAR };

struct prune_facts {
	const struct message *messages; /* linked, tokens set */
	size_t count;
	int64_t window_tokens; /* above 0 */
	bool aggressive;
};

/* Writes one action per message to actions[count]; scratch holds the trimmed texts it weighs. */
void
prune_policy_decide(const struct prune_facts *f, struct arena *scratch, enum prune_action *actions);

/* m as the model reads it: content shortened, tokens set anew. The notice in place of the text says
 * how much is gone; a cleared result loses its images too. What was shortened once is never
 * shortened again. */
struct message
prune_policy_view(const struct message *m, enum prune_action action, struct arena *a);

/* thrifty - a session "s" whose agent has a price: what its requests cost, and who has spent it. */
#pragma once
#include "turn_rig.h"

#define CENT      INT64_C(10000000000) /* picodollars */
#define TEN_WORDS "one two three four five six seven eight nine ten "

/* A model for which a call of the script's (110 tokens) costs 1.1 cents, at most 50 tokens of answer,
 * and a prompt that is no shorter than the script says. The agent's id is "thrifty". */
void thrifty_init(struct rig *r);
/* With a budget for each day; INT64_C(0): none. */
void thrifty_set_day(struct rig *r, int64_t picodollars);
/* What the day has spent, in tokens of that price. */
int64_t thrifty_day_tokens(struct rig *r);
/* What the session has, in picodollars. */
int64_t thrifty_spent(struct rig *r, const char *session);
enum stop_kind thrifty_last_stop(struct rig *r, const char *session);
/* Who posts from now on, and takes part in that session. */
void thrifty_user(struct rig *r, const char *user, const char *session);
/* Says something until no money is left; how many turns that took. */
int thrifty_spend_all(struct rig *r, const char *session);
/* What each user may spend from now on, while the engine runs. */
void thrifty_allow(struct rig *r, int64_t picodollars);

/* rollover_private - one rollover on its way, shared by its parts: rollover.c (what it needs, and the
 * tries), rollover_write.c (what it writes). */
#pragma once
#include "engine/look.h"
#include "engine/rollover.h"

/* Who takes part, and as what (engine/access). */
struct rolling_user {
	struct str id, standing;
};

struct rolling {
	struct engine *en;
	struct rollover r;
	rollover_fn *done;
	void *ctx;
	int tries;
	int64_t head_seq; /* that the last try was refused with */
	struct err why;   /* of that */

	/* of this try */
	struct arena arena;
	struct look *look;
	struct wake_list wakes;
	VEC(struct rolling_user) users; /* who take part */
	bool users_known;
	struct str extra; /* body of its session_extra; empty: none */
	int64_t agent_version;
	struct store_session target; /* with reopens: the session that goes on */
	bool has_target;
	struct str new_id;
	struct reset_marks marks;
};

/* Ends whatever is open, whoever runs it? Else it waits for nobody. */
bool rollover_is_forced(enum rollover_cause cause);
/* The whole commit, but for what r.add brings. */
struct commit *rollover_write(struct rolling *g, struct commit **beginning);

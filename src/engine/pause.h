/* pause - whose messages wait for money?
 *
 * A turn for which no money was left leaves a record: of a user's budget one for that user, else one for
 * everybody in the session. When such a record holds is decided here and nowhere else. */
#pragma once
#include "engine/spending.h"

/* For everybody: id session, and of no meaning unless the session's last turn ended so. For a user: id
 * "<session>/<user>", owner session; older ones stand where everybody's does. body {"scope","limit","day",
 * "user"?}. */
#define RECORD_PAUSE STR("pause")

/* With the terminal. */
void pause_put(struct engine *en, const struct purse *p, struct str session, struct commit *c);
/* The session's own budget was raised. */
void pause_lift(struct str session, struct commit *c);
/* The limits of users or days were changed: looks at the sessions that wait for money. */
void pause_reload(struct engine *en);

/* Those for whom there is no money now. */
struct pauses {
	bool everybody;
	int64_t until_ms; /* when waiting alone ends that; 0: never */
	struct str_list users;
	bool wakes; /* one of them pays for what the session does by itself */
};
bool pause_holds(const struct pauses *p, struct str user);

/* What of a session's queue there is to hold back. */
struct pause_queue {
	bool triggers, steers;
};
/* Could there be any? Else nothing need be read. */
bool pause_is_possible(const struct engine *en, const struct store_session *session,
		       struct pause_queue waiting);
typedef void pause_fn(void *ctx, int rc, const struct err *err, const struct pauses *pauses);
/* Texts into a, where session must live too. Never from inside. */
void pause_read(struct engine *en, const struct store_session *session, struct arena *a,
		pause_fn *done, void *ctx);

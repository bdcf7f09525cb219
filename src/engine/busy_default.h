/* busy_default - what becomes of a message that comes while a turn runs and does not say so itself? Its
 * lane's mode, else its platform's, else the server's (queue.busy). Where neither lanes nor platforms
 * say anything, nothing is read. */
#pragma once
#include "engine/commit.h"

/* Is there more than the server's mode? */
bool busy_default_is_particular(const struct engine *en);

typedef void busy_default_fn(void *ctx, int rc, const struct err *err, enum busy_mode busy);
/* Of messages to this session, whose texts must stay no longer than the call. done never comes from
 * inside. */
void busy_default_find(struct engine *en, const struct store_session *session,
		       busy_default_fn *done, void *ctx);

/* A lane with a mode of its own is written with c: the next start is to know that there is one. */
void busy_default_mark(struct commit *c);
void busy_default_load(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err),
		       void *ctx);

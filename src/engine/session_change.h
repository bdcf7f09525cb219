/* session_change - one change of a session: the caller's standing, then one commit with the state that
 * was seen as precondition. Commands of engine.h: engine_session_archive, _delete; engine_session_update
 * is session_update's. */
#pragma once
#include "engine/commit.h"

struct change;
/* Fills the commit, or sets ch->empty when nothing is to be done. */
typedef int
change_fn(struct change *ch, const struct store_session *session, struct commit *c, struct err *e);

struct change {
	struct engine *en;
	struct engine_call call;
	struct engine_caller caller;
	enum access_verb verb;
	struct str session;
	struct arena arena; /* lives as long as the change */
	struct json body;
	change_fn *make;
	bool empty;
	bool wakes; /* there may be something to run once it is done */
	/* session_extra, for those that ask for it */
	bool wants_extra, wants_agent;
	struct str agent; /* the definition of the session's version */
	struct str extra; /* JSON; empty: there is none */
	int64_t extra_version;
	struct store_session row;
};

struct change *change_new(struct engine *en, const struct engine_call *call, enum access_verb verb,
			  struct str session, change_fn *make);
/* ch is gone once the call is answered. */
void change_start(struct change *ch);

/* What current (JSON text, may be empty) becomes with the patch applied; *out is empty when that is
 * the same. */
NODISCARD int session_patch_metadata(struct arena *a, struct str current, struct json patch,
				     struct str *out, struct err *e);

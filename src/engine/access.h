/* access - gathers the facts about a session and asks core/access_policy. */
#pragma once
#include "engine/engine_private.h"

/* rc 0: allowed. session holds its row where there is one (good during the call). ERR_NOT_FOUND: absent or hidden;
 * ERR_DENIED, ERR_CONFLICT with the reason's sentence. takes_part: there is a record of the caller, whatever
 * it says. */
typedef void access_fn(void *ctx, int rc, const struct err *err,
		       const struct store_session *session, bool takes_part);
void access_check(struct engine *en, const struct engine_caller *caller, enum access_verb verb,
		  struct str session, access_fn *done, void *ctx);
/* Verbs that concern no session: answers at once. */
NODISCARD int
access_check_now(const struct engine_caller *caller, enum access_verb verb, struct err *e);
/* The same about one environment, which its own token may know of. */
NODISCARD int access_check_environment(const struct engine_caller *caller, enum access_verb verb,
				       struct str environment, struct err *e);
/* The same about an item of its work queue; item empty: the queue. */
NODISCARD int access_check_work(const struct engine_caller *caller, struct str environment,
				struct str item, struct err *e);

/* The body of such a record. Members belong to a surface that everybody may come to: they read and post. */
#define ACCESS_PARTICIPANT STR("{}")
#define ACCESS_MEMBER      STR("{\"standing\":\"member\"}")
/* The id of the record that makes a user a participant. */
struct str access_participant_id(struct arena *a, struct str session, struct str user);
/* A row with its texts, for whoever keeps it beyond the callback that showed it. */
void
access_copy_session(struct arena *a, const struct store_session *from, struct store_session *to);

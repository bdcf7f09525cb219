/* session_birth - what every new session begins with, whoever opens it: its id, its first event, and who
 * takes part in it. */
#pragma once
#include "core/event_make.h"
#include "core/session_source.h"
#include "engine/commit.h"

/* "sesn_…", or with a prefix a dated one, which tokens of channels know by that. Lives in a. */
struct str session_birth_id(struct engine *en, struct arena *a, struct str prefix);
/* Appends session.created; its source is written from source, unless that is NULL. */
void session_birth_append(struct commit *c, const struct make_created *made,
			  const struct session_source *source);
/* From now on the user takes part, as standing says (ACCESS_PARTICIPANT, ACCESS_MEMBER); an empty one is
 * nobody. */
void session_birth_join(struct commit *c, struct str session, struct str user, struct str standing);

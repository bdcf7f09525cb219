#include "engine/actor.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct actor *
actor_find(struct engine *en, struct str session)
{
	return map_find(&en->actors, session);
}

struct actor *
actor_get(struct engine *en, struct str session)
{
	struct actor *actor = actor_find(en, session);
	char *id;

	if (actor)
		return actor;
	actor = xcalloc(1, sizeof *actor + session.len);
	id = (char *)(actor + 1);
	memcpy(id, session.ptr, session.len);
	actor->en = en;
	actor->id = (struct str){ id, session.len };
	list_init(&actor->watches);
	list_init(&actor->previews);
	map_put(&en->actors, actor->id, actor);
	return actor;
}

void
actor_settle(struct actor *actor)
{
	if (actor->turn || actor->looking || !list_is_empty(&actor->watches) ||
	    !list_is_empty(&actor->previews))
		return;
	map_remove(&actor->en->actors, actor->id);
	free(actor);
}

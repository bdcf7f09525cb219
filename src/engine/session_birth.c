#include "engine/session_birth.h"

#include "core/session.h"
#include "engine/access.h"

struct str
session_birth_id(struct engine *en, struct arena *a, struct str prefix)
{
	struct buf text;
	struct str id;

	if (prefix.len == 0)
		return engine_make_id(en, a, "sesn");
	buf_init(&text, SESSION_ID_MAX);
	session_id_dated(&text, prefix, host_now_ms(en->host), (uint32_t)rand_u64(&en->rand));
	id = arena_str(a, buf_str(&text));
	buf_release(&text);
	return id;
}

void
session_birth_append(struct commit *c, const struct make_created *made,
		     const struct session_source *source)
{
	struct make_created all = *made;
	struct buf payload, from;
	struct jw w;

	buf_init(&from, STORE_INLINE_MAX);
	if (source) {
		jw_init(&w, &from);
		session_source_write(source, &w);
		all.source = buf_str(&from);
	}
	buf_init(&payload, STORE_PAYLOAD_MAX);
	event_make_created(&payload, &all);
	commit_append_made(c, EVENT_SESSION_CREATED, STR(""), &payload);
	buf_release(&from);
}

void
session_birth_join(struct commit *c, struct str session, struct str user, struct str standing)
{
	if (user.len == 0)
		return;
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_PARTICIPANT,
						       .id = access_participant_id(commit_arena(c),
										   session, user),
						       .owner = user,
						       .body = standing },
					   .if_version = STORE_VERSION_ANY });
}

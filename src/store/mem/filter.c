/* filter - does a session pass what a list or a search asks for? */
#include <strings.h>

#include "store/mem/mem_private.h"

/* ASCII letters of either case. */
static bool
contains(struct str text, struct str part)
{
	for (size_t i = 0; i + part.len <= text.len; i++)
		if (strncasecmp(text.ptr + i, part.ptr, part.len) == 0)
			return true;
	return false;
}

static bool
has_text(struct json object, const char *name, struct str want)
{
	struct json v;

	return json_find(object, str_of(name), &v) && json_str_eq(v, want);
}

static bool
source_matches(const struct store_session_filter *f, struct json source)
{
	struct json v;
	bool interactive = json_find(source, STR("interactive"), &v) && json_type(v) == JSON_TRUE;

	return (f->source_kind.len == 0 || has_text(source, "kind", f->source_kind)) &&
	       (f->platform.len == 0 || has_text(source, "platform", f->platform)) &&
	       (f->interactive == 0 || interactive == (f->interactive == 1));
}

/* What stands in the session's JSON. */
static bool
json_matches(const struct store_session_filter *f, const struct mem_session *s)
{
	struct json_doc source, metadata;
	struct arena scratch;
	struct json v;
	bool ok = true;

	arena_init(&scratch);
	if (f->source_kind.len > 0 || f->platform.len > 0 || f->interactive != 0)
		ok = json_parse(&scratch, s->facts.source, &EVENT_PAYLOAD_LIMITS, &source, NULL) ==
			     0 &&
		     source_matches(f, json_root(&source));
	if (ok && f->metadata_key.len > 0)
		ok = json_parse(&scratch, replay_metadata(s->replay), &EVENT_PAYLOAD_LIMITS,
				&metadata, NULL) == 0 &&
		     json_find(json_root(&metadata), f->metadata_key, &v) &&
		     json_str_eq(v, f->metadata_value);
	arena_release(&scratch);
	return ok;
}

static bool
text_matches(const struct store_session_filter *f, const struct session_row *row)
{
	return f->text.len == 0 || contains(row->title, f->text) ||
	       contains(row->fallback_title, f->text) || contains(str_of(row->preview), f->text);
}

static bool
takes_part(const struct mem *m, const struct mem_session *s, struct str user)
{
	struct arena scratch;
	struct str id;
	bool found;

	arena_init(&scratch);
	id = arena_printf(&scratch, STR_FMT "/" STR_FMT, STR_ARG(s->facts.id), STR_ARG(user));
	found = mem_record_find(m, STR("participant"), id) != NULL;
	arena_release(&scratch);
	return found;
}

static bool
row_matches(const struct store_session_filter *f, const struct mem_session *s)
{
	const struct session_row *row = replay_session(s->replay);

	return (f->lifecycles == 0 || f->lifecycles & 1u << row->state.lifecycle) &&
	       (f->phases == 0 || f->phases & 1u << row->state.phase) &&
	       row->counters.last_activity_ms >= f->active_since_ms &&
	       (!f->deleted || row->deleted) &&
	       (!f->open_work || row->state.phase != TURN_NONE || mem_session_waiting(s) > 0) &&
	       text_matches(f, row);
}

static bool
is_among(struct str text, struct str_list list)
{
	for (size_t i = 0; i < list.len; i++)
		if (str_eq(list.ptr[i], text))
			return true;
	return false;
}

bool
mem_filter_matches(const struct mem *m, const struct store_session_filter *f,
		   const struct mem_session *s)
{
	const struct store_session *facts = &s->facts;

	return (f->workspace_id.len == 0 || str_eq(f->workspace_id, facts->workspace_id)) &&
	       (f->agent_id.len == 0 || str_eq(f->agent_id, facts->agent_id)) &&
	       !is_among(facts->agent_id, f->without_agents) &&
	       (f->agent_version == 0 || f->agent_version == facts->agent_version) &&
	       str_starts(facts->id, f->id_prefix) &&
	       (f->group == 0 || facts->group == (f->group == 1)) &&
	       facts->created_at_ms >= f->created_from_ms &&
	       (f->created_until_ms == 0 || facts->created_at_ms <= f->created_until_ms) &&
	       row_matches(f, s) && json_matches(f, s) &&
	       (f->participant.len == 0 || takes_part(m, s, f->participant));
}

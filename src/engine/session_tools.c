#include "engine/session_tools.h"

#include "core/session.h"

static void
end_in(struct toolset *tools, struct str session)
{
	if (tools)
		tools->ops->end_session(tools, session);
}

void
session_tools_stop(struct engine *en, struct str session)
{
	end_in(en->config.tools, session);
}

void
session_tools_end(struct engine *en, struct str session)
{
	end_in(en->config.tools, session);
	end_in(en->config.servers, session);
}

struct tool_load
engine_tool_load(const struct engine *en, struct str session)
{
	struct toolset *tools = en->config.tools;

	return tools && tools->ops->load ? tools->ops->load(tools, session)
					 : (struct tool_load){ 0 };
}

static bool
archives(const struct event *ev)
{
	struct json lifecycle;
	struct json_doc doc;
	struct arena a;
	bool found;

	if (!str_contains(ev->payload, STR("archived"))) /* most of them: titles, metadata */
		return false;
	arena_init(&a);
	found = json_parse(&a, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0 &&
		json_find(json_root(&doc), STR("lifecycle"), &lifecycle) &&
		json_str_eq(lifecycle, str_of(lifecycle_name(LIFECYCLE_ARCHIVED)));
	arena_release(&a);
	return found;
}

static bool
ends_session(const struct event *ev)
{
	switch ((int)ev->kind) {
	case EVENT_SESSION_DELETED:
	case EVENT_STATUS_TERMINATED: return true;
	case EVENT_SESSION_UPDATED: return archives(ev);
	default: return false;
	}
}

void
session_tools_on_events(struct engine *en, struct str session, const struct event *events,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ends_session(&events[i])) {
			session_tools_end(en, session);
			return;
		}
}

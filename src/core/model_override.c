#include "core/model_override.h"

#include "base/buf.h"
#include "base/json_write.h"

/* More than a record may have: what was read fits in again. */
enum { ROOM_MAX = 64 * 1024 * 1024 };

bool
model_override_is_chosen(struct json extra)
{
	struct json said;

	return json_is_set(extra) && (json_find(extra, MODEL_OVERRIDE_CHOSEN, &said) ||
				      json_find(extra, MODEL_OVERRIDE_BEFORE, &said));
}

struct str
model_override_before(struct json extra, struct json agent)
{
	struct json model;

	if (json_is_set(extra) && json_find(extra, MODEL_OVERRIDE_BEFORE, &model))
		return json_raw(model); /* of several choices the first one tells */
	if (json_is_set(agent) && json_find(agent, STR("model"), &model))
		return json_raw(model);
	return STR("null");
}

static struct str
agent_with(struct json agent, struct json model, struct arena *a)
{
	struct json_iter it = json_iter(agent);
	struct buf out;
	struct str text;
	struct jw w;

	buf_init(&out, ROOM_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	while (json_next(&it)) { /* in its place: the wire has an order of members */
		jw_key(&w, json_str(it.key, a));
		jw_raw(&w, json_raw(json_str_eq(it.key, STR("model")) ? model : it.value));
	}
	jw_end_object(&w);
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}

bool
model_override_clear(struct json extra, struct arena *a, struct str *body, struct str *agent)
{
	struct json before, now;
	struct json_iter it;
	struct buf out;
	struct jw w;

	if (!json_is_set(extra) || !json_find(extra, MODEL_OVERRIDE_BEFORE, &before) ||
	    !json_find(extra, STR("agent"), &now) || json_type(now) != JSON_OBJECT)
		return false;
	*agent = agent_with(now, before, a);
	buf_init(&out, ROOM_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	for (it = json_iter(extra); json_next(&it);) {
		if (json_str_eq(it.key, MODEL_OVERRIDE_BEFORE))
			continue;
		jw_key(&w, json_str(it.key, a));
		jw_raw(&w, json_str_eq(it.key, STR("agent")) ? *agent : json_raw(it.value));
	}
	jw_end_object(&w);
	*body = arena_str(a, buf_str(&out));
	buf_release(&out);
	return true;
}

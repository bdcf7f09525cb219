#include "core/model_choice.h"

const char *
model_source_name(enum model_source source)
{
	switch (source) {
	case MODEL_SOURCE_MESSAGE: return "message";
	case MODEL_SOURCE_SESSION: return "session";
	case MODEL_SOURCE_WORKSPACE: return "workspace";
	case MODEL_SOURCE_AGENT: return "agent";
	case MODEL_SOURCE_SERVER: return "server";
	case MODEL_SOURCE_DEFAULT: return "default";
	}
	return "";
}

struct model_choice
model_choice_decide(const struct model_facts *f)
{
	const struct model_choice nearest_first[] = {
		{ f->message, MODEL_SOURCE_MESSAGE },
		{ f->chosen ? f->own : (struct str){ 0 }, MODEL_SOURCE_SESSION },
		{ f->workspace, MODEL_SOURCE_WORKSPACE },
		{ f->own, MODEL_SOURCE_AGENT },
		{ f->server, MODEL_SOURCE_SERVER },
	};

	for (size_t i = 0; i < ARRAY_LEN(nearest_first); i++)
		if (nearest_first[i].model.len > 0)
			return nearest_first[i];
	return (struct model_choice){ MODEL_BUILT_IN, MODEL_SOURCE_DEFAULT };
}

/* A model is an object with an id, or just its id. */
static struct str
model_name(struct json model, struct arena *a)
{
	struct json id = model;

	if (json_type(model) == JSON_OBJECT && !json_find(model, STR("id"), &id))
		return (struct str){ 0 };
	return json_str(id, a);
}

/* The effort is the agent's, whichever model it goes to. */
static void
write_model(struct jw *w, struct json own, struct str name, struct arena *a)
{
	struct json_iter it = json_iter(own);

	jw_object(w);
	jw_field_str(w, "id", name);
	if (json_type(own) != JSON_OBJECT)
		jw_field_str(w, "speed", STR("standard"));
	while (json_type(own) == JSON_OBJECT && json_next(&it)) {
		if (json_str_eq(it.key, STR("id")))
			continue;
		jw_key(w, json_str(it.key, a));
		jw_raw(w, json_raw(it.value));
	}
	jw_end_object(w);
}

void
model_choice_write(struct jw *w, struct json agent, const struct model_facts *f, struct arena *a)
{
	struct json_iter it = json_iter(agent);

	jw_object(w);
	while (json_next(&it)) {
		struct model_facts facts = *f;
		struct model_choice choice;

		jw_key(w, json_str(it.key, a));
		if (!json_str_eq(it.key, STR("model"))) {
			jw_raw(w, json_raw(it.value));
			continue;
		}
		facts.own = model_name(it.value, a);
		choice = model_choice_decide(&facts);
		write_model(w, it.value, choice.model, a);
		jw_field_str(w, "model_source", str_of(model_source_name(choice.source)));
	}
	jw_end_object(w);
}

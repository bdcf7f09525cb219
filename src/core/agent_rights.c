#include "core/agent_rights.h"

#include "core/definition.h"

static struct str_list
read_list(struct json v, struct arena *a)
{
	size_t count = json_type(v) == JSON_ARRAY ? json_count(v) : 0;
	struct str *texts;

	if (count == 0)
		return (struct str_list){ 0 };
	texts = ARENA_ARRAY(a, count, struct str);
	for (struct json_iter it = json_iter(v); json_next(&it);)
		texts[it.index] = arena_str(a, json_str(it.value, a));
	return (struct str_list){ texts, count };
}

void
agent_rights_read(struct json current, struct arena *a, struct agent_rights *out)
{
	struct json access = definition_find(current, "access");

	*out = (struct agent_rights){
		.level = ACCESS_PUBLIC,
		.environments = read_list(definition_find(current, "environments"), a),
		.models = read_list(definition_find(current, "models"), a),
	};
	if (json_type(access) == JSON_STRING)
		IGNORE(access_level_parse(json_str(access, a), &out->level)); /* or it is public */
}

bool
agent_rights_are_usual(const struct agent_rights *r)
{
	return r->level == ACCESS_PUBLIC && r->environments.len == 0 && r->models.len == 0;
}

static bool
is_among(struct str text, struct str_list list)
{
	for (size_t i = 0; i < list.len; i++)
		if (str_eq(list.ptr[i], text))
			return true;
	return false;
}

struct str
agent_rights_environment(const struct agent_rights *r)
{
	return r->environments.len > 0 ? r->environments.ptr[0] : AGENT_RIGHTS_ENVIRONMENT;
}

bool
agent_rights_has_environment(const struct agent_rights *r, struct str environment)
{
	return str_eq(environment, agent_rights_environment(r)) ||
	       is_among(environment, r->environments);
}

bool
agent_rights_has_model(const struct agent_rights *r, struct str model)
{
	return is_among(model, r->models);
}

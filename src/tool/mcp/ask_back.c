#include "tool/mcp/ask_back.h"

#include "base/utf8.h"

/* ---- forms ---- */

static bool
has_default(struct json properties, struct json name, struct arena *a, struct json *value)
{
	struct json property;

	return json_find(properties, json_str(name, a), &property) &&
	       json_find(property, STR("default"), value);
}

/* Everything that must be filled in has a default. */
static bool
can_accept(struct json schema, struct json properties, struct arena *a)
{
	struct json required, value;

	if (!json_find(schema, STR("required"), &required))
		return true;
	for (struct json_iter it = json_iter(required); json_next(&it);)
		if (!has_default(properties, it.value, a, &value))
			return false;
	return true;
}

static void
write_defaults(struct json properties, struct arena *a, struct jw *w)
{
	struct json value;

	jw_field_object(w, "content");
	for (struct json_iter it = json_iter(properties); json_next(&it);)
		if (has_default(properties, it.key, a, &value)) {
			jw_key(w, json_str(it.key, a));
			jw_raw(w, json_raw(value));
		}
	jw_end_object(w);
}

static void
answer_form(struct json params, bool accepts_defaults, struct jw *w)
{
	struct json schema = { 0 }, properties = { 0 }, mode;
	struct arena a;
	bool accept;

	arena_init(&a);
	accept = accepts_defaults &&
		 (!json_find(params, STR("mode"), &mode) || json_str_eq(mode, STR("form"))) &&
		 json_find(params, STR("requestedSchema"), &schema) &&
		 json_find(schema, STR("properties"), &properties) &&
		 can_accept(schema, properties, &a);
	jw_object(w);
	jw_field_str(w, "action", accept ? STR("accept") : STR("decline"));
	if (accept)
		write_defaults(properties, &a, w);
	jw_end_object(w);
	arena_release(&a);
}

/* ---- all of it ---- */

int
ask_back_answer(struct str method, struct json params, bool accepts_defaults, struct jw *w,
		struct err *e)
{
	if (str_eq(method, STR("ping"))) {
		jw_object(w);
		jw_end_object(w);
		return 0;
	}
	if (str_eq(method, STR("elicitation/create"))) {
		answer_form(params, accepts_defaults, w);
		return 0;
	}
	return err_set(e, ERR_INVALID, "this client does not answer " STR_FMT,
		       STR_ARG(str_slice(method, 0, utf8_floor(method, 100))));
}

int
ask_back_answer_all(struct json requests, bool accepts_defaults, struct jw *w, struct err *e)
{
	struct arena a;
	int rc = 0;

	arena_init(&a);
	jw_object(w);
	for (struct json_iter it = json_iter(requests); rc == 0 && json_next(&it);) {
		struct json method = { 0 }, params = { 0 };

		json_find(it.value, STR("method"), &method);
		json_find(it.value, STR("params"), &params);
		jw_key(w, json_str(it.key, &a));
		rc = ask_back_answer(json_str(method, &a), params, accepts_defaults, w, e);
	}
	if (rc == 0)
		jw_end_object(w);
	arena_release(&a);
	return rc;
}

void
ask_back_capabilities(bool accepts_defaults, struct jw *w)
{
	jw_object(w);
	if (accepts_defaults) {
		jw_field_object(w, "elicitation");
		jw_end_object(w);
	}
	jw_end_object(w);
}

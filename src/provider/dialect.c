#include "provider/dialect.h"

#include "core/tool_name.h"

struct json
dialect_find(struct json v, const char *name)
{
	struct json out;

	if (!json_is_set(v) || !json_find(v, str_of(name), &out) || json_type(out) == JSON_NULL)
		return (struct json){ 0 };
	return out;
}

struct str
dialect_text(struct answer *a, struct json v, const char *name)
{
	struct json text = dialect_find(v, name);

	return json_is_set(text) ? json_str(text, &a->scratch) : (struct str){ 0 };
}

bool
dialect_is(struct json v, const char *name, struct str word)
{
	struct json text = dialect_find(v, name);

	return json_is_set(text) && json_str_eq(text, word);
}

void
dialect_count(struct json v, const char *name, int64_t *out)
{
	struct json number = dialect_find(v, name);
	int64_t value;

	if (json_is_set(number) && json_int(number, &value) && value >= 0)
		*out = value;
}

void
dialect_openai_usage(struct usage *u, int64_t prompt, int64_t cached)
{
	u->cache_read = cached < prompt ? cached : prompt;
	u->input = prompt - u->cache_read;
}

struct str
dialect_arguments(struct str arguments, struct arena *a)
{
	struct json_doc doc;
	struct buf wrapped;
	struct jw w;
	struct str out;

	arguments = str_trim(arguments);
	if (arguments.len == 0)
		return STR("{}");
	if (json_parse(a, arguments, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
	    json_type(json_root(&doc)) == JSON_OBJECT)
		return arguments;
	buf_init(&wrapped, 6 * arguments.len + 64);
	jw_init(&w, &wrapped);
	jw_object(&w);
	jw_field_str(&w, "arguments", arguments);
	jw_end_object(&w);
	out = arena_str(a, buf_str(&wrapped));
	buf_release(&wrapped);
	return out;
}

struct str
dialect_tool_name(struct str name, size_t max, struct arena *a)
{
	return name.len > 0 ? tool_name_plain(str_slice(name, 0, max), a) : STR("unnamed");
}

struct str
dialect_schema(struct str schema)
{
	return schema.len > 0 ? schema : STR("{\"type\":\"object\",\"properties\":{}}");
}

struct str
dialect_image_url(const struct message_image *image, struct arena *a)
{
	if (image->url.len > 0)
		return image->url;
	return arena_printf(a, "data:" STR_FMT ";base64," STR_FMT, STR_ARG(image->media_type),
			    STR_ARG(image->data));
}

bool
dialect_is_blank(struct str text)
{
	return str_trim(text).len == 0;
}

struct str
dialect_openai_effort(struct str effort)
{
	return str_eq(effort, STR("max")) ? STR("xhigh") : effort;
}

#include "tool/mcp/result.h"

#include "base/utf8.h"

/* One block is at most a message, 8 MiB, before it is known that there is enough. */
enum { ENOUGH_BYTES = 8 << 20, GATHER_BYTES_MAX = 32 << 20 };

/* ---- blocks ---- */

static struct str
text_of(struct json v, const char *name, struct arena *a)
{
	struct json member;

	return json_find(v, str_of(name), &member) ? json_str(member, a) : STR("");
}

/* Each block begins a line. */
static void
begin(struct buf *out)
{
	if (out->len > 0 && out->ptr[out->len - 1] != '\n')
		buf_putc(out, '\n');
}

/* Of base64 only how much it is. */
static void
put_media(struct buf *out, const char *what, struct json block, struct str data, struct arena *a)
{
	struct str type = text_of(block, "mimeType", a), uri = text_of(block, "uri", a);

	buf_printf(out, "[%s", what);
	if (uri.len > 0)
		buf_printf(out, " " STR_FMT, STR_ARG(uri));
	if (type.len > 0)
		buf_printf(out, " " STR_FMT, STR_ARG(type));
	buf_printf(out, ", %zu bytes]", data.len / 4 * 3);
}

static void
put_resource(struct buf *out, struct json resource, struct arena *a)
{
	struct json text;

	if (!json_find(resource, STR("text"), &text)) {
		put_media(out, "resource", resource, text_of(resource, "blob", a), a);
		return;
	}
	buf_printf(out, "[resource " STR_FMT "]\n", STR_ARG(text_of(resource, "uri", a)));
	buf_put_str(out, json_str(text, a));
}

static void
put_link(struct buf *out, struct json link, struct arena *a)
{
	struct str name = text_of(link, "name", a), says = text_of(link, "description", a);

	buf_printf(out, "[link " STR_FMT, STR_ARG(text_of(link, "uri", a)));
	if (name.len > 0)
		buf_printf(out, " (" STR_FMT ")", STR_ARG(name));
	if (says.len > 0)
		buf_printf(out, ": " STR_FMT, STR_ARG(says));
	buf_putc(out, ']');
}

/* Whether it was text. */
static bool
put_block(struct buf *out, struct json block, struct arena *a)
{
	struct str type = text_of(block, "type", a);
	struct json resource = { 0 };

	begin(out);
	if (str_eq(type, STR("text"))) {
		buf_put_str(out, text_of(block, "text", a));
		return true;
	}
	if (str_eq(type, STR("image")) || str_eq(type, STR("audio")))
		put_media(out, type.ptr[0] == 'i' ? "image" : "audio", block,
			  text_of(block, "data", a), a);
	else if (str_eq(type, STR("resource")) && json_find(block, STR("resource"), &resource))
		put_resource(out, resource, a);
	else if (str_eq(type, STR("resource_link")))
		put_link(out, block, a);
	else
		buf_printf(out, "[content of type " STR_FMT "]",
			   STR_ARG(str_slice(type, 0, utf8_floor(type, 60))));
	return false;
}

/* ---- all of it ---- */

static void
cut(struct buf *out, const struct buf *all)
{
	struct str text = buf_str(all);
	size_t end = utf8_floor(text, RESULT_BYTES_MAX);

	buf_put_str(out, str_slice(text, 0, end));
	if (text.len > end)
		buf_printf(out, "\n[%zu bytes are left out]", text.len - end);
}

enum tool_outcome
result_read(struct json result, struct buf *out)
{
	struct json content = { 0 }, structured, failed;
	bool has_text = false;
	struct arena a;
	struct buf all;

	arena_init(&a);
	buf_init(&all, GATHER_BYTES_MAX);
	json_find(result, STR("content"), &content);
	for (struct json_iter it = json_iter(content); all.len < ENOUGH_BYTES && json_next(&it);)
		has_text |= put_block(&all, it.value, &a);
	if (!has_text && json_find(result, STR("structuredContent"), &structured)) {
		begin(&all);
		buf_put_str(&all, json_raw(structured));
	}
	cut(out, &all);
	buf_release(&all);
	arena_release(&a);
	return json_find(result, STR("isError"), &failed) && json_type(failed) == JSON_TRUE
		       ? OUTCOME_ERROR
		       : OUTCOME_OK;
}

#include "tool/mcp/catalog.h"

#include "base/log.h"
#include "base/utf8.h"
#include "core/tool_name.h"

void
catalog_init(struct catalog *c)
{
	*c = (struct catalog){ 0 };
	arena_init(&c->arena);
}

void
catalog_release(struct catalog *c)
{
	arena_release(&c->arena);
	*c = (struct catalog){ 0 };
}

/* ---- one tool ---- */

static struct str
text_of(struct json v, const char *name, struct arena *a)
{
	struct json member;

	return json_find(v, str_of(name), &member) ? json_str(member, a) : STR("");
}

static bool
hint(struct json tool, const char *name)
{
	struct json annotations, value;

	return json_find(tool, STR("annotations"), &annotations) &&
	       json_find(annotations, str_of(name), &value) && json_type(value) == JSON_TRUE;
}

static struct str
description_of(struct json tool, struct arena *a)
{
	struct str text = text_of(tool, "description", a);

	if (text.len == 0)
		text = text_of(tool, "title", a);
	return arena_str(a, str_slice(text, 0, utf8_floor(text, CATALOG_DESCRIPTION_MAX)));
}

static bool
is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.ptr[i] < ' ' || name.ptr[i] == 0x7f)
			return false;
	return name.len > 0 && name.len <= CATALOG_NAME_MAX;
}

static int
read_tool(struct json v, bool over_http, struct arena *a, struct catalog_tool *out, struct err *e)
{
	struct json schema;
	struct str name = text_of(v, "name", a);

	if (!is_name(name))
		return err_set(e, ERR_INVALID, "it has no name of 1 to %d characters",
			       CATALOG_NAME_MAX);
	if (!json_find(v, STR("inputSchema"), &schema) || json_type(schema) != JSON_OBJECT)
		return err_set(e, ERR_INVALID, "its inputSchema is no object");
	if (json_raw(schema).len > CATALOG_SCHEMA_MAX)
		return err_set(e, ERR_TOO_LARGE, "its inputSchema is over %d bytes",
			       CATALOG_SCHEMA_MAX);
	*out = (struct catalog_tool){ .told = tool_name_make(STR(""), name, a) };
	out->doc = (struct tool_doc){ .name = arena_str(a, name),
				      .description = description_of(v, a),
				      .input_schema = arena_str(a, json_raw(schema)),
				      .read_only = hint(v, "readOnlyHint"),
				      .idempotent = hint(v, "idempotentHint") };
	return over_http ? param_header_read(schema, a, &out->params, &out->param_count, e) : 0;
}

bool
catalog_tells(const struct catalog *c, struct str told)
{
	for (size_t i = 0; i < c->count; i++)
		if (str_eq(c->tools[i].told, told))
			return true;
	return false;
}

/* ---- pages ---- */

static void
grow(struct catalog *c)
{
	size_t room = c->room ? 2 * c->room : 16;

	if (c->count < c->room)
		return;
	c->tools = arena_resize(&c->arena, c->tools ? c->tools : arena_alloc(&c->arena, 0),
				c->room * sizeof *c->tools, room * sizeof *c->tools);
	c->room = room;
}

static int
add_tool(struct catalog *c, struct str server, struct json v, bool over_http, struct err *e)
{
	struct catalog_tool tool;
	struct err why;
	int rc = read_tool(v, over_http, &c->arena, &tool, &why);

	if (rc == 0 && catalog_tells(c, tool.told)) /* the model must be able to tell them apart */
		rc = err_set(&why, ERR_CONFLICT, "there is one of that name");
	if (rc != 0) {
		log_write(LOG_DEBUG, "mcp.tool_left_out", LOG_STR("server", server),
			  LOG_STR("tool", text_of(v, "name", &c->arena)),
			  LOG_STR("why", str_of(why.text)));
		return 0;
	}
	c->bytes += tool.doc.description.len + tool.doc.input_schema.len;
	if (c->count == CATALOG_TOOLS_MAX || c->bytes > CATALOG_BYTES_MAX)
		return err_set(
			e, ERR_LIMIT,
			"it has more tools than a model can be told about (%d tools, %d bytes)",
			CATALOG_TOOLS_MAX, CATALOG_BYTES_MAX);
	grow(c);
	c->tools[c->count++] = tool;
	return 0;
}

int
catalog_add(struct catalog *c, struct str server, struct json page, bool over_http,
	    struct str *cursor, struct err *e)
{
	struct json tools;
	int rc = 0;

	if (!json_find(page, STR("tools"), &tools) || json_type(tools) != JSON_ARRAY)
		return err_set(e, ERR_INVALID, "its answer to tools/list has no tools");
	if (++c->pages > CATALOG_PAGES_MAX)
		return err_set(e, ERR_LIMIT, "its list of tools has over %d pages",
			       CATALOG_PAGES_MAX);
	for (struct json_iter it = json_iter(tools); rc == 0 && json_next(&it);)
		rc = add_tool(c, server, it.value, over_http, e);
	if (rc == 0)
		*cursor = arena_str(&c->arena, text_of(page, "nextCursor", &c->arena));
	return rc;
}

const struct catalog_tool *
catalog_find(const struct catalog *c, struct str name)
{
	for (size_t i = 0; i < c->count; i++)
		if (str_eq(c->tools[i].doc.name, name))
			return &c->tools[i];
	return NULL;
}

#include "core/tool_offer.h"

#include "core/agent_tools.h"
#include "core/definition.h"
#include "core/tool_name.h"

static const struct str BASH = STR("bash");
static const struct str ANY_SCHEMA = STR("{\"type\":\"object\"}");

/* ---- blocks ---- */

static bool
is_type(struct json block, struct str type)
{
	return json_str_eq(definition_find(block, "type"), type);
}

static struct json
built_in_block(struct json blocks)
{
	for (struct json_iter it = json_iter(blocks); json_next(&it);)
		if (is_type(it.value, AGENT_TOOLS_BUILT_IN))
			return it.value;
	return (struct json){ 0 };
}

static struct json
server_block(struct json blocks, struct str server)
{
	for (struct json_iter it = json_iter(blocks); json_next(&it);)
		if (is_type(it.value, AGENT_TOOLS_MCP) &&
		    json_str_eq(definition_find(it.value, "mcp_server_name"), server))
			return it.value;
	return (struct json){ 0 };
}

bool
tool_offer_wants_built_in(struct json blocks)
{
	return json_is_set(built_in_block(blocks));
}

bool
tool_offer_wants_server(struct json blocks, struct str server)
{
	return json_is_set(server_block(blocks, server));
}

/* ---- names ---- */

static const struct turn_tool *
find(const struct tool_offer *o, struct str name)
{
	for (size_t i = 0; i < o->count; i++)
		if (str_eq(o->tools[i].name, name))
			return &o->tools[i];
	return NULL;
}

static struct str
name_of(const struct tool_offer *o, const struct tool_doc *doc, struct arena *a)
{
	struct str name;

	if (doc->server.len == 0)
		return doc->name; /* ours, or the client's as core/agent_tools took it */
	name = tool_name_make(STR(""), doc->name, a);
	return find(o, name) ? tool_name_make(doc->server, doc->name, a) : name;
}

/* ---- the offer ---- */

static void
add(struct tool_offer *o, const struct tool_doc *doc, struct turn_tool tool, struct arena *a)
{
	tool.name = name_of(o, doc, a);
	if (tool.name.len == 0 || find(o, tool.name))
		return; /* nobody could tell the two apart */
	tool.repeatable = doc->read_only || doc->idempotent;
	o->rule_count += approval_policy_mode_rule(
		tool.policy, (struct tool_ref){ tool.name, tool.mcp_server_name, tool.own_name },
		&o->rules[o->rule_count]);
	o->docs[o->count] = *doc;
	o->tools[o->count++] = tool;
}

static void
add_custom(struct json blocks, struct arena *a, struct tool_offer *o)
{
	for (struct json_iter it = json_iter(blocks); json_next(&it);) {
		struct json schema = definition_find(it.value, "input_schema");
		struct tool_doc doc = {
			.name = json_str(definition_find(it.value, "name"), a),
			.description = json_str(definition_find(it.value, "description"), a),
			.input_schema = json_is_set(schema) ? json_raw(schema) : ANY_SCHEMA,
		};

		if (is_type(it.value, AGENT_TOOLS_CUSTOM))
			add(o, &doc,
			    (struct turn_tool){ .kind = EVENT_AGENT_CUSTOM_TOOL_USE,
						.client_side = true,
						.policy = APPROVAL_ALWAYS_ALLOW },
			    a);
	}
}

/* Tools that nobody names in a block are about bash's processes: they go with it, and touch no file. */
static void
add_local(const struct tool_offer_facts *f, struct json block, struct arena *a,
	  struct tool_offer *o)
{
	for (size_t i = 0; i < f->local.count; i++) {
		const struct tool_doc *doc = &f->local.ptr[i];
		bool named = agent_tools_is_built_in(doc->name);
		struct agent_tool_config c = agent_tools_config(block, named ? doc->name : BASH);

		if (c.enabled && (named || !f->by_worker))
			add(o, doc,
			    (struct turn_tool){ .kind = EVENT_AGENT_TOOL_USE,
						.client_side = f->by_worker,
						.policy = c.policy,
						.changes_files = named && !doc->read_only },
			    a);
	}
}

static void
add_own(const struct tool_offer_facts *f, struct arena *a, struct tool_offer *o)
{
	for (size_t i = 0; i < f->own.count; i++)
		add(o, &f->own.ptr[i],
		    (struct turn_tool){ .kind = EVENT_AGENT_TOOL_USE,
					.policy = APPROVAL_ALWAYS_ALLOW },
		    a);
}

struct str
tool_offer_own_name(const struct tool_doc *doc)
{
	return doc->own_name.len > 0 ? doc->own_name : doc->name;
}

static bool
has_config(struct json block, struct str name)
{
	for (struct json_iter it = json_iter(definition_find(block, "configs")); json_next(&it);)
		if (json_str_eq(definition_find(it.value, "name"), name))
			return true;
	return false;
}

/* A block names a tool as its server does, whoever else has one of that name; or as it is offered. */
static struct agent_tool_config
remote_config(struct json block, const struct tool_doc *doc, struct arena *a)
{
	struct str own_name = tool_offer_own_name(doc);
	struct str names[] = { own_name, tool_name_make(STR(""), own_name, a), doc->name };
	size_t at = 0;

	while (at < ARRAY_LEN(names) - 1 && !has_config(block, names[at]))
		at++;
	return agent_tools_config(block, names[at]);
}

static void
add_remote(const struct tool_offer_facts *f, struct arena *a, struct tool_offer *o)
{
	for (size_t i = 0; i < f->remote.count; i++) {
		const struct tool_doc *doc = &f->remote.ptr[i];
		struct json block = server_block(f->blocks, doc->server);
		struct agent_tool_config c = { true, APPROVAL_ALWAYS_ASK };

		if (json_is_set(block))
			c = remote_config(block, doc, a);
		if (c.enabled)
			add(o, doc,
			    (struct turn_tool){ .kind = EVENT_AGENT_MCP_TOOL_USE,
						.mcp_server_name = doc->server,
						.own_name = tool_offer_own_name(doc),
						.policy = c.policy },
			    a);
	}
}

void
tool_offer_make(const struct tool_offer_facts *f, struct arena *a, struct tool_offer *out)
{
	struct json built_in = built_in_block(f->blocks);
	size_t most = json_count(f->blocks) + f->own.count + f->local.count + f->remote.count + 1;

	*out = (struct tool_offer){ .tools = ARENA_ARRAY(a, most, struct turn_tool),
				    .docs = ARENA_ARRAY(a, most, struct tool_doc),
				    .rules = ARENA_ARRAY(a, most, struct approval_rule) };
	if (json_is_set(built_in)) {
		add_own(f, a, out);
		add_local(f, built_in, a, out);
	}
	add_custom(f->blocks, a, out);
	add_remote(f, a, out);
}

const struct tool_doc *
tool_offer_doc(const struct tool_offer *o, const struct turn_call *call)
{
	for (size_t i = 0; i < o->count; i++)
		if (turn_tool_is(&o->tools[i], call))
			return &o->docs[i];
	return NULL;
}

#include "app/mcp_list.h"

#include <stdio.h>

#include "app/mcp_probe.h"
#include "base/clock.h"
#include "base/vec.h"
#include "cli/call.h"
#include "cli/table.h"
#include "cli/url_text.h"

enum { OUTPUT_MAX = 64 << 20, URL_MAX = 8192, PAGE_SIZE = 100 };

/* A server that an agent or an environment declares, and what it said. */
struct declared {
	const char *kind; /* of the owner */
	struct str owner;
	struct json server; /* as the API shows it */
	struct str name, url, command;
	struct str protocol, tools; /* joined by blanks */
	size_t tool_count;
	struct str problem;
	bool asked;
};

struct listing {
	struct cli_call *call;
	VEC(struct declared) servers;
	VEC(size_t) asked; /* which of them */
};

/* ---- what is declared ---- */

static struct str
text_of(struct json v, const char *name, struct arena *a)
{
	struct json member;

	return json_find(v, str_of(name), &member) ? json_str(member, a) : (struct str){ 0 };
}

static void
add_servers(struct listing *l, const char *kind, struct json object)
{
	struct arena *a = &l->call->a;
	struct json config, servers;

	if (!json_find(object, STR("mcp_servers"), &servers) &&
	    !(json_find(object, STR("config"), &config) &&
	      json_find(config, STR("mcp_servers"), &servers)))
		return;
	for (struct json_iter it = json_iter(servers); json_next(&it);)
		*vec_push(&l->servers) = (struct declared){
			.kind = kind,
			.owner = text_of(object, "id", a),
			.server = it.value,
			.name = text_of(it.value, "name", a),
			.url = text_of(it.value, "url", a),
			.command = text_of(it.value, "command", a),
		};
}

/* Pages of one kind of object. */
static int
gather(struct listing *l, const char *kind, const char *path, struct err *e)
{
	struct str next = { 0 };
	struct json page, data, more;
	struct buf url;
	int rc;

	do {
		buf_init(&url, URL_MAX);
		buf_puts(&url, path);
		url_text_query_int(&url, "limit", PAGE_SIZE);
		url_text_query(&url, "page", next);
		rc = call_ask(l->call, "GET", buf_str(&url), (struct str){ 0 }, &page, e);
		buf_release(&url);
		if (rc != 0)
			return rc;
		if (!json_find(page, STR("data"), &data))
			return err_set(e, ERR_IO, "the server's answer is no list");
		for (struct json_iter it = json_iter(data); json_next(&it);)
			add_servers(l, kind, it.value);
		next = json_find(page, STR("next_page"), &more) && json_type(more) == JSON_STRING
			       ? json_str(more, &l->call->a)
			       : (struct str){ 0 };
	} while (next.ptr);
	return 0;
}

/* ---- what they say ---- */

static void
on_probed(void *ctx, size_t at, const struct tool_listing *listing, const struct mcp_peer *peer)
{
	struct listing *l = ctx;
	struct declared *d = &l->servers.ptr[l->asked.ptr[at]];
	struct arena *a = &l->call->a;
	struct buf names;

	if (listing->problem_count > 0 || !peer) {
		d->problem = arena_str(a, str_of(listing->problems[0].err.text));
		return;
	}
	d->protocol = arena_str(a, peer->protocol);
	d->tool_count = listing->tool_count;
	buf_init(&names, OUTPUT_MAX);
	for (size_t i = 0; i < listing->tool_count; i++)
		buf_printf(&names, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(listing->tools[i].name));
	d->tools = arena_str(a, buf_str(&names));
	buf_release(&names);
}

/* Commands are not started: that happens in the sandbox of their environment. */
static void
ask_servers(struct listing *l)
{
	struct mcp_probe_options options = { 0 };
	VEC(struct tool_server) servers = { 0 };

	for (size_t i = 0; i < l->servers.len; i++) {
		struct declared *d = &l->servers.ptr[i];

		if (d->url.len == 0) {
			d->problem = STR("not started here; its sessions start it");
			continue;
		}
		d->asked = true;
		*vec_push(&l->asked) = i;
		*vec_push(&servers) = (struct tool_server){ .name = d->name, .url = d->url };
	}
	mcp_probe(servers.ptr, servers.len, (struct str){ 0 }, &options, on_probed, l);
	vec_release(&servers);
}

/* ---- output ---- */

static void
write_json(const struct declared *d, struct jw *w)
{
	struct str rest = d->tools, name;

	jw_object(w);
	jw_field_str(w, "declared_by", str_of(d->kind));
	jw_field_str(w, "id", d->owner);
	jw_field_raw(w, "server", json_raw(d->server));
	jw_field_opt(w, "protocol", d->protocol);
	jw_field_array(w, "tools");
	while (rest.len > 0) {
		str_cut(rest, ' ', &name, &rest);
		jw_str(w, name);
	}
	jw_end_array(w);
	jw_field_opt(w, "problem", d->problem);
	jw_end_object(w);
}

static void
put_json(const struct listing *l, struct buf *out)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_array(&w, "data");
	for (size_t i = 0; i < l->servers.len; i++)
		write_json(&l->servers.ptr[i], &w);
	jw_end_array(&w);
	jw_end_object(&w);
	buf_putc(out, '\n');
}

static void
put_table(const struct listing *l, struct buf *out)
{
	static const struct table_column COLUMNS[] = {
		{ "DECLARED BY", TABLE_TEXT }, { "ID", TABLE_TEXT },       { "SERVER", TABLE_TEXT },
		{ "WHERE", TABLE_WIDE },       { "PROTOCOL", TABLE_TEXT }, { "TOOLS", TABLE_WIDE },
		{ "PROBLEM", TABLE_WIDE },
	};
	struct table table;

	table_init(&table, &l->call->a, COLUMNS, ARRAY_LEN(COLUMNS));
	for (size_t i = 0; i < l->servers.len; i++) {
		const struct declared *d = &l->servers.ptr[i];

		table_row(&table, (const struct str[]){ str_of(d->kind), d->owner, d->name,
							d->url.len > 0 ? d->url : d->command,
							d->protocol, d->tools, d->problem });
	}
	table_print(&table, &l->call->out, clock_now_ms(), out);
	table_release(&table);
}

int
mcp_list_run(struct cli_call *call, struct err *e)
{
	struct listing l = { .call = call };
	struct buf out;
	int rc = gather(&l, "agent", "/v1/agents", e);

	if (rc == 0)
		rc = gather(&l, "environment", "/v1/environments", e);
	if (rc == 0) {
		ask_servers(&l);
		buf_init(&out, OUTPUT_MAX);
		if (call_wants_json(call))
			put_json(&l, &out);
		else
			put_table(&l, &out);
		call_print(buf_str(&out));
		buf_release(&out);
		if (l.servers.len == 0 && call->out.is_terminal && !call_wants_json(call))
			fputs("no agent and no environment declares an MCP server\n", stderr);
	}
	vec_release(&l.servers);
	vec_release(&l.asked);
	return rc;
}

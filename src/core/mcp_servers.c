#include "core/mcp_servers.h"

enum { ARGS_MAX = 128, ARG_MAX = 4096 };
enum server_type { SERVER_URL, SERVER_STDIO };
static const char *const TYPES[] = { [SERVER_URL] = "url", [SERVER_STDIO] = "stdio" };

/* http or https, a host, and nothing that has no place in a request line. */
static bool
is_url(struct str url)
{
	struct str rest = { 0 };

	if (str_starts(url, STR("https://")))
		rest = str_slice(url, 8, url.len);
	else if (str_starts(url, STR("http://")))
		rest = str_slice(url, 7, url.len);
	for (size_t i = 0; i < rest.len; i++)
		if (rest.ptr[i] <= ' ' || rest.ptr[i] >= 0x7f)
			return false;
	return url.len <= MCP_URL_MAX && rest.len > 0 && rest.ptr[0] != '/' && rest.ptr[0] != ':';
}

static int
write_url(struct definition *d, struct json url, struct err *e)
{
	struct str text = { 0 };
	int rc = json_take_str(url, d->a, &text, e);

	if (rc == 0 && !is_url(text))
		rc = json_fail(url, e,
			       "must be an http or https address of at most %d ASCII characters",
			       MCP_URL_MAX);
	if (rc == 0)
		jw_field_str(&d->w, "url", text);
	return rc;
}

static int
write_command(struct definition *d, struct json command, struct json args, struct err *e)
{
	struct str text;
	int rc = definition_take_label(d, command, ARG_MAX, &text, e);

	if (rc != 0)
		return rc;
	jw_field_str(&d->w, "command", text);
	if (json_count(args) > ARGS_MAX)
		return json_fail(args, e, "must have at most %d arguments, not %zu", ARGS_MAX,
				 json_count(args));
	jw_field_array(&d->w, "args");
	for (struct json_iter it = json_iter(args); json_next(&it);) {
		rc = json_take_str(it.value, d->a, &text, e);
		if (rc == 0 && text.len > ARG_MAX)
			rc = json_fail(it.value, e, "must have at most %d bytes", ARG_MAX);
		if (rc != 0)
			return rc;
		jw_str(&d->w, text);
	}
	jw_end_array(&d->w);
	return 0;
}

static int
write_server(struct definition *d, struct json v, bool with_stdio, struct str *name, struct err *e)
{
	struct json type = { 0 }, label = { 0 }, url = { 0 }, command = { 0 }, args = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "name", JSON_WANT_STRING, true, &label },
		{ "url", JSON_WANT_STRING, false, &url },
		/* only with stdio */
		{ "command", JSON_WANT_STRING, false, &command },
		{ "args", JSON_WANT_ARRAY | JSON_WANT_NULL, false, &args },
	};
	size_t kinds = with_stdio ? 2 : 1, at = SERVER_URL;
	int rc = json_fields(v, fields, with_stdio ? ARRAY_LEN(fields) : 3, e);

	if (rc == 0)
		rc = json_take_word(type, TYPES, kinds, &at, e);
	if (rc == 0)
		rc = definition_take_label(d, label, MCP_SERVER_NAME_MAX, name, e);
	if (rc != 0)
		return rc;
	if (at == SERVER_URL && (json_is_set(command) || json_is_set(args)))
		return json_fail(v, e, "a server of type url has no command and no args");
	if (at == SERVER_URL && !json_is_set(url))
		return json_fail(v, e, "a server of type url needs its url");
	if (at == SERVER_STDIO && json_is_set(url))
		return json_fail(v, e, "a server of type stdio has no url");
	if (at == SERVER_STDIO && !json_is_set(command))
		return json_fail(v, e, "a server of type stdio needs its command");
	jw_object(&d->w);
	jw_field_str(&d->w, "type", str_of(TYPES[at]));
	jw_field_str(&d->w, "name", *name);
	rc = at == SERVER_URL ? write_url(d, url, e) : write_command(d, command, args, e);
	if (rc == 0)
		jw_end_object(&d->w);
	return rc;
}

int
mcp_servers_write(struct definition *d, struct json v, bool with_stdio, struct err *e)
{
	struct str names[MCP_SERVERS_MAX];

	if (json_count(v) > MCP_SERVERS_MAX)
		return json_fail(v, e, "must have at most %d servers, not %zu", MCP_SERVERS_MAX,
				 json_count(v));
	jw_array(&d->w);
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		int rc = write_server(d, it.value, with_stdio, &names[it.index], e);

		for (size_t i = 0; rc == 0 && i < it.index; i++)
			if (str_eq(names[i], names[it.index]))
				rc = json_fail(it.value, e, "names '" STR_FMT "' a second time",
					       STR_ARG(names[i]));
		if (rc != 0)
			return rc;
	}
	jw_end_array(&d->w);
	return 0;
}

static void
read_arguments(struct json list, struct arena *a, struct tool_server *out)
{
	struct str *arguments = ARENA_ARRAY(a, json_count(list) + 1, struct str);

	for (struct json_iter it = json_iter(list); json_next(&it);)
		arguments[out->argument_count++] = json_str(it.value, a);
	out->arguments = arguments;
}

size_t
mcp_servers_read(struct json list, struct arena *a, struct tool_server *out)
{
	size_t count = 0;

	for (struct json_iter it = json_iter(list); json_next(&it) && count < MCP_SERVERS_MAX;) {
		struct tool_server s = {
			.name = json_str(definition_find(it.value, "name"), a),
			.url = json_str(definition_find(it.value, "url"), a),
			.command = json_str(definition_find(it.value, "command"), a),
		};

		read_arguments(definition_find(it.value, "args"), a, &s);
		if (s.name.len > 0)
			out[count++] = s;
	}
	return count;
}

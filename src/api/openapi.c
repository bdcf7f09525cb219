/* openapi - the route table as an OpenAPI 3.1 document. */
#include <ctype.h>

#include "api/exchange.h"
#include "api/openapi_schemas.h"

enum { DOCUMENT_MAX = 1024 * 1024, OPERATION_MAX = 256 };

/* --- parameters --- */

/* What a parameter is, where it is no text. */
static const struct {
	const char *name, *type, *format;
} TYPES[] = {
	{ "active_minutes", "integer", NULL },
	{ "after", "integer", NULL },
	{ "agent_version", "integer", NULL },
	{ "before", "integer", NULL },
	{ "block_ms", "integer", NULL },
	{ "created_at[gt]", "string", "date-time" },
	{ "created_at[gte]", "string", "date-time" },
	{ "created_at[lt]", "string", "date-time" },
	{ "created_at[lte]", "string", "date-time" },
	{ "desired_ttl_seconds", "integer", NULL },
	{ "include_archived", "boolean", NULL },
	{ "include_inactive", "boolean", NULL },
	{ "include_total", "boolean", NULL },
	{ "interactive", "boolean", NULL },
	{ "limit", "integer", NULL },
	{ "reclaim_older_than_ms", "integer", NULL },
	{ "version", "integer", NULL },
};

static void
write_type(struct jw *w, struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(TYPES); i++) {
		if (!str_eq(str_of(TYPES[i].name), name))
			continue;
		jw_field_str(w, "type", str_of(TYPES[i].type));
		if (TYPES[i].format)
			jw_field_str(w, "format", str_of(TYPES[i].format));
		return;
	}
	jw_field_str(w, "type", STR("string"));
}

static void
write_parameter(struct jw *w, struct str name, const char *in)
{
	bool is_list = str_ends(name, STR("[]"));

	jw_object(w);
	jw_field_str(w, "name", name);
	jw_field_str(w, "in", str_of(in));
	jw_field_bool(w, "required", in[0] == 'p');
	jw_field_object(w, "schema");
	if (is_list) {
		jw_field_str(w, "type", STR("array"));
		jw_field_object(w, "items");
		write_type(w, name);
		jw_end_object(w);
	} else {
		write_type(w, name);
	}
	jw_end_object(w);
	jw_end_object(w);
}

/* The {names} of a path; the pattern is trusted. */
static bool
next_name(struct str *rest, struct str *name)
{
	size_t at, end;

	if (!str_find(*rest, STR("{"), 0, &at) || !str_find(*rest, STR("}"), at, &end))
		return false;
	*name = str_slice(*rest, at + 1, end);
	*rest = str_slice(*rest, end, rest->len);
	return true;
}

static void
write_parameters(struct jw *w, const struct api_route *row)
{
	struct str path = str_of(row->route.pattern), query = str_of(row->query), name;

	jw_field_array(w, "parameters");
	while (next_name(&path, &name))
		write_parameter(w, name, "path");
	while (query.len > 0) {
		str_cut(query, ' ', &name, &query);
		if (str_ends(name, STR("*"))) /* any name that begins so: not a thing of OpenAPI */
			continue;
		write_parameter(w, name, "query");
	}
	if (row->mutates)
		write_parameter(w, STR("Idempotency-Key"), "header");
	if (row->answer == ROUTE_EVENTS)
		write_parameter(w, STR("Last-Event-ID"), "header");
	if (row->answer == ROUTE_SOCKET)
		write_parameter(w, STR("Sec-WebSocket-Protocol"), "header");
	jw_end_array(w);
}

/* --- bodies and answers --- */

static void
write_content(struct jw *w, const char *type, const char *schema)
{
	char ref[96];

	jw_field_object(w, "content");
	jw_field_object(w, type);
	jw_field_object(w, "schema");
	if (schema && openapi_schemas_has(str_of(schema))) {
		snprintf(ref, sizeof ref, "#/components/schemas/%s", schema);
		jw_field_str(w, "$ref", str_of(ref));
	} else {
		jw_field_str(w, "type", STR("string"));
	}
	jw_end_object(w);
	jw_end_object(w);
	jw_end_object(w);
}

/* What is no JSON object has no schema. */
static const char *
content_type(const struct api_route *row, const char *schema)
{
	if (!schema)
		return "text/plain";
	if (!openapi_schemas_has(str_of(schema)))
		return "application/x-ndjson";
	return row->answer == ROUTE_EVENTS ? "text/event-stream" : "application/json";
}

static void
write_body(struct jw *w, const struct api_route *row)
{
	if (!row->request)
		return;
	jw_field_object(w, "requestBody");
	jw_field_bool(w, "required", row->body != ROUTE_JSON_MAYBE);
	write_content(w,
		      openapi_schemas_has(str_of(row->request)) ? "application/json"
								: "application/x-ndjson",
		      row->request);
	jw_end_object(w);
}

static void
write_error(struct jw *w, const char *status, const char *component)
{
	char ref[96];

	snprintf(ref, sizeof ref, "#/components/responses/%s", component);
	jw_field_object(w, status);
	jw_field_str(w, "$ref", str_of(ref));
	jw_end_object(w);
}

static void
write_success(struct jw *w, const struct api_route *row)
{
	static const char *const DONE[] = {
		[ROUTE_REPLY] = "Done",
		[ROUTE_EVENTS] = "A stream of events",
		[ROUTE_FILE] = "The file",
		[ROUTE_SOCKET] = "A WebSocket (RFC 6455) whose messages are JSON objects",
	};

	jw_field_object(w, row->answer == ROUTE_SOCKET ? "101" : "200");
	jw_field_str(w, "description", str_of(DONE[row->answer]));
	if (row->answer != ROUTE_SOCKET)
		write_content(w, content_type(row, row->response), row->response);
	jw_end_object(w);
}

static void
write_answers(struct jw *w, const struct api_route *row)
{
	jw_field_object(w, "responses");
	write_success(w, row);
	write_error(w, "400", "Invalid");
	if (row->auth == ROUTE_TOKEN) {
		write_error(w, "401", "Unauthenticated");
		write_error(w, "404", "NotFound");
	}
	if (row->mutates) {
		write_error(w, "409", "Conflict");
		write_error(w, "422", "RepeatedOtherwise");
	}
	if (row->answer == ROUTE_SOCKET)
		write_error(w, "426", "NoUpgrade");
	write_error(w, "503", "Unavailable");
	jw_end_object(w);
}

/* --- operations --- */

/* "getV1SessionsSessionIdEvents". */
static struct str
operation_id(const struct api_route *row, char out[OPERATION_MAX])
{
	size_t n = 0;
	bool up = true;

	for (const char *at = row->route.method; *at && n < OPERATION_MAX; at++)
		out[n++] = (char)tolower((unsigned char)*at);
	for (const char *at = row->route.pattern; *at && n < OPERATION_MAX; at++) {
		bool is_letter = isalnum((unsigned char)*at);
		if (is_letter)
			out[n++] = up ? (char)toupper((unsigned char)*at) : *at;
		up = !is_letter;
	}
	return (struct str){ out, n };
}

static void
write_operation(struct jw *w, const struct api_route *row)
{
	char method[16], id[OPERATION_MAX];
	size_t n = 0;

	for (; row->route.method[n] && n < sizeof method - 1; n++)
		method[n] = (char)tolower((unsigned char)row->route.method[n]);
	method[n] = '\0';
	jw_field_object(w, method);
	jw_field_str(w, "operationId", operation_id(row, id));
	jw_field_array(w, "tags");
	jw_str(w, str_of(row->tag));
	jw_end_array(w);
	jw_field_str(w, "summary", str_of(row->summary));
	if (row->auth == ROUTE_OPEN) {
		jw_field_array(w, "security");
		jw_end_array(w);
	}
	write_parameters(w, row);
	write_body(w, row);
	write_answers(w, row);
	jw_end_object(w);
}

static bool
is_first_of_path(size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(API_ROUTES[i].route.pattern, API_ROUTES[at].route.pattern) == 0)
			return false;
	return true;
}

static void
write_paths(struct jw *w)
{
	jw_field_object(w, "paths");
	for (size_t i = 0; i < API_ROUTE_COUNT; i++) {
		if (!is_first_of_path(i))
			continue;
		jw_field_object(w, API_ROUTES[i].route.pattern);
		for (size_t k = i; k < API_ROUTE_COUNT; k++)
			if (strcmp(API_ROUTES[i].route.pattern, API_ROUTES[k].route.pattern) == 0)
				write_operation(w, &API_ROUTES[k]);
		jw_end_object(w);
	}
	jw_end_object(w);
}

/* --- what all share --- */

static void
write_responses(struct jw *w)
{
	static const struct {
		const char *name, *description;
	} ROWS[] = {
		{ "Invalid", "The request is wrong: the message names the field and the reason" },
		{ "Unauthenticated", "No token, or one that is unknown, expired or revoked" },
		{ "NotFound", "Absent, or not for this token to see" },
		{ "Conflict", "The state forbids it; x-should-retry is false" },
		{ "RepeatedOtherwise", "The Idempotency-Key was used with another body" },
		{ "NoUpgrade", "The request does not ask for a WebSocket of version 13" },
		{ "Unavailable", "Starting, stopping, or the disk failed" },
	};

	jw_field_object(w, "responses");
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		jw_field_object(w, ROWS[i].name);
		jw_field_str(w, "description", str_of(ROWS[i].description));
		write_content(w, "application/json", "Error");
		jw_end_object(w);
	}
	jw_end_object(w);
}

static void
write_security(struct jw *w)
{
	jw_field_object(w, "securitySchemes");
	jw_field_object(w, "bearer");
	jw_field_str(w, "type", STR("http"));
	jw_field_str(w, "scheme", STR("bearer"));
	jw_end_object(w);
	jw_field_object(w, "api_key");
	jw_field_str(w, "type", STR("apiKey"));
	jw_field_str(w, "in", STR("header"));
	jw_field_str(w, "name", STR("X-Api-Key"));
	jw_end_object(w);
	jw_end_object(w);
}

static void
write_components(struct jw *w)
{
	jw_field_object(w, "components");
	jw_field_object(w, "schemas");
	openapi_schemas_write(w);
	jw_end_object(w);
	write_responses(w);
	write_security(w);
	jw_end_object(w);
}

static void
write_tags(struct jw *w)
{
	static const struct {
		const char *name, *description;
	} TAGS[] = {
		{ "server", "How the server is doing" },
		{ "agents", "Definitions that sessions are opened on, version by version" },
		{ "environments", "Where the tools of a session run" },
		{ "workspaces", "What holds for the sessions of a group of people" },
		{ "users", "The people whom tokens and channels speak for" },
		{ "tokens", "Who may come in" },
		{ "schedules", "Turns that begin by the clock" },
		{ "sessions", "Conversations: their log, messages, resources and threads" },
		{ "chat", "A conversation by its surface, found or begun by each request" },
		{ "lanes", "Which session a conversation of a channel or a surface is in" },
	};

	jw_field_array(w, "tags");
	for (size_t i = 0; i < ARRAY_LEN(TAGS); i++) {
		jw_object(w);
		jw_field_str(w, "name", str_of(TAGS[i].name));
		jw_field_str(w, "description", str_of(TAGS[i].description));
		jw_end_object(w);
	}
	jw_end_array(w);
}

static void
write_alternative(struct jw *w, const char *scheme)
{
	jw_object(w);
	jw_field_array(w, scheme);
	jw_end_array(w);
	jw_end_object(w);
}

struct str
api_openapi(struct arena *a, const char *version)
{
	struct buf out;
	struct jw w;
	struct str text;

	buf_init(&out, DOCUMENT_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	jw_field_str(&w, "openapi", STR("3.1.0"));
	jw_field_object(&w, "info");
	jw_field_str(&w, "title", STR("Perdure"));
	jw_field_str(&w, "summary", STR("Durable sessions for AI agents"));
	jw_field_str(&w, "version", str_of(version));
	jw_end_object(&w);
	jw_field_array(&w, "servers");
	jw_object(&w);
	jw_field_str(&w, "url", STR("/"));
	jw_end_object(&w);
	jw_end_array(&w);
	jw_field_array(&w, "security");
	write_alternative(&w, "bearer");
	write_alternative(&w, "api_key");
	jw_end_array(&w);
	write_tags(&w);
	write_paths(&w);
	write_components(&w);
	jw_end_object(&w);
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}

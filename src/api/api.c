#include "api/api.h"

#include <stdlib.h>

#include "api/api_private.h"
#include "api/ignore.h"
#include "api/not_yet.h"
#include "api/stream_hub.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/xalloc.h"

enum {
	BEAT_MS = 15 * 1000,
	SCRATCH_MAX = 128 * 1024 * 1024,
	ERROR_MAX = 1024 * 1024,
	HASH_SLICE_BYTES = 1024 * 1024,
};

/* --- refusing --- */

static bool
refuse(struct exchange *x, int status, const char *message)
{
	exchange_problem(x, &(struct api_problem){ .status = status, .message = str_of(message) });
	return false;
}

static bool
refuse_error(struct exchange *x, const struct err *e)
{
	exchange_fail(x, e->code, e);
	return false;
}

/* What never became a request, or stopped being one while its body came. */
static void
on_refuse(void *context, const struct http_refusal *why, struct arena *a, struct http_reply *reply)
{
	struct api *api = context;
	struct http_header *headers = ARENA_ARRAY(a, 2, struct http_header);
	char *text = arena_alloc(a, ID_TEXT_MAX);
	struct str id = id_make(&api->ids, clock_now_ms(), "req", text);
	struct api_error error = { .status = why->status,
				   .message = why->reason,
				   .request_id = id };
	struct buf body;

	buf_init(&body, ERROR_MAX);
	api_error_write(&body, &error);
	headers[0] = (struct http_header){ STR("request-id"), id };
	headers[1] = (struct http_header){ STR("x-request-id"), id };
	reply->headers = headers;
	reply->header_count = 2;
	reply->content_type = STR("application/json");
	reply->body = arena_str(a, buf_str(&body));
	buf_release(&body);
	metrics_count(api->metrics, METRICS_NO_ROUTE, why->status, 0);
}

/* --- what must hold before anything is looked at --- */

static bool
pass_gate(struct exchange *x, const struct gate_head *head)
{
	const struct gate_lists *lists = &x->api->lists;

	if (!gate_host_is_ours(lists, head->host))
		return refuse(x, 421,
			      "Host: this server does not go by that name; add it to the list of "
			      "hosts in the configuration");
	if (head->origin.ptr && !gate_origin_is_allowed(lists, head))
		return refuse(x, 403,
			      "Origin: pages from there may not use this server; add it to the "
			      "list of origins in the configuration");
	return true;
}

/* Readers of event streams take a 503 for final: tell them to come again instead. */
static bool
refuse_until_ready(struct exchange *x)
{
	if (x->route && x->route->answer == ROUTE_EVENTS && !x->port) {
		exchange_text(x, 200, STR("text/event-stream"), STR("retry: 500\n\n"));
		return false;
	}
	return refuse(x, 503, "the server is starting or stopping; try again shortly");
}

/* Browsers cannot set headers of a WebSocket: its token may stand among the protocols. */
static struct str
token_of(const struct exchange *x, const struct gate_head *head)
{
	struct str token = gate_token(head);

	if (token.len == 0 && x->route && x->route->answer == ROUTE_SOCKET)
		return gate_protocol_token(head);
	return token;
}

/* For the operator: who tries, and what is wrong; never what was tried. */
static bool
refuse_login(struct exchange *x, const char *reason, const char *message)
{
	struct str address = x->request ? http_request_head(x->request)->peer : STR("");
	unsigned unlogged;

	if (login_log_admit(&x->api->logins, address, clock_now_ms(), &unlogged))
		log_write(LOG_WARN, "auth.refused", LOG_STR("address", address),
			  LOG_STR("reason", str_of(reason)), LOG_STR("request_id", x->request_id),
			  LOG_INT("unlogged", unlogged));
	return refuse(x, 401, message);
}

static bool
authenticate(struct exchange *x, const struct gate_head *head)
{
	struct str token = token_of(x, head);
	struct err e UNSET;

	if (gate_url_has_token(&x->query))
		return refuse_login(x, "a token in the URL",
				    "a token does not belong into a URL: send it as Authorization: "
				    "Bearer, and replace this one");
	if (x->port) /* of one who is known already */
		return true;
	if (token.len == 0)
		return refuse_login(
			x, "no token",
			"a token is needed: send it as Authorization: Bearer or X-Api-Key");
	if (engine_authenticate(x->engine, token, &x->caller, &e) != 0)
		return refuse_login(x, e.text, "the token is unknown, expired or revoked");
	return true;
}

static bool
refuse_method(struct exchange *x, struct str allow)
{
	struct http_header header = { STR("Allow"), allow };
	struct api_problem p = {
		.status = 405,
		.message = arena_printf(x->arena, "method not allowed here; try " STR_FMT,
					STR_ARG(allow)),
	};

	exchange_refuse(x, &p, &header, 1);
	return false;
}

static bool
find_route(struct exchange *x, const struct http_head *head, struct route_match *match,
	   enum route_result *result)
{
	struct err e UNSET;

	*result = route_find(x->api->routes, x->arena, head->method, head->path, match, &e);
	if (*result == ROUTE_BAD_PATH)
		return refuse_error(x, &e);
	if (*result == ROUTE_FOUND) {
		x->route = (const struct api_route *)(const void *)match->route;
		memcpy(x->captures, match->captures, sizeof x->captures);
	}
	return true;
}

/* "beta" is what the public SDK adds to every path. */
static bool
is_known(struct str_list known, struct str name)
{
	for (size_t i = 0; i < known.len; i++) {
		struct str want = known.ptr[i];
		if (str_ends(want, STR("*")) ? str_starts(name, str_slice(want, 0, want.len - 1))
					     : str_eq(name, want))
			return true;
	}
	return str_eq(name, STR("beta"));
}

static bool
check_query(struct exchange *x)
{
	struct str_list known = x->api->known[x->route - API_ROUTES];
	struct err e UNSET;

	for (size_t i = 0; i < x->query.count; i++) {
		struct str name = x->query.pairs[i].name;
		if (is_known(known, name))
			continue;
		err_set(&e, ERR_INVALID,
			"query parameter " STR_FMT ": not known here; known are: %s",
			STR_ARG(str_slice(name, 0, 64)),
			x->route->query ? x->route->query : "none");
		return refuse_error(x, &e);
	}
	return true;
}

/* What concerns the whole server needs no facts that only the engine has: it is asked at the door,
 * before a body is read. Everything else the engine asks. */
static bool
may_enter(struct exchange *x)
{
	struct access_target server = { 0 };
	struct access_decision d;
	struct err e UNSET;

	if (x->route->verb != ACCESS_SERVER && x->route->verb != ACCESS_USERS &&
	    x->route->verb != ACCESS_TOKENS)
		return true;
	d = access_policy_decide(&x->caller.who, x->route->verb, &server);
	if (d.answer == ACCESS_ALLOW)
		return true;
	if (d.answer == ACCESS_FORBIDDEN)
		err_set(&e, ERR_DENIED, "%s", access_reason_text(d.reason));
	else
		err_set(&e, ERR_NOT_FOUND, "%s", access_absent_text(x->route->verb));
	return refuse_error(x, &e);
}

/* Every step answers by itself when it says no. */
static bool
admit(struct exchange *x, const struct http_head *head, const struct gate_head *seen)
{
	struct route_match match UNSET;
	enum route_result result;
	struct err e UNSET;
	int rc;

	if (!find_route(x, head, &match, &result))
		return false;
	if (!x->api->ready && !(x->route && x->route->auth == ROUTE_OPEN))
		return refuse_until_ready(x);
	if (head->query.len > 0) {
		rc = query_parse(x->arena, head->query, &x->query, &e);
		if (rc != 0)
			return refuse_error(x, &e);
		ignore_parameter(x);
	}
	if (!(x->route && x->route->auth == ROUTE_OPEN) && !authenticate(x, seen))
		return false;
	if (result == ROUTE_NO_METHOD)
		return refuse_method(x, match.allow);
	if (result == ROUTE_NO_PATH)
		return refuse(x, 404, "there is nothing at this path; see /v1/openapi.json");
	return may_enter(x) && check_query(x);
}

/* --- the body --- */

/* Principal, method and concrete path; a user's tokens are one principal. */
static struct str
repeat_scope(struct exchange *x, const struct http_head *head)
{
	struct str who = x->caller.who.user_id.len > 0 ? x->caller.who.user_id : x->caller.token_id;
	struct str scope = { .len = who.len + head->method.len + head->path.len + 2 };
	char *to = arena_alloc_raw(x->arena, scope.len);
	struct sha256 digest;
	char *hex;

	scope.ptr = to;
	to = mempcpy(to, who.ptr, who.len);
	*to++ = ' ';
	to = mempcpy(to, head->method.ptr, head->method.len);
	*to++ = ' ';
	memcpy(to, head->path.ptr, head->path.len);
	if (scope.len <= STORE_KEY_MAX)
		return scope;
	digest = sha256_of(scope);
	hex = arena_alloc(x->arena, SHA256_HEX + 1);
	sha256_hex(&digest, SHA256_BYTES, hex);
	return (struct str){ hex, SHA256_HEX };
}

/* The key is checked with the head, the digest follows with the body. */
static bool
take_key(struct exchange *x, const struct http_head *head, struct str key)
{
	if (!x->route->mutates)
		return true;
	x->call.repeat = &x->repeat;
	if (!key.ptr)
		return true;
	if (!gate_key_is_valid(key))
		return refuse(x, 400, "Idempotency-Key: must be 1 to 255 printable characters");
	x->repeat.key = key;
	x->repeat.scope = repeat_scope(x, head);
	return true;
}

static bool
parse_body(struct exchange *x)
{
	struct json_limits limits = JSON_LIMITS_DEFAULT;
	struct err e UNSET;
	int rc;

	if (x->body_text.len == 0 &&
	    (x->route->body == ROUTE_JSON || x->route->body == ROUTE_JSON_TEXT))
		return refuse(x, 400, "body: a JSON object is needed");
	if (x->body_text.len == 0 || x->route->body == ROUTE_BYTES ||
	    x->route->body == ROUTE_JSON_TEXT)
		return true;
	limits.bytes = x->body_text.len;
	rc = json_parse(x->arena, x->body_text, &limits, &x->doc, &e);
	if (rc != 0) {
		err_prefix(&e, rc, "body: ");
		return refuse_error(x, &e);
	}
	x->body = json_root(&x->doc);
	if (json_type(x->body) != JSON_OBJECT)
		return refuse(x, 400, "body: must be a JSON object");
	ignore_member(x);
	if (x->route->request && not_yet_check(str_of(x->route->request), x->body, &e) != 0)
		return refuse_error(x, &e);
	if (!x->route->request && json_count(x->body) > 0)
		return refuse(x, 400, "body: takes no fields here");
	return true;
}

/* The digest of a large body, a slice per turn of the loop: nobody waits for all of it. */
struct hashing {
	struct loop_task task;
	struct exchange *x;
	struct sha256_ctx hash;
	size_t at;
};

static void
hash_slice(struct loop_task *task)
{
	struct hashing *h = LIST_OWNER(task, struct hashing, task);
	struct exchange *x = h->x;
	struct str part = str_slice(x->body_text, h->at, h->at + HASH_SLICE_BYTES);

	sha256_update(&h->hash, part.ptr, part.len);
	h->at += part.len;
	if (h->at < x->body_text.len) {
		loop_defer(api_loop(x->api), &h->task);
		return;
	}
	x->repeat.request = sha256_end(&h->hash);
	sha256_release(&h->hash);
	x->route->handle(x);
}

static void
hash_large(struct exchange *x)
{
	struct hashing *h = ARENA_NEW(x->arena, struct hashing);

	h->x = x;
	sha256_init(&h->hash);
	sha256_begin(&h->hash);
	loop_task_init(&h->task, hash_slice);
	loop_defer(api_loop(x->api), &h->task);
}

static void
handle(struct exchange *x)
{
	if (!parse_body(x))
		return;
	if (x->repeat.key.len > 0 && x->body_text.len > HASH_SLICE_BYTES) {
		hash_large(x);
		return;
	}
	if (x->repeat.key.len > 0)
		x->repeat.request = sha256_of(x->body_text);
	x->route->handle(x);
}

static bool
on_body(void *context, struct str part, bool last)
{
	struct exchange *x = context;

	(void)last; /* it comes whole */
	x->with_handler = true;
	x->body_text = part;
	handle(x);
	return true;
}

/* --- requests --- */

/* A client that leaves while its command is under way changes nothing: the answer goes nowhere. A
 * handler that waits for something else may want to know. */
static void
on_gone(void *context, enum http_gone why)
{
	struct exchange *x = context;

	(void)why;
	if (x->with_handler)
		exchange_left(x);
	else
		exchange_close(x, 0);
}

static bool
check_body(struct exchange *x, const struct http_head *head, const struct gate_head *seen)
{
	if (head->content_length == 0)
		return true;
	if (x->route->body == ROUTE_NO_BODY)
		return refuse(x, 400, "body: this request takes none");
	if (x->route->body != ROUTE_BYTES && !gate_takes_content_type(seen->content_type))
		return refuse(x, 415, "Content-Type: must be application/json");
	if (!gate_takes_encoding(seen->content_encoding))
		return refuse(x, 415, "Content-Encoding: send the body as it is");
	return true;
}

static void
on_request(void *context, struct http_request *r)
{
	struct api *api = context;
	struct exchange *x = exchange_new(api, r, NULL, http_request_arena(r));
	const struct http_head *head = http_request_head(r);
	struct gate_head seen UNSET;
	struct err e UNSET;
	size_t limit;

	http_request_own(r, &(struct http_owner){ .on_gone = on_gone, .context = x });
	if (gate_read(head, &seen, &e) != 0) {
		refuse_error(x, &e);
		return;
	}
	if (!pass_gate(x, &seen) || !admit(x, head, &seen) || !check_body(x, head, &seen) ||
	    !take_key(x, head, seen.idempotency_key))
		return;
	if (head->content_length == 0) {
		x->with_handler = true;
		handle(x);
		return;
	}
	limit = api->config.body_bytes;
	if (limit < x->route->body_bytes)
		limit = x->route->body_bytes;
	http_request_body(r, &(struct http_body_want){ limit, false, on_body, x });
}

/* What is no JSON has no place in a message. */
static bool
fits_a_message(struct exchange *x)
{
	if (x->route->answer == ROUTE_REPLY || x->route->answer == ROUTE_EVENTS)
		if (x->route->body != ROUTE_BYTES)
			return true;
	return refuse(x, 400, "path: this is answered over HTTP only");
}

void
api_ask(struct api *api, const struct api_ask *ask)
{
	struct exchange *x = exchange_new(api, NULL, ask->port, ask->arena);
	struct http_head head = {
		.method = ask->method,
		.path = ask->path,
		.query = ask->query,
		.content_length = (int64_t)ask->body.len,
	};
	struct gate_head seen = { .idempotency_key = ask->idempotency_key };

	x->caller = *ask->caller;
	x->with_handler = true;
	x->body_text = ask->body;
	if (admit(x, &head, &seen) && fits_a_message(x) && check_body(x, &head, &seen) &&
	    take_key(x, &head, seen.idempotency_key))
		handle(x);
}

/* --- life --- */

/* "limit page types[]" as a list of names; the brackets belong to the wire, not to the name. */
static struct str_list
split_words(struct arena *a, const char *text)
{
	struct str rest = str_of(text), word;
	struct str *list = ARENA_ARRAY(a, rest.len / 2 + 1, struct str);
	size_t n = 0;

	while (rest.len > 0) {
		str_cut(rest, ' ', &word, &rest);
		list[n++] = str_ends(word, STR("[]")) ? str_slice(word, 0, word.len - 2) : word;
	}
	return (struct str_list){ list, n };
}

struct api *
api_new(const struct api_config *config)
{
	struct api *api = xcalloc(1, sizeof *api);
	struct str_list *known;

	api->config = *config;
	api_set_lists(api, config->hosts, config->origins);
	arena_init(&api->arena);
	api->routes = route_tree_new(&api->arena, API_ROUTES, API_ROUTE_COUNT, sizeof *API_ROUTES);
	known = ARENA_ARRAY(&api->arena, API_ROUTE_COUNT, struct str_list);
	for (size_t i = 0; i < API_ROUTE_COUNT; i++)
		known[i] = split_words(&api->arena, API_ROUTES[i].query);
	api->known = known;
	api->sse = sse_new(config->loop, BEAT_MS);
	api->hub = stream_hub_new(config->loop, config->engine);
	api->sockets = ws_hub_new(config->loop, BEAT_MS);
	rand_init_os(&api->rand);
	id_gen_init(&api->ids, &api->rand);
	api->metrics = metrics_new(API_ROUTE_COUNT);
	list_init(&api->spare);
	buf_init(&api->scratch, SCRATCH_MAX);
	buf_init(&api->errors, ERROR_MAX);
	return api;
}

struct http_handler
api_handler(struct api *api)
{
	return (struct http_handler){ on_request, on_refuse, api };
}

void
api_set_ready(struct api *api, bool ready)
{
	api->ready = ready;
}

void
api_set_lists(struct api *api, struct str_list hosts, struct str_list origins)
{
	api->lists = (struct gate_lists){ hosts, origins };
}

void
api_set_server(struct api *api, const struct http_server *server)
{
	api->server = server;
}

void
api_free(struct api **out)
{
	struct api *api = TAKE(*out);

	if (!api)
		return;
	list_for_each (at, &api->spare)
		free(LIST_OWNER(at, struct exchange, node));
	stream_hub_free(&api->hub);
	ws_hub_free(&api->sockets);
	sse_free(&api->sse);
	metrics_free(&api->metrics);
	buf_release(&api->scratch);
	buf_release(&api->errors);
	arena_release(&api->arena);
	free(api);
}

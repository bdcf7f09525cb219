#include "cli/client.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "cli/client_private.h"
#include "cli/client_refusal.h"

enum { ANSWER_TOKENS = 64 * 1000 * 1000, DEPTH_MAX = 64, TRY_AGAIN_MS = 250 };
static const int64_t ANSWER_MS = 600 * 1000; /* a turn that is waited for takes its time */
static const int64_t TRY_FOR_MS = 30 * 1000; /* as long as a restart may take */
static const struct json_limits LIMITS = { CLIENT_ANSWER_MAX, DEPTH_MAX, ANSWER_TOKENS };

/* One request until it is answered for good. */
struct ask {
	struct list node;
	struct client *client;
	char *method, *url, *body;
	size_t body_len;
	char key[ID_TEXT_MAX];
	int64_t since_ms;
	bool reached; /* the server was there once */
	struct http_exchange *x;
	struct loop_timer *again;
	int status;
	char request_id[CLIENT_REQUEST_ID_MAX];
	struct buf answer;
	int to_fd, from_fd;      /* -1: none */
	struct str content_type; /* of what is sent from there; a literal */
	int write_errno;
	struct loop_task broken; /* it could not be written: the rest is not wanted */
	client_done_fn fn;
	void *context;
};

/* ---- the wire ---- */

size_t
client_headers(struct client *c, struct arena *a, struct str accept,
	       struct http_header headers[CLIENT_HEADERS_MAX])
{
	size_t n = 0;

	if (c->place->token.len > 0)
		headers[n++] = (struct http_header){
			STR("authorization"),
			arena_printf(a, "Bearer " STR_FMT, STR_ARG(c->place->token)),
		};
	headers[n++] = (struct http_header){ STR("accept"), accept };
	headers[n++] = (struct http_header){ STR("user-agent"), STR("perdure/" PERDURE_VERSION) };
	return n;
}

void
client_head(struct client *c, const char *what, const struct http_answer *answer, int *status,
	    char request_id[CLIENT_REQUEST_ID_MAX])
{
	struct str id = http_answer_find(answer, STR("request-id"));

	*status = answer->status;
	snprintf(request_id, CLIENT_REQUEST_ID_MAX, STR_FMT,
		 STR_ARG(str_slice(id, 0, CLIENT_REQUEST_ID_MAX - 1)));
	if (c->verbose)
		fprintf(stderr, "%s at " STR_FMT ": %d %s\n", what, STR_ARG(c->place->shown),
			*status, request_id);
}

/* ---- asking ---- */

static void ask_go(struct ask *k);

static void
ask_free(struct ask *k)
{
	list_remove(&k->node);
	http_exchange_cancel(&k->x);
	loop_task_cancel(&k->broken);
	loop_timer_free(&k->again);
	buf_release(&k->answer);
	free(k->method);
	free(k->url);
	free(k->body);
	free(k);
}

static void
ask_finish(struct ask *k, int rc, const struct err *e)
{
	struct json answer = { 0 };
	struct json_doc doc;
	struct arena a;
	struct err own;

	arena_init(&a);
	if (rc == 0 && k->answer.len > 0 && k->to_fd < 0) {
		rc = json_parse(&a, buf_str(&k->answer), &LIMITS, &doc, &own);
		if (rc == 0)
			answer = json_root(&doc);
		else
			rc = err_prefix(&own, ERR_IO, "the server's answer is no JSON: ");
		e = &own;
	}
	k->fn(k->context, rc, answer, e);
	arena_release(&a);
	ask_free(k);
}

/* What may have failed for a moment only, and does no harm when it is asked again. */
static bool
is_worth_another_try(const struct ask *k, int rc)
{
	if (k->to_fd >= 0 || k->from_fd >= 0 ||
	    loop_now_ms(k->client->loop) - k->since_ms > TRY_FOR_MS)
		return false;
	return rc == ERR_IO || (rc == ERR_UNAVAILABLE && k->reached) ||
	       (rc == 0 && k->status == 503);
}

static void
on_again(void *context)
{
	ask_go(context);
}

static void
on_ask_done(void *context, int rc, const struct err *e)
{
	struct ask *k = context;
	struct err own;

	k->x = NULL;
	k->reached |= rc == 0 || rc == ERR_IO;
	if (is_worth_another_try(k, rc)) {
		loop_timer_set(k->again, TRY_AGAIN_MS);
		return;
	}
	if (rc != 0) {
		own = *e;
		rc = client_refusal_of_failure(k->client->place, rc, &own);
	} else if (k->status >= 300) {
		rc = client_refusal_of_answer(k->client->place, k->status, buf_str(&k->answer),
					      k->client->verbose ? k->request_id : "", &own);
	}
	ask_finish(k, rc, &own);
}

static void
on_ask_head(void *context, const struct http_answer *answer)
{
	struct ask *k = context;

	client_head(k->client, k->method, answer, &k->status, k->request_id);
}

static void
write_all(struct ask *k, struct str piece)
{
	while (piece.len > 0 && k->write_errno == 0) {
		ssize_t n = write(k->to_fd, piece.ptr, piece.len);

		if (n > 0)
			piece = str_slice(piece, (size_t)n, piece.len);
		else if (errno != EINTR)
			k->write_errno = errno;
	}
}

static void
on_broken(struct loop_task *task)
{
	struct ask *k = LIST_OWNER(task, struct ask, broken);
	struct err e = { 0 };
	int rc = 0;

	if (k->write_errno != EPIPE) /* who reads a pipe and leaves has enough */
		rc = err_set(&e, ERR_IO, "could not write: %s", strerror(k->write_errno));
	ask_finish(k, rc, &e);
}

static void
on_ask_body(void *context, struct str piece)
{
	struct ask *k = context;

	if (k->to_fd < 0 || k->status >= 300) {
		buf_put_str(&k->answer, piece);
		return;
	}
	write_all(k, piece);
	if (k->write_errno != 0) {
		http_exchange_cancel(&k->x);
		loop_defer(k->client->loop, &k->broken);
	}
}

static size_t
on_ask_send(void *context, char *to, size_t room)
{
	struct ask *k = context;
	ssize_t n;

	do
		n = read(k->from_fd, to, room);
	while (n < 0 && errno == EINTR);
	return n > 0 ? (size_t)n : 0;
}

static size_t
put_headers(const struct ask *k, struct arena *a, struct http_header headers[CLIENT_HEADERS_MAX])
{
	size_t n = client_headers(k->client, a, STR("application/json"), headers);

	if (strcmp(k->method, "GET") != 0)
		headers[n++] = (struct http_header){ STR("idempotency-key"), str_of(k->key) };
	if (k->body_len > 0 || k->from_fd >= 0)
		headers[n++] = (struct http_header){
			STR("content-type"),
			k->from_fd >= 0 ? k->content_type : STR("application/json"),
		};
	return n;
}

static void
ask_go(struct ask *k)
{
	struct client *c = k->client;
	struct http_header headers[CLIENT_HEADERS_MAX];
	struct http_call call = {
		.method = str_of(k->method),
		.url = str_of(k->url),
		.headers = headers,
		.body = { k->body, k->body_len },
		.body_in_pieces = k->from_fd >= 0,
		.unix_socket = c->place->unix_socket,
		.idle_ms = ANSWER_MS,
		.max_body_bytes = k->to_fd >= 0 ? HTTP_CALL_UNLIMITED_BYTES : CLIENT_ANSWER_MAX,
	};
	const struct http_call_events events = {
		on_ask_head, on_ask_body, k->from_fd >= 0 ? on_ask_send : NULL, on_ask_done, k,
	};
	struct arena a;
	struct err e;
	int rc;

	k->status = 0;
	buf_clear(&k->answer);
	arena_init(&a);
	call.header_count = put_headers(k, &a, headers);
	rc = egress_send(c->egress, EGRESS_OPERATOR, &call, &events, &k->x, &e);
	arena_release(&a);
	if (rc != 0)
		ask_finish(k, rc, &e);
}

static struct ask *
ask_new(struct client *c, const char *method, struct str path, client_done_fn fn, void *context)
{
	struct ask *k = xcalloc(1, sizeof *k);
	size_t size = c->place->url.len + path.len + 1;

	k->client = c;
	k->method = xstrdup(method);
	k->url = xmalloc(size);
	snprintf(k->url, size, STR_FMT STR_FMT, STR_ARG(c->place->url), STR_ARG(path));
	k->to_fd = k->from_fd = -1;
	k->fn = fn;
	k->context = context;
	k->again = loop_timer_new(c->loop, on_again, k);
	loop_task_init(&k->broken, on_broken);
	buf_init(&k->answer, CLIENT_ANSWER_MAX);
	k->since_ms = loop_now_ms(c->loop);
	id_make(&c->ids, clock_now_ms(), "cli", k->key);
	list_append(&c->asks, &k->node);
	return k;
}

void
client_send(struct client *c, const struct client_request *r, client_done_fn fn, void *context)
{
	struct ask *k = ask_new(c, r->method, r->path, fn, context);

	if (r->body.len > 0) {
		k->body = xmalloc(r->body.len);
		memcpy(k->body, r->body.ptr, r->body.len);
		k->body_len = r->body.len;
	}
	ask_go(k);
}

void
client_forget(struct client *c, const void *context)
{
	list_for_each (at, &c->asks) {
		struct ask *k = LIST_OWNER(at, struct ask, node);

		if (k->context == context)
			ask_free(k);
	}
}

/* ---- waiting for the answer ---- */

struct wait {
	struct client *client;
	struct arena *a;
	struct json *out;
	struct err *e;
	int rc;
	bool done;
};

static void
on_waited(void *context, int rc, struct json answer, const struct err *e)
{
	struct wait *w = context;
	struct json_doc *doc;

	w->rc = rc;
	if (rc != 0) {
		*w->e = *e;
	} else if (w->out && json_is_set(answer)) {
		doc = ARENA_NEW(w->a, struct json_doc);
		IGNORE(json_parse(w->a, arena_str(w->a, json_raw(answer)), &LIMITS, doc,
				  NULL)); /* it was parsed before */
		*w->out = json_root(doc);
	}
	w->done = true;
	client_stop(w->client);
}

int
client_ask(struct client *c, const struct client_request *r, struct arena *a, struct json *out,
	   struct err *e)
{
	struct wait w = { .client = c, .a = a, .out = out, .e = e };

	client_send(c, r, on_waited, &w);
	client_run(c, &w.done);
	return w.rc;
}

int
client_download(struct client *c, struct str path, int to_fd, struct err *e)
{
	struct wait w = { .client = c, .e = e };
	struct ask *k = ask_new(c, "GET", path, on_waited, &w);

	k->to_fd = to_fd;
	ask_go(k);
	client_run(c, &w.done);
	return w.rc;
}

int
client_upload(struct client *c, const struct client_upload *u, struct arena *a, struct json *out,
	      struct err *e)
{
	struct wait w = { .client = c, .a = a, .out = out, .e = e };
	struct ask *k = ask_new(c, "POST", u->path, on_waited, &w);

	k->from_fd = u->fd;
	k->content_type = u->content_type;
	ask_go(k);
	client_run(c, &w.done);
	return w.rc;
}

/* ---- life ---- */

struct client *
client_new(const struct server_place *place, bool verbose)
{
	struct client *c = xcalloc(1, sizeof *c);

	c->place = place;
	c->verbose = verbose;
	c->loop = loop_new();
	c->egress = egress_new(c->loop, NULL);
	rand_init_os(&c->rand);
	id_gen_init(&c->ids, &c->rand);
	list_init(&c->asks);
	list_init(&c->streams);
	return c;
}

void
client_free(struct client **client)
{
	struct client *c = *client;

	if (!c)
		return;
	while (!list_is_empty(&c->asks))
		ask_free(LIST_OWNER(c->asks.next, struct ask, node));
	client_streams_free(c);
	loop_signal_free(&c->interrupt);
	egress_free(&c->egress);
	loop_settle(c->loop);
	loop_free(&c->loop);
	free(c);
	*client = NULL;
}

struct loop *
client_loop(struct client *c)
{
	return c->loop;
}

void
client_run(struct client *c, const bool *done)
{
	while (!*done)
		loop_run(c->loop);
}

void
client_stop(struct client *c)
{
	loop_stop(c->loop);
}

void
client_on_interrupt(struct client *c, void (*fn)(void *context), void *context)
{
	loop_signal_free(&c->interrupt);
	if (fn)
		c->interrupt = loop_signal_new(c->loop, SIGINT, fn, context);
}

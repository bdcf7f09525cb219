#include "api_rig.h"

#include <pthread.h>
#include <unistd.h>

#include "base/xalloc.h"

struct rig_server {
	struct api_rig *rig;
	pthread_t thread;
	struct loop *loop;
	struct http_server *http;
	struct engine *engine;
	struct api *api;
	struct loop_wake *wake;
	atomic_int started, calls_done;
	int calls_asked;
	void (*call)(struct api *api, void *arg);
	void *arg;
	bool stop;
};

static void
on_wake(void *context)
{
	struct rig_server *s = context;

	if (s->stop) {
		loop_stop(s->loop);
		return;
	}
	s->call(s->api, s->arg);
	atomic_fetch_add(&s->calls_done, 1);
}

static void *
run(void *context)
{
	struct rig_server *s = context;
	struct api_rig *r = s->rig;
	struct http_handler handler;
	struct err e;

	s->loop = loop_new();
	s->wake = loop_wake_new(s->loop, on_wake, s);
	s->engine = r->config.engine = rig_engine_open(s->loop);
	r->config.loop = s->loop;
	s->api = api_new(&r->config);
	handler = api_handler(s->api);
	s->http = http_server_new(s->loop, &handler, &r->limits);
	api_set_server(s->api, s->http);
	api_set_ready(s->api, !r->not_ready);
	if (http_server_listen_tcp(s->http, "127.0.0.1", 0, &r->client.port, &e) != 0) {
		fprintf(stderr, "rig: %s\n", e.text);
		abort();
	}
	atomic_store(&s->started, 1);
	loop_run(s->loop);
	http_server_free(&s->http);
	loop_settle(s->loop);
	rig_engine_close(&s->engine);
	api_free(&s->api);
	loop_wake_free(&s->wake);
	loop_settle(s->loop);
	loop_free(&s->loop);
	return NULL;
}

void
api_rig_init(struct api_rig *r)
{
	*r = (struct api_rig){
		.config = { .body_bytes = 64 * 1024, .version = "1.2.3" },
		.limits = HTTP_LIMITS_DEFAULT,
	};
}

void
api_rig_start(struct api_rig *r)
{
	r->server = xcalloc(1, sizeof *r->server);
	r->server->rig = r;
	if (pthread_create(&r->server->thread, NULL, run, r->server) != 0)
		fail_msg("no thread");
	probe_wait("the server", &r->server->started, 1);
}

void
api_rig_call(struct api_rig *r, void (*fn)(struct api *api, void *arg), void *arg)
{
	r->server->call = fn;
	r->server->arg = arg;
	loop_wake_send(r->server->wake);
	probe_wait("a call on the server's thread", &r->server->calls_done,
		   ++r->server->calls_asked);
}

void
api_rig_stop(struct api_rig *r)
{
	r->server->stop = true;
	loop_wake_send(r->server->wake);
	pthread_join(r->server->thread, NULL);
	free(r->server);
	r->server = NULL;
}

/* --- the client --- */

static void
put_request(struct buf *out, const struct rig_ask *ask)
{
	buf_printf(out, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", ask->method,
		   ask->target, ask->host ? ask->host : "localhost");
	if (ask->token)
		buf_printf(out, "Authorization: Bearer %s\r\n", ask->token);
	if (ask->headers)
		buf_puts(out, ask->headers);
	if (ask->body)
		buf_printf(out, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
			   strlen(ask->body));
	buf_puts(out, "\r\n");
	if (ask->body)
		buf_puts(out, ask->body);
}

struct rig_reply
api_rig_ask(struct api_rig *r, const struct rig_ask *ask)
{
	struct buf request;
	struct rig_reply reply = { 0 };
	struct str all;
	size_t end;

	buf_init(&request, 64 * 1024 * 1024);
	put_request(&request, ask);
	all = probe_ask(&r->client, buf_str(&request));
	buf_release(&request);
	reply.status = probe_status(all, 0);
	if (!str_find(all, STR("\r\n\r\n"), 0, &end))
		fail_msg("%s %s: no answer: " STR_FMT, ask->method, ask->target, STR_ARG(all));
	reply.head = str_slice(all, 0, end + 2);
	reply.body = str_slice(all, end + 4, all.len);
	return reply;
}

struct str
rig_header(const struct rig_reply *reply, const char *name)
{
	struct str rest = reply->head, line, key, value;

	while (rest.len > 0) {
		str_cut(rest, '\n', &line, &rest);
		if (str_cut(line, ':', &key, &value) && str_eq_nocase(key, str_of(name)))
			return str_trim(value);
	}
	return (struct str){ 0 };
}

void
rig_expect(const char *what, const struct rig_reply *reply, int status, const char *part)
{
	if (reply->status != status || (part && !str_contains(reply->body, str_of(part))))
		fail_msg("%s: wanted %d and '%s', got %d: " STR_FMT, what, status, part ? part : "",
			 reply->status, STR_ARG(reply->body));
}

#include "net/http_client.h"

#include <pthread.h>
#include <stdlib.h>

#include <uv.h>

#include "base/xalloc.h"

/* One socket that curl wants to hear about. */
struct watch {
	uv_poll_t uv;
	struct http_client *client;
	curl_socket_t fd;
};

static void
must(bool well)
{
	if (!well)
		abort(); /* wrong use, or not enough memory: nothing to go on with */
}

void
http_client_enter(struct http_client *c)
{
	c->holds++;
}

void
http_client_collect(struct http_client *c)
{
	CURLMsg *message;
	int left;

	while (!c->closing && (message = curl_multi_info_read(c->multi, &left))) {
		struct http_exchange *x = NULL;
		CURLcode code = message->data.result;

		if (message->msg != CURLMSG_DONE)
			continue;
		must(curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &x) == CURLE_OK);
		http_exchange_finish(x, code); /* frees the message too */
	}
}

/* Lets curl work: on one socket, or on what its timer is for. */
static void
run(struct http_client *c, curl_socket_t fd, int what)
{
	int running;

	http_client_enter(c);
	c->in_curl = true;
	must(curl_multi_socket_action(c->multi, fd, what, &running) == CURLM_OK);
	c->in_curl = false;
	http_client_collect(c);
	http_client_leave(c);
}

static void
on_ready(uv_poll_t *uv, int status, int events)
{
	struct watch *w = uv->data;
	int what = 0;

	if (status < 0) /* curl reads and writes, and so learns what it is */
		what = CURL_CSELECT_IN | CURL_CSELECT_OUT | CURL_CSELECT_ERR;
	if (events & UV_READABLE)
		what |= CURL_CSELECT_IN;
	if (events & UV_WRITABLE)
		what |= CURL_CSELECT_OUT;
	run(w->client, w->fd, what);
}

static void
on_timer(void *context)
{
	run(context, CURL_SOCKET_TIMEOUT, 0);
}

static void
on_watch_closed(uv_handle_t *uv)
{
	free(uv->data);
}

static struct watch *
watch_new(struct http_client *c, curl_socket_t fd)
{
	struct watch *w = xcalloc(1, sizeof *w);

	w->client = c;
	w->fd = fd;
	w->uv.data = w;
	must(uv_poll_init_socket(loop_uv(c->loop), &w->uv, fd) == 0);
	must(curl_multi_assign(c->multi, fd, w) == CURLM_OK);
	return w;
}

static int
on_socket_wanted(CURL *easy, curl_socket_t fd, int what, void *context, void *known)
{
	struct http_client *c = context;
	struct watch *w = known;
	int events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		/* The descriptor is closed next: it must leave the loop now, the memory later. */
		if (w)
			uv_close((uv_handle_t *)&w->uv, on_watch_closed);
		return 0;
	}
	if (!w)
		w = watch_new(c, fd);
	if (what & CURL_POLL_IN)
		events |= UV_READABLE;
	if (what & CURL_POLL_OUT)
		events |= UV_WRITABLE;
	must(uv_poll_start(&w->uv, events, on_ready) == 0);
	return 0;
}

static int
on_timer_wanted(CURLM *multi, long delay_ms, void *context)
{
	struct http_client *c = context;

	(void)multi;
	if (delay_ms < 0)
		loop_timer_cancel(c->timer);
	else
		loop_timer_set(c->timer, delay_ms);
	return 0;
}

static void
init_curl(void)
{
	must(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
}

struct http_client *
http_client_new(struct loop *loop, const char *ca_file)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct http_client *c = xcalloc(1, sizeof *c);

	pthread_once(&once, init_curl);
	c->loop = loop;
	c->ca_file = ca_file ? xstrdup(ca_file) : NULL;
	list_init(&c->exchanges);
	c->timer = loop_timer_new(loop, on_timer, c);
	c->multi = curl_multi_init();
	must(c->multi != NULL);
	curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket_wanted);
	curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
	curl_multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
	curl_multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
	curl_multi_setopt(c->multi, CURLMOPT_MAXCONNECTS, (long)HTTP_CLIENT_CONNECTIONS_KEPT);
	return c;
}

static void
destroy(struct http_client *c)
{
	list_for_each (at, &c->exchanges) /* cancelled, but not freed yet */
		http_exchange_free(LIST_OWNER(at, struct http_exchange, node));
	curl_multi_cleanup(c->multi);
	loop_timer_free(&c->timer);
	free(c->ca_file);
	free(c);
}

void
http_client_leave(struct http_client *c)
{
	if (--c->holds == 0 && c->closing)
		destroy(c);
}

void
http_client_free(struct http_client **out)
{
	struct http_client *c = TAKE(*out);

	if (!c)
		return;
	c->closing = true;
	http_client_enter(c);
	list_for_each (at, &c->exchanges) {
		struct http_exchange *x = LIST_OWNER(at, struct http_exchange, node);
		http_exchange_cancel(&x);
	}
	http_client_leave(c);
}

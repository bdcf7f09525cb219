#include "net/http_exchange.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "net/http_client.h"
#include "net/http_failure.h"
#include "net/http_transfer.h"

struct str
http_answer_find(const struct http_answer *answer, struct str name)
{
	for (size_t i = 0; i < answer->header_count; i++)
		if (str_eq(answer->headers[i].name, name))
			return answer->headers[i].value;
	return (struct str){ 0 };
}

/* --- the end --- */

void
http_exchange_free(struct http_exchange *x)
{
	loop_task_cancel(&x->task);
	timeout_cancel(&x->connect_timeout);
	timeout_cancel(&x->idle_timeout);
	timeout_cancel(&x->total_timeout);
	list_remove(&x->node);
	http_transfer_release(x);
	arena_release(&x->arena);
	free(x);
}

/* Nothing more comes. What waits elsewhere for it is told so. */
static void
set_over(struct http_exchange *x)
{
	void (*fn)(void *) = TAKE(x->on_over);

	x->over = true;
	if (fn)
		fn(x->over_context);
}

static void
conclude(struct http_exchange *x, int rc)
{
	struct http_client *c = x->client;

	http_client_enter(c);
	set_over(x);
	list_remove(&x->node); /* a callback that frees the client must not find it */
	http_transfer_release(x);
	x->events.on_done(x->events.context, rc, &x->err);
	http_exchange_free(x);
	http_client_leave(c);
}

static struct http_failure
facts(const struct http_exchange *x, CURLcode code)
{
	struct http_failure f = { .code = code, .reason = x->reason };
	long os_errno = 0;

	curl_easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &os_errno);
	f.os_errno = (int)os_errno;
	f.where = x->where;
	f.phase = x->phase;
	return f;
}

void
http_exchange_finish(struct http_exchange *x, CURLcode code)
{
	struct http_failure f;

	if (code == CURLE_OK && x->phase < HTTP_PHASE_ANSWER)
		code = CURLE_GOT_NOTHING; /* a head that breaks off is fine with curl */
	f = facts(x, code);
	if (x->over)
		http_exchange_free(x); /* cancelled while curl was at it */
	else if (x->err.code != 0)
		conclude(x, x->err.code);
	else
		conclude(x, code == CURLE_OK ? 0 : http_failure_explain(&f, &x->err));
}

void
http_exchange_fail(struct http_exchange *x, const struct err *e)
{
	x->err = *e;
	conclude(x, e->code);
}

void
http_exchange_cancel(struct http_exchange **out)
{
	struct http_exchange *x = TAKE(*out);

	if (!x || x->over)
		return;
	set_over(x);
	if (x->client->in_curl)
		loop_defer(x->client->loop, &x->task);
	else
		http_exchange_free(x);
}

/* --- times --- */

static void
time_out(struct http_exchange *x, enum http_wait wait, int64_t limit_ms)
{
	struct http_failure f = facts(x, CURLE_OPERATION_TIMEDOUT);

	conclude(x, http_failure_timeout(wait, &f, limit_ms, &x->err));
}

static void
on_connect_timeout(struct timeout *t)
{
	struct http_exchange *x = LIST_OWNER(t, struct http_exchange, connect_timeout);

	if (!x->over)
		time_out(x, HTTP_WAIT_CONNECT, x->connect_ms);
}

static void
on_idle_timeout(struct timeout *t)
{
	struct http_exchange *x = LIST_OWNER(t, struct http_exchange, idle_timeout);

	if (!x->over)
		time_out(x, HTTP_WAIT_IDLE, x->idle_ms);
}

static void
on_total_timeout(struct timeout *t)
{
	struct http_exchange *x = LIST_OWNER(t, struct http_exchange, total_timeout);

	if (!x->over)
		time_out(x, HTTP_WAIT_TOTAL, x->total_ms);
}

static void
set_timeout(struct http_exchange *x, struct timeout *t, int64_t delay_ms)
{
	if (delay_ms != HTTP_CALL_UNLIMITED_MS)
		loop_timeout_set(x->client->loop, t, delay_ms);
}

/* The peer's silence counts only while the owner wants to hear from it. */
void
http_exchange_touch(struct http_exchange *x)
{
	if (x->phase < HTTP_PHASE_ASK || x->over)
		return;
	timeout_cancel(&x->connect_timeout);
	if (x->paused || x->curl_holds_body)
		timeout_cancel(&x->idle_timeout);
	else
		set_timeout(x, &x->idle_timeout, x->idle_ms);
}

/* --- the beginning --- */

/* Lets curl go on with all that it holds; a callback whose owner still waits holds again. */
static void
unhold(struct http_exchange *x)
{
	struct http_client *c = x->client;
	CURLcode code;

	x->curl_holds_answer = x->curl_holds_body = false;
	http_exchange_touch(x);
	c->in_curl = true;
	code = curl_easy_pause(x->easy, CURLPAUSE_CONT);
	c->in_curl = false;
	if (code != CURLE_OK && !x->over) /* a callback refused; curl itself would go on */
		http_exchange_finish(x, code);
}

static void
start(struct http_exchange *x)
{
	struct http_client *c = x->client;

	c->in_curl = true;
	if (curl_multi_add_handle(c->multi, x->easy) != CURLM_OK)
		abort(); /* only wrong use and no memory make it fail */
	c->in_curl = false;
	x->added = true;
}

static void
on_task(struct loop_task *task)
{
	struct http_exchange *x = LIST_OWNER(task, struct http_exchange, task);
	struct http_client *c = x->client;

	if (x->over) {
		http_exchange_free(x);
		return;
	}
	http_client_enter(c);
	if (!x->added)
		start(x);
	else
		unhold(x);
	http_client_collect(c);
	http_client_leave(c);
}

int
http_client_send(struct http_client *c, const struct http_call *call,
		 const struct http_call_events *events, struct http_exchange **out, struct err *e)
{
	struct http_exchange *x = xcalloc(1, sizeof *x);
	int rc;

	x->client = c;
	x->events = *events;
	x->connect_ms = call->connect_ms ? call->connect_ms : HTTP_CALL_CONNECT_MS;
	x->idle_ms = call->idle_ms ? call->idle_ms : HTTP_CALL_IDLE_MS;
	x->total_ms = call->total_ms ? call->total_ms : HTTP_CALL_UNLIMITED_MS;
	arena_init(&x->arena);
	loop_task_init(&x->task, on_task);
	timeout_init(&x->connect_timeout, on_connect_timeout);
	timeout_init(&x->idle_timeout, on_idle_timeout);
	timeout_init(&x->total_timeout, on_total_timeout);
	list_init(&x->node);
	rc = http_transfer_init(x, call, e);
	if (rc != 0) {
		http_exchange_free(x);
		return rc;
	}
	list_append(&c->exchanges, &x->node);
	set_timeout(x, &x->connect_timeout, x->connect_ms);
	set_timeout(x, &x->total_timeout, x->total_ms);
	*out = x;
	return 0;
}

void
http_exchange_route(struct http_exchange *x, const struct http_route *route)
{
	x->phase = HTTP_PHASE_CONNECT;
	x->admits = route->admits;
	http_transfer_route(x, route);
	loop_defer(x->client->loop, &x->task);
}

/* --- back-pressure --- */

void
http_exchange_pause(struct http_exchange *x)
{
	x->paused = true;
	http_exchange_touch(x);
}

void
http_exchange_resume(struct http_exchange *x)
{
	if (!x->paused)
		return;
	x->paused = false;
	http_exchange_touch(x);
	if (x->curl_holds_answer)
		loop_defer(x->client->loop, &x->task);
}

void
http_exchange_send_more(struct http_exchange *x)
{
	if (x->curl_holds_body)
		loop_defer(x->client->loop, &x->task);
}

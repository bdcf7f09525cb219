#include "http_caller.h"

enum { BODY_MAX = 64 * 1024 * 1024 };

static void
on_head(void *context, const struct http_answer *answer)
{
	struct record *r = context;
	struct str type = http_answer_find(answer, STR("content-type"));

	assert_int_equal(r->pieces + (size_t)r->dones, 0);
	r->heads++;
	r->status = answer->status;
	snprintf(r->type, sizeof r->type, STR_FMT, STR_ARG(type));
	if (r->on_head)
		r->on_head(r);
}

static void
on_body(void *context, struct str piece)
{
	struct record *r = context;

	assert_int_equal(r->heads, 1);
	assert_int_equal(r->dones, 0);
	assert_true(piece.len > 0);
	r->pieces++;
	r->bytes += piece.len;
	if (!r->keeps_nothing)
		buf_put_str(&r->body, piece);
	if (r->on_body)
		r->on_body(r, piece);
}

static size_t
on_send(void *context, char *to, size_t room)
{
	struct record *r = context;

	return r->on_send(r, to, room);
}

static void
on_done(void *context, int rc, const struct err *e)
{
	struct record *r = context;
	struct caller *c = r->caller;

	r->dones++;
	r->rc = rc;
	if (rc != 0)
		r->err = *e;
	r->done_ms = loop_now_ms(c->loop);
	r->exchange = NULL;
	c->open--;
	if (r->on_done)
		r->on_done(r);
	loop_stop(c->loop);
}

const struct http_call_events RECORD_EVENTS = { on_head, on_body, on_send, on_done, NULL };

static void
on_bound(void *context)
{
	loop_stop(((struct caller *)context)->loop);
}

void
caller_init(struct caller *c, const struct egress_options *options)
{
	*c = (struct caller){ .loop = loop_new() };
	c->egress = egress_new(c->loop, options);
	c->bound = loop_timer_new(c->loop, on_bound, c);
}

void
caller_release(struct caller *c)
{
	loop_timer_free(&c->bound);
	egress_free(&c->egress);
	loop_free(&c->loop);
}

struct str
caller_url(struct caller *c, int port, const char *path)
{
	snprintf(c->url, sizeof c->url, "http://127.0.0.1:%d%s", port, path);
	return str_of(c->url);
}

void
caller_send(struct caller *c, struct record *r, const struct http_call *call)
{
	struct http_call_events events = RECORD_EVENTS;
	struct err e = { 0 };

	r->caller = c;
	events.context = r;
	buf_init(&r->body, BODY_MAX);
	if (egress_send(c->egress, EGRESS_OPERATOR, call, &events, &r->exchange, &e) != 0)
		fail_msg("egress_send: %s", e.text);
	assert_int_equal(r->heads + r->dones, 0);
	c->open++;
}

void
caller_run(struct caller *c, int64_t for_ms)
{
	loop_timer_set(c->bound, for_ms);
	loop_run(c->loop);
	loop_timer_cancel(c->bound);
}

static int64_t
real_ms(struct caller *c)
{
	return loop_now_ms(c->loop);
}

void
caller_wait(struct caller *c, struct record *r)
{
	int64_t until_ms = real_ms(c) + CALLER_WAIT_MS;

	while (r->dones == 0 && real_ms(c) < until_ms)
		caller_run(c, until_ms - real_ms(c));
	if (r->dones != 1)
		fail_msg("on_done came %d times", r->dones);
}

void
caller_wait_all(struct caller *c)
{
	int64_t until_ms = real_ms(c) + CALLER_WAIT_MS;

	while (c->open > 0 && real_ms(c) < until_ms)
		caller_run(c, until_ms - real_ms(c));
	if (c->open > 0)
		fail_msg("%u exchanges are not done", c->open);
}

void
caller_get(struct caller *c, struct record *r, int port, const char *path)
{
	struct http_call call = { .method = STR("GET"), .url = caller_url(c, port, path) };

	caller_send(c, r, &call);
	caller_wait(c, r);
}

void
record_release(struct record *r)
{
	buf_release(&r->body);
}

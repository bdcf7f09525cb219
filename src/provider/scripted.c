#include "provider/scripted.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum { CONTEXT_TOKENS = 32000 };

struct scripted {
	struct provider port;
	struct host *host;
	const struct scripted_step *steps;
	size_t count, at;
	size_t open;
	void (*on_request)(void *ctx, const struct provider_request *request);
	void *watch_ctx;
};

struct provider_call {
	struct scripted *script;
	const struct provider_request *request;
	const struct provider_events *events;
	void *ctx;
	struct host_task task;
	struct host_timer *timer;
};

static void
call_free(struct provider_call *c)
{
	c->script->open--;
	list_remove(&c->task.node);
	c->script->host->ops->timer_free(c->timer);
	free(c);
}

static struct scripted_step
next_step(struct scripted *s)
{
	static const struct scripted_step OVER[] = {
		{ .kind = SCRIPTED_TEXT, .text = STR("over") },
		{ .kind = SCRIPTED_DONE },
	};

	if (s->at < s->count)
		return s->steps[s->at++];
	return OVER[s->at++ == s->count ? 0 : (s->at = s->count, 1)];
}

static void
fail(struct provider_call *c, const struct scripted_step *step)
{
	struct err e;

	IGNORE(err_set(&e, ERR_UNAVAILABLE, "%.*s", STR_ARG(step->text)));
	c->events->on_failed(c->ctx, &(struct provider_failure){
					     step->failure,
					     step->retry_after_ms > 0 ? step->retry_after_ms : -1,
					     &e, step->usage });
	call_free(c);
}

/* An event may cancel the call: nothing of it is touched afterwards. */
static void
play(struct provider_call *c)
{
	struct scripted_step step = next_step(c->script);
	const struct usage usage = { .input = 100, .output = 10 };

	if (step.kind < SCRIPTED_WAIT)
		host_defer(c->script->host, &c->task);
	switch (step.kind) {
	case SCRIPTED_TEXT: c->events->on_text(c->ctx, step.text); return;
	case SCRIPTED_THINKING: c->events->on_thinking(c->ctx, step.text); return;
	case SCRIPTED_THINKING_DATA: c->events->on_thinking_data(c->ctx, step.text); return;
	case SCRIPTED_CALL: c->events->on_call(c->ctx, &step.call); return;
	case SCRIPTED_LOST_CALL: c->events->on_lost_call(c->ctx, &step.call); return;
	case SCRIPTED_HEARD: c->events->on_heard(c->ctx, step.text, &step.usage); return;
	case SCRIPTED_WAIT: c->script->host->ops->timer_set(c->timer, step.wait_ms); return;
	case SCRIPTED_FAIL: fail(c, &step); return;
	case SCRIPTED_DONE:
		c->events->on_done(c->ctx, step.stop,
				   step.tells_no_usage ? &(struct usage){ 0 } : &usage);
		call_free(c);
		return;
	}
}

static void
on_task(struct host_task *task)
{
	play(LIST_OWNER(task, struct provider_call, task));
}

static void
on_timer(void *ctx)
{
	play(ctx);
}

static struct provider_call *
scripted_start(struct provider *p, const struct provider_request *request,
	       const struct provider_events *events, void *ctx)
{
	struct scripted *s = (struct scripted *)p;
	struct provider_call *c = xcalloc(1, sizeof *c);

	*c = (struct provider_call){ s, request, events, ctx, .task.fn = on_task };
	list_init(&c->task.node);
	c->timer = s->host->ops->timer_new(s->host, on_timer, c);
	s->open++;
	if (s->on_request)
		s->on_request(s->watch_ctx, request);
	host_defer(s->host, &c->task);
	return c;
}

static void
scripted_free(struct provider *p)
{
	free(p);
}

struct provider *
provider_scripted_new(struct host *host)
{
	static const struct provider_ops OPS = { scripted_start, call_free, scripted_free };
	struct scripted *s = xcalloc(1, sizeof *s);

	s->port = (struct provider){ &OPS, STR("scripted"), CONTEXT_TOKENS };
	s->host = host;
	return &s->port;
}

void
provider_scripted_play(struct provider *p, const struct scripted_step *steps, size_t count)
{
	struct scripted *s = (struct scripted *)p;

	s->steps = steps;
	s->count = count;
	s->at = 0;
}

void
provider_scripted_watch(struct provider *p,
			void (*on_request)(void *ctx, const struct provider_request *request),
			void *ctx)
{
	struct scripted *s = (struct scripted *)p;

	s->on_request = on_request;
	s->watch_ctx = ctx;
}

size_t
provider_scripted_open(const struct provider *p)
{
	return ((const struct scripted *)p)->open;
}

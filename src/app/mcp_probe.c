#include "app/mcp_probe.h"

#include <stdlib.h>

#include "app/host_loop.h"
#include "base/xalloc.h"

enum { LEAVE_MS = 1500, LOOK_MS = 20 };

struct probing {
	struct loop *loop;
	struct toolset *tools;
	struct tool_place place;
	mcp_probe_fn *fn;
	void *ctx;
	size_t open;
	struct loop_timer *timer; /* it takes leave */
	int64_t leave_until_ms;
};

struct asked {
	struct probing *probing;
	const struct tool_server *server;
	size_t at;
};

static void
on_listed(void *ctx, const struct tool_listing *listing)
{
	struct asked *q = ctx;
	struct probing *p = q->probing;
	struct mcp_peer peer;
	bool known = mcp_tools_peer(p->tools, q->server, &p->place, &peer);

	p->fn(p->ctx, q->at, listing, known ? &peer : NULL);
	if (--p->open == 0)
		loop_stop(p->loop);
}

/* Sessions are ended and children told to leave, but nobody is waited for long. */
static void
on_time(void *ctx)
{
	struct probing *p = ctx;

	if (mcp_tools_connections(p->tools) == 0 || loop_now_ms(p->loop) >= p->leave_until_ms)
		loop_stop(p->loop);
	else
		loop_timer_set(p->timer, LOOK_MS);
}

static void
take_leave(struct probing *p)
{
	p->leave_until_ms = loop_now_ms(p->loop) + LEAVE_MS;
	p->timer = loop_timer_new(p->loop, on_time, p);
	loop_timer_set(p->timer, LOOK_MS);
	loop_run(p->loop);
	loop_timer_free(&p->timer);
}

void
mcp_probe(const struct tool_server *servers, size_t count, struct str directory,
	  const struct mcp_probe_options *options, mcp_probe_fn *fn, void *ctx)
{
	struct probing p = { .loop = loop_new(), .fn = fn, .ctx = ctx, .open = count };
	struct host *host = host_loop_new(p.loop);
	struct egress *egress = egress_new(p.loop, NULL);
	struct asked *asked = xcalloc(count + 1, sizeof *asked);
	struct mcp_config config = { .host = host,
				     .loop = p.loop,
				     .egress = egress,
				     .policy = EGRESS_OPERATOR,
				     .name = STR("perdure"),
				     .version = STR(PERDURE_VERSION),
				     .connect_ms = options->timeout_ms,
				     .idle_ms = 1, /* nothing is asked twice */
				     .protocol = options->protocol };

	p.place.directory = directory;
	p.place.access = TOOL_ACCESS_WRITE;
	p.place.network = true;
	p.tools = mcp_tools_new(&config);
	for (size_t i = 0; i < count; i++) {
		struct tool_ask ask = { p.place, &servers[i], 1 };

		asked[i] = (struct asked){ &p, &servers[i], i };
		p.tools->ops->list(p.tools, &ask, on_listed, &asked[i]);
	}
	if (count > 0) {
		loop_run(p.loop);
		take_leave(&p);
	}
	p.tools->ops->free(p.tools);
	egress_free(&egress);
	host_loop_free(&host);
	loop_settle(p.loop);
	loop_free(&p.loop);
	free(asked);
}

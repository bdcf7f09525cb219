#include "api/stream_hub.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct stream_hub {
	struct engine *en;
	struct list members;
	struct loop_timer *timer;
	bool armed;
	struct event_frames *frames;
	struct net_bytes *hello;
};

static bool
is_live(struct stream_hub *hub, const struct engine_caller *caller, int64_t now_ms)
{
	return (caller->expires_at_ms == 0 || caller->expires_at_ms > now_ms) &&
	       engine_token_is_live(hub->en, caller->token_id);
}

static void
on_check(void *context)
{
	struct stream_hub *hub = context;
	int64_t now_ms = host_now_ms(engine_host(hub->en));

	list_for_each (at, &hub->members) {
		struct stream_member *m = LIST_OWNER(at, struct stream_member, node);

		if (is_live(hub, m->caller, now_ms))
			continue;
		list_remove(at);
		m->on_dead(m);
	}
	hub->armed = !list_is_empty(&hub->members);
	if (hub->armed)
		loop_timer_set(hub->timer, STREAM_HUB_CHECK_MS);
}

struct stream_hub *
stream_hub_new(struct loop *loop, struct engine *en)
{
	struct stream_hub *hub = xcalloc(1, sizeof *hub);

	hub->en = en;
	list_init(&hub->members);
	hub->timer = loop_timer_new(loop, on_check, hub);
	hub->frames = event_frames_new(loop);
	hub->hello = net_bytes_copy(STR("retry: 500\n\n"));
	return hub;
}

void
stream_hub_free(struct stream_hub **out)
{
	struct stream_hub *hub = TAKE(*out);

	if (!hub)
		return;
	list_for_each (at, &hub->members)
		list_remove(at);
	loop_timer_free(&hub->timer);
	event_frames_free(&hub->frames);
	net_bytes_unref(hub->hello);
	free(hub);
}

void
stream_hub_join(struct stream_hub *hub, struct stream_member *m)
{
	list_init(&m->node);
	list_append(&hub->members, &m->node);
	if (hub->armed)
		return;
	hub->armed = true;
	loop_timer_set(hub->timer, STREAM_HUB_CHECK_MS);
}

void
stream_hub_leave(struct stream_member *m)
{
	if (m->node.next)
		list_remove(&m->node);
}

struct event_frames *
stream_hub_frames(struct stream_hub *hub)
{
	return hub->frames;
}

struct net_bytes *
stream_hub_hello(struct stream_hub *hub)
{
	return hub->hello;
}

#include "api/event_out.h"

#include "api/socket_call.h"

enum {
	PAGE_BYTES = 64 * 1024, /* well below what may wait for a client */
	PAGE_MAX = STORE_PAYLOAD_MAX + 2 * PAGE_BYTES,
};

/* ---- server-sent events ---- */

static void
on_gone(void *context, enum http_gone why)
{
	struct event_out *o = context;

	(void)why;
	sse_leave(&o->sse);
	stream_hub_leave(&o->member);
	o->ops->on_over(o);
}

static void
on_drained(void *context)
{
	struct event_out *o = context;

	o->ops->on_room(o);
}

static void
on_dead(struct stream_member *m)
{
	struct event_out *o = LIST_OWNER(m, struct event_out, member);

	sse_end(&o->sse);
	o->ops->on_over(o);
}

static void
open_sse(struct event_out *o, struct exchange *x, const struct engine_caller *caller)
{
	struct http_header headers[EXCHANGE_HEADERS];
	size_t n = exchange_headers(x, headers);

	o->member = (struct stream_member){ .caller = caller, .on_dead = on_dead };
	http_request_own(x->request, &(struct http_owner){ on_gone, on_drained, o });
	sse_open(api_sse(x->api), &o->sse, x->request, headers, n);
	exchange_leave(x, 200);
	stream_hub_join(o->hub, &o->member);
	IGNORE(sse_send(&o->sse, stream_hub_hello(o->hub))); /* one that is over says so itself */
}

/* ---- both ---- */

void
event_out_open(struct event_out *o, struct exchange *x, const struct engine_caller *caller,
	       bool for_all, const struct event_out_ops *ops)
{
	*o = (struct event_out){
		.ops = ops,
		.hub = api_hub(x->api),
		.shape = { x->port ? EVENT_WS : EVENT_SSE, for_all },
	};
	buf_init(&o->page, PAGE_MAX);
	if (x->port) {
		o->call = socket_call_of(x->port);
		socket_call_open_stream(o->call, o, x->request_id);
		exchange_leave(x, 200);
	} else {
		open_sse(o, x, caller);
	}
}

bool
event_out_is_over(const struct event_out *o)
{
	return o->call ? socket_call_is_over(o->call) : http_request_is_over(o->sse.request);
}

/* Frames for a WebSocket are ends of messages. */
static struct buf *
begin_frame(struct event_out *o)
{
	if (o->call)
		buf_put_str(&o->page, socket_call_beginning(o->call));
	return &o->page;
}

void
event_out_put_event(struct event_out *o, const struct store_event *ev)
{
	bool for_all = o->shape.for_all;
	struct event_view view = {
		.ev = &ev->ev,
		.processed_at_ms = ev->processed_at_ms,
		.position = ev->position,
		.session_id = for_all ? ev->session : (struct str){ 0 },
	};

	event_json_frame(begin_frame(o), o->shape.framing, &view,
			 for_all ? ev->change : ev->ev.seq);
}

void
event_out_put_other(struct event_out *o, const char *name, struct str json)
{
	event_json_other(begin_frame(o), o->shape.framing, name, json);
}

void
event_out_put_gap(struct event_out *o, int64_t from, int64_t to)
{
	event_json_gap(begin_frame(o), o->shape.framing, from, to);
}

bool
event_out_page_is_full(const struct event_out *o)
{
	return o->page.len >= PAGE_BYTES;
}

/* Whole frames or messages, in order with everything else. */
static void
send_page(struct event_out *o)
{
	struct net_bytes *bytes = net_bytes_copy(buf_str(&o->page));

	if (o->call)
		socket_call_send(o->call, bytes);
	else
		IGNORE(sse_send(&o->sse, bytes));
	net_bytes_unref(bytes);
	buf_clear(&o->page);
}

bool
event_out_send_page(struct event_out *o)
{
	if (o->page.len == 0)
		return false;
	send_page(o);
	if (o->call)
		socket_call_await_room(o->call);
	return true;
}

void
event_out_forget_page(struct event_out *o)
{
	buf_release(&o->page);
}

void
event_out_send_reset(struct event_out *o, int64_t head)
{
	event_json_reset(begin_frame(o), o->shape.framing, head);
	send_page(o);
	event_out_forget_page(o);
}

void
event_out_send_other(struct event_out *o, const char *name, struct str json)
{
	event_out_put_other(o, name, json);
	send_page(o);
}

bool
event_out_has_room(struct event_out *o, size_t bytes)
{
	/* A stream of server-sent events has its queue for itself: too slow for that is cut. */
	return !o->call || socket_call_has_room(o->call, bytes);
}

static void
send_shared(struct event_out *o, struct net_bytes *frame)
{
	if (o->call)
		socket_call_send_shared(o->call, frame);
	else
		IGNORE(sse_send(&o->sse, frame));
}

void
event_out_send_event(struct event_out *o, const struct store_event *ev)
{
	send_shared(o, event_frames_event(stream_hub_frames(o->hub), ev, o->shape));
}

void
event_out_send_preview(struct event_out *o, const struct engine_preview *p)
{
	struct event_frames *frames = stream_hub_frames(o->hub);
	struct net_bytes *start = event_frames_preview_start(frames, p, o->shape);
	struct net_bytes *text = event_frames_preview_text(frames, p, o->shape);

	if (start)
		send_shared(o, start);
	if (text)
		send_shared(o, text);
}

void
event_out_end(struct event_out *o, enum event_out_end why)
{
	if (o->call) {
		socket_call_end_stream(o->call, why == EVENT_OUT_ENDED ? "ended" : "interrupted");
		return;
	}
	sse_end(&o->sse);
	stream_hub_leave(&o->member);
}

void
event_out_release(struct event_out *o)
{
	if (o->call)
		socket_call_free(&o->call);
	else
		http_request_release(o->sse.request);
	buf_release(&o->page);
}

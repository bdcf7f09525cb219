#include "net/ws.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "net/ws_handshake.h"
#include "net/ws_parse.h"

enum {
	GROUPS = 16,     /* pinged one after the other, so that no turn sends to all */
	SILENT_BEATS = 2 /* so many pings without a sign of life, and at the next it is cut */
};

struct ws_hub {
	struct loop_timer *timer;
	struct net_bytes *ping;
	struct list groups[GROUPS];
	int64_t step_ms;
	unsigned next_join, next_beat;
};

struct ws {
	struct list node;
	struct http_request *request;
	struct ws_parse parse;
	struct ws_events events;
	void *context;
	uint8_t silent_beats;
	bool held;    /* the owner wants no message now */
	bool over;    /* closed by either side, or gone: no more callbacks */
	bool reading; /* on_bytes is under way: it frees at its end */
	bool freed;
};

/* --- pings --- */

/* Not while its answer could not be seen: one that reads slowly has its own time limit. */
static void
beat(struct ws *ws, struct net_bytes *ping)
{
	if (ws->held || ws_queued_bytes(ws) > 0)
		return;
	if (ws->silent_beats >= SILENT_BEATS) {
		http_request_cut(ws->request, HTTP_GONE_STALLED);
		return;
	}
	ws->silent_beats++;
	IGNORE(ws_send(ws, ping)); /* over: its request tells */
}

static void
on_beat(void *context)
{
	struct ws_hub *hub = context;
	struct list *group = &hub->groups[hub->next_beat++ % GROUPS];

	list_for_each (at, group)
		beat(LIST_OWNER(at, struct ws, node), hub->ping);
	loop_timer_set(hub->timer, hub->step_ms);
}

struct ws_hub *
ws_hub_new(struct loop *loop, int64_t beat_ms)
{
	struct ws_hub *hub = xcalloc(1, sizeof *hub);

	for (size_t i = 0; i < GROUPS; i++)
		list_init(&hub->groups[i]);
	hub->ping = ws_frame_ping((struct str){ 0 });
	hub->step_ms = beat_ms / GROUPS > 0 ? beat_ms / GROUPS : 1;
	hub->timer = loop_timer_new(loop, on_beat, hub);
	loop_timer_set(hub->timer, hub->step_ms);
	return hub;
}

void
ws_hub_free(struct ws_hub **out)
{
	struct ws_hub *hub = TAKE(*out);

	if (!hub)
		return;
	for (size_t i = 0; i < GROUPS; i++)
		list_for_each (at, &hub->groups[i])
			list_remove(at);
	loop_timer_free(&hub->timer);
	net_bytes_unref(hub->ping);
	free(hub);
}

/* --- the end --- */

static void
finish(struct ws *ws, int code, struct str reason)
{
	struct net_bytes *frame = ws_frame_close(code, reason);

	ws->over = true;
	list_remove(&ws->node);
	IGNORE(http_request_push(ws->request, frame)); /* no room for it: cut, and nobody to tell */
	net_bytes_unref(frame);
	http_request_end(ws->request);
}

static void
on_request_gone(void *context, enum http_gone why)
{
	struct ws *ws = context;
	struct ws_gone gone = { why, WS_CUT, STR("") };

	if (ws->over)
		return;
	if (!http_request_is_over(ws->request)) { /* the server drains: time for a last word */
		gone.code = WS_GOING_AWAY;
		finish(ws, WS_GOING_AWAY, STR("the server is shutting down"));
	}
	ws->over = true;
	list_remove(&ws->node);
	ws->events.on_gone(ws->context, &gone);
}

static void
destroy(struct ws *ws)
{
	ws_parse_release(&ws->parse);
	free(ws);
}

/* --- what comes --- */

static void
answer_ping(struct ws *ws, struct str payload)
{
	struct net_bytes *pong = ws_frame_pong(payload);

	IGNORE(ws_send(ws, pong)); /* too slow to read its pongs: its request tells */
	net_bytes_unref(pong);
}

static void
take(struct ws *ws, enum ws_parse_step step, const struct ws_said *said)
{
	struct ws_gone gone = { HTTP_GONE_PEER, said->code, said->text };

	switch (step) {
	case WS_PARSE_TEXT:
		if (!ws->events.on_message(ws->context, said->text))
			ws->held = true;
		return;
	case WS_PARSE_PING: answer_ping(ws, said->text); return;
	case WS_PARSE_CLOSE: finish(ws, said->code, STR("")); break;
	case WS_PARSE_BAD:
		gone.why = HTTP_GONE_BROKEN;
		finish(ws, said->code, said->text);
		break;
	case WS_PARSE_PONG:
	case WS_PARSE_MORE: return;
	}
	ws->events.on_gone(ws->context, &gone);
}

static size_t
on_bytes(void *context, struct str bytes)
{
	struct ws *ws = context;
	struct ws_said said = { 0 };
	enum ws_parse_step step = WS_PARSE_TEXT;
	size_t at = 0, used;

	ws->silent_beats = 0;
	ws->reading = true;
	while (step != WS_PARSE_MORE && !ws->over && !ws->held) {
		step = ws_parse_feed(&ws->parse, str_slice(bytes, at, bytes.len), &used, &said);
		at += used;
		take(ws, step, &said);
	}
	ws->reading = false;
	if (ws->over)
		at = bytes.len;
	if (ws->freed)
		destroy(ws);
	return at;
}

static void
on_drained(void *context)
{
	struct ws *ws = context;

	if (!ws->over && ws->events.on_drained)
		ws->events.on_drained(ws->context);
}

/* --- the beginning --- */

static int
refuse(struct http_request *r, const struct ws_handshake *shake, struct err *e)
{
	static const struct http_header WANTED[] = {
		{ STR("Upgrade"), STR("websocket") },
		{ STR("Sec-WebSocket-Version"), STR("13") },
	};

	http_request_refuse(r, shake->status, shake->reason, WANTED,
			    shake->status == 426 ? ARRAY_LEN(WANTED) : 0);
	return err_set(e, ERR_INVALID, "%s", shake->reason);
}

static int
upgrade(struct ws *ws, const struct ws_handshake *shake, const struct ws_want *want)
{
	struct http_header headers[4 + WS_HEADERS_MAX] = {
		{ STR("Upgrade"), STR("websocket") },
		{ STR("Connection"), STR("Upgrade") },
		{ STR("Sec-WebSocket-Accept"), str_of(shake->accept) },
	};
	struct http_reply reply = { .status = 101, .headers = headers, .header_count = 3 };

	if (want->header_count > WS_HEADERS_MAX)
		abort();
	if (want->protocol.len > 0)
		headers[reply.header_count++] =
			(struct http_header){ STR("Sec-WebSocket-Protocol"), want->protocol };
	for (size_t i = 0; i < want->header_count; i++)
		headers[reply.header_count++] = want->headers[i];
	return http_request_upgrade(ws->request, &reply, on_bytes, ws);
}

int
ws_accept(struct ws_hub *hub, struct http_request *r, const struct ws_want *want, struct ws **out,
	  struct err *e)
{
	struct ws_handshake shake;
	struct ws *ws;

	ws_handshake_check(http_request_head(r), &shake);
	if (shake.status != 101)
		return refuse(r, &shake, e);
	ws = xcalloc(1, sizeof *ws);
	ws->request = r;
	ws->events = want->events;
	ws->context = want->context;
	ws_parse_init(&ws->parse, want->message_bytes);
	if (upgrade(ws, &shake, want) != 0) {
		destroy(ws);
		return err_set(e, ERR_UNAVAILABLE, "the client is gone or the server drains");
	}
	http_request_own(r, &(struct http_owner){ on_request_gone, on_drained, ws });
	list_append(&hub->groups[hub->next_join++ % GROUPS], &ws->node);
	*out = ws;
	return 0;
}

/* --- what goes --- */

int
ws_send(struct ws *ws, struct net_bytes *frame)
{
	return ws->over ? ERR_UNAVAILABLE : http_request_push(ws->request, frame);
}

size_t
ws_queued_bytes(const struct ws *ws)
{
	return http_request_queued_bytes(ws->request);
}

bool
ws_has_room(const struct ws *ws, size_t bytes)
{
	return http_request_has_room(ws->request, bytes);
}

void
ws_resume(struct ws *ws)
{
	ws->held = false;
	if (!ws->over)
		http_request_resume(ws->request);
}

void
ws_close(struct ws *ws, int code, struct str reason)
{
	if (!ws->over)
		finish(ws, code, reason);
}

void
ws_free(struct ws **out)
{
	struct ws *ws = TAKE(*out);

	if (!ws)
		return;
	ws->over = true;
	list_remove(&ws->node);
	http_request_release(ws->request);
	if (ws->reading)
		ws->freed = true;
	else
		destroy(ws);
}

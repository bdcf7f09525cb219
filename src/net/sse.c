#include "net/sse.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum {
	GROUPS = 16,      /* beaten one after the other, so that no turn sends to all */
	HEADERS_MAX = 16, /* of the caller */
	NUMBER_MAX = 24
};

struct sse {
	struct loop_timer *timer;
	struct net_bytes *beat;
	struct list groups[GROUPS];
	int64_t step_ms;
	unsigned next_join, next_beat;
};

/* --- frames --- */

/* The next line of data, without its end (CR, LF or both); false after the last. */
static bool
next_line(struct str data, size_t *at, struct str *line)
{
	size_t end = *at;

	if (*at > data.len)
		return false;
	while (end < data.len && data.ptr[end] != '\n' && data.ptr[end] != '\r')
		end++;
	*line = str_slice(data, *at, end);
	if (end == data.len)
		*at = data.len + 1;
	else if (data.ptr[end] == '\r' && end + 1 < data.len && data.ptr[end + 1] == '\n')
		*at = end + 2;
	else
		*at = end + 1;
	return true;
}

static char *
put(char *to, struct str text)
{
	return text.len > 0 ? mempcpy(to, text.ptr, text.len) : to;
}

/* Writes `field: value\n`, or only counts when to is NULL. */
static size_t
put_field(char *to, struct str field, struct str value)
{
	if (to) {
		to = put(to, field);
		to = put(to, value);
		*to = '\n';
	}
	return field.len + value.len + 1;
}

static size_t
put_event(char *to, const struct sse_event *e)
{
	char number[NUMBER_MAX];
	struct str line;
	size_t len = 0;

	if (e->id.len > 0)
		len += put_field(to, STR("id: "), e->id);
	if (e->name.len > 0)
		len += put_field(to ? to + len : NULL, STR("event: "), e->name);
	if (e->retry_ms > 0) {
		snprintf(number, sizeof number, "%lld", (long long)e->retry_ms);
		len += put_field(to ? to + len : NULL, STR("retry: "), str_of(number));
	}
	for (size_t at = 0; e->data.ptr && next_line(e->data, &at, &line);)
		len += put_field(to ? to + len : NULL, STR("data: "), line);
	if (to)
		to[len] = '\n';
	return len + 1;
}

static bool
is_one_line(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\n' || text.ptr[i] == '\r' || text.ptr[i] == '\0')
			return false;
	return true;
}

int
sse_frame(const struct sse_event *event, struct net_bytes **out, struct err *e)
{
	if (!is_one_line(event->name))
		return err_set(e, ERR_INVALID, "an event's name must be one line");
	if (!is_one_line(event->id))
		return err_set(e, ERR_INVALID, "an event's id must be one line");
	*out = net_bytes_new(put_event(NULL, event));
	put_event(net_bytes_fill(*out), event);
	return 0;
}

struct net_bytes *
sse_comment(struct str text)
{
	struct net_bytes *b = net_bytes_new(text.len + 4);
	char *to = put(net_bytes_fill(b), STR(": "));

	for (size_t i = 0; i < text.len; i++)
		*to++ = text.ptr[i] == '\n' || text.ptr[i] == '\r' ? ' ' : text.ptr[i];
	put(to, STR("\n\n"));
	return b;
}

/* --- streams --- */

static void
on_beat(void *context)
{
	struct sse *sse = context;
	struct list *group = &sse->groups[sse->next_beat++ % GROUPS];

	/* A stream that is cut or over hears so from its request: nothing to do about it here. */
	list_for_each (at, group)
		IGNORE(sse_send(LIST_OWNER(at, struct sse_stream, node), sse->beat));
	loop_timer_set(sse->timer, sse->step_ms);
}

struct sse *
sse_new(struct loop *loop, int64_t beat_ms)
{
	struct sse *sse = xcalloc(1, sizeof *sse);

	for (size_t i = 0; i < GROUPS; i++)
		list_init(&sse->groups[i]);
	sse->beat = sse_comment(STR("hb"));
	sse->step_ms = beat_ms / GROUPS > 0 ? beat_ms / GROUPS : 1;
	sse->timer = loop_timer_new(loop, on_beat, sse);
	loop_timer_set(sse->timer, sse->step_ms);
	return sse;
}

void
sse_free(struct sse **out)
{
	struct sse *sse = TAKE(*out);

	if (!sse)
		return;
	for (size_t i = 0; i < GROUPS; i++)
		list_for_each (at, &sse->groups[i])
			list_remove(at);
	loop_timer_free(&sse->timer);
	net_bytes_unref(sse->beat);
	free(sse);
}

size_t
sse_count(const struct sse *sse)
{
	size_t count = 0;

	for (size_t i = 0; i < GROUPS; i++)
		for (const struct list *at = sse->groups[i].next; at != &sse->groups[i];
		     at = at->next)
			count++;
	return count;
}

void
sse_open(struct sse *sse, struct sse_stream *stream, struct http_request *r,
	 const struct http_header *headers, size_t header_count)
{
	struct http_header all[HEADERS_MAX + 2] = {
		{ STR("Cache-Control"), STR("no-cache, no-transform") },
		{ STR("X-Accel-Buffering"), STR("no") },
	};
	struct http_reply reply = { .status = 200, .content_type = STR("text/event-stream") };

	if (header_count > HEADERS_MAX)
		abort();
	if (header_count > 0)
		memcpy(all + 2, headers, header_count * sizeof *headers);
	reply.headers = all;
	reply.header_count = header_count + 2;
	stream->request = r;
	list_init(&stream->node);
	list_append(&sse->groups[sse->next_join++ % GROUPS], &stream->node);
	http_request_open(r, &reply);
}

int
sse_send(struct sse_stream *stream, struct net_bytes *frame)
{
	return http_request_push(stream->request, frame);
}

void
sse_end(struct sse_stream *stream)
{
	sse_leave(stream);
	http_request_end(stream->request);
}

void
sse_leave(struct sse_stream *stream)
{
	list_remove(&stream->node);
}

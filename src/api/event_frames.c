#include "api/event_frames.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum {
	RECENT = 16, /* a power of two; a commit rarely has more events */
	SHAPES = 4,
	FRAME_MAX = STORE_PAYLOAD_MAX + 64 * 1024,
};

struct recent_event {
	int64_t change;
	struct net_bytes *bytes;
};

struct recent_preview {
	struct buf key; /* what the frame says; equal words are an equal frame */
	struct net_bytes *bytes;
};

struct event_frames {
	struct loop *loop;
	struct loop_task forget;
	struct buf scratch;
	struct recent_event events[SHAPES][RECENT];
	struct recent_preview starts[SHAPES], texts[SHAPES];
};

static size_t
index_of(struct event_shape shape)
{
	return (size_t)shape.framing * 2 + shape.for_all;
}

static void
forget(struct event_frames *f)
{
	for (size_t i = 0; i < SHAPES; i++) {
		for (size_t k = 0; k < RECENT; k++) {
			net_bytes_unref(TAKE(f->events[i][k].bytes));
			f->events[i][k].change = 0;
		}
		net_bytes_unref(TAKE(f->starts[i].bytes));
		net_bytes_unref(TAKE(f->texts[i].bytes));
	}
}

static void
on_turn_over(struct loop_task *task)
{
	forget(LIST_OWNER(task, struct event_frames, forget));
}

struct event_frames *
event_frames_new(struct loop *loop)
{
	struct event_frames *f = xcalloc(1, sizeof *f);

	f->loop = loop;
	loop_task_init(&f->forget, on_turn_over);
	buf_init(&f->scratch, FRAME_MAX);
	for (size_t i = 0; i < SHAPES; i++) {
		buf_init(&f->starts[i].key, FRAME_MAX);
		buf_init(&f->texts[i].key, FRAME_MAX);
	}
	return f;
}

void
event_frames_free(struct event_frames **out)
{
	struct event_frames *f = TAKE(*out);

	if (!f)
		return;
	loop_task_cancel(&f->forget);
	forget(f);
	buf_release(&f->scratch);
	for (size_t i = 0; i < SHAPES; i++) {
		buf_release(&f->starts[i].key);
		buf_release(&f->texts[i].key);
	}
	free(f);
}

/* The scratch as bytes to send; a large one is not kept. */
static struct net_bytes *
take_scratch(struct event_frames *f)
{
	struct net_bytes *bytes = net_bytes_copy(buf_str(&f->scratch));

	if (f->scratch.cap > STORE_INLINE_MAX * 4)
		buf_release(&f->scratch);
	loop_defer(f->loop, &f->forget);
	return bytes;
}

struct net_bytes *
event_frames_event(struct event_frames *f, const struct store_event *ev, struct event_shape shape)
{
	struct recent_event *at = &f->events[index_of(shape)][(size_t)ev->change % RECENT];
	struct event_view view = {
		.ev = &ev->ev,
		.processed_at_ms = ev->processed_at_ms,
		.position = ev->position,
		.session_id = shape.for_all ? ev->session : (struct str){ 0 },
	};

	if (at->change == ev->change && at->bytes)
		return at->bytes;
	buf_clear(&f->scratch);
	event_json_frame(&f->scratch, shape.framing, &view,
			 shape.for_all ? ev->change : ev->ev.seq);
	net_bytes_unref(at->bytes);
	at->change = ev->change;
	at->bytes = take_scratch(f);
	return at->bytes;
}

/* ---- previews ---- */

static void
write_key(struct buf *out, const struct engine_preview *p)
{
	buf_clear(out);
	buf_put_int(out, p->event_kind);
	buf_putc(out, '\n');
	buf_put_str(out, p->session);
	buf_putc(out, '\n');
	buf_put_str(out, p->event_id);
	buf_putc(out, '\n');
	buf_put_str(out, p->text);
}

typedef void write_fn(struct buf *out, enum event_framing framing, const struct engine_preview *p,
		      bool with_session);

static struct net_bytes *
preview_frame(struct event_frames *f, struct recent_preview *at, write_fn *write,
	      const struct engine_preview *p, struct event_shape shape)
{
	write_key(&f->scratch, p);
	if (at->bytes && str_eq(buf_str(&f->scratch), buf_str(&at->key)))
		return at->bytes;
	write_key(&at->key, p);
	buf_clear(&f->scratch);
	write(&f->scratch, shape.framing, p, shape.for_all);
	net_bytes_unref(at->bytes);
	at->bytes = take_scratch(f);
	return at->bytes;
}

struct net_bytes *
event_frames_preview_start(struct event_frames *f, const struct engine_preview *p,
			   struct event_shape shape)
{
	if (p->kind != PREVIEW_START)
		return NULL;
	return preview_frame(f, &f->starts[index_of(shape)], event_json_preview_start, p, shape);
}

struct net_bytes *
event_frames_preview_text(struct event_frames *f, const struct engine_preview *p,
			  struct event_shape shape)
{
	if (p->kind == PREVIEW_END || p->text.len == 0)
		return NULL;
	return preview_frame(f, &f->texts[index_of(shape)], event_json_preview_delta, p, shape);
}

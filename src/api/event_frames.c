#include "api/event_frames.h"

#include <stdlib.h>

#include "api/event_json.h"
#include "base/xalloc.h"

enum {
	RECENT = 16, /* a power of two; a commit rarely has more events */
	FRAME_MAX = STORE_PAYLOAD_MAX + 64 * 1024,
};

struct event_frames {
	struct loop *loop;
	struct loop_task forget;
	struct buf scratch;
	struct {
		int64_t change;
		struct net_bytes *bytes;
	} events[2][RECENT];
	struct {
		struct buf key; /* what the frame says; equal words are an equal frame */
		struct net_bytes *bytes;
	} preview[2];
};

static void
forget(struct event_frames *f)
{
	for (int all = 0; all < 2; all++) {
		for (size_t i = 0; i < RECENT; i++) {
			net_bytes_unref(TAKE(f->events[all][i].bytes));
			f->events[all][i].change = 0;
		}
		net_bytes_unref(TAKE(f->preview[all].bytes));
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
	buf_init(&f->preview[0].key, FRAME_MAX);
	buf_init(&f->preview[1].key, FRAME_MAX);
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
	buf_release(&f->preview[0].key);
	buf_release(&f->preview[1].key);
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
event_frames_event(struct event_frames *f, const struct store_event *ev, bool for_all)
{
	size_t at = (size_t)ev->change % RECENT;
	struct event_view view = {
		.ev = &ev->ev,
		.processed_at_ms = ev->processed_at_ms,
		.session_id = for_all ? ev->session : (struct str){ 0 },
	};

	if (f->events[for_all][at].change == ev->change && f->events[for_all][at].bytes)
		return f->events[for_all][at].bytes;
	buf_clear(&f->scratch);
	event_json_frame(&f->scratch, &view, for_all ? ev->change : ev->ev.seq);
	net_bytes_unref(f->events[for_all][at].bytes);
	f->events[for_all][at].change = ev->change;
	f->events[for_all][at].bytes = take_scratch(f);
	return f->events[for_all][at].bytes;
}

static void
write_key(struct buf *out, const struct engine_preview *p)
{
	buf_clear(out);
	buf_putc(out, (char)('0' + p->kind));
	buf_put_int(out, p->event_kind);
	buf_putc(out, '\n');
	buf_put_str(out, p->session);
	buf_putc(out, '\n');
	buf_put_str(out, p->event_id);
	buf_putc(out, '\n');
	buf_put_str(out, p->text);
}

struct net_bytes *
event_frames_preview(struct event_frames *f, const struct engine_preview *p, bool for_all)
{
	struct buf *key = &f->preview[for_all].key;

	if (p->kind == PREVIEW_END || (p->kind == PREVIEW_DELTA && p->text.len == 0))
		return NULL;
	write_key(&f->scratch, p);
	if (f->preview[for_all].bytes && str_eq(buf_str(&f->scratch), buf_str(key)))
		return f->preview[for_all].bytes;
	write_key(key, p);
	buf_clear(&f->scratch);
	if (p->kind == PREVIEW_START)
		event_json_preview_start(&f->scratch, p, for_all);
	if (p->text.len > 0)
		event_json_preview_delta(&f->scratch, p, for_all);
	net_bytes_unref(f->preview[for_all].bytes);
	f->preview[for_all].bytes = take_scratch(f);
	return f->preview[for_all].bytes;
}

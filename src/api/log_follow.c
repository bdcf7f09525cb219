#include "api/log_follow.h"

enum { PAGE_ROWS = 256 };

static int64_t
head_of(const struct log_follow *f)
{
	return f->session.len > 0 ? engine_head(f->en, f->session) : engine_change_head(f->en);
}

static int64_t
place_of(const struct log_follow *f, const struct store_event *ev)
{
	return f->session.len > 0 ? ev->ev.seq : ev->change;
}

/* ---- pages ---- */

/* On a thread of the store's. seqs are dense, so a hole is what is not kept any more. */
static bool
on_row(void *ctx, const struct store_row *row)
{
	struct log_follow *f = ctx;
	int64_t at = place_of(f, row->event);

	if (f->session.len > 0 && at > f->page_end + 1 && f->ops->gap)
		f->ops->gap(f, f->page_end + 1, at - 1);
	f->page_end = at;
	if (f->ops->row(f, row->event))
		return true;
	f->page_cut = true;
	return false;
}

static void
end(struct log_follow *f, int rc, const struct err *err)
{
	engine_unwatch(&f->watch);
	f->state = LOG_FOLLOW_OVER;
	f->ops->over(f, rc, err);
}

/* Everything up to the head that was known before is read or gone. */
static void
settle_page(struct log_follow *f)
{
	if (!f->page_cut && f->page_end < f->head_before) {
		if (f->session.len > 0 && f->ops->gap)
			f->ops->gap(f, f->page_end + 1, f->head_before);
		f->page_end = f->head_before;
	}
	f->cursor = f->page_end;
}

/* Who is stopped goes when nobody else has its memory any more. */
static void
let_go(struct log_follow *f)
{
	if (f->state != LOG_FOLLOW_READING && !f->asking)
		f->gone(f);
}

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct log_follow *f = ctx;
	struct err e;

	f->state = LOG_FOLLOW_PAUSED;
	if (f->gone) {
		let_go(f);
		return;
	}
	if (rc == 0 && f->denied) {
		rc = err_set(&e, ERR_NOT_FOUND, "there is no such session");
		err = &e;
	}
	if (rc != 0) {
		end(f, rc, err);
		return;
	}
	f->page_cut |= more;
	settle_page(f);
	f->ops->page(f);
}

static void
read_page(struct log_follow *f)
{
	struct store_query q = {
		.kind = f->session.len > 0 ? STORE_LIST_EVENTS : STORE_LIST_CHANGES,
		.session = f->session,
		.after = f->cursor,
		.kinds = f->kinds,
		.limit = PAGE_ROWS,
	};

	f->state = LOG_FOLLOW_READING;
	f->page_cut = f->read_again = false;
	f->page_end = f->cursor;
	f->head_before = head_of(f);
	engine_read(f->en, &f->caller, &q, on_row, on_page, f);
}

void
log_follow_next(struct log_follow *f)
{
	if (f->state != LOG_FOLLOW_PAUSED)
		return;
	if (f->page_cut || f->read_again || f->cursor < head_of(f)) {
		read_page(f);
		return;
	}
	if (f->ended) {
		end(f, 0, NULL);
		return;
	}
	f->state = LOG_FOLLOW_LIVE;
	if (f->ops->live)
		f->ops->live(f);
}

/* ---- the watch ---- */

/* What comes now is dropped, and read when there is room. */
static void
fall_behind(struct log_follow *f)
{
	f->state = LOG_FOLLOW_PAUSED;
	f->read_again = true;
}

static void
on_event(void *ctx, const struct store_event *ev)
{
	struct log_follow *f = ctx;
	int64_t at = place_of(f, ev);

	if (f->kinds != 0 && !(f->kinds >> ev->ev.kind & 1))
		return;
	if (f->narrowed && f->state == LOG_FOLLOW_LIVE)
		read_page(f);
	else if (f->narrowed)
		f->read_again = true;
	else if (f->state == LOG_FOLLOW_LIVE && at > f->cursor) {
		int64_t before = f->cursor;

		f->cursor = at;
		if (f->ops->event(f, ev)) /* which may have been the end of f */
			return;
		f->cursor = before;
		fall_behind(f);
	}
}

static void
on_preview(void *ctx, const struct engine_preview *p)
{
	struct log_follow *f = ctx;

	if (f->state == LOG_FOLLOW_LIVE && !f->narrowed && !f->ops->preview(f, p))
		fall_behind(f);
}

static void
on_over(void *ctx, enum engine_over why)
{
	struct log_follow *f = ctx;

	f->ended = true;
	if (f->state == LOG_FOLLOW_LIVE ||
	    (f->state == LOG_FOLLOW_PAUSED && why == ENGINE_OVER_SHUTDOWN))
		end(f, 0, NULL); /* else the rest of the log is read first */
}

/* ---- rights ---- */

static bool
on_seen(void *ctx, const struct store_row *row)
{
	(void)ctx, (void)row;
	return false;
}

static void ask(struct log_follow *f);

static void
on_asked(void *ctx, int rc, bool more, const struct err *err)
{
	struct log_follow *f = ctx;

	(void)more;
	f->asking = false;
	if (f->gone)
		let_go(f);
	else if (rc != 0 && f->state == LOG_FOLLOW_READING)
		f->denied = true;
	else if (rc != 0)
		end(f, rc, err);
	else if (f->ask_again)
		ask(f);
}

static void
ask(struct log_follow *f)
{
	struct store_query q = { .kind = STORE_GET_SESSION, .session = f->session, .limit = 1 };

	f->asking = true;
	f->ask_again = false;
	engine_read(f->en, &f->caller, &q, on_seen, on_asked, f);
}

static void
take_caller(struct log_follow *f, const struct engine_caller *caller)
{
	f->caller = *caller;
	f->caller.who.sender_channel = (struct str){ 0 };
	f->narrowed = f->session.len == 0 && !principal_is_owner(&caller->who);
}

/* A caller whose token ended is nobody: whoever joined the hub is told there. */
static void
on_rights(void *ctx)
{
	struct log_follow *f = ctx;
	struct engine_caller caller = f->caller;

	if (!engine_renew_caller(f->en, &caller))
		return;
	take_caller(f, &caller);
	if (f->session.len == 0)
		return; /* each page asks for itself */
	if (f->asking)
		f->ask_again = true;
	else
		ask(f);
}

/* ---- the beginning and the end ---- */

static void
watch(struct log_follow *f)
{
	f->watch = (struct engine_watch){
		.on_event = on_event,
		.on_preview = f->ops->preview ? on_preview : NULL,
		.on_over = on_over,
		.on_rights = on_rights,
		.ctx = f,
	};
	if (f->session.len > 0)
		engine_watch_session(f->en, f->session, &f->watch);
	else
		engine_watch_all(f->en, &f->watch);
}

void
log_follow_init(struct log_follow *f, struct engine *en, const struct engine_caller *caller,
		struct str session, const struct log_follow_ops *ops)
{
	*f = (struct log_follow){
		.en = en,
		.ops = ops,
		.session = session,
	};
	take_caller(f, caller);
}

void
log_follow_start(struct log_follow *f, int64_t after)
{
	f->cursor = after;
	watch(f);
	read_page(f);
}

void
log_follow_start_live(struct log_follow *f, int64_t head)
{
	f->cursor = head;
	f->state = LOG_FOLLOW_LIVE;
	watch(f);
}

void
log_follow_stop(struct log_follow *f, void (*gone)(struct log_follow *f))
{
	engine_unwatch(&f->watch);
	f->gone = gone;
	let_go(f);
}

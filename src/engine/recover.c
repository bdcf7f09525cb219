#include "engine/recover.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/log.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/lane.h"
#include "engine/wake.h"

enum { PAGE_ROWS = 500, AT_ONCE = 128 };

/* The session of a lane that may have to change. */
struct found {
	struct recovery *recovery;
	struct str session;
	int64_t active_ms;
	bool turn_open;
};

/* Sessions first, those at work before those that were: what the lanes' own records add has no open turn
 * and no other activity than theirs. */
enum reading { READING_OPEN, READING_RECENT, READING_LANES, READINGS };

struct recovery {
	struct engine *en;
	int64_t now_ms, recent_ms; /* active since then is recent */
	struct arena arena;        /* of what was found */
	struct arena scratch;
	struct map seen; /* sessions, each judged once */
	VEC(struct found *) found;
	enum reading reading;
	int64_t cursor_ms;
	struct str cursor_id;
	int64_t open_turns;
	VEC(int64_t) starts; /* unclean ones with open turns, this one included */
	size_t next, active;
	int64_t marked, suspended;
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

static void
recovery_end(struct recovery *r, int rc, const struct err *err)
{
	struct engine *en = r->en;

	if (rc == 0)
		log_write(LOG_INFO, "recover.unclean_start", LOG_INT("resume_pending", r->marked),
			  LOG_INT("suspended", r->suspended));
	r->done(r->ctx, rc, err);
	map_release(&r->seen);
	vec_release(&r->found);
	vec_release(&r->starts);
	arena_release(&r->scratch);
	arena_release(&r->arena);
	free(r);
	en->open_turns--;
	engine_turn_closed(en);
}

/* ---- one lane ---- */

static bool
decide(void *ctx, struct lane_entry *entry)
{
	const struct found *f = ctx;
	const struct recover_mark before = entry->recover;
	struct recover_start facts = {
		.now_ms = f->recovery->now_ms,
		.updated_at_ms =
			f->active_ms > entry->updated_ms ? f->active_ms : entry->updated_ms,
		.turn_open = f->turn_open,
	};

	recover_mark_start(&RECOVER_SETTINGS_DEFAULT, &facts, &entry->recover);
	return entry->recover.suspended != before.suspended ||
	       entry->recover.resume_pending != before.resume_pending ||
	       entry->recover.stuck_count != before.stuck_count;
}

static void pump(struct recovery *r);

static void
on_changed(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct found *f = ctx;
	struct recovery *r = f->recovery;

	if (rc != 0) {
		log_write(LOG_WARN, "recover.lane_failed", LOG_STR("session", f->session),
			  LOG_STR("error", str_of(err->text)));
	} else if (lane->version > 0) {
		r->marked += lane->entry.recover.resume_pending;
		r->suspended += lane->entry.recover.suspended;
	}
	r->active--;
	pump(r);
}

static void
pump(struct recovery *r)
{
	while (r->active < AT_ONCE && r->next < r->found.len && !r->en->draining) {
		struct found *f = r->found.ptr[r->next++];

		r->active++;
		lane_change(r->en, &(struct lane_change){ .session = f->session,
							  .decide = decide,
							  .done = on_changed,
							  .ctx = f });
	}
	if (r->active == 0)
		recovery_end(r, 0, NULL);
}

/* ---- the breaker ---- */

static void
on_counted(void *ctx, const struct commit_result *result)
{
	struct recovery *r = ctx;

	r->en->start_counted = result->store->rc == 0;
	if (result->store->rc != 0)
		recovery_end(r, result->store->rc, &result->store->err);
	else
		pump(r);
}

static void
put_starts(struct recovery *r)
{
	struct commit *c = commit_new(r->en, STR(""));
	struct buf body;
	struct jw w;

	buf_init(&body, STORE_PAYLOAD_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_key(&w, STR("at"));
	jw_array(&w);
	for (size_t i = 0; i < r->starts.len; i++)
		jw_int(&w, r->starts.ptr[i]);
	jw_end_array(&w);
	jw_end_object(&w);
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_UNCLEAN_STARTS,
						       .id = STR("server"),
						       .body = buf_str(&body) },
					   .if_version = STORE_VERSION_ANY });
	buf_release(&body);
	commit_submit(c, on_counted, r);
}

/* Those that are too old to matter go. */
static bool
on_starts_row(void *ctx, const struct store_row *row)
{
	struct recovery *r = ctx;
	struct json_iter it;
	struct json_doc doc;
	struct json at;
	int64_t ms;

	if (json_parse(&r->scratch, row->record->body, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
	    json_find(json_root(&doc), STR("at"), &at)) {
		it = json_iter(at);
		while (json_next(&it))
			if (json_take_int(it.value, 0, INT64_MAX, &ms, NULL) == 0 &&
			    r->now_ms - ms <= RECOVER_SETTINGS_DEFAULT.breaker_window_ms)
				*vec_push(&r->starts) = ms;
	}
	arena_reset(&r->scratch);
	return false;
}

static void
on_starts(void *ctx, int rc, bool more, const struct err *err)
{
	struct recovery *r = ctx;

	(void)more;
	if (rc != 0) {
		recovery_end(r, rc, err);
		return;
	}
	*vec_push(&r->starts) = r->now_ms;
	if (recover_breaker_open(&RECOVER_SETTINGS_DEFAULT, r->starts.ptr, r->starts.len,
				 r->now_ms)) {
		log_write(LOG_WARN, "recover.turns_held", LOG_INT("turns", r->open_turns),
			  LOG_INT("unclean_starts", (int64_t)r->starts.len));
		wake_hold_back(r->en);
	}
	put_starts(r);
}

static void
count_start(struct recovery *r)
{
	if (r->open_turns == 0 || r->en->draining)
		pump(r);
	else
		store_read(r->en->store,
			   &(struct store_query){ .kind = STORE_GET_RECORD,
						  .record_kind = RECORD_UNCLEAN_STARTS,
						  .record_id = STR("server"),
						  .limit = 1 },
			   on_starts_row, on_starts, r);
}

/* ---- which ones ---- */

static void
add(struct recovery *r, const struct found *what)
{
	struct found *f;

	if (map_find(&r->seen, what->session))
		return;
	f = ARENA_NEW(&r->arena, struct found);
	*f = *what;
	f->recovery = r;
	f->session = arena_str(&r->arena, what->session);
	map_put(&r->seen, f->session, f);
	*vec_push(&r->found) = f;
}

static bool
on_session(void *ctx, const struct store_row *row)
{
	const struct store_session *session = row->session;
	enum turn_phase phase = session->row.state.phase;
	struct recovery *r = ctx;

	bool open = phase == TURN_RUNNING || phase == TURN_RESCHEDULED;

	r->cursor_ms = session->row.counters.last_activity_ms;
	r->cursor_id = arena_str(&r->arena, session->id);
	r->open_turns += open && r->reading == READING_OPEN;
	if (session->lane_key.len > 0)
		add(r, &(struct found){ .session = session->id,
					.active_ms = r->cursor_ms,
					.turn_open = open });
	return true;
}

/* Nearly all lanes are at rest and were never stuck: they are left out on the store's thread. */
static bool
on_lane(void *ctx, const struct store_row *row)
{
	struct recovery *r = ctx;
	struct lane_entry entry;
	struct json_doc doc;

	r->cursor_id = arena_str(&r->arena, row->record->id);
	if (json_parse(&r->scratch, row->record->body, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
	    lane_entry_read(json_root(&doc), &r->scratch, &entry, NULL) == 0 &&
	    (entry.updated_ms >= r->recent_ms || entry.recover.stuck_count > 0))
		add(r, &(struct found){ .session = entry.session_id });
	arena_reset(&r->scratch);
	return true;
}

static void read_page(struct recovery *r);

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct recovery *r = ctx;

	if (rc != 0) {
		recovery_end(r, rc, err);
		return;
	}
	if (!more) {
		r->reading++;
		r->cursor_ms = 0;
		r->cursor_id = (struct str){ 0 };
	}
	if (r->reading == READINGS || r->en->draining)
		count_start(r);
	else
		read_page(r);
}

static void
read_page(struct recovery *r)
{
	struct store_query q = { .kind = STORE_LIST_SESSIONS,
				 .filter.open_work = r->reading == READING_OPEN,
				 .cursor_ms = r->cursor_ms,
				 .cursor_id = r->cursor_id,
				 .limit = PAGE_ROWS };

	if (r->reading == READING_RECENT)
		q.filter.active_since_ms = r->recent_ms;
	if (r->reading == READING_LANES)
		q = (struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_LANE,
					  .record_id = r->cursor_id,
					  .limit = PAGE_ROWS };
	store_read(r->en->store, &q, r->reading == READING_LANES ? on_lane : on_session, on_page,
		   r);
}

void
recover_start(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	struct recovery *r;

	if (en->config.clean) {
		done(ctx, 0, NULL);
		return;
	}
	r = xcalloc(1, sizeof *r);
	r->en = en;
	r->now_ms = host_now_ms(en->host);
	r->recent_ms = r->now_ms - RECOVER_SETTINGS_DEFAULT.recent_ms;
	r->done = done;
	r->ctx = ctx;
	arena_init(&r->arena);
	arena_init(&r->scratch);
	map_init(&r->seen, rand_u64(&en->rand));
	en->open_turns++; /* a drain waits for it */
	read_page(r);
}

/* ---- the end of a turn ---- */

static bool
put_off(void *ctx, struct lane_entry *entry)
{
	struct engine *en = ctx;

	return recover_mark_set(&entry->recover, en->drain_why, host_now_ms(en->host));
}

static bool
forget(void *ctx, struct lane_entry *entry)
{
	bool marked = entry->recover.resume_pending || entry->recover.stuck_count > 0;

	(void)ctx;
	recover_mark_turn_ended(&entry->recover, true);
	return marked;
}

static void
on_told(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct engine *en = ctx;

	if (rc != 0)
		log_write(LOG_WARN, "recover.lane_failed", LOG_STR("lane", lane->id),
			  LOG_STR("error", str_of(err->text)));
	en->open_turns--;
	engine_turn_closed(en);
}

static void
on_forgotten(void *ctx, const struct commit_result *result)
{
	struct engine *en = ctx;

	en->start_counted = result->store->rc != 0; /* then the next success tries again */
	en->open_turns--;
	engine_turn_closed(en);
}

/* Turns get done: whatever ends the process, it is not what they do. */
static void
forget_starts(struct engine *en)
{
	struct commit *c = commit_new(en, STR(""));

	en->start_counted = false;
	en->open_turns++;
	commit_put(c, &(struct store_put){
			      .record = { .kind = RECORD_UNCLEAN_STARTS, .id = STR("server") },
			      .if_version = STORE_VERSION_ANY,
			      .remove = true });
	commit_submit(c, on_forgotten, en);
}

void
recover_turn_over(struct engine *en, struct str session, const struct turn_over *over)
{
	lane_decide_fn *decides = over->succeeded ? forget : put_off;

	if (over->succeeded && en->start_counted)
		forget_starts(en);
	if (!over->in_lane ||
	    (!over->succeeded && (over->finish != TURN_FINISH_PUT_OFF || !en->draining)))
		return;
	en->open_turns++;
	lane_change(en,
		    &(struct lane_change){
			    .session = session, .decide = decides, .done = on_told, .ctx = en });
}

#include "engine/lane_sweep.h"

#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/repeat.h"

enum { TRIES_MAX = 3 };
static const int64_t DAY_MS = INT64_C(24) * 3600 * 1000;
enum { AGE_DAYS_MAX = 36500, AGE_SECONDS_MAX = 30 * 24 * 3600, AGE_SECONDS_USUAL = 120 };

struct sweep {
	struct engine *en;
	struct arena arena; /* of the ids */
	VEC(struct str) ids;
	struct buf last;   /* the id that the last page ended with */
	int64_t before_ms; /* only lanes that may be as old as this; 0: all */
	size_t at;
	int64_t age_ms, changed;
	/* Decides about the lane in hand: true when its entry is to be written, or dropped. */
	bool (*decide)(struct sweep *s);
	bool drops;
	/* the one in hand */
	struct arena scratch;
	struct lane lane;
	bool busy; /* a turn is open or something waits */
	int tries;
	lane_sweep_fn *done;
	void *ctx;
};

static void
sweep_end(struct sweep *s, int rc, const struct err *err)
{
	s->done(s->ctx, rc, err, s->changed);
	vec_release(&s->ids);
	buf_release(&s->last);
	arena_release(&s->arena);
	arena_release(&s->scratch);
	free(s);
}

/* ---- one lane ---- */

static void next(struct sweep *s);

static void
on_written(void *ctx, const struct commit_result *result)
{
	const struct store_result *r = result->store;
	struct sweep *s = ctx;

	if (r->rc != 0 && r->rc != ERR_CONFLICT) {
		sweep_end(s, r->rc, &r->err);
		return;
	}
	if (r->rc == 0)
		s->changed++;
	if (r->rc == 0 || ++s->tries >= TRIES_MAX) { /* who changes it all the time is not idle */
		s->at++;
		s->tries = 0;
	}
	next(s);
}

static void
judge(struct sweep *s)
{
	struct commit *c;

	if (!s->decide(s)) {
		s->at++;
		next(s);
		return;
	}
	c = commit_new(s->en, STR(""));
	if (s->drops)
		lane_drop(c, &s->lane);
	else
		lane_put(c, &s->lane);
	commit_submit(c, on_written, s);
}

static bool
on_pending_row(void *ctx, const struct store_row *row)
{
	struct sweep *s = ctx;

	(void)row;
	s->busy = true;
	return false;
}

static void
on_pending(void *ctx, int rc, bool more, const struct err *err)
{
	struct sweep *s = ctx;

	(void)more;
	if (rc != 0)
		sweep_end(s, rc, err);
	else
		judge(s);
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct sweep *s = ctx;

	s->busy = row->session->row.state.phase != TURN_NONE;
	lane_entry_count(&s->lane.entry, &row->session->row.counters);
	s->lane.entry.cost_status = arena_str(&s->scratch, s->lane.entry.cost_status);
	return false;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct sweep *s = ctx;

	(void)more;
	if (rc != 0)
		sweep_end(s, rc, err);
	else if (s->busy)
		judge(s);
	else
		store_read(s->en->store,
			   &(struct store_query){ .kind = STORE_LIST_PENDING,
						  .session = s->lane.entry.session_id,
						  .limit = 1 },
			   on_pending_row, on_pending, s);
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct sweep *s = ctx;

	if (rc != 0 && rc != ERR_CORRUPT) { /* a damaged one must not keep the others waiting */
		sweep_end(s, rc, err);
		return;
	}
	if (rc != 0 || lane->version == 0) {
		s->at++;
		next(s);
		return;
	}
	s->lane = lane_copy(&s->scratch, lane);
	s->busy = false;
	store_read(s->en->store,
		   &(struct store_query){ .kind = STORE_GET_SESSION,
					  .session = s->lane.entry.session_id,
					  .limit = 1 },
		   on_session_row, on_session, s);
}

static void
next(struct sweep *s)
{
	arena_reset(&s->scratch);
	if (s->at == s->ids.len || s->en->draining) /* the next time is soon enough */
		sweep_end(s, 0, NULL);
	else
		lane_find(s->en, s->ids.ptr[s->at], on_lane, s);
}

/* ---- all of them ---- */

/* Young ones are left out where they are read, on the store's thread: they are nearly all. */
static bool
may_be_meant(struct sweep *s, const struct store_record *r)
{
	struct lane_entry entry;
	struct json_doc doc;
	bool meant;

	if (s->before_ms == 0)
		return true;
	meant = json_parse(&s->scratch, r->body, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
		lane_entry_read(json_root(&doc), &s->scratch, &entry, NULL) == 0 &&
		lane_entry_is_stale(&entry, s->before_ms, false);
	arena_reset(&s->scratch);
	return meant;
}

static bool
on_id(void *ctx, const struct store_row *row)
{
	struct sweep *s = ctx;

	buf_clear(&s->last);
	buf_put_str(&s->last, row->record->id);
	if (may_be_meant(s, row->record))
		*vec_push(&s->ids) = arena_str(&s->arena, row->record->id);
	return true;
}

static void read_ids(struct sweep *s);

static void
on_ids(void *ctx, int rc, bool more, const struct err *err)
{
	struct sweep *s = ctx;

	if (rc != 0)
		sweep_end(s, rc, err);
	else if (more)
		read_ids(s);
	else
		next(s);
}

static void
read_ids(struct sweep *s)
{
	struct store_query q = { .kind = STORE_LIST_RECORDS,
				 .record_kind = RECORD_LANE,
				 .record_id = buf_str(&s->last),
				 .limit = STORE_PAGE_ROWS_MAX };

	store_read(s->en->store, &q, on_id, on_ids, s);
}

static struct sweep *
sweep_new(struct engine *en, int64_t age_ms, lane_sweep_fn *done, void *ctx)
{
	struct sweep *s = xcalloc(1, sizeof *s);

	s->en = en;
	s->age_ms = age_ms;
	s->done = done;
	s->ctx = ctx;
	arena_init(&s->arena);
	arena_init(&s->scratch);
	buf_init(&s->last, STORE_RECORD_ID_MAX);
	return s;
}

static bool
is_to_be_marked(struct sweep *s)
{
	struct recover_settings settings = RECOVER_SETTINGS_DEFAULT;
	struct recover_start facts = { .now_ms = host_now_ms(s->en->host),
				       .updated_at_ms = s->lane.entry.updated_ms };
	bool before = s->lane.entry.recover.resume_pending;

	settings.recent_ms = s->age_ms;
	recover_mark_start(&settings, &facts, &s->lane.entry.recover);
	return !before && s->lane.entry.recover.resume_pending;
}

void
lane_mark_recent(struct engine *en, int64_t age_ms, lane_sweep_fn *done, void *ctx)
{
	struct sweep *s = sweep_new(en, age_ms, done, ctx);

	s->decide = is_to_be_marked;
	read_ids(s);
}

static bool
is_to_be_forgotten(struct sweep *s)
{
	return lane_entry_is_stale(&s->lane.entry, host_now_ms(s->en->host) - s->age_ms, s->busy);
}

void
lane_prune(struct engine *en, int64_t age_ms, lane_sweep_fn *done, void *ctx)
{
	struct sweep *s = sweep_new(en, age_ms, done, ctx);

	s->decide = is_to_be_forgotten;
	s->drops = true;
	s->before_ms = host_now_ms(en->host) - age_ms;
	read_ids(s);
}

/* ---- commands ---- */

struct command {
	struct engine *en;
	struct engine_call call;
	struct arena arena;
	void (*sweep)(struct engine *en, int64_t age_ms, lane_sweep_fn *done, void *ctx);
	int64_t age_ms, changed;
};

static void
command_end(struct command *c, const struct engine_answer *answer)
{
	c->call.done(c->call.ctx, answer);
	arena_release(&c->arena);
	free(c);
}

static void
command_done(struct command *c, bool replayed)
{
	command_end(c, &(struct engine_answer){
			       .count = c->changed, .replayed = replayed, .queue_position = -1 });
}

static void
on_remembered(void *ctx, const struct commit_result *result)
{
	struct command *c = ctx;

	if (result->store->rc < 0)
		command_end(c, &(struct engine_answer){ .rc = result->store->rc,
							.err = &result->store->err });
	else
		command_done(c, false);
}

static void
on_swept(void *ctx, int rc, const struct err *err, int64_t changed)
{
	struct command *c = ctx;

	c->changed = changed;
	if (rc != 0)
		command_end(c, &(struct engine_answer){ .rc = rc, .err = err });
	else if (repeat_is_keyed(c->call.repeat))
		repeat_remember(c->en, c->call.repeat,
				arena_printf(&c->arena, "%lld", (long long)changed), on_remembered,
				c);
	else
		command_done(c, false);
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct command *c = ctx;

	if (rc != 0) {
		command_end(c, &(struct engine_answer){ .rc = rc, .err = err });
	} else if (first) {
		IGNORE(str_to_int(*first, &c->changed)); /* written by on_swept */
		command_done(c, true);
	} else {
		c->sweep(c->en, c->age_ms, on_swept, c);
	}
}

static int
read_age(struct json body, const char *name, int64_t max, bool required, int64_t *out,
	 struct err *e)
{
	struct json age = { 0 };
	const struct json_field fields[] = {
		{ name, JSON_WANT_NUMBER | (required ? 0 : JSON_WANT_NULL), required, &age },
	};
	int rc = json_is_set(body) ? json_fields(body, fields, 1, e) : 0;

	return rc == 0 ? json_take_int(age, 0, max, out, e) : rc;
}

static void
command_start(struct engine *en, const struct engine_call *call, const struct command *what, int rc,
	      struct err *e)
{
	struct command *c;

	if (engine_is_closed(en, call))
		return;
	if (rc == 0)
		rc = access_check_now(call->caller, ACCESS_SERVER, e);
	if (rc != 0) {
		engine_refuse(en, call, rc, e);
		return;
	}
	c = xcalloc(1, sizeof *c);
	*c = *what;
	c->en = en;
	c->call = *call;
	arena_init(&c->arena);
	if (repeat_is_keyed(call->repeat))
		repeat_find(en, call->repeat, on_repeat, c);
	else
		c->sweep(en, c->age_ms, on_swept, c);
}

void
engine_lane_mark_recent(struct engine *en, const struct engine_call *call, struct json body)
{
	int64_t seconds = AGE_SECONDS_USUAL;
	struct err e;
	int rc = read_age(body, "max_age_seconds", AGE_SECONDS_MAX, false, &seconds, &e);

	command_start(en, call,
		      &(struct command){ .sweep = lane_mark_recent, .age_ms = seconds * 1000 }, rc,
		      &e);
}

/* 0 days: never, as the setting of that name has it. */
static void
prune_some(struct engine *en, int64_t age_ms, lane_sweep_fn *done, void *ctx)
{
	lane_prune(en, age_ms == 0 ? INT64_MAX / 2 : age_ms, done, ctx);
}

void
engine_lane_prune(struct engine *en, const struct engine_call *call, struct json body)
{
	int64_t days = 0;
	struct err e;
	int rc = read_age(body, "max_age_days", AGE_DAYS_MAX, true, &days, &e);

	command_start(en, call, &(struct command){ .sweep = prune_some, .age_ms = days * DAY_MS },
		      rc, &e);
}

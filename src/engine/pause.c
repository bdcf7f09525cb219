#include "engine/pause.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/log.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/wake.h"

enum { PAGE_ROWS = 500, BODY_BYTES_MAX = 4096 };
static const int64_t DAY_MS = INT64_C(24) * 60 * 60 * 1000;

/* ---- the record ---- */

struct pause {
	enum budget_scope scope;
	int64_t limit, day;
	struct str user; /* whose budget it was; empty: everybody waits */
};

static int64_t
today(const struct engine *en)
{
	return host_now_ms(en->host) / DAY_MS;
}

static struct str
write_body(struct engine *en, const struct purse *p, struct buf *body)
{
	struct jw w;

	jw_init(&w, body);
	jw_object(&w);
	jw_field_str(&w, "scope", str_of(budget_scope_name(p->reached)));
	jw_field_int(&w, "limit", p->reached_limit);
	jw_field_int(&w, "day", today(en));
	if (p->reached == BUDGET_USER)
		jw_field_str(&w, "user", p->user);
	jw_end_object(&w);
	return buf_str(body);
}

void
pause_put(struct engine *en, const struct purse *p, struct str session, struct commit *c)
{
	struct store_put put = { .record = { .kind = RECORD_PAUSE, .id = session },
				 .if_version = STORE_VERSION_ANY };
	struct buf body;

	if (p->reached == BUDGET_USER) {
		put.record.id = arena_printf(commit_arena(c), STR_FMT "/" STR_FMT, STR_ARG(session),
					     STR_ARG(p->user));
		put.record.owner = session;
	}
	buf_init(&body, BODY_BYTES_MAX);
	put.record.body = write_body(en, p, &body);
	commit_put(c, &put);
	buf_release(&body);
}

void
pause_lift(struct str session, struct commit *c)
{
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_PAUSE, .id = session },
					   .if_version = STORE_VERSION_ANY,
					   .remove = true });
}

static bool
read_body(struct str body, struct arena *a, struct pause *out)
{
	struct json_doc doc;
	struct json v;

	*out = (struct pause){ 0 };
	if (json_parse(a, arena_str(a, body), &JSON_LIMITS_DEFAULT, &doc, NULL) != 0)
		return false;
	for (int i = 0; i < BUDGET_SCOPES; i++)
		if (json_find(json_root(&doc), STR("scope"), &v) &&
		    json_str_eq(v, str_of(budget_scope_name((enum budget_scope)i))))
			out->scope = (enum budget_scope)i;
	if (json_find(json_root(&doc), STR("limit"), &v))
		IGNORE(json_int(v, &out->limit)); /* or 0 */
	if (json_find(json_root(&doc), STR("day"), &v))
		IGNORE(json_int(v, &out->day)); /* or 0 */
	if (json_find(json_root(&doc), STR("user"), &v) && out->scope == BUDGET_USER)
		out->user = arena_str(a, json_str(v, a));
	return true;
}

/* ---- does it hold? ---- */

static bool
was_raised(int64_t setting, int64_t limit)
{
	return setting <= 0 || setting > limit;
}

static bool
is_there_money(const struct engine *en, const struct pause *p)
{
	const struct engine_settings *settings = &en->config.settings;

	switch (p->scope) {
	case BUDGET_USER: return was_raised(settings->user_budget, p->limit);
	case BUDGET_DAY: return was_raised(settings->day_budget, p->limit) || today(en) > p->day;
	case BUDGET_SESSION:
	case BUDGET_SCOPES: break;
	}
	return false; /* whoever raises it takes the record away */
}

/* Others go past a user's messages, so that user's pause outlives their turns. Everybody's does not. */
static bool
stopped_everybody(const struct store_session *session)
{
	return session->row.state.phase == TURN_NONE &&
	       session->row.last_stop == STOP_BUDGET_REACHED;
}

bool
pause_is_possible(const struct engine *en, const struct store_session *session,
		  struct pause_queue waiting)
{
	bool rests = session->row.state.phase == TURN_NONE;

	if (stopped_everybody(session))
		return true;
	return en->config.settings.user_budget > 0 && (rests ? waiting.triggers : waiting.steers);
}

bool
pause_holds(const struct pauses *p, struct str user)
{
	for (size_t i = 0; i < p->users.len; i++)
		if (str_eq(p->users.ptr[i], user))
			return true;
	return false;
}

/* ---- those of a session ---- */

struct reading {
	struct engine *en;
	const struct store_session *session;
	struct arena *arena;
	struct str last;
	VEC(struct pause) records;
	struct pauses found;
	pause_fn *done;
	void *ctx;
};

static void
finish(struct reading *r, int rc, const struct err *err)
{
	r->done(r->ctx, rc, err, &r->found);
	vec_release(&r->records);
	free(r);
}

static bool
on_spender_row(void *ctx, const struct store_row *row)
{
	struct reading *r = ctx;

	r->found.wakes = pause_holds(&r->found, row->record->owner);
	return false;
}

static void
on_spender(void *ctx, int rc, bool more, const struct err *err)
{
	(void)more;
	finish(ctx, rc, err);
}

static void
read_spender(struct reading *r)
{
	store_read(r->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_SPENDER,
					  .record_id = r->session->id,
					  .limit = 1 },
		   on_spender_row, on_spender, r);
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct reading *r = ctx;
	struct pause p;

	r->last = arena_str(r->arena, row->record->id);
	if (read_body(row->record->body, r->arena, &p))
		*vec_push(&r->records) = p;
	return true;
}

/* For whom there is no money now. */
static void
judge(struct reading *r)
{
	struct str *users = ARENA_ARRAY(r->arena, r->records.len + 1, struct str);
	size_t count = 0;

	for (size_t i = 0; i < r->records.len; i++) {
		const struct pause *p = &r->records.ptr[i];

		if (is_there_money(r->en, p))
			continue;
		if (p->user.len > 0) {
			users[count++] = p->user;
		} else if (stopped_everybody(r->session)) {
			r->found.everybody = true;
			r->found.until_ms = p->scope == BUDGET_DAY ? (p->day + 1) * DAY_MS : 0;
		}
	}
	r->found.users = (struct str_list){ users, count };
}

static void read_users(struct reading *r);

static void
on_users(void *ctx, int rc, bool more, const struct err *err)
{
	struct reading *r = ctx;

	if (rc == 0 && more) {
		read_users(r);
		return;
	}
	judge(r);
	if (rc == 0 && r->found.users.len > 0 && r->session->row.state.phase == TURN_NONE)
		read_spender(r);
	else
		finish(r, rc, err);
}

static void
read_users(struct reading *r)
{
	store_read(r->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_PAUSE,
					  .record_owner = r->session->id,
					  .record_id = r->last,
					  .limit = PAGE_ROWS },
		   on_row, on_users, r);
}

static void
on_first(void *ctx, int rc, bool more, const struct err *err)
{
	struct reading *r = ctx;

	(void)more;
	r->last = (struct str){ 0 };
	if (rc == 0 && r->en->config.settings.user_budget > 0) {
		read_users(r);
		return;
	}
	judge(r);
	finish(r, rc, err);
}

void
pause_read(struct engine *en, const struct store_session *session, struct arena *a, pause_fn *done,
	   void *ctx)
{
	struct reading *r = xcalloc(1, sizeof *r);

	*r = (struct reading){ .en = en, .session = session, .arena = a, .done = done, .ctx = ctx };
	store_read(en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_PAUSE,
					  .record_id = session->id,
					  .limit = 1 },
		   on_row, on_first, r);
}

/* ---- limits were changed ---- */

struct reloading {
	struct engine *en;
	struct arena arena;
	struct str last;
	VEC(struct str) sessions;
};

static bool
on_paused_row(void *ctx, const struct store_row *row)
{
	struct reloading *r = ctx;
	struct str session = row->record->owner.len > 0 ? row->record->owner : row->record->id;

	r->last = arena_str(&r->arena, row->record->id);
	*vec_push(&r->sessions) = arena_str(&r->arena, session);
	return true;
}

static void read_paused(struct reloading *r);

static void
on_paused(void *ctx, int rc, bool more, const struct err *err)
{
	struct reloading *r = ctx;
	struct engine *en = r->en;

	if (rc == 0 && more && !en->draining) {
		read_paused(r);
		return;
	}
	if (rc != 0)
		log_write(LOG_WARN, "pause.reload_failed", LOG_STR("error", str_of(err->text)));
	for (size_t i = 0; i < r->sessions.len; i++)
		wake_session(en, r->sessions.ptr[i]);
	vec_release(&r->sessions);
	arena_release(&r->arena);
	free(r);
	en->open_turns--;
	engine_turn_closed(en);
}

static void
read_paused(struct reloading *r)
{
	store_read(r->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_PAUSE,
					  .record_id = r->last,
					  .limit = PAGE_ROWS },
		   on_paused_row, on_paused, r);
}

void
pause_reload(struct engine *en)
{
	struct reloading *r;

	if (en->draining)
		return;
	r = xcalloc(1, sizeof *r);
	r->en = en;
	arena_init(&r->arena);
	en->open_turns++; /* a drain waits for it */
	read_paused(r);
}

#include "engine/lane.h"
#include "engine/workspace.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/zone.h"
#include "engine/busy_default.h"

enum {
	BODY_MAX = 64 * 1024,
	ID_HEX_BYTES = 16,
	TRIES_MAX = 16, /* somebody else may be quicker, but not for ever */
};
static const int64_t HOUR_MS = INT64_C(3600) * 1000;

/* ---- ids ---- */

/* The length before each part keeps neighbours apart. */
static struct str
lane_id(struct arena *a, char kind, struct str workspace, struct str key)
{
	struct str text = arena_printf(a, "%c%zu:" STR_FMT "%zu:", kind, workspace.len,
				       STR_ARG(workspace), key.len);
	char hex[2 * ID_HEX_BYTES + 1];
	struct sha256_ctx c;
	struct sha256 digest;

	sha256_init(&c);
	sha256_begin(&c);
	sha256_update(&c, text.ptr, text.len);
	sha256_update(&c, key.ptr, key.len);
	digest = sha256_end(&c);
	sha256_release(&c);
	sha256_hex(&digest, ID_HEX_BYTES, hex);
	return arena_printf(a, "lane_%s", hex);
}

struct str
lane_id_of_source(struct arena *a, struct str workspace, const struct session_key *key)
{
	struct sha256 identity = session_key_identity(key);

	return lane_id(a, 's', workspace,
		       (struct str){ (const char *)identity.bytes, sizeof identity.bytes });
}

struct str
lane_id_of_surface(struct arena *a, const struct surface_key *key)
{
	struct buf text;
	struct str id;

	buf_init(&text, BODY_MAX);
	surface_key_format(key, &text);
	id = lane_id(a, 'k', key->workspace_id, buf_str(&text));
	buf_release(&text);
	return id;
}

/* ---- reading ---- */

struct finding {
	struct engine *en;
	struct arena arena;
	struct str id, session;
	struct str body;
	struct lane lane;
	lane_fn *done;
	void *ctx;
};

static void
finding_end(struct finding *f, int rc, const struct err *err)
{
	f->done(f->ctx, rc, err, &f->lane);
	arena_release(&f->arena);
	free(f);
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct finding *f = ctx;

	f->lane.id = arena_str(&f->arena, row->record->id);
	f->lane.version = row->record->version;
	f->body = arena_str(&f->arena, row->record->body);
	return false;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct finding *f = ctx;
	struct json_doc doc;
	struct err e;

	(void)more;
	if (rc == 0 && f->lane.version > 0) {
		err = &e;
		rc = json_parse(&f->arena, f->body, &JSON_LIMITS_DEFAULT, &doc, &e);
		if (rc == 0)
			rc = lane_entry_read(json_root(&doc), &f->arena, &f->lane.entry, &e);
		if (rc != 0)
			rc = err_prefix(&e, ERR_CORRUPT, "the record of the lane is damaged: ");
	}
	finding_end(f, rc, err);
}

static void
find(struct engine *en, struct str id, struct str session, lane_fn *done, void *ctx)
{
	struct finding *f = xcalloc(1, sizeof *f);
	struct store_query q = { .record_kind = RECORD_LANE, .limit = 1 };

	*f = (struct finding){ .en = en, .done = done, .ctx = ctx };
	arena_init(&f->arena);
	if (id.len > 0) {
		f->lane.id = arena_str(&f->arena, id);
		q.kind = STORE_GET_RECORD;
		q.record_id = f->lane.id;
	} else {
		q.kind = STORE_LIST_RECORDS;
		q.record_owner = arena_str(&f->arena, session);
	}
	store_read(en->store, &q, on_row, on_read, f);
}

void
lane_find(struct engine *en, struct str id, lane_fn *done, void *ctx)
{
	find(en, id, (struct str){ 0 }, done, ctx);
}

void
lane_find_by_session(struct engine *en, struct str session, lane_fn *done, void *ctx)
{
	find(en, (struct str){ 0 }, session, done, ctx);
}

/* ---- writing ---- */

static struct str
body_of(struct arena *a, const struct lane_entry *entry)
{
	struct buf out;
	struct str text;
	struct jw w;

	buf_init(&out, STORE_PAYLOAD_MAX);
	jw_init(&w, &out);
	lane_entry_write(entry, &w);
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}

struct lane
lane_copy(struct arena *a, const struct lane *from)
{
	struct lane to = { .id = arena_str(a, from->id), .version = from->version };
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);

	if (from->version > 0 &&
	    (json_parse(a, body_of(a, &from->entry), &JSON_LIMITS_DEFAULT, doc, NULL) != 0 ||
	     lane_entry_read(json_root(doc), a, &to.entry, NULL) != 0))
		abort(); /* what is written reads back */
	return to;
}

static void
put(struct commit *c, const struct lane *lane, bool remove)
{
	struct store_put p = {
		.record = { .kind = RECORD_LANE,
			    .id = lane->id,
			    .owner = lane->entry.session_id,
			    .due_at_ms = lane_due_ms(commit_engine(c), &lane->entry),
			    .body = body_of(commit_arena(c), &lane->entry) },
		.if_version = lane->version > 0 ? lane->version : STORE_VERSION_ABSENT,
		.remove = remove,
	};

	commit_put(c, &p);
}

void
lane_put(struct commit *c, const struct lane *lane)
{
	if (lane->entry.has_busy)
		busy_default_mark(c);
	put(c, lane, false);
}

void
lane_drop(struct commit *c, const struct lane *lane)
{
	put(c, lane, true);
}

/* ---- one change ---- */

struct changing {
	struct engine *en;
	struct arena arena;
	struct lane_change change;
	struct lane lane;
	int tries;
};

static void
changing_end(struct changing *ch, int rc, const struct err *err)
{
	struct engine *en = ch->en;
	bool awaited = ch->change.done != NULL;

	if (awaited)
		ch->change.done(ch->change.ctx, rc, err, &ch->lane);
	arena_release(&ch->arena);
	free(ch);
	if (!awaited) {
		en->open_turns--;
		engine_turn_closed(en);
	}
}

static void change_again(struct changing *ch);

static void
on_changed(void *ctx, const struct commit_result *result)
{
	const struct store_result *r = result->store;
	struct changing *ch = ctx;

	if (r->rc == ERR_CONFLICT && ++ch->tries < TRIES_MAX) {
		change_again(ch);
		return;
	}
	ch->lane.version++;
	changing_end(ch, r->rc, &r->err);
}

static void
on_found(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct changing *ch = ctx;
	struct commit *c;

	if (rc != 0) {
		changing_end(ch, rc, err);
		return;
	}
	ch->lane = lane_copy(&ch->arena, lane);
	if (lane->version == 0 || !ch->change.decide(ch->change.ctx, &ch->lane.entry)) {
		changing_end(ch, 0, NULL);
		return;
	}
	c = commit_new(ch->en, STR(""));
	lane_put(c, &ch->lane);
	commit_submit(c, on_changed, ch);
}

static void
change_again(struct changing *ch)
{
	find(ch->en, ch->change.id, ch->change.session, on_found, ch);
}

void
lane_change(struct engine *en, const struct lane_change *change)
{
	struct changing *ch = xcalloc(1, sizeof *ch);

	ch->en = en;
	arena_init(&ch->arena);
	ch->change = *change;
	ch->change.id = arena_str(&ch->arena, change->id);
	ch->change.session = arena_str(&ch->arena, change->session);
	if (!change->done)
		en->open_turns++; /* a drain waits for it */
	change_again(ch);
}

/* ---- the operator's policy ---- */

struct reset_policy
lane_policy(struct engine *en, const struct lane_entry *lane)
{
	const struct engine_policies *p = &en->config.policies;
	struct reset_settings settings = RESET_SETTINGS_DEFAULT;
	struct reset_policy policy = { .daily_hour = -1 };

	const struct workspace_settings *own = workspaces_find(en->workspaces, lane->workspace_id);
	struct engine_lane asked = { lane->platform, lane->chat_type, lane->agent_id,
				     own && own->resets ? &own->reset : NULL };

	if (p->reset)
		settings = p->reset(p->ctx, &asked);
	else if (asked.workspace)
		settings = *asked.workspace;
	IGNORE(reset_policy_init(&policy, &settings, NULL)); /* checked when it was configured */
	return policy;
}

static const struct zone *
zone_of(struct engine *en, const struct lane_entry *lane)
{
	const struct engine_policies *p = &en->config.policies;

	return p->zone ? p->zone(p->ctx, lane->agent_id) : &ZONE_UTC;
}

int64_t
lane_boundary_ms(struct engine *en, const struct lane_entry *lane, int hour)
{
	return hour < 0 ? INT64_MIN
			: zone_last_hour(zone_of(en, lane), hour, host_now_ms(en->host));
}

/* The first boundary behind an instant; days have 23 to 25 hours, and rarely none. */
static int64_t
next_boundary_ms(const struct zone *zone, int hour, int64_t after_ms)
{
	for (int64_t hours = 23; hours < 72; hours++) {
		int64_t at = zone_last_hour(zone, hour, after_ms + hours * HOUR_MS);

		if (at > after_ms)
			return at;
	}
	return after_ms + 72 * HOUR_MS;
}

int64_t
lane_due_ms(struct engine *en, const struct lane_entry *lane)
{
	struct reset_policy p = lane_policy(en, lane);
	int64_t due = 0, at;

	if (lane->expiry_finalized)
		return 0;
	if (p.idle_ms > 0)
		due = lane->updated_ms + p.idle_ms + 1;
	if (p.daily_hour >= 0) {
		at = next_boundary_ms(zone_of(en, lane), p.daily_hour, lane->updated_ms);
		due = due == 0 || at < due ? at : due;
	}
	return due;
}

/* lane_import - lanes out of a sessions.json: each entry whose session is here gets its lane back, unless
 * the lane is there already. Command of engine.h: engine_lane_import. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/lane.h"
#include "engine/repeat.h"
#include "engine/workspace.h"

struct importing {
	struct engine *en;
	struct engine_call call;
	struct arena arena, scratch; /* scratch: of one entry */
	struct json_iter entries;
	struct host_task begin;
	struct lane lane;
	bool found; /* its session */
	int64_t imported, skipped, missing, refused;
};

static void
importing_end(struct importing *im, const struct engine_answer *answer)
{
	im->call.done(im->call.ctx, answer);
	arena_release(&im->arena);
	arena_release(&im->scratch);
	free(im);
}

static void
importing_fail(struct importing *im, int rc, const struct err *err)
{
	importing_end(im, &(struct engine_answer){ .rc = rc, .err = err });
}

static struct str
report(struct importing *im)
{
	return arena_printf(&im->arena,
			    "{\"imported\":%lld,\"skipped\":%lld,\"missing\":%lld,"
			    "\"refused\":%lld}",
			    (long long)im->imported, (long long)im->skipped, (long long)im->missing,
			    (long long)im->refused);
}

static void
on_remembered(void *ctx, const struct commit_result *result)
{
	struct importing *im = ctx;

	if (result->store->rc < 0)
		importing_fail(im, result->store->rc, &result->store->err);
	else
		importing_end(im, &(struct engine_answer){ .data = report(im),
							   .count = im->imported,
							   .queue_position = -1 });
}

static void
importing_done(struct importing *im)
{
	if (repeat_is_keyed(im->call.repeat))
		repeat_remember(im->en, im->call.repeat, report(im), on_remembered, im);
	else
		importing_end(im, &(struct engine_answer){ .data = report(im),
							   .count = im->imported,
							   .queue_position = -1 });
}

/* ---- which lane is it? ---- */

/* The key says whether people had conversations of their own when it was made. */
static bool
name_by_origin(struct importing *im)
{
	struct lane_entry *entry = &im->lane.entry;
	struct session_key_parts parts;

	if (!entry->has_origin || !session_key_parse(entry->session_key, &parts))
		return false;
	if (entry->agent_id.len == 0)
		entry->agent_id = parts.agent_id;
	if (entry->workspace_id.len == 0)
		entry->workspace_id = STR("main");
	for (unsigned i = 0; i < 4; i++) {
		struct session_key_policy p = { .agent_id = parts.agent_id,
						.group_per_user = i & 1,
						.thread_per_user = i & 2 };
		struct session_key key = session_key_decide(&entry->origin, &p, &im->scratch);

		if (!str_eq(key.text, entry->session_key))
			continue;
		entry->shared = key.shared;
		im->lane.id = lane_id_of_source(&im->scratch, entry->workspace_id, &key);
		return true;
	}
	return false;
}

static bool
name_lane(struct importing *im)
{
	const struct lane_entry *entry = &im->lane.entry;

	if (entry->surface.len == 0)
		return name_by_origin(im);
	im->lane.id = lane_id_of_surface(
		&im->scratch, &(struct surface_key){ .user_id = entry->user_id,
						     .surface = entry->surface,
						     .surface_id = entry->surface_id,
						     .agent_id = entry->agent_id,
						     .workspace_id = entry->workspace_id });
	return true;
}

/* ---- one entry ---- */

static void next(struct importing *im);

static void
on_written(void *ctx, const struct commit_result *result)
{
	struct importing *im = ctx;

	if (result->store->rc != 0 && result->store->rc != ERR_CONFLICT) {
		importing_fail(im, result->store->rc, &result->store->err);
		return;
	}
	if (result->store->rc == 0)
		im->imported++;
	else
		im->refused++;
	next(im);
}

static void
on_taken(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct importing *im = ctx;
	struct commit *c;

	if (rc != 0) {
		importing_fail(im, rc, err);
	} else if (lane->version > 0) { /* another conversation is in that session */
		im->refused++;
		next(im);
	} else {
		c = commit_new(im->en, STR(""));
		lane_put(c, &im->lane);
		commit_submit(c, on_written, im);
	}
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct importing *im = ctx;

	if (rc != 0) {
		importing_fail(im, rc, err);
		return;
	}
	if (lane->version == 0) {
		lane_find_by_session(im->en, im->lane.entry.session_id, on_taken, im);
		return;
	}
	if (str_eq(lane->entry.session_id, im->lane.entry.session_id))
		im->skipped++;
	else
		im->refused++; /* it has moved on */
	next(im);
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct importing *im = ctx;

	im->found = !row->session->row.deleted;
	return false;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct importing *im = ctx;

	(void)more;
	if (rc != 0) {
		importing_fail(im, rc, err);
	} else if (!im->found) {
		im->missing++;
		next(im);
	} else {
		lane_find(im->en, im->lane.id, on_lane, im);
	}
}

static void
next(struct importing *im)
{
	arena_reset(&im->scratch);
	if (!json_next(&im->entries)) {
		importing_done(im);
		return;
	}
	im->lane = (struct lane){ 0 };
	im->found = false;
	if (lane_entry_read(im->entries.value, &im->scratch, &im->lane.entry, NULL) != 0 ||
	    !name_lane(im))
		abort(); /* all of them were checked before */
	store_read(im->en->store,
		   &(struct store_query){ .kind = STORE_GET_SESSION,
					  .session = im->lane.entry.session_id,
					  .limit = 1 },
		   on_session_row, on_session, im);
}

/* ---- the request ---- */

/* All entries can be read, or none is taken. */
static int
check_entries(struct importing *im, struct json body, struct err *e)
{
	int rc = 0;

	for (struct json_iter it = json_iter(body); rc == 0 && json_next(&it);) {
		im->lane = (struct lane){ 0 };
		rc = lane_entry_read(it.value, &im->scratch, &im->lane.entry, e);
		if (rc == 0 && !name_lane(im))
			rc = json_fail(it.value, e,
				       "has neither a surface nor an origin that leads to its "
				       "session_key");
		if (rc == 0 && im->lane.entry.workspace_id.len > 0)
			rc = workspaces_check(im->en->workspaces, im->lane.entry.workspace_id, e);
		arena_reset(&im->scratch);
	}
	return rc;
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct importing *im = ctx;

	if (rc != 0)
		importing_fail(im, rc, err);
	else if (first)
		importing_end(im, &(struct engine_answer){
					  .data = *first, .replayed = true, .queue_position = -1 });
	else
		next(im);
}

/* A file without entries is done at once, but not inside the call. */
static void
begin(struct host_task *task)
{
	next(LIST_OWNER(task, struct importing, begin));
}

void
engine_lane_import(struct engine *en, const struct engine_call *call, struct json body)
{
	struct importing *im;
	struct err e;
	int rc;

	if (engine_is_closed(en, call))
		return;
	im = xcalloc(1, sizeof *im);
	im->en = en;
	im->call = *call;
	arena_init(&im->arena);
	arena_init(&im->scratch);
	im->entries = json_iter(body);
	rc = access_check_now(call->caller, ACCESS_SERVER, &e);
	if (rc == 0)
		rc = check_entries(im, body, &e);
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		arena_release(&im->arena);
		arena_release(&im->scratch);
		free(im);
	} else if (repeat_is_keyed(call->repeat)) {
		repeat_find(en, call->repeat, on_repeat, im);
	} else {
		list_init(&im->begin.node);
		im->begin.fn = begin;
		host_defer(en->host, &im->begin);
	}
}

/* lane_import - lanes out of a sessions.json: each entry whose session is here gets its lane back, unless
 * the lane is there already. Command of engine.h: engine_lane_import.
 *
 * The file may have hundreds of thousands of entries: it is read a slice per turn of the loop, first to see
 * that every entry is one, then to take them, so many at once that the store groups what they write. */
#include <stdlib.h>

#include "base/json_members.h"
#include "base/map.h"
#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/lane.h"
#include "engine/repeat.h"
#include "engine/workspace.h"

enum {
	SLICE_BYTES = 64 * 1024, /* that are checked in a turn of the loop: some milliseconds */
	ENTRY_MAX = 1024 * 1024, /* as it is written; so every export can be read again */
	MEMBER_MAX = ENTRY_MAX + 64 * 1024,
	WINDOW = 64, /* entries under way */
};

struct incoming {
	struct importing *im;
	struct arena arena; /* of the entry */
	struct lane lane;
	bool under_way, found; /* found: its session */
};

struct importing {
	struct engine *en;
	struct engine_call call;
	struct arena arena;
	struct json_members members;
	struct map names; /* of the members: none comes twice */
	struct host_task task;
	struct incoming window[WINDOW];
	size_t under_way;
	struct incoming
		*held; /* read, but one that is under way is about the same lane or session */
	bool read;     /* to the end */
	int rc;
	struct err err;
	int64_t imported, skipped, missing, refused;
};

static void
importing_end(struct importing *im, const struct engine_answer *answer)
{
	struct engine *en = im->en;

	im->call.done(im->call.ctx, answer);
	for (size_t i = 0; i < WINDOW; i++)
		arena_release(&im->window[i].arena);
	map_release(&im->names);
	arena_release(&im->arena);
	free(im);
	en->open_turns--;
	engine_turn_closed(en);
}

static void
importing_fail(struct importing *im, int rc, const struct err *err)
{
	importing_end(im, &(struct engine_answer){ .rc = rc, .err = err });
}

static struct str
importing_report(struct importing *im)
{
	return arena_printf(&im->arena,
			    "{\"imported\":%lld,\"skipped\":%lld,\"missing\":%lld,"
			    "\"refused\":%lld}",
			    (long long)im->imported, (long long)im->skipped, (long long)im->missing,
			    (long long)im->refused);
}

static void
importing_answer(struct importing *im)
{
	importing_end(im, &(struct engine_answer){ .data = importing_report(im),
						   .count = im->imported,
						   .queue_position = -1 });
}

static void
importing_on_remembered(void *ctx, const struct commit_result *result)
{
	struct importing *im = ctx;

	if (result->store->rc < 0)
		importing_fail(im, result->store->rc, &result->store->err);
	else
		importing_answer(im);
}

static void
importing_done(struct importing *im)
{
	if (im->rc != 0)
		importing_fail(im, im->rc, &im->err);
	else if (repeat_is_keyed(im->call.repeat))
		repeat_remember(im->en, im->call.repeat, importing_report(im),
				importing_on_remembered, im);
	else
		importing_answer(im);
}

/* ---- which lane is it? ---- */

/* The key says whether people had conversations of their own when it was made. */
static bool
incoming_name_by_origin(struct incoming *in)
{
	struct lane_entry *entry = &in->lane.entry;
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
		struct session_key key = session_key_decide(&entry->origin, &p, &in->arena);

		if (!str_eq(key.text, entry->session_key))
			continue;
		entry->shared = key.shared;
		in->lane.id = lane_id_of_source(&in->arena, entry->workspace_id, &key);
		return true;
	}
	return false;
}

static bool
incoming_name(struct incoming *in)
{
	const struct lane_entry *entry = &in->lane.entry;

	if (entry->surface.len == 0)
		return incoming_name_by_origin(in);
	in->lane.id = lane_id_of_surface(
		&in->arena, &(struct surface_key){ .user_id = entry->user_id,
						   .surface = entry->surface,
						   .surface_id = entry->surface_id,
						   .agent_id = entry->agent_id,
						   .workspace_id = entry->workspace_id });
	return true;
}

/* ---- one entry is read ---- */

static int
incoming_check_size(const struct incoming *in, struct err *e)
{
	struct buf text;
	struct jw w;
	int rc;

	buf_init(&text, ENTRY_MAX);
	jw_init(&w, &text);
	lane_entry_write(&in->lane.entry, &w);
	rc = buf_check(&text, "a lane's entry", e);
	buf_release(&text);
	return rc == 0 ? 0 : ERR_INVALID;
}

static int
incoming_take(struct incoming *in, struct str value, struct err *e)
{
	struct json_doc *doc = ARENA_NEW(&in->arena, struct json_doc);
	int rc = json_parse(&in->arena, value, &JSON_LIMITS_DEFAULT, doc, e);

	if (rc != 0)
		return ERR_INVALID;
	rc = lane_entry_read(json_root(doc), &in->arena, &in->lane.entry, e);
	if (rc == 0 && !incoming_name(in))
		rc = err_set(e, ERR_INVALID,
			     "has neither a surface nor an origin that leads to its session_key");
	if (rc == 0 && in->lane.entry.workspace_id.len > 0)
		rc = workspaces_check(in->im->en->workspaces, in->lane.entry.workspace_id, e);
	return rc;
}

/* The next one; *found: there is one. */
static int
incoming_read(struct incoming *in, struct json_member *member, bool *found, struct err *e)
{
	struct importing *im = in->im;
	int rc = json_members_next(&im->members, member, found, e);

	if (rc != 0)
		return err_prefix(e, rc, "body: ");
	arena_reset(&in->arena);
	in->lane = (struct lane){ 0 };
	in->found = false;
	if (*found)
		rc = incoming_take(in, member->value, e);
	if (rc != 0)
		return err_prefix(e, rc, STR_FMT " (at offset %zu): ",
				  STR_ARG(str_slice(member->key, 0, 200)), member->offset);
	return 0;
}

/* ---- entries are taken ---- */

static void importing_go_on(struct importing *im);

static void
incoming_over(struct incoming *in, int64_t *count)
{
	struct importing *im = in->im;

	in->under_way = false;
	im->under_way--;
	++*count;
	importing_go_on(im);
}

/* The others that are under way end first. */
static void
incoming_fail(struct incoming *in, int rc, const struct err *err)
{
	struct importing *im = in->im;
	int64_t unused = 0;

	if (im->rc == 0) {
		im->rc = rc;
		im->err = *err;
	}
	incoming_over(in, &unused);
}

static void
incoming_on_written(void *ctx, const struct commit_result *result)
{
	struct incoming *in = ctx;

	if (result->store->rc != 0 && result->store->rc != ERR_CONFLICT)
		incoming_fail(in, result->store->rc, &result->store->err);
	else
		incoming_over(in, result->store->rc == 0 ? &in->im->imported : &in->im->refused);
}

static void
incoming_on_taken(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct incoming *in = ctx;
	struct commit *c;

	if (rc != 0) {
		incoming_fail(in, rc, err);
	} else if (lane->version > 0) { /* another conversation is in that session */
		incoming_over(in, &in->im->refused);
	} else {
		c = commit_new(in->im->en, STR(""));
		lane_put(c, &in->lane);
		commit_submit(c, incoming_on_written, in);
	}
}

static void
incoming_on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct incoming *in = ctx;
	struct importing *im = in->im;

	if (rc != 0)
		incoming_fail(in, rc, err);
	else if (lane->version == 0)
		lane_find_by_session(im->en, in->lane.entry.session_id, incoming_on_taken, in);
	else if (str_eq(lane->entry.session_id, in->lane.entry.session_id))
		incoming_over(in, &im->skipped);
	else
		incoming_over(in, &im->refused); /* it has moved on */
}

static bool
incoming_on_session_row(void *ctx, const struct store_row *row)
{
	struct incoming *in = ctx;

	in->found = !row->session->row.deleted;
	return false;
}

static void
incoming_on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct incoming *in = ctx;

	(void)more;
	if (rc != 0)
		incoming_fail(in, rc, err);
	else if (!in->found)
		incoming_over(in, &in->im->missing);
	else
		lane_find(in->im->en, in->lane.id, incoming_on_lane, in);
}

static void
incoming_start(struct incoming *in)
{
	in->under_way = true;
	in->im->under_way++;
	store_read(in->im->en->store,
		   &(struct store_query){ .kind = STORE_GET_SESSION,
					  .session = in->lane.entry.session_id,
					  .limit = 1 },
		   incoming_on_session_row, incoming_on_session, in);
}

static bool
incoming_clashes(const struct incoming *in)
{
	for (const struct incoming *at = in->im->window; at < in->im->window + WINDOW; at++)
		if (at->under_way && (str_eq(at->lane.id, in->lane.id) ||
				      str_eq(at->lane.entry.session_id, in->lane.entry.session_id)))
			return true;
	return false;
}

static struct incoming *
importing_free_place(struct importing *im)
{
	for (struct incoming *at = im->window; at < im->window + WINDOW; at++)
		if (!at->under_way && at != im->held)
			return at;
	return NULL;
}

/* False: it is the last, or has to wait. */
static bool
importing_begin_next(struct importing *im)
{
	struct incoming *in = TAKE(im->held);
	struct json_member member;
	bool found = true;

	if (!in) {
		in = importing_free_place(im);
		if (!in)
			return false;
		im->rc = incoming_read(in, &member, &found, &im->err);
		im->read = !found;
		if (im->rc != 0 || im->read)
			return false;
	}
	if (incoming_clashes(in)) {
		im->held = in;
		return false;
	}
	incoming_start(in);
	return true;
}

static void
importing_go_on(struct importing *im)
{
	if (im->en->draining && im->rc == 0)
		im->rc = err_set(&im->err, ERR_UNAVAILABLE,
				 "the server is shutting down: import it again, what is there "
				 "is skipped");
	while (im->rc == 0 && !im->read && importing_begin_next(im))
		;
	if (im->under_way == 0 && (im->rc != 0 || im->read))
		importing_done(im);
}

static void
importing_start_taking(struct importing *im)
{
	json_members_init(&im->members, im->members.text, MEMBER_MAX);
	importing_go_on(im);
}

static void
importing_on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct importing *im = ctx;

	if (rc != 0)
		importing_fail(im, rc, err);
	else if (first)
		importing_end(im, &(struct engine_answer){
					  .data = *first, .replayed = true, .queue_position = -1 });
	else
		importing_start_taking(im);
}

/* ---- all entries can be read, or none is taken ---- */

static int
importing_check_name(struct importing *im, struct str key, struct err *e)
{
	struct json_doc doc;
	struct str name;

	if (json_parse(&im->window[0].arena, key, &JSON_LIMITS_DEFAULT, &doc, e) != 0)
		return err_prefix(e, ERR_INVALID, "the name of a member: ");
	name = json_str(json_root(&doc), &im->window[0].arena);
	if (map_find(&im->names, name))
		return err_set(e, ERR_INVALID, STR_FMT ": there are two members of this name",
			       STR_ARG(str_slice(key, 0, 200)));
	/* a name without escapes is a part of the text, which stays */
	if (name.ptr < key.ptr || name.ptr >= key.ptr + key.len)
		name = arena_str(&im->arena, name);
	map_put(&im->names, name, im);
	return 0;
}

static int
importing_check_slice(struct importing *im, struct err *e)
{
	size_t until = im->members.at + SLICE_BYTES;
	struct json_member member;
	bool found = true;
	int rc = 0;

	while (rc == 0 && found && im->members.at < until) {
		rc = incoming_read(&im->window[0], &member, &found, e);
		if (rc == 0 && found)
			rc = incoming_check_size(&im->window[0], e);
		if (rc == 0 && found)
			rc = importing_check_name(im, member.key, e);
	}
	im->read = !found;
	return rc;
}

static void
importing_check(struct host_task *task)
{
	struct importing *im = LIST_OWNER(task, struct importing, task);
	struct err e;
	int rc = importing_check_slice(im, &e);

	if (rc == 0 && im->en->draining)
		rc = err_set(&e, ERR_UNAVAILABLE, "the server is shutting down: try again soon");
	if (rc != 0) {
		importing_fail(im, rc, &e);
	} else if (!im->read) {
		host_defer(im->en->host, &im->task);
	} else {
		im->read = false;
		map_release(&im->names);
		map_init(&im->names, 0);
		if (repeat_is_keyed(im->call.repeat))
			repeat_find(im->en, im->call.repeat, importing_on_repeat, im);
		else
			importing_start_taking(im);
	}
}

void
engine_lane_import(struct engine *en, const struct engine_call *call, struct str text)
{
	struct importing *im;
	struct err e;
	int rc;

	if (engine_is_closed(en, call))
		return;
	rc = access_check_now(call->caller, ACCESS_SERVER, &e);
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		return;
	}
	im = xcalloc(1, sizeof *im);
	im->en = en;
	im->call = *call;
	arena_init(&im->arena);
	map_init(&im->names, rand_u64(&en->rand));
	for (size_t i = 0; i < WINDOW; i++) {
		im->window[i].im = im;
		arena_init(&im->window[i].arena);
	}
	json_members_init(&im->members, text, MEMBER_MAX);
	en->open_turns++; /* a drain waits for what is under way */
	list_init(&im->task.node);
	im->task.fn = importing_check;
	host_defer(en->host, &im->task);
}

#include "app/mirror_sync.h"

#include "api/bundle.h"
#include "app/mirror_folder.h"
#include "base/timestamp.h"

enum {
	PAGE_ROWS = 256,
	PAGE_BYTES = 1024 * 1024, /* a page ends behind the event that passes it */
	PAGE_MAX = STORE_PAYLOAD_MAX * 2 + PAGE_BYTES,
	TEXT_MAX = 64 * 1024 * 1024,
};

#define BIT(kind) (UINT64_C(1) << (kind))
static const uint64_t INPUTS = BIT(EVENT_USER_MESSAGE) | BIT(EVENT_USER_INTERRUPT) |
			       BIT(EVENT_USER_TOOL_CONFIRMATION) | BIT(EVENT_USER_TOOL_RESULT) |
			       BIT(EVENT_USER_CUSTOM_TOOL_RESULT) | BIT(EVENT_USER_DEFINE_OUTCOME) |
			       BIT(EVENT_SYSTEM_MESSAGE) | BIT(EVENT_SCHEDULE_FIRED);

struct sync {
	const struct mirror_source *from;
	struct arena arena;
	struct str session;
	bool found, differs;
	struct store_session row; /* texts in arena */
	struct mirror_folder folder;
	struct sha256_ctx sha;
	struct buf lines; /* of the page that is being read */
	int64_t cursor;
	VEC(struct mirror_record) wakes;
};

static int
read_page(struct sync *s, const struct store_query *q, store_row_fn *row, bool *more, struct err *e)
{
	return s->from->read(s->from->ctx, q, row, s, more, e);
}

/* ---- the session ---- */

static bool
on_session(void *ctx, const struct store_row *row)
{
	struct sync *s = ctx;
	struct arena *a = &s->arena;
	struct store_session *out = &s->row;

	s->found = true;
	*out = *row->session;
	out->agent_id = arena_str(a, out->agent_id);
	out->environment_id = arena_str(a, out->environment_id);
	out->workspace_id = arena_str(a, out->workspace_id);
	out->lane_key = arena_str(a, out->lane_key);
	out->source = arena_str(a, out->source);
	out->metadata = arena_str(a, out->metadata);
	out->row.title = arena_str(a, out->row.title);
	out->row.fallback_title = arena_str(a, out->row.fallback_title);
	return true;
}

static bool
on_extra(void *ctx, const struct store_row *row)
{
	struct sync *s = ctx;

	s->folder.state.extra = arena_str(&s->arena, row->record->body);
	return true;
}

static int
read_extra(struct sync *s, struct err *e)
{
	bool more;

	s->folder.state.extra = (struct str){ 0 };
	return read_page(s,
			 &(struct store_query){ .kind = STORE_GET_RECORD,
						.record_kind = RECORD_SESSION_EXTRA,
						.record_id = s->session,
						.limit = 1 },
			 on_extra, &more, e);
}

static void
field_instant(struct jw *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	jw_field_str(w, name, timestamp_format(ms, text));
}

static void
write_session(const struct sync *s, struct buf *out)
{
	const struct store_session *row = &s->row;
	struct str title = row->row.title.len > 0 ? row->row.title : row->row.fallback_title;
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	mirror_state_write_head(&w, &s->folder.state);
	jw_field_str(&w, "agent_id", row->agent_id);
	jw_field_int(&w, "agent_version", row->agent_version);
	jw_field_str(&w, "environment_id", row->environment_id);
	if (row->workspace_id.len > 0)
		jw_field_str(&w, "workspace_id", row->workspace_id);
	if (row->lane_key.len > 0)
		jw_field_str(&w, "lane_key", row->lane_key);
	jw_field_str(&w, "title", title);
	jw_field_str(&w, "lifecycle", str_of(lifecycle_name(row->row.state.lifecycle)));
	jw_field_bool(&w, "turn_open", row->row.state.phase != TURN_NONE);
	field_instant(&w, "created_at", row->created_at_ms);
	field_instant(&w, "last_activity_at", row->row.counters.last_activity_ms);
	jw_field_int(&w, "messages", row->row.counters.messages);
	jw_field_int(&w, "turns", row->row.counters.completed_turns);
	if (row->source.len > 0)
		jw_field_raw(&w, "source", row->source);
	if (row->metadata.len > 0)
		jw_field_raw(&w, "metadata", row->metadata);
	mirror_state_write(&w, &s->folder.state);
	jw_end_object(&w);
	buf_putc(out, '\n');
}

static int
replace_session(struct sync *s, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, TEXT_MAX);
	write_session(s, &text);
	rc = buf_check(&text, "session.json", e);
	if (rc == 0)
		rc = mirror_folder_replace(&s->folder, buf_str(&text), e);
	buf_release(&text);
	return rc;
}

/* ---- events ---- */

static void
put_processed(struct sync *s, const struct store_event *ev)
{
	struct mirror_record r = { .kind = MIRROR_PROCESSED,
				   .id = ev->ev.id,
				   .at_ms = ev->processed_at_ms };

	mirror_record_write(&s->lines, &r);
	IGNORE(mirror_state_take(&s->folder.state, &r, &s->arena, NULL)); /* only events can fail */
}

static int
append_events(struct sync *s, struct err *e)
{
	int rc = buf_check(&s->lines, "a page of the log", e);

	if (rc == 0)
		rc = mirror_folder_append(&s->folder, MIRROR_EVENTS, buf_str(&s->lines), e);
	buf_clear(&s->lines);
	return rc;
}

/* One that waited when it was mirrored, and may be processed by now. */
static bool
on_waiting(void *ctx, const struct store_row *row)
{
	struct sync *s = ctx;

	s->cursor = row->event->ev.seq;
	for (size_t i = 0; i < s->folder.state.pending.len; i++)
		if (s->folder.state.pending.ptr[i].seq == s->cursor &&
		    row->event->processed_at_ms != 0) {
			put_processed(s, row->event);
			break;
		}
	return s->lines.len < PAGE_BYTES;
}

static int
mark_processed(struct sync *s, struct err *e)
{
	int64_t from;
	bool more;
	int rc = 0;

	if (s->folder.state.pending.len == 0)
		return 0;
	s->cursor = s->folder.state.pending.ptr[0].seq - 1;
	do {
		from = s->cursor;
		rc = read_page(s,
			       &(struct store_query){ .kind = STORE_LIST_EVENTS,
						      .session = s->session,
						      .after = from,
						      .before = s->folder.state.head_seq + 1,
						      .kinds = INPUTS,
						      .limit = PAGE_ROWS },
			       on_waiting, &more, e);
		if (rc == 0)
			rc = append_events(s, e);
	} while (rc == 0 && s->cursor != from);
	return rc;
}

static bool
on_event(void *ctx, const struct store_row *row)
{
	struct sync *s = ctx;
	const struct store_event *ev = row->event;
	struct mirror_state *state = &s->folder.state;
	struct mirror_record r = { .kind = MIRROR_EVENT,
				   .id = ev->ev.id,
				   .seq = ev->ev.seq,
				   .hash = ev->hash,
				   .is_input = ev->ev.meta.len > 0 };
	struct sha256 want = event_hash(&s->sha, &state->head_hash, &ev->ev);

	if (memcmp(&want, &ev->hash, sizeof want) != 0 ||
	    mirror_state_take(state, &r, &s->arena, NULL) != 0) {
		s->differs = true;
		return false;
	}
	bundle_write_event(&s->lines, &ev->ev, &ev->hash);
	if (r.is_input && ev->processed_at_ms != 0)
		put_processed(s, ev);
	return s->lines.len < PAGE_BYTES;
}

/* Up to where the log was when the session was read: who grows meanwhile comes again. */
static int
copy_events(struct sync *s, struct err *e)
{
	const struct mirror_state *state = &s->folder.state;
	int64_t before = -1;
	bool more;
	int rc = 0;

	while (rc == 0 && state->head_seq < s->row.row.head_seq && before != state->head_seq) {
		before = state->head_seq;
		rc = read_page(s,
			       &(struct store_query){ .kind = STORE_LIST_EVENTS,
						      .session = s->session,
						      .after = state->head_seq,
						      .before = s->row.row.head_seq + 1,
						      .limit = PAGE_ROWS },
			       on_event, &more, e);
		if (rc == 0)
			rc = append_events(s, e);
	}
	if (rc == 0 && state->head_seq != s->row.row.head_seq && !s->differs)
		rc = err_set(e, ERR_CORRUPT, "the log of " STR_FMT " has a gap behind %lld",
			     STR_ARG(s->session), (long long)state->head_seq);
	return rc;
}

/* ---- wakes ---- */

static bool
on_wake(void *ctx, const struct store_row *row)
{
	struct sync *s = ctx;

	*vec_push(&s->wakes) =
		(struct mirror_record){ .kind = MIRROR_ENQUEUED,
					.id = arena_str(&s->arena, row->record->id),
					.due_at_ms = row->record->due_at_ms,
					.wake = arena_str(&s->arena, row->record->body) };
	return true;
}

static int
read_wakes(struct sync *s, struct err *e)
{
	bool more = true;
	int rc = 0;

	while (rc == 0 && more) {
		size_t count = s->wakes.len;

		rc = read_page(
			s,
			&(struct store_query){ .kind = STORE_LIST_RECORDS,
					       .record_kind = RECORD_WAKE,
					       .record_owner = s->session,
					       .record_id = count > 0 ? s->wakes.ptr[count - 1].id
								      : (struct str){ 0 },
					       .limit = PAGE_ROWS },
			on_wake, &more, e);
	}
	return rc;
}

static bool
is_queued(const struct sync *s, struct str id)
{
	for (size_t i = 0; i < s->wakes.len; i++)
		if (str_eq(s->wakes.ptr[i].id, id))
			return true;
	return false;
}

static void
put_wake(struct sync *s, const struct mirror_record *r)
{
	mirror_record_write(&s->lines, r);
	IGNORE(mirror_state_take(&s->folder.state, r, &s->arena, NULL)); /* only events can fail */
}

/* What was queued and is no longer; what is new, or says something else. */
static int
copy_wakes(struct sync *s, struct err *e)
{
	struct mirror_state *state = &s->folder.state;
	int rc = read_wakes(s, e);

	if (rc != 0)
		return rc;
	for (size_t i = state->wakes.len; i-- > 0;)
		if (!is_queued(s, state->wakes.ptr[i].id))
			put_wake(s,
				 &(struct mirror_record){ .kind = MIRROR_COMPLETED,
							  .id = state->wakes.ptr[i].id,
							  .at_ms = s->from->now_ms(s->from->ctx) });
	for (size_t i = 0; i < s->wakes.len; i++) {
		const struct mirror_record *r = &s->wakes.ptr[i];
		const struct mirror_wake *known = mirror_state_wake(state, r->id);
		struct sha256 digest = mirror_state_digest(r);

		if (!known || memcmp(&known->digest, &digest, sizeof digest) != 0)
			put_wake(s, r);
	}
	rc = buf_check(&s->lines, "the wakes of a session", e);
	if (rc == 0)
		rc = mirror_folder_append(&s->folder, MIRROR_WAKES, buf_str(&s->lines), e);
	buf_clear(&s->lines);
	return rc;
}

/* ---- all of it ---- */

static bool
is_another_log(const struct sync *s)
{
	const struct mirror_state *state = &s->folder.state;

	return state->head_seq > s->row.row.head_seq ||
	       (state->head_seq == s->row.row.head_seq &&
		memcmp(&state->head_hash, &s->row.row.head_hash, sizeof state->head_hash) != 0);
}

static int
copy(struct sync *s, struct err *e)
{
	int rc = 0;

	s->differs = is_another_log(s);
	if (s->differs)
		return 0;
	if (rc == 0 && s->folder.was.len == 0) /* who reads the lines needs to know of whom */
		rc = replace_session(s, e);
	if (rc == 0)
		rc = mark_processed(s, e);
	return rc == 0 ? copy_events(s, e) : rc;
}

static int
sync_folder(struct sync *s, struct err *e)
{
	int rc = read_extra(s, e);

	if (rc == 0)
		rc = copy(s, e);
	if (rc == 0 && s->differs) { /* the data directory is another one, or an older copy */
		struct str extra = s->folder.state.extra;

		rc = mirror_folder_clear(&s->folder, e);
		s->folder.state.extra = extra;
		if (rc == 0)
			rc = copy(s, e);
	}
	if (rc == 0 && s->differs)
		rc = err_set(e, ERR_CORRUPT, "the hashes of " STR_FMT " are no chain",
			     STR_ARG(s->session));
	if (rc == 0)
		rc = copy_wakes(s, e);
	return rc == 0 ? replace_session(s, e) : rc;
}

static int
sync_session(struct sync *s, struct str data, struct err *e)
{
	struct session_folder where = { .data = data, .session = s->session };
	bool more;
	int rc = read_page(s,
			   &(struct store_query){
				   .kind = STORE_GET_SESSION, .session = s->session, .limit = 1 },
			   on_session, &more, e);

	if (rc != 0 || !s->found)
		return rc;
	where.agent = s->row.agent_id;
	if (s->row.row.deleted) {
		mirror_folder_remove(&where);
		return 0;
	}
	rc = mirror_folder_open(&s->folder, &where, &s->arena, e);
	if (rc != 0)
		return rc;
	rc = sync_folder(s, e);
	mirror_folder_release(&s->folder);
	return rc;
}

int
mirror_sync(const struct mirror_source *from, struct str data, struct str session, struct err *e)
{
	struct sync s = { .from = from };
	int rc;

	arena_init(&s.arena);
	sha256_init(&s.sha);
	buf_init(&s.lines, PAGE_MAX);
	s.session = arena_str(&s.arena, session);
	rc = sync_session(&s, data, e);
	buf_release(&s.lines);
	vec_release(&s.wakes);
	sha256_release(&s.sha);
	arena_release(&s.arena);
	return rc;
}

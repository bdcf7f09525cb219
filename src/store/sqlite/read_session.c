/* read_session - one session's row, or a page of them, by activity. */
#include "store/sqlite/read_private.h"

#define SESSION_COLUMNS                                                                            \
	"s.id, s.agent_id, s.environment_id, s.workspace_id, s.lane_key, s.parent_id,"             \
	" s.previous_id, s.source, s.metadata, s.agent_version, s.is_group, s.created_at,"         \
	" s.fence, s.holder, s.head_seq, s.head_hash, s.lifecycle, s.phase, s.deleted,"            \
	" s.last_stop, s.turn, s.turn_seq, s.attempt, s.title, s.title_source, s.fallback_title, " \
	"s.preview,"                                                                               \
	" s.messages, s.completed_turns, s.input_tokens, s.output_tokens, s.reasoning_tokens,"     \
	" s.cache_read, s.cache_write, s.total_tokens, s.last_prompt, s.cost, s.priced,"           \
	" s.unpriced, s.last_activity"

static const char GET[] = "SELECT " SESSION_COLUMNS " FROM session s WHERE s.id = ?1";

/* Equal instants are ordered by id: SQLite sorts each such group by itself, so reading stops at the
 * limit. ?1, ?2: the cursor; an absent filter is NULL or 0. */
#define FILTERS                                                                        \
	" AND s.last_activity >= ?3 AND (?4 = 0 OR ?4 >> s.lifecycle & 1)"             \
	" AND (?5 IS NULL OR s.workspace_id = ?5) AND (?6 IS NULL OR s.agent_id = ?6)" \
	" AND (?7 IS NULL OR s.id >= ?7 AND s.id < ?8)" READ_FILTER
#define NEWEST_FIRST                                                             \
	" s.last_activity <= ?1 AND (s.last_activity < ?1 OR s.id < ?2)" FILTERS \
	" ORDER BY s.last_activity DESC, s.id DESC LIMIT ?9"
#define OLDEST_FIRST                                                             \
	" s.last_activity >= ?1 AND (s.last_activity > ?1 OR s.id > ?2)" FILTERS \
	" ORDER BY s.last_activity, s.id LIMIT ?9"

/* The same page by seven ways in. Along the activity index a page costs as many rows as it takes to
 * find its own, which is bad only for a filter that few sessions pass; for those the filter's own
 * index finds all of them, and they are sorted. Who wants none that is active walks past none. */
#define SELECT_SESSIONS "SELECT " SESSION_COLUMNS " FROM "
#define ALONG_ACTIVITY  SELECT_SESSIONS "session s INDEXED BY session_by_activity WHERE"
#define AMONG_THE_REST                                          \
	SELECT_SESSIONS "session s INDEXED BY session_by_rest " \
			"WHERE s.lifecycle <> 0 AND"
#define AMONG_DELETED                                               \
	SELECT_SESSIONS "session s INDEXED BY session_by_deletion " \
			"WHERE s.deleted <> 0 AND"
#define IN_WORKSPACE                                                 \
	SELECT_SESSIONS "session s INDEXED BY session_by_workspace " \
			"WHERE s.workspace_id = ?5 AND"
#define OF_AGENT SELECT_SESSIONS "session s INDEXED BY session_by_agent WHERE s.agent_id = ?6 AND"
#define WITH_ID                                                            \
	SELECT_SESSIONS "session s INDEXED BY sqlite_autoindex_session_1 " \
			"WHERE s.id >= ?7 AND s.id < ?8 AND"
#define OF_PERSON                                                                    \
	SELECT_SESSIONS "record w INDEXED BY record_by_owner CROSS JOIN session s"   \
			" ON s.id = substr(w.id, 1, length(w.id) - length(?21) - 1)" \
			" WHERE w.kind = 'participant' AND w.owner = ?21 AND"

/* Newest first, oldest first. */
static const char *const BY_ACTIVITY[] = { ALONG_ACTIVITY NEWEST_FIRST,
					   ALONG_ACTIVITY OLDEST_FIRST };
static const char *const BY_REST[] = { AMONG_THE_REST NEWEST_FIRST, AMONG_THE_REST OLDEST_FIRST };
static const char *const BY_DELETION[] = { AMONG_DELETED NEWEST_FIRST, AMONG_DELETED OLDEST_FIRST };
static const char *const BY_WORKSPACE[] = { IN_WORKSPACE NEWEST_FIRST, IN_WORKSPACE OLDEST_FIRST };
static const char *const BY_AGENT[] = { OF_AGENT NEWEST_FIRST, OF_AGENT OLDEST_FIRST };
static const char *const BY_ID[] = { WITH_ID NEWEST_FIRST, WITH_ID OLDEST_FIRST };
static const char *const BY_PERSON[] = { OF_PERSON NEWEST_FIRST, OF_PERSON OLDEST_FIRST };

/* How many sessions pass one filter, counted no further than FEW + 1. Among a million sessions this is
 * where reading and sorting all that pass costs as much as walking to the first 50 of them. */
enum { FEW = 7000 };
static const char COUNT_WORKSPACE[] =
	"SELECT count(*) FROM (SELECT 1 FROM session WHERE workspace_id = ?1 LIMIT ?3)";
static const char COUNT_AGENT[] =
	"SELECT count(*) FROM (SELECT 1 FROM session WHERE agent_id = ?1 LIMIT ?3)";
static const char COUNT_PERSON[] =
	"SELECT count(*) FROM (SELECT 1 FROM record WHERE kind = 'participant' AND owner = ?1"
	" LIMIT ?3)";
static const char COUNT_ID[] =
	"SELECT count(*) FROM (SELECT 1 FROM session WHERE id >= ?1 AND id < ?2 LIMIT ?3)";

static void
take_preview(struct column *c, struct session_row *row)
{
	struct str text = column_text(c);

	if (text.len > PREVIEW_BYTES) {
		c->bad = true;
		return;
	}
	if (text.len > 0)
		memcpy(row->preview, text.ptr, text.len);
	row->preview[text.len] = '\0';
}

static void
take_row(struct column *c, struct session_row *row)
{
	row->head_seq = column_int(c);
	column_hash(c, &row->head_hash);
	row->state.lifecycle = column_enum(c, LIFECYCLE_TERMINATED + 1);
	row->state.phase = column_enum(c, TURN_RESCHEDULED + 1);
	row->deleted = column_bool(c);
	row->last_stop = column_enum(c, STOP_LIMIT_LOOP + 1);
	row->turn = column_text(c);
	row->turn_seq = column_int(c);
	row->attempt = column_int(c);
	row->title = column_text(c);
	row->title_source = column_enum(c, TITLE_AI + 1);
	row->fallback_title = column_text(c);
	take_preview(c, row);
}

static void
take_counters(struct column *c, struct session_counters *n)
{
	n->messages = column_int(c);
	n->completed_turns = column_int(c);
	n->usage.input = column_int(c);
	n->usage.output = column_int(c);
	n->usage.reasoning = column_int(c);
	n->usage.cache_read = column_int(c);
	n->usage.cache_write = column_int(c);
	n->total_tokens = column_int(c);
	n->last_prompt_tokens = column_int(c);
	n->cost_picodollars = column_int(c);
	n->priced_requests = column_int(c);
	n->unpriced_requests = column_int(c);
	n->last_activity_ms = column_int(c);
}

static int
make(struct read *r, sqlite3_stmt *st, struct err *e)
{
	struct column c = { .st = st };
	struct store_session s = { 0 };
	struct str holder;

	s.id = column_text(&c);
	s.agent_id = column_text(&c);
	s.environment_id = column_text(&c);
	s.workspace_id = column_text(&c);
	s.lane_key = column_text(&c);
	s.parent_id = column_text(&c);
	s.previous_id = column_text(&c);
	s.source = column_text(&c);
	s.metadata = column_text(&c);
	s.agent_version = column_int(&c);
	s.group = column_bool(&c);
	s.created_at_ms = column_int(&c);
	s.fence = column_int(&c);
	holder = column_text(&c);
	s.lease_live = s.lease_own = holder.len > 0 && str_eq(holder, r->holder);
	take_row(&c, &s.row);
	take_counters(&c, &s.row.counters);
	if (c.bad)
		return err_set(e, ERR_CORRUPT, "session " STR_FMT ": its row is damaged",
			       STR_ARG(s.id));
	read_give(r, &(struct store_row){ .session = &s });
	return 0;
}

int
read_session_get(struct read *r, struct err *e)
{
	sqlite3_stmt *st;
	int rc = read_prepare(r, GET, &st, e);

	if (rc != 0)
		return rc;
	db_bind_text(st, 1, r->q->session);
	return read_each(r, st, make, e);
}

/* Behind every id that begins with prefix: 0xff is in no UTF-8 text. */
static struct str
prefix_end(struct read *r, struct str prefix)
{
	return arena_printf(&r->scratch, STR_FMT "\xff", STR_ARG(prefix));
}

static int
passes_few(struct read *r, const char *sql, struct str from, bool *few, struct err *e)
{
	sqlite3_stmt *st;
	int rc = read_prepare(r, sql, &st, e), step;

	if (rc != 0)
		return rc;
	db_bind_text(st, 1, from);
	if (sql == COUNT_ID)
		db_bind_text(st, 2, prefix_end(r, from));
	sqlite3_bind_int64(st, 3, FEW + 1);
	step = sqlite3_step(st);
	if (step == SQLITE_ROW)
		*few = sqlite3_column_int64(st, 0) <= FEW;
	else
		rc = db_fail(r->db, step, "count sessions", e);
	sqlite3_reset(st);
	return rc;
}

/* The first filter that few pass; else along the activity, of all or of those at rest. */
static int
choose(struct read *r, const char **out, struct err *e)
{
	const struct store_session_filter *f = &r->q->filter;
	const struct {
		struct str value;
		const char *count;
		const char *const *list;
	} ways[] = {
		{ f->participant, COUNT_PERSON, BY_PERSON },
		{ f->id_prefix, COUNT_ID, BY_ID },
		{ f->workspace_id, COUNT_WORKSPACE, BY_WORKSPACE },
		{ f->agent_id, COUNT_AGENT, BY_AGENT },
	};
	bool few = false;
	int rc = 0;

	*out = f->lifecycles != 0 && !(f->lifecycles & 1u << LIFECYCLE_ACTIVE)
		       ? BY_REST[r->q->oldest_first]
		       : BY_ACTIVITY[r->q->oldest_first];
	if (f->deleted)
		*out = BY_DELETION[r->q->oldest_first];
	for (size_t i = 0; rc == 0 && !f->deleted && !few && i < ARRAY_LEN(ways); i++) {
		if (ways[i].value.len == 0)
			continue;
		rc = passes_few(r, ways[i].count, ways[i].value, &few, e);
		if (few)
			*out = ways[i].list[r->q->oldest_first];
	}
	return rc;
}

int
read_session_list(struct read *r, struct err *e)
{
	const struct store_query *q = r->q;
	bool from_top = q->cursor_id.len == 0;
	const char *sql;
	sqlite3_stmt *st;
	int rc = choose(r, &sql, e);

	if (rc == 0)
		rc = read_prepare(r, sql, &st, e);
	if (rc != 0)
		return rc;
	sqlite3_bind_int64(st, 1,
			   !from_top         ? q->cursor_ms
			   : q->oldest_first ? INT64_MIN
					     : INT64_MAX);
	db_bind_text(st, 2, q->cursor_id);
	sqlite3_bind_int64(st, 3, q->filter.active_since_ms);
	sqlite3_bind_int64(st, 4, q->filter.lifecycles);
	db_bind_opt(st, 5, q->filter.workspace_id);
	db_bind_opt(st, 6, q->filter.agent_id);
	db_bind_opt(st, 7, q->filter.id_prefix);
	db_bind_text(st, 8, prefix_end(r, q->filter.id_prefix));
	sqlite3_bind_int64(st, 9, read_limit(r));
	read_filter_bind(r, st);
	return read_each(r, st, make, e);
}

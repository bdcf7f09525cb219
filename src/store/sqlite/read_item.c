/* read_item - the transcript in the order the model sees it, with the events that hold the text.
 * Of a forked session: its parts one after the other, those of other logs first. */
#include "base/vec.h"
#include "store/sqlite/read_private.h"

#define AT_TURN                                                                                \
	"CASE i.role WHEN 0 THEN (SELECT p.turn FROM event p WHERE p.sid = i.sid AND p.seq = " \
	"i.at_seq) END"
_Static_assert(ITEM_USER == 0, "the number stands in SQL");
/* LEFT: an entry whose event is gone must be seen, not skipped. */
#define SELECT_ITEMS                                                                           \
	"SELECT i.seq, i.content_seq, i.at_seq, i.at_index, i.role, i.rewound, i.archived_by," \
	" " AT_TURN ", " READ_EVENT_COLUMNS                                                    \
	" FROM item i LEFT JOIN event e ON e.sid = i.sid AND e.seq = i.seq"                    \
	" WHERE i.sid = ?1 AND (?6 OR (i.rewound = 0 AND i.archived_by = 0))"                  \
	" AND (i.at_seq, i.at_index, i.sub, i.seq)"
static const char ITEMS[] = SELECT_ITEMS " > (?2, ?3, ?4, ?5)"
					 " ORDER BY i.at_seq, i.at_index, i.sub, i.seq LIMIT ?7";
static const char ITEMS_DOWN[] =
	SELECT_ITEMS " < (?2, ?3, ?4, ?5)"
		     " ORDER BY i.at_seq DESC, i.at_index DESC, i.sub DESC, i.seq DESC LIMIT ?7";
/* A part of a transcript: the rows of one log between two places. */
struct place {
	int64_t at_seq, at_index, sub, seq;
};
struct read_part {
	int64_t sid;
	int32_t depth; /* 0: the session's own rows, with their own marks */
	struct place low, top;
	int64_t as_of, summary, rewound, archived_by;
};
#define SELECT_PART                                                                            \
	"SELECT i.seq, i.content_seq, i.at_seq, i.at_index, i.role, i.rewound, i.archived_by," \
	" " AT_TURN ", " READ_EVENT_COLUMNS                                                    \
	" FROM item i LEFT JOIN event e ON e.sid = i.sid AND e.seq = i.seq"                    \
	" WHERE i.sid = ?1 AND (?6 OR (i.rewound = 0 AND i.archived_by = 0))"                  \
	" AND (i.at_seq, i.at_index, i.sub, i.seq) >= (?8, ?9, ?10, ?11)"                      \
	" AND (i.at_seq, i.at_index, i.sub, i.seq) < (?12, ?13, ?14, ?15)"                     \
	" AND (?16 = 0 OR (i.seq <= ?16 AND (i.rewound = 0 OR i.rewound > ?16)"                \
	" AND (i.role <> 4 OR i.seq = ?17)))"                                                  \
	" AND (i.at_seq, i.at_index, i.sub, i.seq)"
_Static_assert(ITEM_SUMMARY == 4, "the number stands in SQL");
static const char PART[] = SELECT_PART " > (?2, ?3, ?4, ?5)"
				       " ORDER BY i.at_seq, i.at_index, i.sub, i.seq LIMIT ?7";
static const char PART_DOWN[] =
	SELECT_PART " < (?2, ?3, ?4, ?5)"
		    " ORDER BY i.at_seq DESC, i.at_index DESC, i.sub DESC, i.seq DESC LIMIT ?7";
static const char PARTS[] =
	"SELECT rank, from_sid, depth, low_at, low_index, low_sub, low_seq, top_at, top_index,"
	" top_sub, top_seq, as_of, summary, rewound, archived_by FROM inherited WHERE sid = ?1"
	" AND (?2 OR (rewound = 0 AND archived_by = 0))"
	" ORDER BY rank, low_at, low_index, low_sub, low_seq";
static const char EDITED[] = "SELECT " READ_EVENT_COLUMNS " FROM event e"
			     " WHERE e.sid = ?1 AND e.seq = ?2";

static int
fetch_content(struct read *r, int64_t seq, sqlite3_stmt **st, struct event *out, struct err *e)
{
	struct store_event edited;
	struct column c;
	int rc = read_prepare(r, EDITED, st, e), step;

	if (rc != 0)
		return rc;
	sqlite3_bind_int64(*st, 1, r->sid);
	sqlite3_bind_int64(*st, 2, seq);
	step = sqlite3_step(*st);
	if (step == SQLITE_DONE)
		return err_set(e, ERR_CORRUPT, "its content, seq %lld, is missing", (long long)seq);
	if (step != SQLITE_ROW)
		return db_fail(r->db, step, "read a message's content", e);
	c = (struct column){ .st = *st };
	rc = read_event_take(r, &c, &r->content, &edited, e);
	if (rc == 0)
		*out = edited.ev;
	return rc;
}

static void
take_item(struct column *c, struct item_row *item)
{
	item->seq = column_int(c);
	item->content_seq = column_int(c);
	item->at_seq = column_int(c);
	item->at_index = (int32_t)column_int(c);
	item->role = column_enum(c, ITEM_SUMMARY + 1);
	item->rewound = column_int(c) != 0;
	item->archived_by_seq = column_int(c);
}

static int
make(struct read *r, sqlite3_stmt *st, struct err *e)
{
	struct column c = { .st = st };
	struct store_item_row row = { 0 };
	struct store_event event = { 0 };
	sqlite3_stmt *edited = NULL;
	int rc = 0;

	take_item(&c, &row.item);
	row.at_turn = column_text(&c);
	if (r->part && r->part->depth > 0) {
		row.item.depth = r->part->depth;
		row.item.rewound = r->part->rewound != 0;
		row.item.archived_by_seq = r->part->archived_by;
	}
	if (sqlite3_column_type(st, c.at) == SQLITE_NULL)
		rc = err_set(e, ERR_CORRUPT, "its event is missing");
	if (rc == 0)
		rc = read_event_take(r, &c, &r->payload, &event, e);
	row.ev = row.content = event.ev;
	if (rc == 0 && row.item.content_seq != row.item.seq)
		rc = fetch_content(r, row.item.content_seq, &edited, &row.content, e);
	if (rc == 0)
		read_give(r, &(struct store_row){ .item = &row });
	else
		rc = err_prefix(e, rc, "session " STR_FMT ", transcript entry of seq %lld: ",
				STR_ARG(r->q->session), (long long)row.item.seq);
	sqlite3_reset(edited);
	return rc;
}

/* ---- a session of its own ---- */

static int
read_plain(struct read *r, struct err *e)
{
	const struct item_row *after = &r->q->after_item;
	bool from_end = r->q->descending && after->seq == 0;
	sqlite3_stmt *st;
	int rc = read_prepare(r, r->q->descending ? ITEMS_DOWN : ITEMS, &st, e);

	if (rc != 0)
		return rc;
	sqlite3_bind_int64(st, 1, r->sid);
	sqlite3_bind_int64(st, 2, from_end ? INT64_MAX : after->at_seq);
	sqlite3_bind_int64(st, 3, after->at_index);
	sqlite3_bind_int64(st, 4, after->role != ITEM_SUMMARY);
	sqlite3_bind_int64(st, 5, after->seq);
	sqlite3_bind_int(st, 6, r->q->all);
	sqlite3_bind_int64(st, 7, read_limit(r));
	return read_each(r, st, make, e);
}

/* ---- a forked one ---- */

typedef VEC(struct read_part) part_list;

static struct place
take_place(struct column *c)
{
	struct place p;

	p.at_seq = column_int(c);
	p.at_index = column_int(c);
	p.sub = column_int(c);
	p.seq = column_int(c);
	return p;
}

static void
add_own(part_list *parts, int64_t sid, int64_t from, int64_t to)
{
	*vec_push(parts) = (struct read_part){ .sid = sid,
					       .low = { .at_seq = from },
					       .top = { .at_seq = to } };
}

/* In the order of the view: inherited summaries, own ones that stand before everything, the rest of what
 * was inherited, what is the session's own. Empty: it was not forked. */
static int
list_parts(struct read *r, part_list *parts, struct err *e)
{
	sqlite3_stmt *st;
	int rc = read_prepare(r, PARTS, &st, e), step;
	bool top_done = false;

	if (rc != 0)
		return rc;
	sqlite3_bind_int64(st, 1, r->sid);
	sqlite3_bind_int(st, 2, r->q->all);
	while ((step = sqlite3_step(st)) == SQLITE_ROW) {
		struct column c = { .st = st };
		struct read_part p = { 0 };

		if (column_int(&c) > 0 && !top_done) {
			add_own(parts, r->sid, ITEM_TOP_SEQ, ITEM_TOP_SEQ + 1);
			top_done = true;
		}
		p.sid = column_int(&c);
		p.depth = (int32_t)column_int(&c);
		p.low = take_place(&c);
		p.top = take_place(&c);
		p.as_of = column_int(&c);
		p.summary = column_int(&c);
		p.rewound = column_int(&c);
		p.archived_by = column_int(&c);
		*vec_push(parts) = p;
	}
	if (step != SQLITE_DONE)
		rc = db_fail(r->db, step, "read what was inherited", e);
	sqlite3_reset(st);
	if (rc == 0 && parts->len > 0) {
		if (!top_done)
			add_own(parts, r->sid, ITEM_TOP_SEQ, ITEM_TOP_SEQ + 1);
		add_own(parts, r->sid, ITEM_TOP_SEQ + 1, INT64_MAX);
	}
	return rc;
}

static int
compare(const struct place *a, const struct place *b)
{
	if (a->at_seq != b->at_seq)
		return a->at_seq < b->at_seq ? -1 : 1;
	if (a->at_index != b->at_index)
		return a->at_index < b->at_index ? -1 : 1;
	if (a->sub != b->sub)
		return a->sub < b->sub ? -1 : 1;
	return (a->seq > b->seq) - (a->seq < b->seq);
}

static bool
holds(const struct read_part *p, int32_t depth, const struct place *at)
{
	return p->depth == depth && compare(&p->low, at) <= 0 && compare(at, &p->top) < 0;
}

static void
bind_place(sqlite3_stmt *st, int at, const struct place *p)
{
	sqlite3_bind_int64(st, at, p->at_seq);
	sqlite3_bind_int64(st, at + 1, p->at_index);
	sqlite3_bind_int64(st, at + 2, p->sub);
	sqlite3_bind_int64(st, at + 3, p->seq);
}

/* after: the row to go on behind. */
static int
read_part(struct read *r, const struct read_part *p, const struct place *after, struct err *e)
{
	sqlite3_stmt *st;
	int rc = read_prepare(r, r->q->descending ? PART_DOWN : PART, &st, e);

	if (rc != 0)
		return rc;
	r->sid = p->sid;
	r->part = p;
	sqlite3_bind_int64(st, 1, p->sid);
	bind_place(st, 2, after);
	sqlite3_bind_int(st, 6, r->q->all || p->depth > 0);
	sqlite3_bind_int64(st, 7, read_limit(r));
	bind_place(st, 8, &p->low);
	bind_place(st, 12, &p->top);
	sqlite3_bind_int64(st, 16, p->as_of);
	sqlite3_bind_int64(st, 17, p->summary);
	rc = read_each(r, st, make, e);
	r->part = NULL;
	return rc;
}

static int
read_parts(struct read *r, const part_list *parts, struct err *e)
{
	static const struct place BEGIN = { 0 }, END = { INT64_MAX, 0, 0, 0 };
	const struct item_row *last = &r->q->after_item;
	struct place at = { last->at_seq, last->at_index, last->role != ITEM_SUMMARY, last->seq };
	bool found = last->seq == 0, down = r->q->descending;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < parts->len && !r->stopped && !r->more; i++) {
		const struct read_part *p = &parts->ptr[down ? parts->len - 1 - i : i];
		bool here = !found && holds(p, last->depth, &at);

		found = found || here;
		if (found)
			rc = read_part(r, p, here ? &at : down ? &END : &BEGIN, e);
	}
	return rc;
}

int
read_item_list(struct read *r, struct err *e)
{
	part_list parts = { 0 };
	int rc = read_find_sid(r, e);

	if (rc != 0 || r->sid == 0)
		return rc;
	rc = list_parts(r, &parts, e);
	if (rc == 0)
		rc = parts.len > 0 ? read_parts(r, &parts, e) : read_plain(r, e);
	vec_release(&parts);
	return rc;
}

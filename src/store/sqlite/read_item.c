/* read_item - the transcript in the order the model sees it, with the events that hold the text. */
#include "store/sqlite/read_private.h"

/* LEFT: an entry whose event is gone must be seen, not skipped. */
#define SELECT_ITEMS                                                                               \
	"SELECT i.seq, i.content_seq, i.at_seq, i.at_index, i.role, i.rewound, i.archived_by,"     \
	" " READ_EVENT_COLUMNS " FROM item i LEFT JOIN event e ON e.sid = i.sid AND e.seq = i.seq" \
	" WHERE i.sid = ?1 AND (?6 OR (i.rewound = 0 AND i.archived_by = 0))"                      \
	" AND (i.at_seq, i.at_index, i.sub, i.seq)"
static const char ITEMS[] = SELECT_ITEMS " > (?2, ?3, ?4, ?5)"
					 " ORDER BY i.at_seq, i.at_index, i.sub, i.seq LIMIT ?7";
static const char ITEMS_DOWN[] =
	SELECT_ITEMS " < (?2, ?3, ?4, ?5)"
		     " ORDER BY i.at_seq DESC, i.at_index DESC, i.sub DESC, i.seq DESC LIMIT ?7";
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
	item->rewound = column_bool(c);
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

int
read_item_list(struct read *r, struct err *e)
{
	const struct item_row *after = &r->q->after_item;
	bool from_end = r->q->descending && after->seq == 0;
	sqlite3_stmt *st;
	int rc = read_find_sid(r, e);

	if (rc != 0 || r->sid == 0)
		return rc;
	rc = read_prepare(r, r->q->descending ? ITEMS_DOWN : ITEMS, &st, e);
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

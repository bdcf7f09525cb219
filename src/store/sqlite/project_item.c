/* project_item - the transcript: who stands where, what was rewound or summarised. */
#include "store/sqlite/project_private.h"

#define IN_VIEW "rewound=0 AND archived_by=0"
#define PLACE   "(at_seq, at_index, sub, seq)"

int
project_item_add(struct project_step *s, const struct item_row *item, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(
		s->t, "INSERT INTO item (sid, at_seq, at_index, sub, seq, content_seq, role,"
		      " rewound, archived_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0)");

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, item->at_seq);
	sqlite3_bind_int64(st, 3, item->at_index);
	sqlite3_bind_int(st, 4, item->role != ITEM_SUMMARY);
	sqlite3_bind_int64(st, 5, item->seq);
	sqlite3_bind_int64(st, 6, item->content_seq);
	sqlite3_bind_int(st, 7, (int)item->role);
	return tx_run(s->t, st, e);
}

static void
bind_place(sqlite3_stmt *st, int at, const struct project_place *p)
{
	sqlite3_bind_int64(st, at, p->at_seq);
	sqlite3_bind_int64(st, at + 1, p->at_index);
	sqlite3_bind_int64(st, at + 2, p->sub);
	sqlite3_bind_int64(st, at + 3, p->seq);
}

/* The entry in view that belongs to the event of that id; *role is -1 when there is none. Walks the
 * session's entries: rewinds and compactions are rare, an index on ids would cost every event. */
static int
find_in_view(struct project_step *s, struct str id, struct project_place *out, int *role,
	     struct err *e)
{
	sqlite3_stmt *st =
		tx_prepare(s->t, "SELECT i.at_seq, i.at_index, i.sub, i.seq, i.role FROM item i"
				 " CROSS JOIN event e ON e.sid=i.sid AND e.seq=i.seq"
				 " WHERE i.sid=?1 AND i.rewound=0 AND i.archived_by=0 AND e.id=?2");
	bool found;
	int rc;

	*role = -1;
	sqlite3_bind_int64(st, 1, s->head->sid);
	db_bind_text(st, 2, id);
	rc = tx_row(s->t, st, &found, e);
	if (rc != 0 || !found)
		return rc;
	*out = (struct project_place){ sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
				       sqlite3_column_int64(st, 2), sqlite3_column_int64(st, 3) };
	*role = sqlite3_column_int(st, 4);
	sqlite3_reset(st);
	return 0;
}

/* Back into what was inherited: all of the session's own goes. */
static int
rewind_inherited(struct project_step *s, struct str id, struct err *e)
{
	struct project_inherited target;
	sqlite3_stmt *st;
	int rc = project_fork_find(s, id, &target, e);

	if (rc != 0)
		return rc;
	if (target.role != ITEM_USER)
		return project_refuse(s, e, "the rewind's target is no user message in view");
	rc = project_fork_rewind(s, &target, e);
	if (rc != 0)
		return rc;
	st = tx_prepare(s->t,
			"UPDATE item SET rewound=?2 WHERE sid=?1 AND " IN_VIEW " AND at_seq > ?3");
	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, s->ev->seq);
	sqlite3_bind_int64(st, 3, ITEM_TOP_SEQ);
	return tx_run(s->t, st, e);
}

int
project_item_rewind(struct project_step *s, struct err *e)
{
	struct str id = project_text(s, "target_id");
	struct project_place target;
	sqlite3_stmt *st;
	int role, rc;

	if (s->head->row.state.phase != TURN_NONE)
		return project_refuse(s, e, "rewound while a turn is open");
	rc = find_in_view(s, id, &target, &role, e);
	if (rc != 0)
		return rc;
	if (role < 0)
		return rewind_inherited(s, id, e);
	if (role != ITEM_USER)
		return project_refuse(s, e, "the rewind's target is no user message in view");
	st = tx_prepare(s->t, "UPDATE item SET rewound=?6 WHERE sid=?1 AND " IN_VIEW " AND " PLACE
			      " >= (?2, ?3, ?4, ?5)");
	sqlite3_bind_int64(st, 1, s->head->sid);
	bind_place(st, 2, &target);
	sqlite3_bind_int64(st, 6, s->ev->seq);
	return tx_run(s->t, st, e);
}

/* What the compaction had archived comes back into view; its summary leaves it. */
static int
undo_compaction(struct project_step *s, struct str undoes, struct err *e)
{
	sqlite3_stmt *st;
	struct project_place summary;
	int role, rc = find_in_view(s, undoes, &summary, &role, e);

	if (rc != 0)
		return rc;
	if (role != ITEM_SUMMARY)
		return project_refuse(s, e, "undoes a compaction that is not in effect");
	st = tx_prepare(s->t, "UPDATE item SET archived_by=CASE seq WHEN ?2 THEN ?3 ELSE 0 END"
			      " WHERE sid=?1 AND (archived_by=?2 OR seq=?2)");
	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, summary.seq);
	sqlite3_bind_int64(st, 3, s->ev->seq);
	rc = tx_run(s->t, st, e);
	return rc == 0 ? project_fork_restore(s, summary.seq, e) : rc;
}

static int
archive_before(struct project_step *s, const struct project_place *edge, struct err *e)
{
	sqlite3_stmt *st =
		tx_prepare(s->t, "UPDATE item SET archived_by=?6 WHERE sid=?1 AND " IN_VIEW
				 " AND " PLACE " < (?2, ?3, ?4, ?5)");

	sqlite3_bind_int64(st, 1, s->head->sid);
	bind_place(st, 2, edge);
	sqlite3_bind_int64(st, 6, s->ev->seq);
	return tx_run(s->t, st, e);
}

/* What is kept begins in what was inherited: the summary stands before all of it. */
static int
compact_inherited(struct project_step *s, struct str kept, struct project_place *edge,
		  struct err *e)
{
	struct project_inherited first;
	int rc = project_fork_find(s, kept, &first, e);

	if (rc != 0)
		return rc;
	if (first.role < 0 || first.role == ITEM_SUMMARY)
		return project_refuse(s, e, "the first kept message is not in view");
	*edge = (struct project_place){ .at_seq = ITEM_TOP_SEQ + 1 };
	rc = project_fork_archive(s, &first, e);
	if (rc == 0)
		rc = archive_before(s, edge, e);
	*edge = (struct project_place){ .at_seq = ITEM_TOP_SEQ };
	return rc;
}

/* Everything in view before the first kept entry is archived; the summary stands in its place. */
int
project_item_compact(struct project_step *s, struct err *e)
{
	struct str undoes = project_text(s, "undoes_id");
	struct str kept = project_text(s, "kept_from_id");
	struct project_place edge = { .at_seq = s->ev->seq, .sub = 1, .seq = s->ev->seq };
	struct item_row summary = { .seq = s->ev->seq,
				    .content_seq = s->ev->seq,
				    .role = ITEM_SUMMARY };
	int role = ITEM_USER, rc = 0;

	if (undoes.len > 0)
		return undo_compaction(s, undoes, e);
	if (kept.len > 0)
		rc = find_in_view(s, kept, &edge, &role, e);
	if (rc != 0)
		return rc;
	if (role == ITEM_SUMMARY)
		return project_refuse(s, e, "the first kept message is not in view");
	if (role < 0)
		rc = compact_inherited(s, kept, &edge, e);
	else
		rc = project_fork_archive(s, NULL, e);
	if (rc == 0 && role >= 0)
		rc = archive_before(s, &edge, e);
	summary.at_seq = edge.at_seq;
	summary.at_index = (int32_t)edge.at_index;
	return rc == 0 ? project_item_add(s, &summary, e) : rc;
}

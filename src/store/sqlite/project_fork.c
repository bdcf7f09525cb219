/* project_fork - what a forked session begins with: parts of other transcripts, named, not copied; and
 * what its own events do to them. */
#include "store/sqlite/project_private.h"

enum { FORKED_SEQ = 2 }; /* before it even a fork shows nothing */

#define LOW  "(low_at, low_index, low_sub, low_seq)"
#define TOP  "(top_at, top_index, top_sub, top_seq)"
#define VIEW "rewound=0 AND archived_by=0"
/* Entries of a part h, as its log i showed them then. */
#define OF_PART                                                      \
	" i.sid=h.from_sid AND (i.at_seq, i.at_index, i.sub, i.seq)" \
	" >= (h.low_at, h.low_index, h.low_sub, h.low_seq)"          \
	" AND (i.at_seq, i.at_index, i.sub, i.seq)"                  \
	" < (h.top_at, h.top_index, h.top_sub, h.top_seq)"           \
	" AND i.seq<=h.as_of AND (i.rewound=0 OR i.rewound>h.as_of)" \
	" AND (i.role<>" ROLE_SUMMARY " OR i.seq=h.summary)"
#define ROLE_SUMMARY "4" /* ITEM_SUMMARY */
_Static_assert(ITEM_SUMMARY == 4, "the number stands in SQL");

static void
bind_place(sqlite3_stmt *st, int at, const struct project_place *p)
{
	sqlite3_bind_int64(st, at, p->at_seq);
	sqlite3_bind_int64(st, at + 1, p->at_index);
	sqlite3_bind_int64(st, at + 2, p->sub);
	sqlite3_bind_int64(st, at + 3, p->seq);
}

/* The entry of sid's inherited parts that belongs to the event of that id; its role is -1 when there
 * is none. in_view: as sid shows it now, else whatever became of it since. */
static int
find_entry(struct project_step *s, int64_t sid, struct str id, bool in_view,
	   struct project_inherited *out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(
		s->t,
		"SELECT h.rank, i.at_seq, i.at_index, i.sub, i.seq, i.role FROM inherited h"
		" CROSS JOIN item i ON" OF_PART " CROSS JOIN event e ON e.sid=i.sid AND e.seq=i.seq"
		" WHERE h.sid=?1 AND e.id=?2 AND (?3=0 OR (h.rewound=0 AND h.archived_by=0))");
	bool found;
	int rc;

	out->role = -1;
	sqlite3_bind_int64(st, 1, sid);
	db_bind_text(st, 2, id);
	sqlite3_bind_int(st, 3, in_view);
	rc = tx_row(s->t, st, &found, e);
	if (rc != 0 || !found)
		return rc;
	out->rank = sqlite3_column_int64(st, 0);
	out->place =
		(struct project_place){ sqlite3_column_int64(st, 1), sqlite3_column_int64(st, 2),
					sqlite3_column_int64(st, 3), sqlite3_column_int64(st, 4) };
	out->role = sqlite3_column_int(st, 5);
	sqlite3_reset(st);
	return 0;
}

int
project_fork_find(struct project_step *s, struct str id, struct project_inherited *out,
		  struct err *e)
{
	return find_entry(s, s->head->sid, id, true, out, e);
}

/* ---- what its own events do to them ---- */

/* A part of which only some is concerned becomes two. */
static int
split(struct project_step *s, const struct project_inherited *at, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(
		s->t, "INSERT INTO inherited SELECT sid, rank, ?3, ?4, ?5, ?6, top_at, top_index,"
		      " top_sub, top_seq, from_sid, depth, as_of, summary, rewound, archived_by"
		      " FROM inherited WHERE sid=?1 AND rank=?2 AND " LOW " < (?3, ?4, ?5, ?6)"
		      " AND " TOP " > (?3, ?4, ?5, ?6)");
	int rc;

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, at->rank);
	bind_place(st, 3, &at->place);
	rc = tx_run(s->t, st, e);
	if (rc != 0)
		return rc;
	st = tx_prepare(s->t, "UPDATE inherited SET top_at=?3, top_index=?4, top_sub=?5, top_seq=?6"
			      " WHERE sid=?1 AND rank=?2 AND " LOW " < (?3, ?4, ?5, ?6)"
			      " AND " TOP " > (?3, ?4, ?5, ?6)");
	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, at->rank);
	bind_place(st, 3, &at->place);
	return tx_run(s->t, st, e);
}

int
project_fork_rewind(struct project_step *s, const struct project_inherited *target, struct err *e)
{
	sqlite3_stmt *st;
	int rc = split(s, target, e);

	if (rc != 0)
		return rc;
	st = tx_prepare(s->t, "UPDATE inherited SET rewound=?7 WHERE sid=?1 AND " VIEW
			      " AND (rank > ?2 OR (rank=?2 AND " LOW " >= (?3, ?4, ?5, ?6)))");
	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, target->rank);
	bind_place(st, 3, &target->place);
	sqlite3_bind_int64(st, 7, s->ev->seq);
	return tx_run(s->t, st, e);
}

int
project_fork_archive(struct project_step *s, const struct project_inherited *kept, struct err *e)
{
	sqlite3_stmt *st;
	int rc = kept ? split(s, kept, e) : 0;

	if (rc != 0)
		return rc;
	st = tx_prepare(s->t, "UPDATE inherited SET archived_by=?7 WHERE sid=?1 AND " VIEW
			      " AND (?2 IS NULL OR rank < ?2"
			      " OR (rank=?2 AND " LOW " < (?3, ?4, ?5, ?6)))");
	sqlite3_bind_int64(st, 1, s->head->sid);
	if (kept) {
		sqlite3_bind_int64(st, 2, kept->rank);
		bind_place(st, 3, &kept->place);
	}
	sqlite3_bind_int64(st, 7, s->ev->seq);
	return tx_run(s->t, st, e);
}

int
project_fork_restore(struct project_step *s, int64_t summary, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(
		s->t, "UPDATE inherited SET archived_by=0 WHERE sid=?1 AND archived_by=?2");

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, summary);
	return tx_run(s->t, st, e);
}

/* ---- the beginning ---- */

struct origin {
	int64_t sid, at_seq;
	int64_t summary; /* in effect there then; 0: none */
	struct project_place place;
	bool from_inherited; /* then what it kept begins here, in the parent's own parts: */
	struct project_inherited kept;
};

/* Compactions are undone from the last one back, so the last that was not undone by then is the one in
 * effect. What archives a summary is another one, or its undoing. */
static int
find_summary(struct project_step *s, struct origin *o, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(
		s->t, "SELECT i.at_seq, i.at_index, i.seq FROM item i WHERE i.sid=?1"
		      " AND i.role=" ROLE_SUMMARY " AND i.seq<=?2 AND NOT (i.archived_by<>0"
		      " AND i.archived_by<=?2 AND NOT EXISTS (SELECT 1 FROM item x"
		      " WHERE x.sid=?1 AND x.role=" ROLE_SUMMARY " AND x.seq=i.archived_by))"
		      " ORDER BY i.seq DESC LIMIT 1");
	bool found;
	int rc;

	sqlite3_bind_int64(st, 1, o->sid);
	sqlite3_bind_int64(st, 2, o->at_seq);
	rc = tx_row(s->t, st, &found, e);
	if (rc != 0 || !found)
		return rc;
	o->summary = sqlite3_column_int64(st, 2);
	o->place = (struct project_place){ sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
					   0, o->summary };
	sqlite3_reset(st);
	return 0;
}

/* Of a summary that stands before what its session inherited: where does the kept part begin? */
static int
find_kept(struct project_step *s, struct origin *o, struct err *e)
{
	sqlite3_stmt *st =
		tx_prepare(s->t, "SELECT json_extract(payload, '$.kept_from_id') FROM event"
				 " WHERE sid=?1 AND seq=?2");
	struct str id = { 0 };
	bool found;
	int rc;

	sqlite3_bind_int64(st, 1, o->sid);
	sqlite3_bind_int64(st, 2, o->summary);
	rc = tx_row(s->t, st, &found, e);
	if (rc != 0)
		return rc;
	if (found) {
		id = arena_str(&s->t->scratch,
			       (struct str){ (const char *)sqlite3_column_text(st, 0),
					     (size_t)sqlite3_column_bytes(st, 0) });
		sqlite3_reset(st);
	}
	rc = find_entry(s, o->sid, id, false, &o->kept, e);
	if (rc == 0 && o->kept.role < 0)
		rc = project_refuse(s, e, "what its parent's summary kept is not there");
	o->from_inherited = rc == 0;
	return rc;
}

static int
add_part(struct project_step *s, const struct origin *o, int64_t rank,
	 const struct project_place *low, const struct project_place *top, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(
		s->t, "INSERT INTO inherited VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
		      " ?11, 1, ?12, ?13, 0, 0)");

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, rank);
	bind_place(st, 3, low);
	bind_place(st, 7, top);
	sqlite3_bind_int64(st, 11, o->sid);
	sqlite3_bind_int64(st, 12, o->at_seq);
	sqlite3_bind_int64(st, 13, o->summary);
	return tx_run(s->t, st, e);
}

/* The parent's own parts as it showed them then, behind the first that its summary kept. */
static int
copy_parts(struct project_step *s, const struct origin *o, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(
		s->t,
		"INSERT INTO inherited SELECT ?1, rank,"
		" CASE WHEN rank=?4 AND " LOW " < (?5, ?6, ?7, ?8) THEN ?5 ELSE low_at END,"
		" CASE WHEN rank=?4 AND " LOW " < (?5, ?6, ?7, ?8) THEN ?6 ELSE low_index END,"
		" CASE WHEN rank=?4 AND " LOW " < (?5, ?6, ?7, ?8) THEN ?7 ELSE low_sub END,"
		" CASE WHEN rank=?4 AND " LOW " < (?5, ?6, ?7, ?8) THEN ?8 ELSE low_seq END,"
		" top_at, top_index, top_sub, top_seq, from_sid, depth + 1, as_of, summary, 0, 0"
		" FROM inherited WHERE sid=?2 AND (rewound=0 OR rewound>?3)"
		" AND (?4 IS NULL OR rank>?4 OR (rank=?4 AND " TOP " > (?5, ?6, ?7, ?8)))");

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, o->sid);
	sqlite3_bind_int64(st, 3, o->at_seq);
	if (o->from_inherited) {
		sqlite3_bind_int64(st, 4, o->kept.rank);
		bind_place(st, 5, &o->kept.place);
	}
	return tx_run(s->t, st, e);
}

static int
next_rank(struct project_step *s, int64_t *out, struct err *e)
{
	sqlite3_stmt *st =
		tx_prepare(s->t, "SELECT coalesce(max(rank), 0) + 1 FROM inherited WHERE sid=?1");
	bool found;
	int rc;

	sqlite3_bind_int64(st, 1, s->head->sid);
	rc = tx_row(s->t, st, &found, e);
	if (rc != 0 || !found)
		return rc;
	*out = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return 0;
}

static int
find_parent(struct project_step *s, struct origin *o, struct err *e)
{
	struct head *parent;
	struct json v;
	int rc = head_find(s->t, project_text(s, "parent_session_id"), &parent, e);

	if (rc != 0)
		return rc;
	if (!parent || parent == s->head)
		return project_refuse(s, e, "the session it was forked from is not here");
	if (json_find(s->payload, STR("at_seq"), &v))
		json_int(v, &o->at_seq);
	if (o->at_seq > parent->row.head_seq)
		return project_refuse(s, e, "forked at seq %lld, which its parent does not have",
				      (long long)o->at_seq);
	o->sid = parent->sid;
	return 0;
}

int
project_fork_begin(struct project_step *s, struct err *e)
{
	struct origin o = { 0 };
	struct project_place low = { .at_seq = ITEM_TOP_SEQ + 1 };
	struct project_place top, end;
	bool at_top;
	int64_t rank = 1;
	int rc;

	if (s->ev->seq != FORKED_SEQ)
		return project_refuse(s, e, "a session is forked right after it is created");
	rc = find_parent(s, &o, e);
	if (rc == 0)
		rc = find_summary(s, &o, e);
	if (rc != 0)
		return rc;
	at_top = o.summary > 0 && o.place.at_seq == ITEM_TOP_SEQ;
	if (at_top)
		rc = find_kept(s, &o, e);
	else if (o.summary > 0)
		low = o.place; /* everything before it is archived, inherited parts too */
	if (rc == 0 && (at_top || o.summary == 0) && o.at_seq >= FORKED_SEQ)
		rc = copy_parts(s, &o, e);
	if (rc == 0)
		rc = next_rank(s, &rank, e);
	end = o.place;
	end.seq++;
	if (rc == 0 && at_top)
		rc = add_part(s, &o, 0, &o.place, &end, e);
	if (at_top)
		o.summary = 0; /* it has its place: no other of them was in view */
	top = (struct project_place){ .at_seq = o.at_seq + 1 };
	return rc == 0 ? add_part(s, &o, rank, &low, &top, e) : rc;
}

/* read_private - what the parts of a read share. */
#pragma once
#include "store/sqlite/column.h"
#include "store/sqlite/read.h"

/* The columns that read_event_take expects, of a table called e; 12 of them. */
#define READ_EVENT_COLUMNS                                                                     \
	"e.n, e.seq, e.id, e.kind, e.author, e.created_at, e.turn, e.meta, e.payload, e.blob," \
	" e.hash, e.processed"
enum { READ_EVENT_COLUMN_COUNT = 12 };

/* What a query's filter asks of a session s, beyond the columns that have an index; ?20 to ?32 are
 * bound by read_filter_bind. An absent filter is NULL or 0. */
#define READ_FILTER                                                                           \
	" AND (?20 = 0 OR s.agent_version = ?20)"                                             \
	" AND (?21 IS NULL OR EXISTS (SELECT 1 FROM record p WHERE p.kind = 'participant'"    \
	" AND p.id = s.id || '/' || ?21))"                                                    \
	" AND (?22 IS NULL OR json_extract(s.source, '$.kind') = ?22)"                        \
	" AND (?23 IS NULL OR json_extract(s.source, '$.platform') = ?23)"                    \
	" AND (?24 IS NULL OR EXISTS (SELECT 1 FROM json_each(coalesce(s.metadata, '{}')) m"  \
	" WHERE m.key = ?24 AND m.type = 'text' AND m.value = ?25))"                          \
	" AND (?26 IS NULL OR s.title LIKE ?26 ESCAPE '\\' OR s.preview LIKE ?26 ESCAPE '\\'" \
	" OR s.fallback_title LIKE ?26 ESCAPE '\\')"                                          \
	" AND (?27 = 0 OR ?27 >> s.phase & 1)"                                                \
	" AND (?28 = 0 OR coalesce(json_extract(s.source, '$.interactive'), 0) = (?28 = 1))"  \
	" AND (?29 = 0 OR s.is_group = (?29 = 1))"                                            \
	" AND s.created_at >= ?30 AND (?31 = 0 OR s.created_at <= ?31)"                       \
	" AND (?32 = 0 OR s.phase <> 0 OR s.waiting > 0)"                                     \
	" AND (?33 IS NULL OR s.agent_id NOT IN (SELECT value FROM json_each(?33)))"
void read_filter_bind(struct read *r, sqlite3_stmt *st);

/* One row of st into the port's shape and to read_give. */
typedef int read_make_fn(struct read *r, sqlite3_stmt *st, struct err *e);

NODISCARD int read_prepare(struct read *r, const char *sql, sqlite3_stmt **out, struct err *e);
/* Steps through a statement that asks for read_limit rows. */
NODISCARD int read_each(struct read *r, sqlite3_stmt *st, read_make_fn *make, struct err *e);
void read_give(struct read *r, const struct store_row *row);
/* The page's rows and one more, which tells whether the limit cut it. */
int64_t read_limit(const struct read *r);
/* before as an exclusive upper end. */
int64_t read_before(const struct read *r);

/* Sets r->sid to the row number of the query's session; 0: there is none. */
NODISCARD int read_find_sid(struct read *r, struct err *e);

/* READ_EVENT_COLUMNS from c on. A payload that lives in a blob is fetched into large. */
NODISCARD int read_event_take(struct read *r, struct column *c, struct buf *large,
			      struct store_event *out, struct err *e);

int read_session_get(struct read *r, struct err *e);
int read_session_list(struct read *r, struct err *e);
int read_event_list(struct read *r, struct err *e);
int read_event_changes(struct read *r, struct err *e);
int read_item_list(struct read *r, struct err *e);
int read_queue_pending(struct read *r, struct err *e);
int read_queue_all(struct read *r, struct err *e);
int read_queue_calls(struct read *r, struct err *e);
int read_record_get(struct read *r, struct err *e);
int read_record_list(struct read *r, struct err *e);
int read_record_key(struct read *r, struct err *e);
int read_search(struct read *r, struct err *e);

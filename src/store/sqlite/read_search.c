/* read_search - which messages contain all these words? Newest first.
 *
 * What people type is never query syntax: the index's own tokenizer takes the text apart, and each
 * token is asked for as a quoted string. A word such as don't is two tokens here as it was when it
 * was indexed. */
#include "store/sqlite/read_private.h"

enum { TOKENS_MAX = 32, MATCH_BYTES_MAX = 8 * STORE_KEY_MAX };

/* ?1 match, ?2 before; an absent filter is NULL or 0. Entries whose event was purged find no row. */
static const char SEARCH[] =
	"SELECT " READ_EVENT_COLUMNS ", s.id FROM search"
	" CROSS JOIN event e ON e.n = search.rowid CROSS JOIN session s ON s.sid = e.sid"
	" WHERE search MATCH ?1 AND search.rowid < ?2 AND s.deleted = 0"
	" AND (?3 IS NULL OR s.id = ?3) AND (?4 = 0 OR ?4 >> e.kind & 1)"
	" AND (?5 IS NULL OR s.workspace_id = ?5) AND (?6 IS NULL OR s.agent_id = ?6)"
	" AND (?7 = 0 OR ?7 >> s.lifecycle & 1) AND s.last_activity >= ?8"
	" AND (?9 IS NULL OR substr(s.id, 1, length(?9)) = ?9)" READ_FILTER
	" ORDER BY search.rowid DESC LIMIT ?10";

struct tokens {
	struct buf match;
	size_t count;
};

static int
on_token(void *ctx, int flags, const char *token, int len, int start, int end)
{
	struct tokens *t = ctx;

	(void)flags, (void)start, (void)end;
	if (t->count == TOKENS_MAX)
		return SQLITE_OK; /* the words so far narrow it enough */
	t->count++;
	buf_putc(&t->match, '"');
	for (int i = 0; i < len; i++) {
		if (token[i] == '"')
			buf_putc(&t->match, '"');
		buf_putc(&t->match, token[i]);
	}
	buf_puts(&t->match, "\" ");
	return SQLITE_OK;
}

static const char GET_API[] = "SELECT fts5(?1)";

static int
find_api(struct read *r, fts5_api **out, struct err *e)
{
	fts5_api *api = NULL;
	sqlite3_stmt *st;
	int rc = read_prepare(r, GET_API, &st, e);

	if (rc != 0)
		return rc;
	sqlite3_bind_pointer(st, 1, &api, "fts5_api_ptr", NULL);
	sqlite3_step(st); /* fills api or leaves it */
	sqlite3_reset(st);
	if (!api)
		return err_set(e, ERR_UNAVAILABLE, "this SQLite has no full-text search");
	*out = api;
	return 0;
}

/* As the search table was declared. */
static const char *const TOKENIZER_ARGS[] = { "remove_diacritics", "2" };

static int
tokenize(struct read *r, struct tokens *t, struct err *e)
{
	const char **args = (const char **)(uintptr_t)TOKENIZER_ARGS;
	fts5_tokenizer tokenizer;
	Fts5Tokenizer *instance = NULL;
	fts5_api *api;
	void *maker;
	int rc = find_api(r, &api, e), said;

	if (rc != 0)
		return rc;
	said = api->xFindTokenizer(api, "unicode61", &maker, &tokenizer);
	if (said == SQLITE_OK)
		said = tokenizer.xCreate(maker, args, ARRAY_LEN(TOKENIZER_ARGS), &instance);
	if (said == SQLITE_OK)
		said = tokenizer.xTokenize(instance, t, FTS5_TOKENIZE_QUERY, r->q->text.ptr,
					   (int)r->q->text.len, on_token);
	if (instance)
		tokenizer.xDelete(instance);
	if (said != SQLITE_OK)
		return db_fail(r->db, said, "take a search text apart", e);
	return buf_check(&t->match, "a search text", e);
}

static int
make(struct read *r, sqlite3_stmt *st, struct err *e)
{
	struct column c = { .st = st };
	struct store_event event;
	int rc = read_event_take(r, &c, &r->payload, &event, e);

	if (rc != 0)
		return rc;
	event.session = column_text(&c);
	read_give(r, &(struct store_row){ .event = &event });
	return 0;
}

static int
list(struct read *r, struct str match, struct err *e)
{
	const struct store_query *q = r->q;
	sqlite3_stmt *st;
	int rc = read_prepare(r, SEARCH, &st, e);

	if (rc != 0)
		return rc;
	db_bind_text(st, 1, match);
	sqlite3_bind_int64(st, 2, read_before(r));
	db_bind_opt(st, 3, q->session);
	sqlite3_bind_int64(st, 4, (int64_t)q->kinds);
	db_bind_opt(st, 5, q->filter.workspace_id);
	db_bind_opt(st, 6, q->filter.agent_id);
	sqlite3_bind_int64(st, 7, q->filter.lifecycles);
	sqlite3_bind_int64(st, 8, q->filter.active_since_ms);
	db_bind_opt(st, 9, q->filter.id_prefix);
	sqlite3_bind_int64(st, 10, read_limit(r));
	read_filter_bind(r, st);
	return read_each(r, st, make, e);
}

int
read_search(struct read *r, struct err *e)
{
	struct tokens t = { 0 };
	int rc;

	buf_init(&t.match, MATCH_BYTES_MAX);
	rc = tokenize(r, &t, e);
	if (rc == 0 && t.count > 0) /* without a word there is nothing to find */
		rc = list(r, buf_str(&t.match), e);
	buf_release(&t.match);
	return rc;
}

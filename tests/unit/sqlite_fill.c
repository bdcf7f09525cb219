#include "sqlite_fill.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/migrate.h"
#include "store/sqlite/read.h"

enum { BLOB_CHUNK = 1000 };

static void
must(struct fill *f, int rc, const char *what)
{
	if (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW)
		fail_msg("%s: %s", what, sqlite3_errmsg(f->db.handle));
}

void
fill_run(struct fill *f, const char *sql)
{
	must(f, db_run(&f->db, sql), sql);
}

void
fill_open(struct fill *f)
{
	const char *tmp = getenv("TMPDIR");
	struct err e;

	snprintf(f->dir, sizeof f->dir, "%s/perdure-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof f->path, "%s/perdure.db", f->dir);
	if (db_open(&f->db, f->path, DB_WRITER, NULL, &e) != 0)
		fail_msg("%s", e.text);
	for (const struct migration *step = MIGRATE_SQLITE; step->version > 0; step++)
		fill_run(f, step->sql);
}

void
fill_close(struct fill *f)
{
	static const char *const FILES[] = { "perdure.db", "perdure.db-wal", "perdure.db-shm",
					     "perdure.lock" };
	char path[128];

	db_close(&f->db);
	for (size_t i = 0; i < ARRAY_LEN(FILES); i++) {
		snprintf(path, sizeof path, "%s/%s", f->dir, FILES[i]);
		unlink(path);
	}
	rmdir(f->dir);
}

static sqlite3_stmt *
prepare(struct fill *f, const char *sql)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(&f->db, sql, &rc);

	must(f, rc, sql);
	return st;
}

static void
run(struct fill *f, sqlite3_stmt *st)
{
	must(f, sqlite3_step(st), sqlite3_sql(st));
	sqlite3_reset(st);
}

static const char INSERT_BLOB[] = "INSERT OR IGNORE INTO blob VALUES (?1, ?2, ?3)";
static const char INSERT_EVENT[] =
	"INSERT INTO event VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?6)";

static void
put_blob(struct fill *f, struct str payload, const struct sha256 *digest)
{
	int64_t chunk = 0;

	for (size_t at = 0; at < payload.len; at += BLOB_CHUNK) {
		struct str part = str_slice(payload, at, at + BLOB_CHUNK);
		sqlite3_stmt *st = prepare(f, INSERT_BLOB);
		db_bind_blob(st, 1, digest->bytes, sizeof digest->bytes);
		sqlite3_bind_int64(st, 2, chunk++);
		db_bind_blob(st, 3, part.ptr, part.len);
		run(f, st);
	}
}

/* Everything counts as processed first; put_inputs takes the pending ones back. */
static void
put_event(struct fill *f, int64_t sid, const struct event *ev, const struct sha256 *hash,
	  size_t large)
{
	sqlite3_stmt *st = prepare(f, INSERT_EVENT);
	struct sha256 digest = sha256_of(ev->payload);
	bool in_blob = large > 0 && ev->payload.len > large;

	sqlite3_bind_int64(st, 1, sid);
	sqlite3_bind_int64(st, 2, ev->seq);
	db_bind_text(st, 3, ev->id);
	sqlite3_bind_int(st, 4, (int)ev->kind);
	sqlite3_bind_int(st, 5, (int)ev->author);
	sqlite3_bind_int64(st, 6, ev->created_at_ms);
	db_bind_opt(st, 7, ev->turn);
	db_bind_opt(st, 8, ev->meta);
	if (in_blob)
		db_bind_blob(st, 10, digest.bytes, sizeof digest.bytes);
	else
		db_bind_text(st, 9, ev->payload);
	db_bind_blob(st, 11, hash->bytes, sizeof hash->bytes);
	run(f, st);
	if (in_blob)
		put_blob(f, ev->payload, &digest);
}

static const char SET_PROCESSED[] = "UPDATE event SET processed = ?3 WHERE sid = ?1 AND seq = ?2";
static const char INSERT_EDIT[] = "INSERT INTO edit VALUES (?1, ?2, ?3)";

static int64_t
put_inputs(struct fill *f, int64_t sid, struct replay *r)
{
	size_t count;
	const struct input_row *in = replay_inputs(r, &count);
	int64_t waiting = 0;

	for (size_t i = 0; i < count; i++) {
		bool pending = in[i].processed_at_ms == 0;
		sqlite3_stmt *st = prepare(f, SET_PROCESSED);
		sqlite3_bind_int64(st, 1, sid);
		sqlite3_bind_int64(st, 2, in[i].seq);
		if (!pending)
			sqlite3_bind_int64(st, 3, in[i].processed_at_ms);
		run(f, st);
		waiting += pending && in[i].meta.class == INPUT_TRIGGER;
		if (!pending || in[i].content_seq == in[i].seq)
			continue;
		st = prepare(f, INSERT_EDIT);
		sqlite3_bind_int64(st, 1, sid);
		sqlite3_bind_int64(st, 2, in[i].seq);
		sqlite3_bind_int64(st, 3, in[i].content_seq);
		run(f, st);
	}
	return waiting;
}

static const char INSERT_ITEM[] = "INSERT INTO item VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

static void
put_items(struct fill *f, int64_t sid, struct replay *r)
{
	size_t count;
	const struct item_row *item = replay_items(r, &count);

	for (; count > 0 && item->at_seq != 0; item++, count--) {
		sqlite3_stmt *st = prepare(f, INSERT_ITEM);
		sqlite3_bind_int64(st, 1, sid);
		sqlite3_bind_int64(st, 2, item->at_seq);
		sqlite3_bind_int64(st, 3, item->at_index);
		sqlite3_bind_int(st, 4, item->role != ITEM_SUMMARY);
		sqlite3_bind_int64(st, 5, item->seq);
		sqlite3_bind_int64(st, 6, item->content_seq);
		sqlite3_bind_int(st, 7, (int)item->role);
		sqlite3_bind_int(st, 8, item->rewound);
		sqlite3_bind_int64(st, 9, item->archived_by_seq);
		run(f, st);
	}
}

static const char INSERT_CALL[] = "INSERT INTO call VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

static void
put_calls(struct fill *f, int64_t sid, struct replay *r)
{
	size_t count;
	const struct call_row *call = replay_calls(r, &count);

	for (; count > 0; call++, count--) {
		sqlite3_stmt *st = prepare(f, INSERT_CALL);
		sqlite3_bind_int64(st, 1, sid);
		sqlite3_bind_int64(st, 2, call->seq);
		db_bind_text(st, 3, call->id);
		sqlite3_bind_int(st, 4, (int)call->kind);
		sqlite3_bind_int(st, 5, (int)call->state);
		sqlite3_bind_int(st, 6, call->client_side);
		db_bind_opt(st, 7, call->answer_id);
		sqlite3_bind_int64(st, 8, call->closed_seq);
		run(f, st);
	}
}

/* The facts are those of replay_log's session.created. */
static const char INSERT_SESSION[] =
	"INSERT INTO session (sid, id, agent_id, agent_version, environment_id, source, is_group,"
	" created_at, fence, head_seq, head_hash, lifecycle, phase, deleted, last_stop, turn,"
	" turn_seq, attempt, title, fallback_title, preview, waiting, messages, completed_turns,"
	" input_tokens, output_tokens, reasoning_tokens, cache_read, cache_write, total_tokens,"
	" last_prompt, cost, priced, unpriced, last_activity, title_source, queued, queue_from)"
	" VALUES (?1, ?2, 'main', 1, 'local-default', '{\"kind\":\"api\"}', 0, ?3, 0,"
	" ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,"
	" ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30,"
	" (SELECT count(*) FROM event WHERE sid = ?1 AND processed IS NULL),"
	" (SELECT ifnull(min(seq), 0) FROM event WHERE sid = ?1 AND processed IS NULL))";

static void
put_session(struct fill *f, int64_t sid, const char *id, const struct session_row *row,
	    int64_t waiting)
{
	const struct session_counters *n = &row->counters;
	const int64_t numbers[] = { waiting,
				    n->messages,
				    n->completed_turns,
				    n->usage.input,
				    n->usage.output,
				    n->usage.reasoning,
				    n->usage.cache_read,
				    n->usage.cache_write,
				    n->total_tokens,
				    n->last_prompt_tokens,
				    n->cost_picodollars,
				    n->priced_requests,
				    n->unpriced_requests,
				    n->last_activity_ms,
				    row->title_source };
	sqlite3_stmt *st = prepare(f, INSERT_SESSION);

	sqlite3_bind_int64(st, 1, sid);
	db_bind_text(st, 2, str_of(id));
	sqlite3_bind_int64(st, 3, 1000001);
	sqlite3_bind_int64(st, 4, row->head_seq);
	db_bind_blob(st, 5, row->head_hash.bytes, sizeof row->head_hash.bytes);
	sqlite3_bind_int(st, 6, (int)row->state.lifecycle);
	sqlite3_bind_int(st, 7, (int)row->state.phase);
	sqlite3_bind_int(st, 8, row->deleted);
	sqlite3_bind_int(st, 9, (int)row->last_stop);
	db_bind_opt(st, 10, row->turn);
	sqlite3_bind_int64(st, 11, row->turn_seq);
	sqlite3_bind_int64(st, 12, row->attempt);
	db_bind_opt(st, 13, row->title);
	db_bind_opt(st, 14, row->fallback_title);
	db_bind_opt(st, 15, str_of(row->preview));
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		sqlite3_bind_int64(st, 16 + (int)i, numbers[i]);
	run(f, st);
}

static void
step(struct fill *f, int64_t sid, struct replay *r, struct str text, size_t large)
{
	const struct session_row *row = replay_session(r);
	struct replay_log_event made;
	struct err e;

	replay_log_make(&made, text, row->head_seq + 1, row->turn);
	if (replay_apply(r, &made.ev, &e) != 0)
		fail_msg("%s", e.text);
	put_event(f, sid, &made.ev, &row->head_hash, large);
	replay_log_release(&made);
}

void
fill_session(struct fill *f, const char *id, const char *script, size_t large)
{
	struct replay *r = replay_new();
	struct str rest = str_of(script), text;
	sqlite3_stmt *st = prepare(f, "SELECT ifnull(max(sid), 0) + 1 FROM event");
	int64_t sid;

	must(f, sqlite3_step(st), "the next sid");
	sid = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	fill_run(f, "BEGIN");
	step(f, sid, r, STR("create"), large);
	while (rest.len > 0) {
		str_cut(rest, ';', &text, &rest);
		if (str_trim(text).len > 0)
			step(f, sid, r, text, large);
	}
	put_session(f, sid, id, replay_session(r), put_inputs(f, sid, r));
	put_items(f, sid, r);
	put_calls(f, sid, r);
	fill_run(f, "COMMIT");
	replay_free(&r);
}

struct shown {
	struct buf *out;
	enum store_query_kind kind;
};

static void
show_seqs(struct buf *out, int64_t seq, int64_t content_seq)
{
	buf_put_int(out, seq);
	if (content_seq != seq)
		buf_printf(out, "@%lld", (long long)content_seq);
}

static bool
show_row(void *ctx, const struct store_row *row)
{
	struct shown *s = ctx;

	if (s->out->len > 0)
		buf_putc(s->out, ' ');
	if (row->session)
		buf_put_str(s->out, row->session->id);
	if (row->event && s->kind != STORE_LIST_EVENTS)
		buf_printf(s->out, STR_FMT "/", STR_ARG(row->event->session));
	if (row->event)
		buf_put_int(s->out, row->event->ev.seq);
	if (row->input)
		buf_put_str(s->out, row->input->id);
	if (row->input && row->input->content_seq != row->input->seq)
		buf_printf(s->out, "@%lld", (long long)row->input->content_seq);
	if (row->call)
		buf_printf(s->out, STR_FMT ":%d", STR_ARG(row->call->id), (int)row->call->state);
	if (row->item)
		show_seqs(s->out, row->item->ev.seq, row->item->content.seq);
	if (row->record)
		buf_put_str(s->out, row->record->id);
	if (row->key)
		buf_put_str(s->out, row->key->answer);
	return true;
}

void
fill_show(struct fill *f, const struct store_query *q, struct buf *out)
{
	struct shown s = { .out = out, .kind = q->kind };
	struct store_query query = *q;
	struct err e = { 0 };
	struct read read;
	struct db db;
	bool more = false;

	if (db_open(&db, f->path, DB_READER, NULL, &e) != 0)
		fail_msg("%s", e.text);
	read_init(&read, &db, STR("me"));
	if (query.limit == 0)
		query.limit = STORE_PAGE_ROWS_MAX;
	if (read_run(&read, &query, show_row, &s, &more, &e) != 0)
		buf_printf(out, "%serror: %s", out->len > 0 ? " " : "", e.text);
	if (more)
		buf_puts(out, " +");
	read_release(&read);
	db_close(&db);
}

void
fill_check(struct fill *f, const struct fill_query *row)
{
	struct buf got;

	buf_init(&got, 1 << 20);
	fill_show(f, &row->q, &got);
	check_str(row->name, buf_str(&got), str_of(row->want));
	buf_release(&got);
}

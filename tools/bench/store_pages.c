#include "store_pages.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "core/event_make.h"
#include "store/sqlite/sqlite.h"

enum { INDEX_TRIES = 1000, INDEX_PAUSE_US = 20 * 1000 };
enum { LIST_PAGE = 50, LIST_CALLS = 20, OTHERS = 3, ITEM_EVENTS = 4, TEXT_BYTES = 440 };

static const char FILL[] =
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
	"INSERT INTO session SELECT i, printf('sesn_%%032d', i), 'main', 1, 'local-default', "
	"'main', "
	"NULL, NULL, NULL, '{\"kind\":\"api\"}', NULL, 0, 1, 1, zeroblob(32), 0, 0, 0, 0, NULL, 0, "
	"0, 0, NULL, 0, 0, 0, NULL, 0, printf('Session %%d of a busy year', i), "
	"'The last message, on one line and shortened, as lists show it', 2, 1, 0, 0, 0, 0, 0, 0, "
	"0, 0, 0, 0, 1800000000000 + i * 7919 %% 1000003 FROM n";

static void
give_up(const char *what)
{
	fprintf(stderr, "store_pages: %s\n", what);
	abort();
}

static struct store *
open_store(const char *directory)
{
	struct store_sqlite_config config = { .directory = directory, .incarnation = STR("bench") };
	struct store *s = NULL;
	struct err e;

	if (store_sqlite_open(&s, &config, (struct store_owner){ 0 }, &e) != 0)
		give_up(e.text);
	return s;
}

struct store *
store_pages_open_listed(const char *directory, int sessions)
{
	struct store *s = open_store(directory); /* makes the tables */
	char path[4096], sql[1024];
	sqlite3 *db;

	store_free(&s);
	snprintf(path, sizeof path, "%s/perdure.db", directory);
	snprintf(sql, sizeof sql, FILL, sessions);
	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_exec(db, "PRAGMA cache_size=-400000", NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		give_up(sqlite3_errmsg(db));
	sqlite3_close(db);
	return open_store(directory);
}

static void
on_done(void *ctx, const struct store_result *r)
{
	if (r->rc != 0)
		give_up(r->err.text);
	*(bool *)ctx = true;
}

static void
append(struct store *s, const struct store_item *item)
{
	bool done = false;

	store_append(s, item, on_done, &done);
	while (!done) {
		store_wait(s, 1000);
		store_dispatch(s);
	}
}

static void
create(struct store *s, struct arena *a, struct str session)
{
	struct make_created m = { .agent_id = STR("main"),
				  .agent_version = 1,
				  .environment_id = STR("local-default"),
				  .source = STR("{\"kind\":\"api\"}") };
	struct event ev = { .id = arena_printf(a, STR_FMT "-created", STR_ARG(session)),
			    .kind = EVENT_SESSION_CREATED,
			    .author = AUTHOR_SYSTEM,
			    .created_at_ms = 1 };
	struct buf out;

	buf_init(&out, 4096);
	event_make_created(&out, &m);
	ev.payload = buf_str(&out);
	append(s, &(struct store_item){ .session = session,
					.require.absent = true,
					.events = &ev,
					.event_count = 1 });
	buf_release(&out);
}

static void
append_messages(struct store *s, struct arena *a, struct str session, int first)
{
	struct event events[ITEM_EVENTS];

	for (int i = 0; i < ITEM_EVENTS; i++)
		events[i] = (struct event){
			.id = arena_printf(a, "evt_" STR_FMT "%030d", STR_ARG(session), first + i),
			.kind = EVENT_USER_MESSAGE,
			.author = AUTHOR_USER,
			.created_at_ms = 2 + first + i,
			.meta = STR("{\"class\":\"passive\"}"),
			.payload = arena_printf(a,
						"{\"type\":\"user.message\",\"content\":[{\"type\":"
						"\"text\",\"text\":\"%0*d\"}]}",
						TEXT_BYTES, first + i),
		};
	append(s, &(struct store_item){
			  .session = session, .events = events, .event_count = ITEM_EVENTS });
}

struct store *
store_pages_open_loaded(const char *directory, int events)
{
	static const struct str SESSIONS[1 + OTHERS] = {
		{ "a", 1 }, { "b", 1 }, { "c", 1 }, { "d", 1 }
	};
	struct store *s = open_store(directory);
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(SESSIONS); i++)
		create(s, &a, SESSIONS[i]);
	for (int at = 1; at < events; at += ITEM_EVENTS)
		for (size_t i = 0; i < ARRAY_LEN(SESSIONS); i++) {
			append_messages(s, &a, SESSIONS[i], at);
			arena_reset(&a);
		}
	arena_release(&a);
	return s;
}

/* A page under way. */
struct page {
	size_t rows, bytes;
	int64_t last;
	bool done, more;
};

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct page *p = ctx;

	p->rows++;
	if (row->event) {
		p->bytes += row->event->ev.payload.len;
		p->last = row->event->ev.seq;
	}
	return true;
}

static void
on_page(void *ctx, int rc, bool more, const struct err *e)
{
	struct page *p = ctx;

	if (rc != 0)
		give_up(e->text);
	p->more = more;
	p->done = true;
}

static void
read_page(struct store *s, const struct store_query *q, struct page *p)
{
	p->done = false;
	store_read(s, q, on_row, on_page, p);
	while (!p->done) {
		store_wait(s, 1000);
		store_dispatch(s);
	}
}

double
store_pages_list_ms(struct store *s)
{
	struct store_query q = { .kind = STORE_LIST_SESSIONS, .limit = LIST_PAGE };
	int64_t start_ns = clock_monotonic_ns();

	for (int i = 0; i < LIST_CALLS; i++) {
		struct page p = { 0 };
		read_page(s, &q, &p);
		if (p.rows != LIST_PAGE)
			give_up("the list is short");
	}
	return (double)(clock_monotonic_ns() - start_ns) / 1e6 / LIST_CALLS;
}

double
store_pages_load_ms(struct store *s)
{
	int64_t start_ns = clock_monotonic_ns();
	struct page p = { .more = true };

	while (p.more)
		read_page(s,
			  &(struct store_query){ .kind = STORE_LIST_EVENTS,
						 .session = STR("a"),
						 .after = p.last,
						 .limit = STORE_PAGE_ROWS_MAX },
			  &p);
	if (p.rows < 10000)
		give_up("the transcript is short");
	return (double)(clock_monotonic_ns() - start_ns) / 1e6;
}

/* The index follows the log in order: when the last message is found, all are. */
void
store_pages_await_index(struct store *s)
{
	struct store_query q = { .kind = STORE_SEARCH, .text = STR("lastofall"), .limit = 1 };
	struct event ev = {
		.id = STR("evt_last"),
		.kind = EVENT_USER_MESSAGE,
		.author = AUTHOR_USER,
		.created_at_ms = clock_now_ms(),
		.meta = STR("{\"class\":\"passive\"}"),
		.payload =
			STR("{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":"
			    "\"lastofall\"}]}"),
	};
	struct arena a;

	arena_init(&a);
	create(s, &a, STR("last"));
	append(s, &(struct store_item){ .session = STR("last"), .events = &ev, .event_count = 1 });
	for (int tries = 0; tries < INDEX_TRIES; tries++) {
		struct page p = { 0 };
		read_page(s, &q, &p);
		if (p.rows > 0)
			break;
		usleep(INDEX_PAUSE_US);
	}
	arena_release(&a);
}

#include "app/check.h"

#include <string.h>

#include "app/check_report.h"
#include "app/check_session.h"
#include "base/arena.h"
#include "base/vec.h"
#include "store/sqlite/integrity.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/view.h"
#include "store/store.h"

enum { PATH_BYTES = 4096, SESSIONS_PER_PAGE = 100 };
static const char DEFAULT_DIRECTORY[] = "data";

static const char HELP[] =
	"usage: perdure check [--data DIR] [--json]\n\n"
	"Verifies a data directory that no server holds: every log's hash chain and order, every\n"
	"projection against a replay of its log, every blob's digest, and the database file\n"
	"itself. Nothing is changed. DIR is ./data unless given.\n\n"
	"Each problem is one line, then a summary; with --json each line is an object. Exit "
	"codes:\n"
	"0 all is well, 1 problems were found, 2 usage, 3 the data could not be read.\n";

/* One page of the session list: ids to be checked when the page is complete. */
struct page {
	struct arena ids;
	VEC(struct str) list;
	int64_t last_ms;
};

static bool
on_session(void *ctx, const struct store_row *row)
{
	struct page *p = ctx;

	*vec_push(&p->list) = arena_str(&p->ids, row->session->id);
	p->last_ms = row->session->row.counters.last_activity_ms;
	return true;
}

static int
next_page(struct store *s, struct page *p, bool *more, struct err *e)
{
	char last[STORE_ID_MAX];
	struct store_query q = { .kind = STORE_LIST_SESSIONS, .limit = SESSIONS_PER_PAGE };

	if (p->list.len > 0) {
		struct str id = p->list.ptr[p->list.len - 1];
		size_t len = id.len < sizeof last ? id.len : sizeof last;
		memcpy(last, id.ptr, len);
		q.cursor_id = (struct str){ last, len };
		q.cursor_ms = p->last_ms;
	}
	vec_clear(&p->list);
	arena_reset(&p->ids);
	return check_read(s, &q, on_session, p, more, e);
}

/* A row that cannot be read hides those behind it. */
static int
check_sessions(struct store *s, struct check_report *report, struct err *e)
{
	struct page p = { 0 };
	bool more = true;
	int rc = 0;

	arena_init(&p.ids);
	while (rc == 0 && more) {
		rc = next_page(s, &p, &more, e);
		if (rc == ERR_CORRUPT) {
			check_report_problem(report, (struct str){ 0 }, 0, e->text);
			check_report_problem(report, (struct str){ 0 }, 0,
					     "the sessions behind it were not checked");
			rc = 0;
			more = false;
		}
		for (size_t i = 0; rc == 0 && i < p.list.len; i++)
			rc = check_session(s, p.list.ptr[i], report, e);
	}
	vec_release(&p.list);
	arena_release(&p.ids);
	return rc;
}

static void
on_found(void *ctx, struct str session, int64_t seq, const char *what)
{
	check_report_problem(ctx, session, seq, what);
}

static int
check_store(const char *path, struct check_report *report, struct err *e)
{
	struct store *s = NULL;
	int rc = store_sqlite_view(&s, path, (struct store_owner){ 0 }, e);

	if (rc != 0)
		return rc;
	rc = check_sessions(s, report, e);
	store_free(&s);
	return rc == 0 ? integrity_check(path, on_found, report, e) : rc;
}

int
check_directory(const struct check_options *o, FILE *out, struct err *e)
{
	struct check_report report = { .out = out, .json = o->json };
	struct lock lock;
	char path[PATH_BYTES];
	int rc = lock_take(&lock, o->directory, e);

	if (rc != 0)
		return rc;
	if ((size_t)snprintf(path, sizeof path, "%s/perdure.db", o->directory) >= sizeof path)
		rc = err_set(e, ERR_INVALID, "the data directory's path is too long");
	if (rc == 0)
		rc = check_store(path, &report, e);
	lock_release(&lock);
	if (rc != 0)
		return rc;
	check_report_summary(&report);
	if (report.problems > 0)
		return err_set(e, ERR_MISMATCH, "%s is damaged", o->directory);
	return 0;
}

static int
parse_options(int argc, char **argv, struct check_options *o, struct err *e)
{
	for (int i = 1; i < argc; i++) {
		struct str arg = str_of(argv[i]);
		if (str_eq(arg, STR("--json")))
			o->json = true;
		else if (str_eq(arg, STR("--data")) && i + 1 < argc)
			o->directory = argv[++i];
		else
			return err_set(e, ERR_USAGE, "'%.60s' is not understood; see --help",
				       argv[i]);
	}
	return 0;
}

int
check_run(int argc, char **argv, struct err *e)
{
	struct check_options o = { .directory = DEFAULT_DIRECTORY };
	int rc;

	if (argc > 1 &&
	    (str_eq(str_of(argv[1]), STR("--help")) || str_eq(str_of(argv[1]), STR("-h")))) {
		fputs(HELP, stdout);
		return 0;
	}
	rc = parse_options(argc, argv, &o, e);
	if (rc != 0)
		return rc;
	rc = check_directory(&o, stdout, e);
	if (rc == 0 || rc == ERR_MISMATCH)
		return rc;
	e->code = ERR_IO; /* held by a server, absent, unreadable: it was not checked */
	return ERR_IO;
}

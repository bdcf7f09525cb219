#include "app/check_session.h"

#include <stdarg.h>
#include <string.h>

#include "app/check_session_private.h"

enum { WAIT_MS = 1000 };

struct page {
	store_row_fn *row;
	void *ctx;
	bool done, more;
	int rc;
	struct err err;
};

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct page *p = ctx;

	return p->row(p->ctx, row);
}

static void
on_done(void *ctx, int rc, bool more, const struct err *err)
{
	struct page *p = ctx;

	p->done = true;
	p->rc = rc;
	p->more = more;
	p->err = *err;
}

int
check_read(struct store *s, const struct store_query *q, store_row_fn *row, void *ctx, bool *more,
	   struct err *e)
{
	struct page p = { .row = row, .ctx = ctx };

	store_read(s, q, on_row, on_done, &p);
	while (!p.done) {
		store_wait(s, WAIT_MS);
		store_dispatch(s);
	}
	if (p.rc != 0)
		return err_set(e, p.rc, "%s", p.err.text);
	*more = p.more;
	return 0;
}

void
check_same_int(struct check_session *c, int64_t seq, const char *what, int64_t stored,
	       int64_t replayed)
{
	char a[24], b[24];

	if (stored == replayed)
		return;
	snprintf(a, sizeof a, "%lld", (long long)stored);
	snprintf(b, sizeof b, "%lld", (long long)replayed);
	check_report_differs(c->report, c->id, seq, what, str_of(a), str_of(b));
}

void
check_same_str(struct check_session *c, int64_t seq, const char *what, struct str stored,
	       struct str replayed)
{
	if (!str_eq(stored, replayed))
		check_report_differs(c->report, c->id, seq, what, stored, replayed);
}

void
check_found(struct check_session *c, int64_t seq, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	check_report_problem(c->report, c->id, seq, text);
}

/* The store's sentences name the session; ours begin with it. */
static const char *
without_session(const char *text, struct str id)
{
	struct str rest = str_of(text);

	if (!str_starts(rest, STR("session ")) || !str_starts(str_slice(rest, 8, rest.len), id))
		return text;
	rest = str_slice(rest, 8 + id.len, rest.len);
	return str_starts(rest, STR(": ")) || str_starts(rest, STR(", ")) ? rest.ptr + 2 : text;
}

/* Damage that stops a read is a problem of this session, and the next one may be whole. */
static int
tolerate(struct check_session *c, int rc, const struct err *e)
{
	if (rc != ERR_CORRUPT)
		return rc;
	check_report_problem(c->report, c->id, 0, without_session(e->text, c->id));
	return 0;
}

int
check_session(struct store *s, struct str id, struct check_report *report, struct err *e)
{
	struct check_session c = { .store = s, .report = report, .id = id };
	int rc;

	arena_init(&c.kept);
	arena_init(&c.scratch);
	sha256_init(&c.hash);
	c.replay = replay_new();
	rc = tolerate(&c, check_session_log(&c, e), e);
	if (rc == 0 && !c.broken)
		rc = tolerate(&c, check_session_row(&c, e), e);
	if (rc == 0 && !c.broken)
		rc = tolerate(&c, check_session_lists(&c, e), e);
	report->sessions++;
	replay_free(&c.replay);
	sha256_release(&c.hash);
	vec_release(&c.processed);
	arena_release(&c.kept);
	arena_release(&c.scratch);
	return rc;
}

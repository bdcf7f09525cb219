#include "await.h"

#include "base/clock.h"

struct append_wait {
	bool done;
	struct store_result result;
};
struct read_wait {
	bool done, more;
	int rc;
	struct err err;
	store_row_fn *row;
	void *ctx;
};

bool
await_flag(struct store *s, const bool *done)
{
	int64_t deadline_ns = clock_monotonic_ns() + (int64_t)AWAIT_MS * 1000000;

	while (!*done && clock_monotonic_ns() < deadline_ns) {
		store_wait(s, 100);
		store_dispatch(s);
	}
	return *done;
}

static void
on_appended(void *ctx, const struct store_result *result)
{
	struct append_wait *w = ctx;

	w->result = *result;
	w->result.session = w->result.answer = (struct str){ 0 };
	w->done = true;
}

struct store_result
await_append(struct store *s, const struct store_item *item)
{
	struct append_wait w = { 0 };

	store_append(s, item, on_appended, &w);
	if (!await_flag(s, &w.done))
		w.result.rc = err_set(&w.result.err, ERR_TIMEOUT, "the store never answered");
	return w.result;
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct read_wait *w = ctx;

	return w->row(w->ctx, row);
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct read_wait *w = ctx;

	w->rc = rc;
	w->more = more;
	if (rc != 0)
		w->err = *err;
	w->done = true;
}

int
await_read(struct store *s, const struct store_query *q, store_row_fn *row, void *ctx, bool *more,
	   struct err *e)
{
	struct read_wait w = { .row = row, .ctx = ctx };

	store_read(s, q, on_row, on_read, &w);
	if (!await_flag(s, &w.done))
		return err_set(e, ERR_TIMEOUT, "the store never answered a read");
	*more = w.more;
	if (w.rc != 0 && e)
		*e = w.err;
	return w.rc;
}

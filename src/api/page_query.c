#include "api/page_query.h"

static int
read_bound(struct exchange *x, const char *name, const char *op, int64_t *out, struct err *e)
{
	struct str full = arena_printf(x->arena, "%s[%s]", name, op);

	return exchange_query_instant(x, full.ptr, out, e);
}

int
page_query_range(struct exchange *x, const char *name, int64_t *from_ms, int64_t *until_ms,
		 struct err *e)
{
	int64_t gt = INT64_MIN, gte = INT64_MIN, lt = INT64_MAX, lte = INT64_MAX;
	int rc = read_bound(x, name, "gt", &gt, e);

	if (rc == 0)
		rc = read_bound(x, name, "gte", &gte, e);
	if (rc == 0)
		rc = read_bound(x, name, "lt", &lt, e);
	if (rc == 0)
		rc = read_bound(x, name, "lte", &lte, e);
	if (rc != 0)
		return rc;
	if (gt != INT64_MIN && gt + 1 > gte)
		gte = gt + 1;
	if (lt != INT64_MAX && lt - 1 < lte)
		lte = lt - 1;
	if (gte > *from_ms)
		*from_ms = gte;
	if (lte < *until_ms)
		*until_ms = lte;
	return 0;
}

int
page_query_order(struct exchange *x, bool *descending, struct err *e)
{
	struct str order = { 0 };
	int rc = exchange_query_str(x, "order", &order, e);

	if (rc != 0 || !order.ptr)
		return rc;
	if (!str_eq(order, STR("asc")) && !str_eq(order, STR("desc")))
		return err_set(e, ERR_INVALID, "order: must be asc or desc");
	*descending = str_eq(order, STR("desc"));
	return 0;
}

int
page_query_kinds(struct exchange *x, const char *name, uint64_t allowed, uint64_t *out,
		 struct err *e)
{
	enum event_kind kind;
	struct str word;

	for (size_t at = 0; query_next(&x->query, str_of(name), &at, &word);) {
		if (!event_kind_parse(word, &kind) || !(allowed >> kind & 1))
			return err_set(e, ERR_INVALID,
				       "%s: " STR_FMT " is not one of the types it takes", name,
				       STR_ARG(str_slice(word, 0, 64)));
		*out |= UINT64_C(1) << kind;
	}
	return 0;
}

int
page_query_cursor(struct exchange *x, char list, struct cursor *out, bool *given, struct err *e)
{
	struct str page = { 0 };
	int rc = exchange_query_str(x, "page", &page, e);

	*given = false;
	*out = (struct cursor){ .list = list, .filters = cursor_filters(&x->query) };
	if (rc != 0 || !page.ptr)
		return rc;
	*given = true;
	return cursor_parse(x->arena, page, list, out->filters, out, e);
}

void
page_query_close(struct exchange *x, struct buf *out, const struct cursor *next)
{
	buf_put_str(out, STR("],\"next_page\":"));
	if (next) {
		buf_putc(out, '"');
		buf_put_str(out, cursor_format(x->arena, next));
		buf_putc(out, '"');
	} else {
		buf_put_str(out, STR("null"));
	}
	buf_putc(out, '}');
}

#include "core/title_lineage.h"

#include "base/utf8.h"

enum { NUMBER_MAX = 1000000 };

int
title_lineage_check(struct str title, struct err *e)
{
	if (str_trim(title).len == 0)
		return err_set(e, ERR_INVALID, "the title is empty");
	if (!utf8_valid(title))
		return err_set(e, ERR_INVALID, "the title is no UTF-8 text");
	for (size_t i = 0; i < title.len; i++)
		if ((unsigned char)title.ptr[i] < 0x20 || title.ptr[i] == 0x7f)
			return err_set(e, ERR_INVALID,
				       "a title is one line without control characters");
	if (utf8_count(title) > TITLE_CHARS_MAX)
		return err_set(e, ERR_INVALID, "the title has %zu characters; at most %d fit",
			       utf8_count(title), TITLE_CHARS_MAX);
	return 0;
}

/* "trip #3": base "trip", number 3; anything else is its own base, as number 1. */
static struct str
split(struct str title, int64_t *number)
{
	size_t at = title.len;

	*number = 1;
	while (at > 0 && title.ptr[at - 1] >= '0' && title.ptr[at - 1] <= '9')
		at--;
	if (at < 3 || at == title.len || title.ptr[at] == '0' || title.ptr[at - 1] != '#' ||
	    title.ptr[at - 2] != ' ')
		return title;
	if (!str_to_int(str_slice(title, at, title.len), number) || *number < 2 ||
	    *number >= NUMBER_MAX) {
		*number = 1;
		return title;
	}
	return str_slice(title, 0, at - 2);
}

struct title_lineage
title_lineage_of(struct str wanted)
{
	int64_t number;

	return (struct title_lineage){ .wanted = wanted, .base = split(wanted, &number) };
}

void
title_lineage_see(struct title_lineage *l, struct str title)
{
	int64_t number;

	if (!str_eq(split(title, &number), l->base))
		return;
	if (str_eq(title, l->wanted))
		l->taken = true;
	if (number > l->last)
		l->last = number;
}

struct str
title_lineage_next(const struct title_lineage *l, struct arena *a)
{
	int64_t own, number;
	struct str tail, base = l->base;

	split(l->wanted, &own);
	number = (own > l->last ? own : l->last) + 1;
	tail = arena_printf(a, " #%lld", (long long)number);
	while (utf8_count(base) + tail.len > TITLE_CHARS_MAX)
		base.len = utf8_floor(base, base.len - 1);
	return arena_printf(a, STR_FMT STR_FMT, STR_ARG(base), STR_ARG(tail));
}

struct str
title_lineage_free(const struct title_lineage *l, struct arena *a)
{
	return l->taken ? title_lineage_next(l, a) : l->wanted;
}

/* definition_rows - rows about an object that bodies make and change: what comes out, or the refusal. */
#pragma once
#include "core/definition.h"
#include "json_of.h"

enum { ROWS_NOW_MS = 1000, ROWS_LATER_MS = 2000 };

/* Quotes are written as ' in rows. */
struct definition_row {
	const char *name;
	const char *made;   /* the body that makes it */
	const char *change; /* the body that changes it; NULL: only made */
	const char *want;   /* a part of the object, or "error: …" with a part of the refusal, or
			     * "conflict: …", or "same" when nothing changed */
};

typedef int definition_row_fn(struct json current, int64_t now_ms, struct json body,
			      struct arena *a, struct definition_text *out, struct err *e);

static inline const char *
quoted(struct arena *a, const char *text)
{
	struct str copy = arena_str(a, str_of(text));
	char *out = arena_alloc(a, copy.len + 1);

	for (size_t i = 0; i < copy.len; i++)
		out[i] = copy.ptr[i] == '\'' ? '"' : copy.ptr[i];
	return out;
}

static inline void
check_refusal(const struct definition_row *row, struct arena *a, struct str want, int rc,
	      const struct err *e)
{
	struct str code, part;

	str_cut(want, ' ', &code, &part);
	assert_int_equal(rc, str_eq(code, STR("conflict:")) ? ERR_CONFLICT : ERR_INVALID);
	if (!str_contains(str_of(quoted(a, e->text)), part))
		fail_msg("%s: '%s'", row->name, e->text);
}

static inline void
definition_row_holds(const struct definition_row *row, definition_row_fn *make)
{
	struct definition_text out = { 0 };
	struct err e = { 0 };
	struct arena a;
	struct str want;
	int rc;

	arena_init(&a);
	want = str_of(quoted(&a, row->want));
	rc = make((struct json){ 0 }, ROWS_NOW_MS, json_of(quoted(&a, row->made), &a), &a, &out,
		  &e);
	if (row->change) {
		struct definition_text made = out;

		if (rc != 0)
			fail_msg("%s: %s", row->name, e.text);
		rc = make(json_of(made.text.ptr, &a), ROWS_LATER_MS,
			  json_of(quoted(&a, row->change), &a), &a, &out, &e);
		if (rc == 0) {
			assert_int_equal(out.changed, !str_eq(want, STR("same")));
			if (!out.changed)
				check_str(row->name, out.text, made.text);
		}
	}
	if (str_starts(want, STR("error:")) || str_starts(want, STR("conflict:")))
		check_refusal(row, &a, want, rc, &e);
	else if (rc != 0)
		fail_msg("%s: %s", row->name, e.text);
	else if (!str_eq(want, STR("same")) && !str_contains(out.text, want))
		fail_msg("%s:\n  got  " STR_FMT "\n  want " STR_FMT, row->name, STR_ARG(out.text),
			 STR_ARG(want));
	arena_release(&a);
}

/* Where a list ends: count entries (with their number in place of #) between head and tail. */
struct list_end {
	const char *name;
	const char *head, *entry, *tail;
	size_t max;
	const char *refusal; /* of one more */
};

static inline void
list_end_holds(const struct list_end *row, definition_row_fn *make)
{
	for (size_t more = 0; more < 2; more++) {
		struct definition_text out;
		struct err e = { 0 };
		struct arena a;
		struct buf body;
		int rc;

		arena_init(&a);
		buf_init(&body, 1 << 20);
		buf_puts(&body, row->head);
		for (size_t i = 0; i < row->max + more; i++) {
			buf_puts(&body, i > 0 ? "," : "");
			for (const char *c = row->entry; *c; c++) {
				if (*c == '#')
					buf_put_int(&body, (int64_t)i);
				else
					buf_putc(&body, *c);
			}
		}
		buf_puts(&body, row->tail);
		buf_putc(&body, '\0');
		rc = make((struct json){ 0 }, ROWS_NOW_MS, json_of(quoted(&a, body.ptr), &a), &a,
			  &out, &e);
		if (rc != (more ? ERR_INVALID : 0))
			fail_msg("%s: %d %s", row->name, rc, e.text);
		if (more)
			assert_string_equal(e.text, row->refusal);
		buf_release(&body);
		arena_release(&a);
	}
}

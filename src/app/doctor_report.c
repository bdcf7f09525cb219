#include "app/doctor_report.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json_write.h"

enum { FOUND_MAX = 1024 };
static const char *const VERDICTS[] = { "ok", "warn", "fail" };

void
doctor_report_init(struct doctor_report *r)
{
	*r = (struct doctor_report){ 0 };
	arena_init(&r->a);
}

void
doctor_report_release(struct doctor_report *r)
{
	vec_release(&r->items);
	arena_release(&r->a);
}

/* Paths come from people: nothing of them may move the cursor or start a new line. */
static struct str
keep(struct doctor_report *r, const char *text)
{
	struct str kept = arena_str(&r->a, str_of(text));
	char *at = (char *)(uintptr_t)kept.ptr;

	for (size_t i = 0; i < kept.len; i++)
		if ((unsigned char)at[i] < 0x20 || at[i] == 0x7f)
			at[i] = '?';
	return kept;
}

static void
add(struct doctor_report *r, struct doctor_item item, const char *fmt, va_list ap)
{
	char found[FOUND_MAX];

	vsnprintf(found, sizeof found, fmt, ap);
	item.found = keep(r, found);
	r->counts[item.verdict]++;
	*vec_push(&r->items) = item;
}

void
doctor_report_ok(struct doctor_report *r, const char *check, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(r, (struct doctor_item){ .verdict = DOCTOR_OK, .check = check }, fmt, ap);
	va_end(ap);
}

void
doctor_report_add(struct doctor_report *r, enum doctor_verdict verdict, const char *check,
		  const char *advice, const char *fmt, ...)
{
	struct doctor_item item = { .verdict = verdict, .check = check };
	va_list ap;

	item.advice = keep(r, advice);
	va_start(ap, fmt);
	add(r, item, fmt, ap);
	va_end(ap);
}

static void
format_text(const struct doctor_report *r, struct buf *out)
{
	for (size_t i = 0; i < r->items.len; i++) {
		const struct doctor_item *item = &r->items.ptr[i];
		buf_printf(out, "%-4s  %-11s  " STR_FMT "\n", VERDICTS[item->verdict], item->check,
			   STR_ARG(item->found));
		if (item->advice.len > 0)
			buf_printf(out, "%19s" STR_FMT "\n", "-> ", STR_ARG(item->advice));
	}
	buf_printf(out, "%zu checks: %zu ok, %zu to look at, %zu failed\n", r->items.len,
		   r->counts[DOCTOR_OK], r->counts[DOCTOR_WARN], r->counts[DOCTOR_FAIL]);
}

static void
format_json(const struct doctor_report *r, struct buf *out)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_bool(&w, "ok", r->counts[DOCTOR_FAIL] == 0);
	jw_field_int(&w, "warnings", (int64_t)r->counts[DOCTOR_WARN]);
	jw_field_int(&w, "failures", (int64_t)r->counts[DOCTOR_FAIL]);
	jw_field_array(&w, "checks");
	for (size_t i = 0; i < r->items.len; i++) {
		const struct doctor_item *item = &r->items.ptr[i];
		jw_object(&w);
		jw_field_str(&w, "check", str_of(item->check));
		jw_field_str(&w, "verdict", str_of(VERDICTS[item->verdict]));
		jw_field_str(&w, "found", item->found);
		jw_field_opt(&w, "advice", item->advice);
		jw_end_object(&w);
	}
	jw_end_array(&w);
	jw_end_object(&w);
	buf_putc(out, '\n');
}

void
doctor_report_format(const struct doctor_report *r, bool json, struct buf *out)
{
	if (json)
		format_json(r, out);
	else
		format_text(r, out);
}

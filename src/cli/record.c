#include "cli/record.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/timestamp.h"
#include "cli/term_text.h"
#include "cli/time_words.h"
#include "cli/url_text.h"

enum { OUT_MAX = 512 * 1024 * 1024, URL_MAX = 8192, PAGE_MAX = 100, TITLE_COLUMNS = 14 };

static struct str
value_at(struct json object, struct str path, struct arena *a)
{
	struct str name;
	struct json v = object;

	while (path.len > 0) {
		str_cut(path, '.', &name, &path);
		if (!json_find(v, name, &v))
			return (struct str){ 0 };
	}
	switch (json_type(v)) {
	case JSON_NULL: return (struct str){ 0 };
	case JSON_STRING: return json_str(v, a);
	case JSON_FALSE:
	case JSON_TRUE:
	case JSON_NUMBER:
	case JSON_ARRAY:
	case JSON_OBJECT: break;
	}
	return json_raw(v);
}

struct str
record_value(struct json object, const char *path, struct arena *a)
{
	struct str rest = str_of(path), one, value = { 0 };

	while (rest.len > 0 && value.len == 0) {
		str_cut(rest, '|', &one, &rest);
		value = value_at(object, one, a);
	}
	return value;
}

/* ---- lists ---- */

struct listing {
	struct cli_call *call;
	const struct record_field *fields;
	size_t count;
	struct table table;
	struct buf json; /* objects joined by commas */
	int64_t seen, limit;
	struct str next_page;
};

static void
add_record(struct listing *l, struct json object)
{
	struct str cells[TABLE_COLUMNS_MAX];

	l->seen++;
	if (call_wants_json(l->call)) {
		if (l->json.len > 0)
			buf_putc(&l->json, ',');
		buf_put_str(&l->json, json_raw(object));
		return;
	}
	for (size_t i = 0; i < l->count; i++)
		cells[i] = record_value(object, l->fields[i].path, &l->call->a);
	table_row(&l->table, cells);
}

static int
add_page(struct listing *l, struct str url, struct err *e)
{
	struct json page, data, next;
	struct json_iter it;
	int64_t left = l->limit - l->seen;
	struct buf full;
	int rc;

	buf_init(&full, URL_MAX);
	buf_put_str(&full, url);
	url_text_query_int(&full, "limit", l->limit > 0 && left < PAGE_MAX ? left : PAGE_MAX);
	url_text_query(&full, "page", l->next_page);
	rc = call_ask(l->call, "GET", buf_str(&full), (struct str){ 0 }, &page, e);
	buf_release(&full);
	if (rc != 0)
		return rc;
	if (!json_find(page, STR("data"), &data))
		return err_set(e, ERR_IO, "the server's answer is no list");
	it = json_iter(data);
	while (json_next(&it))
		add_record(l, it.value);
	l->next_page = json_find(page, STR("next_page"), &next) && json_type(next) == JSON_STRING
			       ? json_str(next, &l->call->a)
			       : (struct str){ 0 };
	return 0;
}

static void
print_list(struct listing *l)
{
	struct buf out;

	buf_init(&out, OUT_MAX);
	if (call_wants_json(l->call)) {
		struct jw w;

		jw_init(&w, &out);
		jw_object(&w);
		jw_field_array(&w, "data");
		if (l->json.len > 0)
			jw_raw(&w, buf_str(&l->json));
		jw_end_array(&w);
		jw_field_opt(&w, "next_page", l->next_page);
		jw_end_object(&w);
		buf_putc(&out, '\n');
		call_print_foreign(l->call, buf_str(&out));
	} else {
		table_print(&l->table, &l->call->out, clock_now_ms(), &out);
		call_print(buf_str(&out));
	}
	buf_release(&out);
	if (l->call->out.is_terminal && !call_wants_json(l->call)) {
		if (l->seen == 0)
			fputs("none\n", stderr);
		else if (l->next_page.ptr)
			fputs("there are more: --limit 0 shows all\n", stderr);
	}
}

int
record_list(struct cli_call *call, struct str url, const struct record_field *fields, size_t count,
	    int64_t limit, struct err *e)
{
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct listing l = { .call = call, .fields = fields, .count = count, .limit = limit };
	int rc;

	for (size_t i = 0; i < count; i++)
		columns[i] = (struct table_column){ fields[i].title, fields[i].kind };
	table_init(&l.table, &call->a, columns, count);
	buf_init(&l.json, OUT_MAX);
	do
		rc = add_page(&l, url, e);
	while (rc == 0 && l.next_page.ptr && (limit == 0 || l.seen < limit));
	if (rc == 0)
		print_list(&l);
	table_release(&l.table);
	buf_release(&l.json);
	return rc;
}

/* ---- one ---- */

static void
put_value(struct cli_call *call, const struct record_field *f, struct str value, struct buf *out)
{
	char words[TIME_WORDS_MAX];
	int64_t ms;

	if (!call->out.is_terminal) {
		buf_put_str(out, value);
	} else if (f->kind == TABLE_TIME && timestamp_parse(value, &ms)) {
		buf_printf(out, STR_FMT " (" STR_FMT ")", STR_ARG(value),
			   STR_ARG(time_words(clock_now_ms(), ms, words)));
	} else {
		term_text_clean(out, value);
	}
}

void
record_show(struct cli_call *call, struct json object, const struct record_field *fields,
	    size_t count)
{
	struct buf out;

	if (call_wants_json(call)) {
		call_print_foreign_line(call, json_raw(object));
		return;
	}
	buf_init(&out, OUT_MAX);
	for (size_t i = 0; i < count; i++) {
		struct str value = record_value(object, fields[i].path, &call->a);

		if (value.len == 0 || (fields[i].some && str_eq(value, STR("0"))))
			continue;
		if (call->out.is_terminal)
			buf_printf(&out, "%s%-*s%s", terminal_style(&call->out, STYLE_DIM),
				   TITLE_COLUMNS, fields[i].title,
				   terminal_style(&call->out, STYLE_RESET));
		else
			buf_printf(&out, "%s\t", fields[i].title);
		put_value(call, &fields[i], value, &out);
		buf_putc(&out, '\n');
	}
	call_print(buf_str(&out));
	buf_release(&out);
}

void
record_done(struct cli_call *call, struct json object, const char *path)
{
	call_print_foreign_line(call, call_wants_json(call) ? json_raw(object)
							    : record_value(object, path, &call->a));
}

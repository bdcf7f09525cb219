#include "cli/event_table.h"

#include "base/clock.h"
#include "base/vec.h"
#include "cli/event_line.h"
#include "cli/record.h"
#include "cli/table.h"
#include "cli/term_text.h"
#include "cli/url_text.h"

enum { OUT_MAX = 512 * 1024 * 1024, URL_MAX = 8192, PAGE_MAX = 1000, TYPE_COLUMNS = 24 };

static const struct table_column COLUMNS[] = {
	{ "SEQ", TABLE_NUMBER },
	{ "WHEN", TABLE_TIME },
	{ "EVENT", TABLE_TEXT },
	{ "WHAT", TABLE_WIDE },
};

struct events {
	VEC(struct json) newest_first;
};

static struct str
text_of(struct json event, struct arena *a)
{
	struct buf line;
	struct str text;

	buf_init(&line, OUT_MAX);
	event_line_text(event, a, &line);
	text = arena_str(a, buf_str(&line));
	buf_release(&line);
	return text;
}

static void
print_table(struct cli_call *call, const struct events *ev, struct buf *out)
{
	struct table t;

	table_init(&t, &call->a, COLUMNS, ARRAY_LEN(COLUMNS));
	for (size_t i = ev->newest_first.len; i-- > 0;) {
		struct json event = ev->newest_first.ptr[i];
		struct str cells[] = {
			record_value(event, "seq", &call->a),
			record_value(event, "created_at", &call->a),
			record_value(event, "type", &call->a),
			text_of(event, &call->a),
		};

		table_row(&t, cells);
	}
	table_print(&t, &call->out, clock_now_ms(), out);
	table_release(&t);
}

static void
print_json(const struct events *ev, struct buf *out)
{
	buf_puts(out, "{\"data\":[");
	for (size_t i = ev->newest_first.len; i-- > 0;) {
		buf_put_str(out, json_raw(ev->newest_first.ptr[i]));
		if (i > 0)
			buf_putc(out, ',');
	}
	buf_puts(out, "]}\n");
}

static int
ask_page(struct cli_call *call, struct str url, struct str *next, struct events *ev, struct err *e)
{
	struct json page, data, cursor;
	struct json_iter it;
	int rc = call_ask(call, "GET", url, (struct str){ 0 }, &page, e);

	if (rc != 0)
		return rc;
	if (!json_find(page, STR("data"), &data))
		return err_set(e, ERR_IO, "the server's answer is no list");
	it = json_iter(data);
	while (json_next(&it))
		*vec_push(&ev->newest_first) = it.value;
	*next = json_find(page, STR("next_page"), &cursor) && json_type(cursor) == JSON_STRING
			? json_str(cursor, &call->a)
			: (struct str){ 0 };
	return 0;
}

static int
collect(struct cli_call *call, const char *session, int64_t limit, const char *type,
	struct events *ev, struct err *e)
{
	struct str path = call_path(call, "/v1/sessions/", session, "/events?order=desc");
	struct str next = { 0 };
	int64_t left = limit;
	struct buf url;
	int rc = 0;

	buf_init(&url, URL_MAX);
	do {
		buf_clear(&url);
		buf_put_str(&url, path);
		url_text_query_int(&url, "limit", limit > 0 && left < PAGE_MAX ? left : PAGE_MAX);
		url_text_query(&url, "types[]", str_of(type));
		url_text_query(&url, "page", next);
		rc = ask_page(call, buf_str(&url), &next, ev, e);
		left = limit - (int64_t)ev->newest_first.len;
	} while (rc == 0 && next.ptr && (limit == 0 || left > 0));
	buf_release(&url);
	return rc;
}

int
event_table_print(struct cli_call *call, const char *session, int64_t limit, const char *type,
		  struct err *e)
{
	struct events ev = { 0 };
	struct buf out;
	int rc = collect(call, session, limit, type, &ev, e);

	buf_init(&out, OUT_MAX);
	if (rc == 0 && call_wants_json(call)) {
		print_json(&ev, &out);
		call_print_foreign(call, buf_str(&out));
	} else if (rc == 0) {
		print_table(call, &ev, &out);
		call_print(buf_str(&out));
	}
	buf_release(&out);
	vec_release(&ev.newest_first);
	return rc;
}

void
event_table_line(struct cli_call *call, struct json event)
{
	struct arena a;
	struct str seq, type, text;
	struct buf out;

	if (call_wants_json(call)) {
		call_print_foreign_line(call, json_raw(event));
		return;
	}
	arena_init(&a);
	buf_init(&out, OUT_MAX);
	seq = record_value(event, "seq", &a);
	type = record_value(event, "type", &a);
	text = text_of(event, &a);
	if (call->out.is_terminal) {
		size_t used = 6 + 2 + TYPE_COLUMNS + 2, width;

		buf_printf(&out, "%6.*s  %s", (int)seq.len, seq.ptr,
			   terminal_style(&call->out, STYLE_DIM));
		for (width = term_text_fit(&out, type, type.len); width < TYPE_COLUMNS; width++)
			buf_putc(&out, ' ');
		buf_printf(&out, "%s  ", terminal_style(&call->out, STYLE_RESET));
		term_text_fit(&out, text, call->out.columns > used ? call->out.columns - used : 0);
	} else {
		buf_printf(&out, STR_FMT "\t" STR_FMT "\t" STR_FMT "\t" STR_FMT, STR_ARG(seq),
			   STR_ARG(record_value(event, "created_at", &a)), STR_ARG(type),
			   STR_ARG(text));
	}
	call_print_line(buf_str(&out));
	buf_release(&out);
	arena_release(&a);
}

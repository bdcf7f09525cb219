#include "cli/event_line.h"

#include "base/str.h"
#include "cli/term_text.h"

struct str
event_line_field(struct json v, const char *name, struct arena *a)
{
	struct json member;

	return json_find(v, str_of(name), &member) ? json_str(member, a) : (struct str){ 0 };
}

bool
event_line_names(struct json v, const char *name, struct str id)
{
	struct json_iter it;
	struct json list;

	if (!json_find(v, str_of(name), &list))
		return false;
	it = json_iter(list);
	while (json_next(&it))
		if (json_str_eq(it.value, id))
			return true;
	return false;
}

struct str
event_line_content(struct json content, struct arena *a)
{
	struct json_iter it = json_iter(content);
	struct buf text;
	struct str all;

	if (json_type(content) == JSON_STRING)
		return json_str(content, a);
	if (json_type(content) != JSON_ARRAY)
		return (struct str){ 0 };
	buf_init(&text, json_raw(content).len);
	while (json_next(&it)) {
		struct str block = event_line_field(it.value, "text", a);

		if (text.len > 0 && block.len > 0)
			buf_putc(&text, '\n');
		buf_put_str(&text, block);
	}
	all = arena_str(a, buf_str(&text));
	buf_release(&text);
	return all;
}

static struct str
content_of(struct json event, struct arena *a)
{
	struct json content;

	return json_find(event, STR("content"), &content) ? event_line_content(content, a)
							  : (struct str){ 0 };
}

/* The one member of the input that says what the call is about, else all of it. */
static struct str
subject_of(struct json input, struct arena *a)
{
	static const char *const TELLING[] = { "command", "file_path", "pattern", "path",
					       "url",     "query",     "message", "name" };

	for (size_t i = 0; i < ARRAY_LEN(TELLING); i++) {
		struct str text = event_line_field(input, TELLING[i], a);

		if (text.len > 0)
			return text;
	}
	return json_count(input) > 0 ? json_raw(input) : (struct str){ 0 };
}

void
event_line_call(struct json event, struct arena *a, struct buf *out)
{
	struct str name = event_line_field(event, "name", a), subject = { 0 };
	struct json input;

	if (json_find(event, STR("input"), &input))
		subject = subject_of(input, a);
	term_text_line(out, name);
	if (subject.len > 0) {
		buf_puts(out, ": ");
		term_text_line(out, subject);
	}
}

static void
put_stop(struct json event, struct arena *a, struct buf *out)
{
	struct json stop;

	if (json_find(event, STR("stop_reason"), &stop))
		buf_put_str(out, event_line_field(stop, "type", a));
}

static void
put_error(struct json event, struct arena *a, struct buf *out)
{
	struct json error;

	if (json_find(event, STR("error"), &error))
		term_text_line(out, event_line_field(error, "message", a));
}

void
event_line_text(struct json event, struct arena *a, struct buf *out)
{
	struct str type = event_line_field(event, "type", a);
	struct json is_error;

	if (str_ends(type, STR("tool_use"))) {
		event_line_call(event, a, out);
	} else if (str_ends(type, STR("_result"))) {
		if (json_find(event, STR("is_error"), &is_error) &&
		    json_type(is_error) == JSON_TRUE)
			buf_puts(out, "error: ");
		term_text_line(out, content_of(event, a));
	} else if (str_eq(type, STR("session.status_idle"))) {
		put_stop(event, a, out);
	} else if (str_eq(type, STR("session.error"))) {
		put_error(event, a, out);
	} else if (str_eq(type, STR("user.tool_confirmation"))) {
		term_text_line(out, event_line_field(event, "result", a));
	} else if (str_eq(type, STR("session.status_rescheduled"))) {
		term_text_line(out, event_line_field(event, "reason", a));
	} else if (str_eq(type, STR("session.updated"))) {
		term_text_line(out, event_line_field(event, "title", a));
	} else {
		term_text_line(out, content_of(event, a));
	}
}

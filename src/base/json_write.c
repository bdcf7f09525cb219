#include "base/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_tape.h"
#include "base/utf8.h"

enum { DEPTH_MAX = 64 };

void
jw_init(struct jw *w, struct buf *out)
{
	*w = (struct jw){ .out = out, .first = true };
}

static bool
in_object(const struct jw *w)
{
	return w->depth > 0 && (w->in_object >> (w->depth - 1) & 1);
}

static void
must(bool ok)
{
	if (UNLIKELY(!ok))
		abort();
}

/* A value may stand here: writes the comma before it. */
static void
begin_value(struct jw *w)
{
	if (in_object(w)) {
		must(w->after_key);
	} else {
		must(w->depth > 0 || w->first);
		if (!w->first)
			buf_putc(w->out, ',');
	}
	w->after_key = false;
	w->first = false;
}

static void
begin(struct jw *w, char bracket, bool object)
{
	must(w->depth < DEPTH_MAX);
	begin_value(w);
	buf_putc(w->out, bracket);
	w->in_object &= ~(UINT64_C(1) << w->depth);
	w->in_object |= (uint64_t)object << w->depth;
	w->depth++;
	w->first = true;
}

static void
end(struct jw *w, char bracket, bool object)
{
	must(w->depth > 0 && in_object(w) == object && !w->after_key);
	buf_putc(w->out, bracket);
	w->depth--;
	w->first = false;
}

void
jw_object(struct jw *w)
{
	begin(w, '{', true);
}

void
jw_end_object(struct jw *w)
{
	end(w, '}', true);
}

void
jw_array(struct jw *w)
{
	begin(w, '[', false);
}

void
jw_end_array(struct jw *w)
{
	end(w, ']', false);
}

static void
put_quoted(struct buf *out, struct str text)
{
	buf_putc(out, '"');
	json_escape(out, text);
	buf_putc(out, '"');
}

void
jw_key(struct jw *w, struct str name)
{
	must(in_object(w) && !w->after_key);
	if (!w->first)
		buf_putc(w->out, ',');
	put_quoted(w->out, name);
	buf_putc(w->out, ':');
	w->first = false;
	w->after_key = true;
}

void
jw_null(struct jw *w)
{
	begin_value(w);
	buf_puts(w->out, "null");
}

void
jw_bool(struct jw *w, bool value)
{
	begin_value(w);
	buf_puts(w->out, value ? "true" : "false");
}

void
jw_int(struct jw *w, int64_t value)
{
	begin_value(w);
	buf_put_int(w->out, value);
}

void
jw_double(struct jw *w, double value)
{
	char text[32];

	must(isfinite(value));
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	begin_value(w);
	buf_puts(w->out, text);
}

void
jw_str(struct jw *w, struct str text)
{
	begin_value(w);
	put_quoted(w->out, text);
}

void
jw_raw(struct jw *w, struct str json)
{
	begin_value(w);
	buf_put_str(w->out, json);
}

/* The byte that cannot stand as it is; NUL counts as ill-formed, for the reader refuses it. */
static void
escape_byte(struct buf *out, char c)
{
	static const char HEX[] = "0123456789abcdef";

	switch (c) {
	case '"': buf_puts(out, "\\\""); break;
	case '\\': buf_puts(out, "\\\\"); break;
	case '\n': buf_puts(out, "\\n"); break;
	case '\r': buf_puts(out, "\\r"); break;
	case '\t': buf_puts(out, "\\t"); break;
	case '\b': buf_puts(out, "\\b"); break;
	case '\f': buf_puts(out, "\\f"); break;
	default:
		if (c > 0 &&
		    c < 0x20) { /* by hand: a text may be nothing else, and printf is slow */
			char hex[] = { '\\', 'u', '0', '0', (char)('0' + (c >> 4)), HEX[c & 15] };

			buf_put(out, hex, sizeof hex);
		} else {
			buf_puts(out, "\xef\xbf\xbd");
		}
	}
}

void
json_escape(struct buf *out, struct str text)
{
	const char *run = text.ptr, *at = run;
	const char *end =
		text.len > 0 ? run + text.len : run; /* an empty view may have no pointer */

	while (at < end) {
		const char *next = json_skip_plain(at, end);

		if (next < end)
			next = utf8_skip_wide(next, end);
		if (next < end && !json_is_plain(*next)) {
			buf_put(out, run, (size_t)(next - run));
			escape_byte(out, *next);
			run = ++next;
		}
		at = next;
	}
	buf_put(out, run, (size_t)(end - run));
}

void
jw_field_str(struct jw *w, const char *name, struct str value)
{
	jw_key(w, str_of(name));
	jw_str(w, value);
}

void
jw_field_opt(struct jw *w, const char *name, struct str value)
{
	jw_key(w, str_of(name));
	if (value.ptr)
		jw_str(w, value);
	else
		jw_null(w);
}

void
jw_field_int(struct jw *w, const char *name, int64_t value)
{
	jw_key(w, str_of(name));
	jw_int(w, value);
}

void
jw_field_bool(struct jw *w, const char *name, bool value)
{
	jw_key(w, str_of(name));
	jw_bool(w, value);
}

void
jw_field_null(struct jw *w, const char *name)
{
	jw_key(w, str_of(name));
	jw_null(w);
}

void
jw_field_raw(struct jw *w, const char *name, struct str json)
{
	jw_key(w, str_of(name));
	jw_raw(w, json);
}

void
jw_field_object(struct jw *w, const char *name)
{
	jw_key(w, str_of(name));
	jw_object(w);
}

void
jw_field_array(struct jw *w, const char *name)
{
	jw_key(w, str_of(name));
	jw_array(w);
}

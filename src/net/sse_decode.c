#include "net/sse_decode.h"

static const struct str BOM = { "\xef\xbb\xbf", 3 };

void
sse_decode_init(struct sse_decode *d, size_t max_bytes, sse_decode_fn fn, void *context)
{
	*d = (struct sse_decode){ .fn = fn, .context = context, .max_bytes = max_bytes };
	buf_init(&d->line, max_bytes);
	buf_init(&d->name, max_bytes);
	buf_init(&d->data, max_bytes);
	buf_init(&d->next_id, max_bytes);
	buf_init(&d->last_id, max_bytes);
}

void
sse_decode_release(struct sse_decode *d)
{
	buf_release(&d->line);
	buf_release(&d->name);
	buf_release(&d->data);
	buf_release(&d->next_id);
	buf_release(&d->last_id);
}

void
sse_decode_restart(struct sse_decode *d)
{
	buf_clear(&d->line);
	buf_clear(&d->name);
	buf_clear(&d->data);
	buf_clear(&d->next_id);
	buf_put_str(&d->next_id, buf_str(&d->last_id));
	d->bom_seen = 0;
	d->in_comment = d->skip_lf = d->has_data = d->stopped = false;
}

static void
replace(struct buf *b, struct str text)
{
	buf_clear(b);
	buf_put_str(b, text);
}

static void
take_retry(struct sse_decode *d, struct str value)
{
	int64_t retry_ms;

	for (size_t i = 0; i < value.len; i++)
		if (value.ptr[i] < '0' || value.ptr[i] > '9')
			return;
	if (str_to_int(value, &retry_ms))
		d->retry_ms = retry_ms;
}

static int
take_data(struct sse_decode *d, struct str value, struct err *e)
{
	if (d->has_data)
		buf_putc(&d->data, '\n');
	d->has_data = true;
	buf_put_str(&d->data, value);
	return buf_check(&d->data, "the data of a server-sent event", e);
}

static int
take_field(struct sse_decode *d, struct str line, struct err *e)
{
	struct str field, value;

	if (str_cut(line, ':', &field, &value) && value.len > 0 && value.ptr[0] == ' ')
		value = str_slice(value, 1, value.len);
	if (str_eq(field, STR("data")))
		return take_data(d, value, e);
	if (str_eq(field, STR("event")))
		replace(&d->name, value);
	else if (str_eq(field, STR("id")) && !(value.len > 0 && memchr(value.ptr, '\0', value.len)))
		replace(&d->next_id, value);
	else if (str_eq(field, STR("retry")))
		take_retry(d, value);
	return 0;
}

/* A blank line. Without data it is no event, but its id counts. */
static void
finish_block(struct sse_decode *d)
{
	struct sse_event event = { .name = buf_str(&d->name), .retry_ms = d->retry_ms };

	replace(&d->last_id, buf_str(&d->next_id));
	event.id = buf_str(&d->last_id);
	event.data = d->data.len > 0 ? buf_str(&d->data) : STR("");
	if (d->has_data && !d->fn(d->context, &event))
		d->stopped = true;
	buf_clear(&d->name);
	buf_clear(&d->data);
	d->has_data = false;
}

static int
take_line(struct sse_decode *d, struct str line, struct err *e)
{
	if (line.len > d->max_bytes)
		return err_set(e, ERR_TOO_LARGE, "a line of an event stream is over %zu bytes",
			       d->max_bytes);
	if (line.len > 0)
		return take_field(d, line, e);
	finish_block(d);
	return 0;
}

/* Drops what the bytes begin with and the rules want dropped: the byte order mark, also when it
 * comes in parts, and the second half of a CRLF. */
static void
skip_start(struct sse_decode *d, struct str *bytes)
{
	while (d->bom_seen < BOM.len && bytes->len > 0) {
		if (bytes->ptr[0] != BOM.ptr[d->bom_seen]) {
			buf_put(&d->line, BOM.ptr, d->bom_seen); /* it was none: text after all */
			d->bom_seen = BOM.len;
			return;
		}
		d->bom_seen++;
		*bytes = str_slice(*bytes, 1, bytes->len);
	}
	if (bytes->len > 0 && d->skip_lf) {
		d->skip_lf = false;
		if (bytes->ptr[0] == '\n')
			*bytes = str_slice(*bytes, 1, bytes->len);
	}
}

static size_t
line_end(struct str bytes)
{
	size_t at = 0;

	while (at < bytes.len && bytes.ptr[at] != '\n' && bytes.ptr[at] != '\r')
		at++;
	return at;
}

/* The end of this line has not come yet: keeps its beginning, unless it is a comment. */
static int
keep(struct sse_decode *d, struct str part, struct err *e)
{
	if (part.len > 0 && d->line.len == 0 && part.ptr[0] == ':')
		d->in_comment = true;
	if (d->in_comment)
		return 0;
	buf_put_str(&d->line, part);
	return buf_check(&d->line, "a line of an event stream", e);
}

static int
end_line(struct sse_decode *d, struct str part, struct err *e)
{
	bool comment = d->in_comment || (d->line.len == 0 && part.len > 0 && part.ptr[0] == ':');
	int rc = 0;

	d->in_comment = false;
	if (comment)
		return 0;
	if (d->line.len == 0)
		return take_line(d, part, e);
	buf_put_str(&d->line, part);
	rc = buf_check(&d->line, "a line of an event stream", e);
	if (rc == 0)
		rc = take_line(d, buf_str(&d->line), e);
	buf_clear(&d->line);
	return rc;
}

int
sse_decode_feed(struct sse_decode *d, struct str bytes, struct err *e)
{
	int rc = 0;

	while (rc == 0 && bytes.len > 0 && !d->stopped) {
		size_t end;

		skip_start(d, &bytes);
		end = line_end(bytes);
		if (end == bytes.len)
			return keep(d, bytes, e);
		rc = end_line(d, str_slice(bytes, 0, end), e);
		d->skip_lf = bytes.ptr[end] == '\r';
		bytes = str_slice(bytes, end + 1, bytes.len);
	}
	return rc;
}

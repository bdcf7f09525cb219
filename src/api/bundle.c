#include "api/bundle.h"

#include "base/json_write.h"
#include "core/input.h"
#include "core/session.h"

#define FORMAT "perdure-session"
enum { VERSION = 1 };

/* A line may hold the largest payload, each byte of it escaped. */
static const struct json_limits LINE_LIMITS = {
	.bytes = UINT32_MAX,
	.depth = 70,
	.tokens = 100 * 1000 * 1000,
};

/* ---- writing ---- */

static void
field_hash(struct jw *w, const char *name, const struct sha256 *hash)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(hash, SHA256_BYTES, hex);
	jw_field_str(w, name, str_of(hex));
}

/* Bytes that a reader of the line gets back as they are: an object and nothing around it, without a
 * line end. */
static bool
stands_alone(struct str text)
{
	return str_starts(text, STR("{")) && str_ends(text, STR("}")) &&
	       !memchr(text.ptr, '\n', text.len) && !memchr(text.ptr, '\r', text.len);
}

static void
field_bytes(struct jw *w, const char *name, const char *text_name, struct str bytes)
{
	if (stands_alone(bytes))
		jw_field_raw(w, name, bytes);
	else
		jw_field_str(w, text_name, bytes);
}

static void
write_wakes(struct jw *w, const struct bundle_header *h)
{
	if (h->wake_count == 0)
		return;
	jw_field_array(w, "wakes");
	for (size_t i = 0; i < h->wake_count; i++) {
		jw_object(w);
		jw_field_str(w, "id", h->wakes[i].id);
		jw_field_int(w, "due_at_ms", h->wakes[i].due_at_ms);
		field_bytes(w, "wake", "wake_text", h->wakes[i].body);
		jw_end_object(w);
	}
	jw_end_array(w);
}

void
bundle_write_header(struct buf *out, const struct bundle_header *h)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "format", STR(FORMAT));
	jw_field_int(&w, "version", VERSION);
	jw_field_int(&w, "event_format", EVENT_FORMAT);
	jw_field_str(&w, "id", h->id);
	jw_field_int(&w, "head_seq", h->head_seq);
	field_hash(&w, "head_hash", &h->head_hash);
	if (h->extra.len > 0)
		field_bytes(&w, "extra", "extra_text", h->extra);
	write_wakes(&w, h);
	jw_end_object(&w);
	buf_putc(out, '\n');
}

void
bundle_write_event(struct buf *out, const struct event *ev, const struct sha256 *hash)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_int(&w, "seq", ev->seq);
	jw_field_str(&w, "id", ev->id);
	jw_field_str(&w, "type", str_of(event_type(ev->kind)));
	jw_field_int(&w, "created_at_ms", ev->created_at_ms);
	jw_field_str(&w, "author", str_of(event_author_name(ev->author)));
	if (ev->turn.len > 0)
		jw_field_str(&w, "turn", ev->turn);
	if (ev->meta.len > 0)
		field_bytes(&w, "meta", "meta_text", ev->meta);
	field_hash(&w, "hash", hash);
	field_bytes(&w, "payload", "payload_text", ev->payload);
	jw_end_object(&w);
	buf_putc(out, '\n');
}

/* ---- reading ---- */

/* One line on its way: the tape goes when it is read, texts stay. */
struct line {
	struct str text;
	struct arena *keep;
	struct arena scratch;
	struct json_doc doc;
};

static int
line_parse(struct line *l, struct str text, struct arena *keep, struct err *e)
{
	int rc;

	*l = (struct line){ .text = text, .keep = keep };
	arena_init(&l->scratch);
	rc = json_parse(&l->scratch, text, &LINE_LIMITS, &l->doc, e);
	return rc == ERR_TOO_LARGE ? err_set(e, ERR_INVALID, "the line is too large") : rc;
}

static struct str
line_keep(struct line *l, struct str text)
{
	if (text.ptr >= l->text.ptr && text.ptr < l->text.ptr + l->text.len)
		return text;
	return arena_str(l->keep, text);
}

static struct str
take_text(struct line *l, struct json v)
{
	return json_is_set(v) ? line_keep(l, json_str(v, &l->scratch)) : (struct str){ 0 };
}

/* The bytes as they stand in the line, or those that its string says. */
static struct str
take_bytes(struct line *l, struct json raw, struct json text)
{
	return json_is_set(raw) ? line_keep(l, json_raw(raw)) : take_text(l, text);
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int
take_hash(struct line *l, struct json v, struct sha256 *out, struct err *e)
{
	struct str hex = json_str(v, &l->scratch);
	bool ok = hex.len == SHA256_HEX;

	for (size_t i = 0; ok && i < SHA256_BYTES; i++) {
		int high = hex_value(hex.ptr[2 * i]), low = hex_value(hex.ptr[2 * i + 1]);

		ok = high >= 0 && low >= 0;
		if (ok)
			out->bytes[i] = (unsigned char)(high << 4 | low);
	}
	return ok ? 0 : json_fail(v, e, "must be %d hexadecimal digits", SHA256_HEX);
}

/* Empty, or an object. */
static int
check_object(struct line *l, struct str text, const char *name, struct err *e)
{
	struct json_doc doc;
	int rc = 0;

	if (text.len > 0)
		rc = json_parse(&l->scratch, text, &EVENT_PAYLOAD_LIMITS, &doc, e);
	if (text.len > 0 && rc == 0 && json_type(json_root(&doc)) != JSON_OBJECT)
		rc = err_set(e, ERR_INVALID, "must be an object");
	return rc == 0 ? 0 : err_prefix(e, ERR_INVALID, "%s: ", name);
}

static int
read_wake(struct line *l, struct json v, struct engine_log_wake *out, struct err *e)
{
	struct json id = { 0 }, due = { 0 }, wake = { 0 }, wake_text = { 0 };
	const struct json_field fields[] = {
		{ "id", JSON_WANT_STRING, true, &id },
		{ "due_at_ms", JSON_WANT_NUMBER, true, &due },
		{ "wake", JSON_WANT_OBJECT, false, &wake },
		{ "wake_text", JSON_WANT_STRING, false, &wake_text },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_int(due, 0, INT64_MAX, &out->due_at_ms, e);
	if (rc != 0)
		return rc;
	out->id = take_text(l, id);
	out->body = take_bytes(l, wake, wake_text);
	if (out->id.len == 0 || out->id.len > STORE_ID_MAX)
		return json_fail(id, e, "must have 1 to %d bytes", STORE_ID_MAX);
	if (out->body.len == 0)
		return json_fail(v, e, "wake: is missing");
	return check_object(l, out->body, "wake", e);
}

static int
read_wakes(struct line *l, struct json list, struct bundle_header *out, struct err *e)
{
	struct json_iter it = json_iter(list);
	struct engine_log_wake *wakes;
	int rc = 0;

	if (!json_is_set(list))
		return 0;
	if (json_count(list) > BUNDLE_WAKES_MAX)
		return json_fail(list, e, "at most %d", BUNDLE_WAKES_MAX);
	wakes = ARENA_ARRAY(l->keep, json_count(list) + 1, struct engine_log_wake);
	while (rc == 0 && json_next(&it))
		rc = read_wake(l, it.value, &wakes[out->wake_count++], e);
	out->wakes = wakes;
	return rc;
}

static int
read_header_fields(struct line *l, struct bundle_header *out, struct err *e)
{
	struct json format = { 0 }, version = { 0 }, events = { 0 }, id = { 0 }, seq = { 0 };
	struct json hash = { 0 }, extra = { 0 }, extra_text = { 0 }, wakes = { 0 };
	const struct json_field fields[] = {
		{ "format", JSON_WANT_STRING, true, &format },
		{ "version", JSON_WANT_NUMBER, true, &version },
		{ "event_format", JSON_WANT_NUMBER, true, &events },
		{ "id", JSON_WANT_STRING, true, &id },
		{ "head_seq", JSON_WANT_NUMBER, true, &seq },
		{ "head_hash", JSON_WANT_STRING, true, &hash },
		{ "extra", JSON_WANT_OBJECT, false, &extra },
		{ "extra_text", JSON_WANT_STRING, false, &extra_text },
		{ "wakes", JSON_WANT_ARRAY, false, &wakes },
	};
	int64_t number = 0;
	int rc = json_fields(json_root(&l->doc), fields, ARRAY_LEN(fields), e);

	if (rc == 0 && !json_str_eq(format, STR(FORMAT)))
		rc = json_fail(format, e, "must be " FORMAT);
	if (rc == 0)
		rc = json_take_int(version, VERSION, VERSION, &number, e);
	if (rc == 0)
		rc = json_take_int(events, 1, EVENT_FORMAT, &number, e);
	if (rc == 0)
		rc = json_take_int(seq, 1, INT64_MAX, &out->head_seq, e);
	if (rc == 0)
		rc = take_hash(l, hash, &out->head_hash, e);
	if (rc != 0)
		return rc;
	out->id = take_text(l, id);
	out->extra = take_bytes(l, extra, extra_text);
	rc = check_object(l, out->extra, "extra", e);
	if (rc == 0)
		rc = read_wakes(l, wakes, out, e);
	return rc == 0 ? session_id_check_chosen(out->id, e) : rc;
}

int
bundle_read_header(struct str text, struct arena *a, struct bundle_header *out, struct err *e)
{
	struct bundle_header h = { 0 };
	struct line l;
	int rc = line_parse(&l, text, a, e);

	if (rc == 0)
		rc = read_header_fields(&l, &h, e);
	if (rc == 0)
		*out = h;
	arena_release(&l.scratch);
	return rc;
}

struct event_fields {
	struct json seq, id, type, created, author, turn, meta, meta_text, hash, payload,
		payload_text;
};

static int
take_author(struct json v, enum event_author *out, struct err *e)
{
	static const char *const WORDS[] = { "user", "agent", "tool", "system" };
	size_t at = 0;
	int rc = json_take_word(v, WORDS, ARRAY_LEN(WORDS), &at, e);

	*out = (enum event_author)at;
	return rc;
}

/* The payload is one of the log's: complete, of the kind that the line says. */
static int
check_payload(struct line *l, const struct event *ev, struct err *e)
{
	enum event_kind kind;
	struct json_doc doc;
	int rc = json_parse(&l->scratch, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, e);

	if (rc == 0)
		rc = event_check(json_root(&doc), &kind, e);
	if (rc == 0 && kind != ev->kind)
		rc = err_set(e, ERR_INVALID, "type is another than its line says");
	return rc == 0 ? 0 : err_prefix(e, ERR_INVALID, "payload: ");
}

/* What ingress wrote about an input. */
static int
check_meta(struct line *l, struct str meta, struct err *e)
{
	struct input_meta read;
	struct json_doc doc;
	int rc = 0;

	if (meta.len > 0)
		rc = json_parse(&l->scratch, meta, &EVENT_PAYLOAD_LIMITS, &doc, e);
	if (meta.len > 0 && rc == 0)
		rc = input_meta_read(json_root(&doc), &l->scratch, &read, e);
	return rc == 0 ? 0 : err_prefix(e, ERR_INVALID, "meta: ");
}

static int
take_event(struct line *l, const struct event_fields *f, struct event *ev, struct err *e)
{
	int rc = json_take_int(f->seq, 1, INT64_MAX, &ev->seq, e);

	if (rc == 0)
		rc = json_take_int(f->created, 1, INT64_MAX, &ev->created_at_ms, e);
	if (rc == 0)
		rc = take_author(f->author, &ev->author, e);
	if (rc == 0 && !event_kind_parse(json_str(f->type, &l->scratch), &ev->kind))
		rc = json_fail(f->type, e, "is no type of event");
	if (rc != 0)
		return rc;
	ev->id = take_text(l, f->id);
	ev->turn = take_text(l, f->turn);
	ev->meta = take_bytes(l, f->meta, f->meta_text);
	ev->payload = take_bytes(l, f->payload, f->payload_text);
	if (ev->id.len == 0 || ev->id.len > STORE_ID_MAX)
		return json_fail(f->id, e, "must have 1 to %d bytes", STORE_ID_MAX);
	if (ev->payload.len == 0)
		return err_set(e, ERR_INVALID, "payload: is missing");
	rc = check_meta(l, ev->meta, e);
	return rc == 0 ? check_payload(l, ev, e) : rc;
}

int
bundle_read_event(struct str text, struct arena *a, struct event *out, struct sha256 *hash,
		  struct err *e)
{
	struct event_fields f = { 0 };
	const struct json_field fields[] = {
		{ "seq", JSON_WANT_NUMBER, true, &f.seq },
		{ "id", JSON_WANT_STRING, true, &f.id },
		{ "type", JSON_WANT_STRING, true, &f.type },
		{ "created_at_ms", JSON_WANT_NUMBER, true, &f.created },
		{ "author", JSON_WANT_STRING, true, &f.author },
		{ "turn", JSON_WANT_STRING, false, &f.turn },
		{ "meta", JSON_WANT_OBJECT, false, &f.meta },
		{ "meta_text", JSON_WANT_STRING, false, &f.meta_text },
		{ "hash", JSON_WANT_STRING, true, &f.hash },
		{ "payload", JSON_WANT_OBJECT, false, &f.payload },
		{ "payload_text", JSON_WANT_STRING, false, &f.payload_text },
	};
	struct event ev = { 0 };
	struct line l;
	int rc = line_parse(&l, text, a, e);

	if (rc == 0)
		rc = json_fields(json_root(&l.doc), fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = take_event(&l, &f, &ev, e);
	if (rc == 0)
		rc = take_hash(&l, f.hash, hash, e);
	if (rc == 0)
		*out = ev;
	arena_release(&l.scratch);
	return rc;
}

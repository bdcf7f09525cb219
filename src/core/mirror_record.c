#include "core/mirror_record.h"

#include "base/json.h"
#include "base/json_write.h"

/* A line may hold the largest payload, each byte of it escaped. */
static const struct json_limits LINE_LIMITS = {
	.bytes = UINT32_MAX,
	.depth = 70,
	.tokens = 100 * 1000 * 1000,
};

static const char *const KINDS[] = {
	[MIRROR_EVENT] = "event",
	[MIRROR_PROCESSED] = "processed",
	[MIRROR_ENQUEUED] = "enqueued",
	[MIRROR_COMPLETED] = "completed",
};

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool
mirror_record_hash(struct str hex, struct sha256 *out)
{
	struct sha256 hash;

	if (hex.len != SHA256_HEX)
		return false;
	for (size_t i = 0; i < SHA256_BYTES; i++) {
		int high = hex_value(hex.ptr[2 * i]), low = hex_value(hex.ptr[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		hash.bytes[i] = (unsigned char)(high << 4 | low);
	}
	*out = hash;
	return true;
}

/* The members that matter here; whoever imports the line reads all of it. */
static int
read_event(struct json line, struct arena *a, struct mirror_record *r, struct err *e)
{
	struct json seq, id, hash, created, meta;

	if (!json_find(line, STR("seq"), &seq) || !json_int(seq, &r->seq) || r->seq < 1)
		return err_set(e, ERR_INVALID, "seq: must be a positive number");
	if (!json_find(line, STR("id"), &id) || json_str(id, a).len == 0)
		return err_set(e, ERR_INVALID, "id: must be a text");
	if (!json_find(line, STR("hash"), &hash) ||
	    !mirror_record_hash(json_str(hash, a), &r->hash))
		return err_set(e, ERR_INVALID, "hash: must be %d hexadecimal digits", SHA256_HEX);
	if (!json_find(line, STR("created_at_ms"), &created) || !json_int(created, &r->at_ms))
		return err_set(e, ERR_INVALID, "created_at_ms: must be a number");
	r->id = json_str(id, a);
	r->is_input =
		json_find(line, STR("meta"), &meta) || json_find(line, STR("meta_text"), &meta);
	return 0;
}

static int
read_other(struct json line, struct arena *a, struct mirror_record *r, struct err *e)
{
	struct json kind = { 0 }, id = { 0 }, at = { 0 }, due = { 0 }, wake = { 0 }, text = { 0 };
	bool enqueued, processed;
	size_t word = 0;
	int rc;

	if (!json_find(line, STR("record"), &kind))
		return err_set(e, ERR_INVALID, "is neither an event nor a record");
	rc = json_take_word(kind, KINDS + 1, ARRAY_LEN(KINDS) - 1, &word, e);
	if (rc != 0)
		return rc;
	r->kind = (enum mirror_record_kind)(word + 1);
	processed = r->kind == MIRROR_PROCESSED;
	enqueued = r->kind == MIRROR_ENQUEUED;
	const struct json_field fields[] = {
		{ "record", JSON_WANT_STRING, true, &kind },
		{ processed ? "event_id" : "wake_id", JSON_WANT_STRING, true, &id },
		{ enqueued    ? "due_at_ms"
		  : processed ? "processed_at_ms"
			      : "completed_at_ms",
		  JSON_WANT_NUMBER, true, enqueued ? &due : &at },
		{ "wake", JSON_WANT_OBJECT, false, &wake },
		{ "wake_text", JSON_WANT_STRING, false, &text },
	};
	rc = json_fields(line, fields, ARRAY_LEN(fields) - (enqueued ? 0 : 2), e);
	if (rc == 0)
		rc = json_take_int(at, 0, INT64_MAX, &r->at_ms, e);
	if (rc == 0)
		rc = json_take_int(due, 0, INT64_MAX, &r->due_at_ms, e);
	r->id = json_str(id, a);
	if (rc == 0 && r->id.len == 0)
		rc = json_fail(id, e, "must not be empty");
	if (rc == 0 && enqueued)
		r->wake = json_is_set(wake) ? json_raw(wake) : json_str(text, a);
	if (rc == 0 && enqueued && r->wake.len == 0)
		rc = err_set(e, ERR_INVALID, "wake: is missing");
	return rc;
}

int
mirror_record_read(struct str line, struct arena *a, struct mirror_record *out, struct err *e)
{
	struct mirror_record r = { .kind = MIRROR_EVENT };
	struct json_doc doc;
	struct json hash;
	int rc = json_parse(a, line, &LINE_LIMITS, &doc, e);

	if (rc != 0)
		return rc == ERR_TOO_LARGE ? err_set(e, ERR_INVALID, "the line is too large") : rc;
	rc = json_find(json_root(&doc), STR("hash"), &hash) ? read_event(json_root(&doc), a, &r, e)
							    : read_other(json_root(&doc), a, &r, e);
	if (rc == 0)
		*out = r;
	return rc;
}

/* Bytes that a reader of the line gets back as they are. */
static bool
stands_alone(struct str text)
{
	return str_starts(text, STR("{")) && str_ends(text, STR("}")) &&
	       !memchr(text.ptr, '\n', text.len) && !memchr(text.ptr, '\r', text.len);
}

void
mirror_record_write(struct buf *out, const struct mirror_record *r)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "record", str_of(KINDS[r->kind]));
	jw_field_str(&w, r->kind == MIRROR_PROCESSED ? "event_id" : "wake_id", r->id);
	switch (r->kind) {
	case MIRROR_EVENT: break;
	case MIRROR_PROCESSED: jw_field_int(&w, "processed_at_ms", r->at_ms); break;
	case MIRROR_COMPLETED: jw_field_int(&w, "completed_at_ms", r->at_ms); break;
	case MIRROR_ENQUEUED:
		jw_field_int(&w, "due_at_ms", r->due_at_ms);
		if (stands_alone(r->wake))
			jw_field_raw(&w, "wake", r->wake);
		else
			jw_field_str(&w, "wake_text", r->wake);
		break;
	}
	jw_end_object(&w);
	buf_putc(out, '\n');
}

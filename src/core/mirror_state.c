#include "core/mirror_state.h"

#define FORMAT "perdure-mirror"
enum { VERSION = 1 };

static const struct json_limits LIMITS = {
	.bytes = UINT32_MAX,
	.depth = 70,
	.tokens = 100 * 1000 * 1000,
};

void
mirror_state_release(struct mirror_state *s)
{
	vec_release(&s->pending);
	vec_release(&s->wakes);
}

/* ---- session.json ---- */

static void
field_hash(struct jw *w, const char *name, const struct sha256 *hash)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(hash, SHA256_BYTES, hex);
	jw_field_str(w, name, str_of(hex));
}

void
mirror_state_write_head(struct jw *w, const struct mirror_state *s)
{
	jw_field_str(w, "format", STR(FORMAT));
	jw_field_int(w, "version", VERSION);
	jw_field_str(w, "id", s->id);
	if (s->extra.len > 0)
		jw_field_raw(w, "extra", s->extra);
}

void
mirror_state_write(struct jw *w, const struct mirror_state *s)
{
	jw_field_object(w, "mirror");
	jw_field_int(w, "head_seq", s->head_seq);
	field_hash(w, "head_hash", &s->head_hash);
	jw_field_int(w, "events_bytes", s->events_bytes);
	jw_field_int(w, "wake_queue_bytes", s->wakes_bytes);
	jw_field_array(w, "pending");
	for (size_t i = 0; i < s->pending.len; i++) {
		jw_object(w);
		jw_field_str(w, "id", s->pending.ptr[i].id);
		jw_field_int(w, "seq", s->pending.ptr[i].seq);
		jw_end_object(w);
	}
	jw_end_array(w);
	jw_field_array(w, "wakes");
	for (size_t i = 0; i < s->wakes.len; i++) {
		jw_object(w);
		jw_field_str(w, "id", s->wakes.ptr[i].id);
		field_hash(w, "digest", &s->wakes.ptr[i].digest);
		jw_end_object(w);
	}
	jw_end_array(w);
	jw_end_object(w);
}

static int
take_hash(struct json v, struct arena *a, struct sha256 *out, struct err *e)
{
	return mirror_record_hash(json_str(v, a), out)
		       ? 0
		       : json_fail(v, e, "must be %d hexadecimal digits", SHA256_HEX);
}

static int
read_pending(struct json list, struct arena *a, struct mirror_state *s, struct err *e)
{
	struct json_iter it = json_iter(list);
	int rc = 0;

	while (rc == 0 && json_next(&it)) {
		struct json id = { 0 }, seq = { 0 };
		struct mirror_input in = { 0 };
		const struct json_field fields[] = {
			{ "id", JSON_WANT_STRING, true, &id },
			{ "seq", JSON_WANT_NUMBER, true, &seq },
		};

		rc = json_fields(it.value, fields, ARRAY_LEN(fields), e);
		if (rc == 0)
			rc = json_take_int(seq, 1, s->head_seq, &in.seq, e);
		in.id = arena_str(a, json_str(id, a));
		if (rc == 0)
			*vec_push(&s->pending) = in;
	}
	return rc;
}

static int
read_wakes(struct json list, struct arena *a, struct mirror_state *s, struct err *e)
{
	struct json_iter it = json_iter(list);
	int rc = 0;

	while (rc == 0 && json_next(&it)) {
		struct json id = { 0 }, digest = { 0 };
		struct mirror_wake wake = { 0 };
		const struct json_field fields[] = {
			{ "id", JSON_WANT_STRING, true, &id },
			{ "digest", JSON_WANT_STRING, true, &digest },
		};

		rc = json_fields(it.value, fields, ARRAY_LEN(fields), e);
		if (rc == 0)
			rc = take_hash(digest, a, &wake.digest, e);
		wake.id = arena_str(a, json_str(id, a));
		if (rc == 0)
			*vec_push(&s->wakes) = wake;
	}
	return rc;
}

static int
read_mirror(struct json mirror, struct arena *a, struct mirror_state *s, struct err *e)
{
	struct json seq = { 0 }, hash = { 0 }, events = { 0 }, queue = { 0 };
	struct json pending = { 0 }, wakes = { 0 };
	const struct json_field fields[] = {
		{ "head_seq", JSON_WANT_NUMBER, true, &seq },
		{ "head_hash", JSON_WANT_STRING, true, &hash },
		{ "events_bytes", JSON_WANT_NUMBER, true, &events },
		{ "wake_queue_bytes", JSON_WANT_NUMBER, true, &queue },
		{ "pending", JSON_WANT_ARRAY, true, &pending },
		{ "wakes", JSON_WANT_ARRAY, true, &wakes },
	};
	int rc = json_fields(mirror, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_int(seq, 0, INT64_MAX - 1, &s->head_seq, e);
	if (rc == 0)
		rc = take_hash(hash, a, &s->head_hash, e);
	if (rc == 0)
		rc = json_take_int(events, 0, INT64_MAX, &s->events_bytes, e);
	if (rc == 0)
		rc = json_take_int(queue, 0, INT64_MAX, &s->wakes_bytes, e);
	if (rc == 0)
		rc = read_pending(pending, a, s, e);
	return rc == 0 ? read_wakes(wakes, a, s, e) : rc;
}

int
mirror_state_read(struct str text, struct arena *a, struct mirror_state *out, struct err *e)
{
	struct json root, format, version, id, extra, mirror;
	struct json_doc doc;
	int64_t number = 0;
	int rc = json_parse(a, text, &LIMITS, &doc, e);

	if (rc != 0)
		return rc;
	root = json_root(&doc);
	if (!json_find(root, STR("format"), &format) || !json_str_eq(format, STR(FORMAT)))
		return err_set(e, ERR_INVALID, "format: must be " FORMAT);
	if (!json_find(root, STR("version"), &version) || !json_int(version, &number) ||
	    number != VERSION)
		return err_set(e, ERR_INVALID, "version: must be %d", VERSION);
	if (!json_find(root, STR("id"), &id) || json_str(id, a).len == 0)
		return err_set(e, ERR_INVALID, "id: must be a text");
	if (!json_find(root, STR("mirror"), &mirror))
		return err_set(e, ERR_INVALID, "mirror: is missing");
	out->id = arena_str(a, json_str(id, a));
	if (json_find(root, STR("extra"), &extra) && json_type(extra) == JSON_OBJECT)
		out->extra = arena_str(a, json_raw(extra));
	return read_mirror(mirror, a, out, e);
}

/* ---- lines ---- */

const struct mirror_wake *
mirror_state_wake(const struct mirror_state *s, struct str id)
{
	for (size_t i = 0; i < s->wakes.len; i++)
		if (str_eq(s->wakes.ptr[i].id, id))
			return &s->wakes.ptr[i];
	return NULL;
}

struct sha256
mirror_state_digest(const struct mirror_record *r)
{
	struct sha256 digest;
	struct buf line;

	buf_init(&line, UINT32_MAX);
	mirror_record_write(&line, r);
	digest = sha256_of(buf_str(&line));
	buf_release(&line);
	return digest;
}

static void
forget_input(struct mirror_state *s, struct str id)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->pending.len; i++)
		if (!str_eq(s->pending.ptr[i].id, id))
			s->pending.ptr[kept++] = s->pending.ptr[i];
	s->pending.len = kept;
}

static void
forget_wake(struct mirror_state *s, struct str id)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->wakes.len; i++)
		if (!str_eq(s->wakes.ptr[i].id, id))
			s->wakes.ptr[kept++] = s->wakes.ptr[i];
	s->wakes.len = kept;
}

int
mirror_state_take(struct mirror_state *s, const struct mirror_record *r, struct arena *a,
		  struct err *e)
{
	switch (r->kind) {
	case MIRROR_EVENT:
		if (r->seq != s->head_seq + 1)
			return err_set(e, ERR_INVALID, "seq: must be %lld",
				       (long long)s->head_seq + 1);
		s->head_seq = r->seq;
		s->head_hash = r->hash;
		if (r->is_input)
			*vec_push(&s->pending) =
				(struct mirror_input){ arena_str(a, r->id), r->seq };
		return 0;
	case MIRROR_PROCESSED: forget_input(s, r->id); return 0;
	case MIRROR_COMPLETED: forget_wake(s, r->id); return 0;
	case MIRROR_ENQUEUED:
		forget_wake(s, r->id);
		*vec_push(&s->wakes) = (struct mirror_wake){ .id = arena_str(a, r->id),
							     .digest = mirror_state_digest(r),
							     .due_at_ms = r->due_at_ms,
							     .wake = arena_str(a, r->wake) };
		return 0;
	}
	return 0;
}

/* fuzz_json - base/json and jansson must agree on what is JSON and what it means, and what the
 * writer writes must read back the same.
 *
 * Known differences: jansson refuses numbers beyond int64 and double, which stay verbatim here; it
 * stops at its first failure, so behind such a number the two cannot be compared. It loses a NUL
 * byte behind a number (buffer[pos] == 0 means "refill" in its stream_get); here NUL is refused
 * wherever it stands. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/json_write.h"
#include "jansson_oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CANONICAL_MAX = 64 * 1024 * 1024, WRITER_DEPTH_MAX = 64 };
/* jansson's own depth limit. */
static const struct json_limits LIMITS = { .bytes = 1 << 20, .depth = 2048, .tokens = 1 << 20 };

static void
check(bool ok, const char *what, const char *detail)
{
	if (ok)
		return;
	fprintf(stderr, "fuzz_json: %s: %s\n", what, detail);
	abort();
}

static void
put_text(struct buf *out, struct json v, struct arena *a)
{
	struct str text = json_str(v, a);

	check(json_str_eq(v, text), "json_str_eq differs from json_str", "");
	buf_printf(out, "s%zu:", text.len);
	buf_put_str(out, text);
}

static void
put_number(struct buf *out, struct json v)
{
	struct str raw = json_raw(v);
	bool real = memchr(raw.ptr, '.', raw.len) || memchr(raw.ptr, 'e', raw.len) ||
		    memchr(raw.ptr, 'E', raw.len);
	int64_t integer;
	double value;

	if (!real && json_int(v, &integer))
		buf_printf(out, "i%lld;", (long long)integer);
	else if (real && json_double(v, &value))
		buf_printf(out, "r%a;", value);
	else
		buf_putc(out, '?');
}

/* The tape in the oracle's notation. */
static void
put(struct buf *out, struct json v, struct arena *a)
{
	struct json_iter it = json_iter(v);
	enum json_type type = json_type(v);
	struct json found;
	size_t count = 0;

	switch (type) {
	case JSON_NULL: buf_putc(out, 'n'); return;
	case JSON_TRUE: buf_putc(out, 't'); return;
	case JSON_FALSE: buf_putc(out, 'f'); return;
	case JSON_NUMBER: put_number(out, v); return;
	case JSON_STRING: put_text(out, v, a); return;
	case JSON_ARRAY:
	case JSON_OBJECT: break;
	}
	buf_putc(out, type == JSON_OBJECT ? '{' : '[');
	for (; json_next(&it); count++) {
		if (it.in_object) {
			put_text(out, it.key, a);
			check(json_find(v, json_str(it.key, a), &found) && found.at == it.value.at,
			      "json_find misses a member", "");
		}
		put(out, it.value, a);
	}
	check(count == json_count(v), "json_count is wrong", "");
	buf_putc(out, type == JSON_OBJECT ? '}' : ']');
}

static void
write_again(struct jw *w, struct json v, struct arena *a)
{
	struct json_iter it = json_iter(v);

	switch (json_type(v)) {
	case JSON_NULL: jw_null(w); return;
	case JSON_TRUE: jw_bool(w, true); return;
	case JSON_FALSE: jw_bool(w, false); return;
	case JSON_NUMBER: jw_raw(w, json_raw(v)); return;
	case JSON_STRING: jw_str(w, json_str(v, a)); return;
	case JSON_ARRAY:
		jw_array(w);
		while (json_next(&it))
			write_again(w, it.value, a);
		jw_end_array(w);
		return;
	case JSON_OBJECT:
		jw_object(w);
		while (json_next(&it)) {
			jw_key(w, json_str(it.key, a));
			write_again(w, it.value, a);
		}
		jw_end_object(w);
		return;
	}
}

static size_t
depth_of(struct json v)
{
	struct json_iter it = json_iter(v);
	size_t deepest = 0;

	while (json_next(&it)) {
		size_t depth = depth_of(it.value);
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest + (json_type(v) == JSON_ARRAY || json_type(v) == JSON_OBJECT);
}

static void
check_round_trip(struct json v, struct str canonical, struct arena *a)
{
	struct buf text, again;
	struct json_doc doc;
	struct err e;
	struct jw w;

	if (depth_of(v) > WRITER_DEPTH_MAX)
		return;
	buf_init(&text, CANONICAL_MAX);
	buf_init(&again, CANONICAL_MAX);
	jw_init(&w, &text);
	write_again(&w, v, a);
	check(w.depth == 0, "the writer is not done", "");
	check(json_parse(a, buf_str(&text), &LIMITS, &doc, &e) == 0, "written text refused",
	      e.text);
	put(&again, json_root(&doc), a);
	check(str_eq(buf_str(&again), canonical), "the round trip changed the value", "");
	buf_release(&again);
	buf_release(&text);
}

/* Every value's path leads through json_path without a fault. */
static void
walk_paths(const struct json_doc *doc)
{
	struct buf path;

	buf_init(&path, CANONICAL_MAX);
	for (uint32_t at = 0; at < doc->token_count && at < 32; at++) {
		buf_clear(&path);
		json_path((struct json){ doc, at }, &path);
	}
	buf_release(&path);
}

static void
check_refusal(const struct err *e)
{
	check(e->code == ERR_INVALID || e->code == ERR_TOO_LARGE, "odd code", e->text);
	check(str_contains(str_of(e->text), STR("offset ")), "a refusal without its offset",
	      e->text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct json_doc doc;
	struct err e = { 0 };
	struct buf ours, theirs;
	enum oracle_verdict verdict;
	struct arena a;
	int rc;

	arena_init(&a);
	buf_init(&ours, CANONICAL_MAX);
	buf_init(&theirs, CANONICAL_MAX);
	verdict = jansson_oracle(text, &theirs);
	rc = json_parse(&a, text, &LIMITS, &doc, &e);
	if (rc != 0)
		check_refusal(&e);
	if (size > 0 && memchr(data, 0, size))
		check(rc != 0, "a NUL byte was accepted", "");
	else if (verdict != ORACLE_OUT_OF_RANGE)
		check((rc == 0) == (verdict == ORACLE_ACCEPTS), "jansson disagrees",
		      rc == 0 ? "we accept" : e.text);
	if (rc == 0) {
		put(&ours, json_root(&doc), &a);
		if (verdict == ORACLE_ACCEPTS)
			check(str_eq(buf_str(&ours), buf_str(&theirs)), "values differ", "");
		check_round_trip(json_root(&doc), buf_str(&ours), &a);
		walk_paths(&doc);
	}
	buf_release(&theirs);
	buf_release(&ours);
	arena_release(&a);
	return 0;
}

/* json_write - a push writer: begin, key, value, end; commas and escaping are its business.
 * Output is minimal (no blanks), keys in the order pushed, text escaped only where JSON demands.
 * Misuse (a value without its key, an unclosed object) is a bug and aborts. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

struct jw {
	struct buf *out;
	uint64_t in_object; /* one bit per open level, 1 = object */
	uint32_t depth;     /* at most 64 */
	bool first, after_key;
};

void jw_init(struct jw *w, struct buf *out);

void jw_object(struct jw *w);
void jw_end_object(struct jw *w);
void jw_array(struct jw *w);
void jw_end_array(struct jw *w);
void jw_key(struct jw *w, struct str name);

void jw_null(struct jw *w);
void jw_bool(struct jw *w, bool value);
void jw_int(struct jw *w, int64_t value);
/* Shortest form that reads back the same; not finite is a bug. */
void jw_double(struct jw *w, double value);
/* text must be valid UTF-8; bytes that are not become U+FFFD, and so does NUL, which the reader
 * refuses. */
void jw_str(struct jw *w, struct str text);
/* One complete JSON value, trusted to be valid. */
void jw_raw(struct jw *w, struct str json);

/* The usual pairs. */
void jw_field_str(struct jw *w, const char *name, struct str value);
/* null when value.ptr is NULL. */
void jw_field_opt(struct jw *w, const char *name, struct str value);
void jw_field_int(struct jw *w, const char *name, int64_t value);
void jw_field_bool(struct jw *w, const char *name, bool value);
void jw_field_null(struct jw *w, const char *name);
void jw_field_raw(struct jw *w, const char *name, struct str json);
/* Key and opening bracket in one. */
void jw_field_object(struct jw *w, const char *name);
void jw_field_array(struct jw *w, const char *name);

/* Only the escaped text between the quotes, for callers that build strings piecewise. */
void json_escape(struct buf *out, struct str text);

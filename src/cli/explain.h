/* explain - ask one decision of the product with facts of your own; no server, no store.
 * One handler per question: reads the facts (unknown fields refused), asks the core, writes the
 * decision and its reason. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/str.h"

enum { EXPLAIN_ANSWER_MAX = 16 * 1024 * 1024 };

/* Answers one question given as JSON text; the answer is one JSON object without a line end.
 * Errors carry the field's path. */
NODISCARD int explain_answer(struct str what, struct str facts, struct buf *answer, struct err *e);

/* The handlers, one file each: facts is an object; exactly one object is written to out. */
int explain_key(struct json facts, struct arena *a, struct jw *out, struct err *e);
int explain_reset(struct json facts, struct arena *a, struct jw *out, struct err *e);
int explain_resolve(struct json facts, struct arena *a, struct jw *out, struct err *e);
int explain_route(struct json facts, struct arena *a, struct jw *out, struct err *e);
int explain_silence(struct json facts, struct arena *a, struct jw *out, struct err *e);
int explain_tokens(struct json facts, struct arena *a, struct jw *out, struct err *e);
int explain_cron(struct json facts, struct arena *a, struct jw *out, struct err *e);
int explain_redact(struct json facts, struct arena *a, struct jw *out, struct err *e);
int explain_prune(struct json facts, struct arena *a, struct jw *out, struct err *e);
int explain_compact(struct json facts, struct arena *a, struct jw *out, struct err *e);
int explain_approval(struct json facts, struct arena *a, struct jw *out, struct err *e);

/* url_text - ids and search words as parts of a URL. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* Percent-encoded: fits a segment of a path and a value of a query. NUL behind it. */
struct str url_text_encode(struct arena *a, struct str text);
/* Appends "?name=value", or "&…" when there is a query already. A value with ptr NULL: nothing. */
void url_text_query(struct buf *url, const char *name, struct str value);
void url_text_query_int(struct buf *url, const char *name, int64_t value);

/* redact - which ids and secrets must not be shown, and what stands in their place?
 * Private ids: only in the text the model reads about where it is; keys and routing always use the
 * real ones. Off unless asked for, and only on platforms where nobody needs the raw id to mention
 * a person. Secrets: anything that has the shape of a credential, in any text. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/str.h"

/* pii_safe: the platform is marked as working without raw ids, beside those that are known to. */
bool redact_applies(struct str platform, bool enabled, bool pii_safe);
/* The 12 hex digits themselves: the beginning of the SHA-256. */
void redact_hash(struct str id, struct buf *out);
/* user_<12 hex of the id's SHA-256>. The id as received: no normalising before the hash. */
void redact_user_id(struct str id, struct buf *out);
/* A prefix before the first ':' stays ("group:123" → "group:<12 hex>"), the rest is hashed; an id
 * without one is hashed whole. */
void redact_chat_id(struct str id, struct buf *out);

/* Copies text with every credential replaced by "[redacted]", its label kept ("sk-[redacted]",
 * "password=[redacted]"); returns how many. Doing it again changes nothing. The result is at most
 * REDACT_GROWTH times as long. */
enum { REDACT_GROWTH = 3 };
size_t redact_secrets(struct str text, struct buf *out);

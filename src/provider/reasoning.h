/* reasoning - what a provider wants back of its own thinking, as the log keeps it.
 *
 * {"from":"acme/model","items":[{"at":0,"item":{...}},...]}: at is the place among the answer's parts
 * (0: before its text, k: before or with its kth call); what an item holds is the dialect's. Signatures
 * and ciphers mean something to the model that made them only, so another model is not given them. */
#pragma once
#include <stddef.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "core/message.h"

/* item: a JSON object. Items are added one by one to a list that begins empty. */
void reasoning_add(struct buf *list, size_t at, struct str item);
/* The object around a list. */
void reasoning_write(struct buf *out, struct str from, struct str list);

struct reasoning_item {
	size_t at;
	struct str item; /* JSON object */
};
/* Those of m that are `from`'s, and that stand before a part the message still has: what a thought led
 * to must follow it. Texts stay in m. */
size_t reasoning_read(const struct message *m, struct str from, struct arena *a,
		      struct reasoning_item **out);

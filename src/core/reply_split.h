/* reply_split - how does a long reply become messages a channel accepts?
 * Cuts at paragraphs, else lines, else words, else between characters; never inside one. A code
 * fence that is cut is closed at the end of one part and opened again, with its language, at the
 * start of the next, so that each part stands alone.
 *
 *   struct reply_split s = reply_split(text, 2000, SPLIT_CHARACTERS);
 *   while (reply_split_next(&s, &part)) send(part) */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/str.h"

/* What the channel's limit counts. */
enum split_unit {
	SPLIT_BYTES,      /* IRC */
	SPLIT_CHARACTERS, /* code points: Discord, Slack */
	SPLIT_UTF16       /* Telegram */
};

struct reply_split {
	struct str rest; /* not yet handed out */
	size_t limit;
	enum split_unit unit;
	struct str fence; /* the opening line of the fence that rest begins inside; empty: none */
};

/* limit is at least 4, so that any character fits; below 64 fences are not repaired. */
struct reply_split reply_split(struct str text, size_t limit, enum split_unit unit);
/* Replaces part with the next message, at most limit long and not empty; false when nothing but
 * white space is left. A ceiling of text.len + 64 bytes is enough. */
bool reply_split_next(struct reply_split *s, struct buf *part);

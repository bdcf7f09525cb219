/* message_json - an entry of the transcript as a message: role, content, calls and results.
 *
 *   {"id","type":"message","role","content":[…],"seq","created_at","token_estimate", …}
 *
 * Content is an array of blocks whatever the entry is; what only some have (reasoning, tool_calls,
 * tool_call_id, attachments, sender, model, synthetic, summary, archived) is left out elsewhere. */
#pragma once
#include "base/json_write.h"
#include "engine/engine.h"

void message_json_write(struct jw *w, const struct store_item_row *row, struct arena *scratch);
/* The text of a content or of an edit: its text blocks joined by line ends; lives in a. */
struct str message_json_text(struct json payload, struct arena *a);

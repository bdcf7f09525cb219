/* result - what does the model read of a tool's result?
 * Texts as they are; of pictures, sounds and binary resources what and how large they are; structured
 * content where there is no text that says the same. */
#pragma once
#include "base/buf.h"
#include "base/json.h"
#include "tool/tool.h"

enum { RESULT_BYTES_MAX = 1 << 20 };

/* Appends it to out, whose ceiling is above RESULT_BYTES_MAX; what is longer is cut with a note. */
enum tool_outcome result_read(struct json result, struct buf *out);

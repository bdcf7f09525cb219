/* event_line - an event of the log as one line for people, and a tool call as a phrase. */
#pragma once
#include "base/buf.h"
#include "base/json.h"

enum { EVENT_LINE_MAX = 64 * 1024 };

/* What happened, without seq and time: "main: Hello" or "bash: git status". One line. */
void event_line_text(struct json event, struct arena *a, struct buf *out);
/* "bash: git status": of a tool_use event of any kind. */
void event_line_call(struct json event, struct arena *a, struct buf *out);
/* The texts of a content (a string or blocks), joined by line ends; lives in a. */
struct str event_line_content(struct json content, struct arena *a);
/* Does the member, a list of ids, name this one? */
bool event_line_names(struct json v, const char *name, struct str id);
/* The member's text, or empty. */
struct str event_line_field(struct json v, const char *name, struct arena *a);

/* session_source - where did this session come from?
 * Written once, when the session is created: reopening it from anywhere else changes neither its
 * source nor its type. (core/source describes where one message came from.) */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/str.h"

struct session_source {
	struct str kind;  /* cli, api, web, channel, schedule, or a surface's own word */
	bool interactive; /* a person is there to answer questions */
	struct str platform, trigger_id; /* empty: none */
	bool group;
};

/* What a kind that says nothing else means: people sit behind all but api and schedule. */
bool session_source_is_interactive(struct str kind);
/* {"kind","interactive"?,"platform"?,"trigger_id"?,"type"?: "direct"|"group"}; unknown fields are
 * refused. kind is a word of [a-z0-9_-], at most 32 bytes. */
NODISCARD int
session_source_read(struct json v, struct arena *a, struct session_source *out, struct err *e);
/* One JSON object, members in the order of the struct, absent ones left out. */
void session_source_write(const struct session_source *s, struct jw *out);

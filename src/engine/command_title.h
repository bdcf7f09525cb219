/* command_title - /title, and which name is free for a session among those that the caller may see. */
#pragma once
#include "core/title_lineage.h"
#include "engine/command.h"

/* Who gives a name at the same time as another loses: the record is changed with every name of that
 * line, and whoever saw it before looks again. id: 32 hex digits of SHA-256 of the base. */
#define RECORD_TITLE STR("title")

struct title_search;
/* rc 0: lineage has seen all titles in use; done answers the command. */
typedef void
title_search_fn(struct command *c, int rc, const struct err *err, const struct title_search *found);
struct title_search {
	struct command *c;
	struct title_lineage lineage;
	struct str guard; /* id of the record */
	int64_t version;
	int64_t cursor_ms;
	struct str cursor_id;
	title_search_fn *done;
};
/* wanted must stay; the search lives in the command's arena. The titles of every session but the
 * command's own, which counts too if with_own. */
void
command_title_search(struct command *c, struct str wanted, bool with_own, title_search_fn *done);
/* Adds the guard: ERR_CONFLICT if somebody named a session of that line meanwhile. */
void command_title_put(struct commit *commit, const struct title_search *found, struct str session);

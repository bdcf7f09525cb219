/* record - objects of the API for people and programs: a list as a table, one as lines. */
#pragma once
#include "cli/call.h"
#include "cli/table.h"

/* A member by its path, "agent.id"; a|b: the first that is there. */
struct record_field {
	const char *title, *path;
	enum table_kind kind;
	bool some; /* a number that is left out when it is 0 */
};

/* The member's text: of strings what they say, of others their JSON, of null and absent ones "". */
struct str record_value(struct json object, const char *path, struct arena *a);
/* Asks page by page, at most limit records (0: all), and prints them: a table, or with --json the
 * merged page. url: with its query. */
NODISCARD int record_list(struct cli_call *call, struct str url, const struct record_field *fields,
			  size_t count, int64_t limit, struct err *e);
/* Prints it: lines "title  value", members that are not set left out; or with --json the object. */
void record_show(struct cli_call *call, struct json object, const struct record_field *fields,
		 size_t count);
/* After a change: one member alone, what scripts want next; or with --json the object. */
void record_done(struct cli_call *call, struct json object, const char *path);

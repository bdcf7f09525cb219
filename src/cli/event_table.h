/* event_table - the last events of a session, for people and programs. */
#pragma once
#include "cli/call.h"

/* The last `limit` ones (0: all), oldest first. type: only of that kind; NULL: of all. With --json one
 * object {"data":[…]}. */
NODISCARD int event_table_print(struct cli_call *call, const char *session, int64_t limit,
				const char *type, struct err *e);
/* One event as a line of its own: as a row of that table, or with --json the event. */
void event_table_line(struct cli_call *call, struct json event);

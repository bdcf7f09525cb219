/* catalog - the tools of one server, gathered from the pages of tools/list.
 * A tool that cannot be used (no name, no schema, headers that make no sense) is left out, with a line
 * in the log; the others stay. */
#pragma once
#include "tool/mcp/param_header.h"
#include "tool/tool.h"

enum {
	CATALOG_TOOLS_MAX = 512,
	CATALOG_PAGES_MAX = 128,
	CATALOG_NAME_MAX = 256,
	CATALOG_DESCRIPTION_MAX = 16 << 10,
	CATALOG_SCHEMA_MAX = 128 << 10,
	CATALOG_BYTES_MAX = 4 << 20, /* of all schemas and descriptions */
};

struct catalog_tool {
	struct tool_doc doc; /* the name as the server says it */
	struct str told;     /* and as a model is told, if no other server has one of that name */
	struct param_header *params;
	size_t param_count;
};
struct catalog {
	struct arena arena;
	struct catalog_tool *tools;
	size_t count, room;
	size_t pages, bytes;
};

void catalog_init(struct catalog *c);
void catalog_release(struct catalog *c);
/* Takes the page in; *cursor: where the next one begins, in the catalog's arena, or empty. over_http:
 * arguments may be repeated as headers. ERR_INVALID, ERR_LIMIT: the page makes no sense, or there are
 * too many. */
NODISCARD int catalog_add(struct catalog *c, struct str server, struct json page, bool over_http,
			  struct str *cursor, struct err *e);
/* Is a model told of one by that name? */
bool catalog_tells(const struct catalog *c, struct str told);
/* NULL: there is none that the server calls so. */
const struct catalog_tool *catalog_find(const struct catalog *c, struct str name);

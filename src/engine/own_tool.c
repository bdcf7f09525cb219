#include "engine/own_tool.h"

#include "engine/own_tool_directive.h"

const struct own_tool *const OWN_TOOLS[] = {
	&OWN_TOOL_DIRECTIVE,
	NULL,
};

const struct own_tool *
own_tool_find(const struct engine *en, struct str name)
{
	for (const struct own_tool *const *t = en->own_tools; *t; t++)
		if (str_eq((*t)->doc.name, name))
			return *t;
	return NULL;
}

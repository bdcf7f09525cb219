#include "jansson_parse.h"

#include <jansson.h>

void
jansson_parse(struct str text)
{
	json_t *tree =
		json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);

	if (!tree)
		abort();
	json_decref(tree);
}

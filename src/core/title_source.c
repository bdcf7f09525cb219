#include "core/title_source.h"

static const char *const NAMES[] = {
	[TITLE_FALLBACK] = "fallback",
	[TITLE_USER] = "user",
	[TITLE_AI] = "ai",
};

enum title_source
title_source_of(struct str title, struct str word)
{
	if (title.len == 0)
		return TITLE_FALLBACK;
	return str_eq(word, str_of(NAMES[TITLE_AI])) ? TITLE_AI : TITLE_USER;
}

const char *
title_source_name(enum title_source s)
{
	return NAMES[s];
}

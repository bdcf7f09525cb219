/* title_source - who gave a session its title? */
#pragma once
#include "base/str.h"

enum title_source {
	TITLE_FALLBACK, /* nobody: the first message stands in for it */
	TITLE_USER,
	TITLE_AI, /* made by a model: may be replaced by a better one */
};

/* Of a title as an event brings it: word is its title_source, empty when it says none. An empty title
 * is none; one whose giver is not known as a model counts as a person's, which nobody overwrites. */
enum title_source title_source_of(struct str title, struct str word);
/* The word of M4: "fallback", "user", "ai". */
const char *title_source_name(enum title_source s);

/* api_key - where is a provider's key now? Read anew for each request, so that a changed file counts
 * at once. No sentence repeats a key. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct api_key_source {
	struct str provider;  /* for sentences */
	struct str env, file; /* NUL-terminated; exactly one is set */
};

/* Without blanks around it. ERR_AUTH: there is none; the sentence names the variable or the file. */
NODISCARD int
api_key_read(const struct api_key_source *from, struct arena *a, struct str *out, struct err *e);

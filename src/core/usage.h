/* usage - the tokens of one model call as the provider reported them.
 * Adapters bring every dialect to one meaning: input is what was neither read from nor written to
 * the cache, reasoning is a part of output. */
#pragma once
#include <stdint.h>

struct usage {
	int64_t input, output, reasoning, cache_read, cache_write;
};

/* The whole prompt: fresh, read from and written to the cache. */
static inline int64_t
usage_prompt_tokens(const struct usage *u)
{
	return u->input + u->cache_read + u->cache_write;
}

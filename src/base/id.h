/* id - names that sort by birth: UUIDv7, strictly increasing within one generator, also when the
 * clock stands still or steps back. */
#pragma once
#include <stdint.h>
#include "base/rand.h"
#include "base/str.h"

enum { ID_PREFIX_MAX = 15, ID_TEXT_MAX = ID_PREFIX_MAX + 1 + 32 + 1 };

struct id_gen {
	struct rand *rand; /* borrowed */
	uint64_t last_ms;
	uint32_t counter; /* 18 bits behind the millisecond */
};

struct uuid {
	unsigned char bytes[16];
};

void id_gen_init(struct id_gen *g, struct rand *rand);
struct uuid id_uuid7(struct id_gen *g, int64_t now_ms);
/* prefix, an underscore, 32 hex digits: "sesn_0199...". Returns a view of out. */
struct str id_make(struct id_gen *g, int64_t now_ms, const char *prefix, char out[ID_TEXT_MAX]);

#include "base/id.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNTER_BITS = 18, COUNTER_MAX = (1 << COUNTER_BITS) - 1 };

void
id_gen_init(struct id_gen *g, struct rand *rand)
{
	*g = (struct id_gen){ .rand = rand };
}

/* A new millisecond starts the counter at a random low value; the same one, or a clock that went
 * back, counts on; a full counter borrows the next millisecond. */
static void
advance(struct id_gen *g, uint64_t now_ms)
{
	if (now_ms > g->last_ms) {
		g->last_ms = now_ms;
		g->counter = (uint32_t)rand_below(g->rand, COUNTER_MAX / 2);
	} else if (g->counter < COUNTER_MAX) {
		g->counter++;
	} else {
		g->last_ms++;
		g->counter = 0;
	}
}

struct uuid
id_uuid7(struct id_gen *g, int64_t now_ms)
{
	struct uuid u;
	uint64_t ms;

	advance(g, now_ms > 0 ? (uint64_t)now_ms : 0);
	ms = g->last_ms;
	rand_bytes(g->rand, u.bytes + 8, sizeof u.bytes - 8); /* the rest is set below */
	for (int i = 0; i < 6; i++)
		u.bytes[i] = (unsigned char)(ms >> (40 - 8 * i));
	u.bytes[6] = (unsigned char)(0x70 | g->counter >> 14);    /* version, top 4 of 18 */
	u.bytes[7] = (unsigned char)(g->counter >> 6);            /* next 8 */
	u.bytes[8] = (unsigned char)(0x80 | (g->counter & 0x3f)); /* variant, last 6 */
	return u;
}

/* Eight digits of four bytes at once: every request makes two ids. */
static void
put_hex(const unsigned char bytes[4], char out[8])
{
	static const uint64_t ONES = UINT64_C(0x0101010101010101);
	uint64_t x = bytes[0] | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 32 |
		     (uint64_t)bytes[3] << 48;
	uint64_t letters;

	x = (x >> 4 | x << 8) & ONES * 0x0f; /* a digit's value in each byte */
	letters = (x + ONES * 6) >> 4 & ONES;
	x += ONES * '0' + letters * ('a' - '0' - 10);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(out, &x, sizeof x);
}

struct str
id_make(struct id_gen *g, int64_t now_ms, const char *prefix, char out[ID_TEXT_MAX])
{
	struct uuid u = id_uuid7(g, now_ms);
	size_t len = strlen(prefix);

	if (len > ID_PREFIX_MAX)
		abort();
	memcpy(out, prefix, len);
	out[len++] = '_';
	for (size_t i = 0; i < sizeof u.bytes; i += 4, len += 8)
		put_hex(u.bytes + i, out + len);
	out[len] = '\0';
	return (struct str){ out, len };
}

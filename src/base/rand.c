#include "base/rand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

void
rand_init_os(struct rand *r)
{
	*r = (struct rand){ .seeded = false };
}

/* splitmix64: spreads a small seed over the whole state */
static uint64_t
split(uint64_t *x)
{
	uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void
rand_init_seed(struct rand *r, uint64_t seed)
{
	*r = (struct rand){ .seeded = true };
	for (size_t i = 0; i < 4; i++)
		r->s[i] = split(&seed);
}

static uint64_t
rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

static uint64_t
next_seeded(uint64_t s[4])
{
	uint64_t result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

/* A signal may make it short: the rest is asked for again. */
static void
refill(struct rand *r)
{
	size_t have = 0;

	while (have < sizeof r->pool) {
		ssize_t got = getrandom(r->pool + have, sizeof r->pool - have, 0);

		if (got < 0 && errno != EINTR)
			abort();
		have += got > 0 ? (size_t)got : 0;
	}
	r->pool_left = sizeof r->pool;
}

void
rand_bytes(struct rand *r, void *out, size_t len)
{
	unsigned char *to = out;

	while (len > 0) {
		uint64_t word;
		size_t n;

		if (r->seeded) {
			word = next_seeded(r->s);
			n = len < sizeof word ? len : sizeof word;
			memcpy(to, &word, n);
		} else {
			if (r->pool_left == 0)
				refill(r);
			n = len < r->pool_left ? len : r->pool_left;
			r->pool_left -= n;
			memcpy(to, r->pool + r->pool_left, n);
			memset(r->pool + r->pool_left, 0, n);
		}
		to += n;
		len -= n;
	}
}

uint64_t
rand_u64(struct rand *r)
{
	uint64_t value;

	rand_bytes(r, &value, sizeof value);
	return value;
}

uint64_t
rand_below(struct rand *r, uint64_t n)
{
	uint64_t floor = (0 - n) % n; /* below it the remainders are not evenly spread */
	uint64_t value;

	do
		value = rand_u64(r);
	while (value < floor);
	return value % n;
}

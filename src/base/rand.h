/* rand - randomness with a named origin: the kernel's for secrets and ids, a seed for runs that
 * must repeat bit for bit (simulator, property tests). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rand {
	uint64_t s[4]; /* xoshiro256** state of a seeded source */
	bool seeded;
	unsigned char pool[2048]; /* kernel bytes not handed out yet */
	size_t pool_left;
};

void rand_init_os(struct rand *r);
void rand_init_seed(struct rand *r, uint64_t seed);

void rand_bytes(struct rand *r, void *out, size_t len);
uint64_t rand_u64(struct rand *r);
/* Uniform in [0, n); n must not be 0. */
uint64_t rand_below(struct rand *r, uint64_t n);

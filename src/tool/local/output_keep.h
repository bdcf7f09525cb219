/* output_keep - as much of an output as is worth keeping: its beginning and its end, or its end
 * alone; and any bytes as clean UTF-8. */
#pragma once
#include <stdint.h>
#include "base/buf.h"

struct output_keep {
	char *head, *tail; /* made when there is something to keep */
	size_t head_max, head_len;
	size_t tail_max;     /* tail is a ring of that many bytes */
	uint64_t total;      /* bytes that came */
	uint64_t tail_start; /* of them, the first that the ring may have */
};

/* head_max may be 0: the end alone is kept. */
void output_keep_init(struct output_keep *k, size_t head_max, size_t tail_max);
void output_keep_release(struct output_keep *k);
void output_keep_put(struct output_keep *k, struct str bytes);
/* Counts bytes that somebody before us has left out; what is older is forgotten. */
void output_keep_skip(struct output_keep *k, uint64_t bytes);
/* What is kept, as clean UTF-8, with a line where something is missing. */
void output_keep_text(const struct output_keep *k, struct buf *out);
/* The bytes from offset `from` of everything that came, as far as they are kept, as they came;
 * returns the offset of the first one. */
uint64_t output_keep_since(const struct output_keep *k, uint64_t from, struct buf *out);

/* A run of bytes that is no UTF-8, and NUL, become one U+FFFD. */
void output_clean(struct buf *out, struct str bytes);

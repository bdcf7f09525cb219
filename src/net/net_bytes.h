/* net_bytes - one immutable run of bytes that many streams send: counted, never copied.
 * It carries the framing of a chunk around its data, so that a chunked stream and a plain one send
 * the same memory. Any thread may make and fill one; counting belongs to the loop's thread. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

struct net_bytes;

/* One reference, len bytes to be filled through net_bytes_fill before anyone else sees it. */
struct net_bytes *net_bytes_new(size_t len);
struct net_bytes *net_bytes_copy(struct str text);
char *net_bytes_fill(struct net_bytes *b);

struct net_bytes *net_bytes_ref(struct net_bytes *b);
/* Accepts NULL; the last one frees. */
void net_bytes_unref(struct net_bytes *b);

struct str net_bytes_data(const struct net_bytes *b);
/* The data as one chunk of a chunked body. An empty one would end the body and is empty here too. */
struct str net_bytes_chunk(const struct net_bytes *b);

/* column - takes a result row apart, column by column, from left to right.
 * What does not fit its type (an unknown enum number, a hash of another length) marks the row as bad
 * instead of reaching the caller: a damaged file must not become a wrong index somewhere else. */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/sha256.h"
#include "base/str.h"

struct column {
	sqlite3_stmt *st;
	int at;
	bool bad;
};

int64_t column_int(struct column *c);
bool column_bool(struct column *c);
/* A number below count; anything else is bad and gives 0. */
unsigned column_enum(struct column *c, unsigned count);
/* NULL gives a view without pointer, '' an empty one with it. Good until the statement moves on. */
struct str column_text(struct column *c);
/* The same bytes without the copy that a text's terminator may need. */
struct str column_bytes(struct column *c);
void column_hash(struct column *c, struct sha256 *out);

/* integrity - what of a database can be wrong beyond what the port shows: the file itself, blobs,
 * rows that belong to no session, and columns that only the writer uses. */
#pragma once
#include "base/err.h"
#include "base/str.h"

/* session empty: none in particular; seq 0 likewise. */
typedef void integrity_found_fn(void *ctx, struct str session, int64_t seq, const char *what);

/* Reads the whole file; nobody may write to it. 0 also when problems were found; an error when the
 * database could not be read to its end. */
NODISCARD int
integrity_check(const char *path, integrity_found_fn *found, void *ctx, struct err *e);

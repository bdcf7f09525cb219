/* file - small files read whole, with a ceiling; bytes written whole; paths without links. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* Reads to the end of an open descriptor; more than max bytes is ERR_TOO_LARGE. name is for the
 * message ("stdin", a path). */
NODISCARD int
file_read_fd(int fd, const char *name, size_t max, struct arena *a, struct str *out, struct err *e);
/* Absent is ERR_NOT_FOUND; anything but a regular file ERR_INVALID. */
NODISCARD int
file_read(const char *path, size_t max, struct arena *a, struct str *out, struct err *e);
/* All of it, however little the descriptor takes at a time. 0 or errno. */
NODISCARD int file_write_fd(int fd, struct str text);
/* The path without links, ending with NUL. 0 or errno. */
NODISCARD int file_real_path(struct str path, struct arena *a, struct str *out);
/* Compiled time zone rules (TZif) by IANA name. Names that leave the folder are refused. */
NODISCARD int file_read_zoneinfo(struct str name, struct arena *a, struct str *out, struct err *e);

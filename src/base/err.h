/* err - the one closed set of failures, and the sentence that goes with one.
 * A fallible function returns 0 or a negative ERR_*; the first to know writes the sentence. Each
 * code is mapped once, here, to an HTTP status and a process exit code. */
#pragma once
#include "base/attr.h"

enum err_code {
	ERR_INVALID = -1,      /* the input is wrong: says which field and why */
	ERR_USAGE = -2,        /* the command line is wrong */
	ERR_AUTH = -3,         /* no or unknown credentials */
	ERR_DENIED = -4,       /* known, but may not do this kind of thing */
	ERR_NOT_FOUND = -5,    /* absent, or hidden from this principal */
	ERR_CONFLICT = -6,     /* the state forbids it: busy, archived, version moved */
	ERR_MISMATCH = -7,     /* the same key was used with another body */
	ERR_LIMIT = -8,        /* a bound was reached: queue, rate, budget */
	ERR_TOO_LARGE = -9,    /* the input exceeds its byte limit */
	ERR_TIMEOUT = -10,     /* it did not happen in time */
	ERR_CORRUPT = -11,     /* stored data fails its check */
	ERR_IO = -12,          /* the disk or the network failed */
	ERR_NO_SPACE = -13,    /* the disk is full */
	ERR_UNAVAILABLE = -14, /* not ready, draining, or a peer is away */
	ERR_PRECONDITION = -15 /* what the caller expects does not hold: a lease is another's */
};

/* Longer sentences are cut at a character border, never overflow. */
#define ERR_TEXT_MAX 512

struct err {
	int code; /* 0 or an err_code */
	char text[ERR_TEXT_MAX];
};

/* Records the failure and returns code, so that callers write `return err_set(...)`. e may be
 * NULL when the caller does not want the sentence. */
int err_set(struct err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Puts context before the sentence already recorded ("config.yaml:3: " + text) and returns code,
 * so that callers write `return err_prefix(e, rc, ...)`. */
int err_prefix(struct err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The code's stable lower-case name ("not_found"); "ok" for 0, "unknown" for anything else. */
const char *err_name(int code);
/* 200 for 0; a code outside the set is a bug and maps to 500. */
int err_http_status(int code);
/* 0 ok, 1 refused, 2 usage or bad input, 3 the machine failed (disk, corruption). */
int err_exit_code(int code);

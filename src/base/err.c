#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct err_row {
	int code;
	const char *name;
	int http_status, exit_code;
} ROWS[] = {
	{ 0, "ok", 200, 0 },
	{ ERR_INVALID, "invalid", 400, 2 },
	{ ERR_USAGE, "usage", 400, 2 },
	{ ERR_AUTH, "auth", 401, 1 },
	{ ERR_DENIED, "denied", 403, 1 },
	{ ERR_NOT_FOUND, "not_found", 404, 1 },
	{ ERR_CONFLICT, "conflict", 409, 1 },
	{ ERR_MISMATCH, "mismatch", 422, 1 },
	{ ERR_LIMIT, "limit", 429, 1 },
	{ ERR_TOO_LARGE, "too_large", 413, 2 },
	{ ERR_TIMEOUT, "timeout", 504, 1 },
	{ ERR_CORRUPT, "corrupt", 500, 3 },
	{ ERR_IO, "io", 503, 3 },
	{ ERR_NO_SPACE, "no_space", 507, 3 },
	{ ERR_UNAVAILABLE, "unavailable", 503, 1 },
	{ ERR_PRECONDITION, "precondition", 412, 1 },
};

static const struct err_row UNKNOWN = { 1, "unknown", 500, 3 };

static const struct err_row *
row_of(int code)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		if (ROWS[i].code == code)
			return &ROWS[i];
	return &UNKNOWN;
}

/* snprintf may have cut a multi-byte character in two: drop the torn one. */
static void
trim_torn_character(char *text, size_t len)
{
	size_t at = len;
	unsigned char lead;
	size_t want;

	while (at > 0 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
		at--;
	if (at == 0)
		return;
	lead = (unsigned char)text[at - 1];
	want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	if (len - (at - 1) < want)
		text[at - 1] = '\0';
}

int
err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!e)
		return code;
	e->code = code;
	va_start(ap, fmt);
	n = vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof e->text)
		trim_torn_character(e->text, sizeof e->text - 1);
	return code;
}

int
err_prefix(struct err *e, int code, const char *fmt, ...)
{
	char old[ERR_TEXT_MAX];
	va_list ap;
	int n;

	if (!e)
		return code;
	memcpy(old, e->text, sizeof old);
	va_start(ap, fmt);
	n = vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof e->text) {
		size_t used = (size_t)n;
		int m = snprintf(e->text + used, sizeof e->text - used, "%s", old);
		if (m >= 0 && used + (size_t)m >= sizeof e->text)
			trim_torn_character(e->text, sizeof e->text - 1);
	} else {
		trim_torn_character(e->text, sizeof e->text - 1);
	}
	return code;
}

const char *
err_name(int code)
{
	return row_of(code)->name;
}

int
err_http_status(int code)
{
	return row_of(code)->http_status;
}

int
err_exit_code(int code)
{
	return row_of(code)->exit_code;
}

/* log - lines about what the process does, with secrets kept out.
 *   log_write(LOG_WARN, "provider.retry", LOG_STR("session", id), LOG_INT("attempt", 2));
 * gives {"ts":"2026-03-29T01:00:00.123Z","level":"warn","event":"provider.retry",...}, or for people
 * 2026-03-29T01:00:00.123Z warn provider.retry session=sesn_1 attempt=2
 * with values in quotes that would not stand as one word.
 *
 * A line is one write(2) of at most 64 KiB, so lines of several processes on one pipe or file do
 * not mix badly. Logging never fails its caller and leaves errno alone. Any thread may log. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/attr.h"
#include "base/str.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };
enum log_form { LOG_FORM_JSON, LOG_FORM_TEXT };
enum log_type { LOG_TYPE_STR, LOG_TYPE_INT, LOG_TYPE_BOOL };

enum { LOG_LINE_MAX = 64 * 1024, LOG_VALUE_MAX = 8 * 1024, LOG_SECRET_MIN = 4 };

struct log_field {
	const char *name;
	enum log_type type;
	struct str text;
	int64_t number;
};

#define LOG_STR(field, value)                                          \
	{                                                              \
		.name = (field), .type = LOG_TYPE_STR, .text = (value) \
	}
#define LOG_INT(field, value)                                            \
	{                                                                \
		.name = (field), .type = LOG_TYPE_INT, .number = (value) \
	}
#define LOG_BOOL(field, value)                                            \
	{                                                                 \
		.name = (field), .type = LOG_TYPE_BOOL, .number = (value) \
	}

/* Where lines go and from which level on; until then standard error, from info on. */
void log_init(int fd, enum log_level least);
/* JSON until then. */
void log_use_form(enum log_form form);
/* From now on value is printed as [redacted] inside any string. Copied; kept for good. Values under
 * LOG_SECRET_MIN bytes are ignored: they would hide half the log and protect nothing. */
void log_add_secret(struct str value);
/* Forgets the secrets, for tests. */
void log_clear_secrets(void);

/* Strings above LOG_VALUE_MAX bytes are cut with a note; fields for which the line has no room are
 * left out and counted in "dropped_fields". A field is redacted whole when its name ends in
 * authorization, token, api_key, secret, password, cookie or one of their kin, whatever the case. */
#define log_write(level, event, ...)                                               \
	log_write_fields(                                                          \
		(level), (event),                                                  \
		(const struct log_field[]){ { .name = NULL }, ##__VA_ARGS__ } + 1, \
		ARRAY_LEN(((const struct log_field[]){ { .name = NULL }, ##__VA_ARGS__ })) - 1)
void log_write_fields(enum log_level level, const char *event, const struct log_field *fields,
		      size_t count);

/* True when the value of a field of this name must not be shown. */
bool log_name_is_secret(struct str name);

#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/xalloc.h"

/* Room for the closing bracket, the count of dropped fields and the line end. */
enum { TAIL_BYTES = 48 };
static const char REDACTED[] = "[redacted]";

/* The one global state of base: a process has one log. All of it is under the lock. */
static struct {
	pthread_mutex_t lock;
	int fd;
	enum log_level least;
	enum log_form form;
	VEC(struct str) secrets;
	struct buf line, value;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = STDERR_FILENO, .least = LOG_INFO };

static const char *const LEVELS[] = { "debug", "info", "warn", "error" };

void
log_init(int fd, enum log_level least)
{
	pthread_mutex_lock(&state.lock);
	state.fd = fd;
	state.least = least;
	pthread_mutex_unlock(&state.lock);
}

void
log_use_form(enum log_form form)
{
	pthread_mutex_lock(&state.lock);
	state.form = form;
	pthread_mutex_unlock(&state.lock);
}

void
log_add_secret(struct str value)
{
	char *copy;

	if (value.len < LOG_SECRET_MIN)
		return;
	copy = memcpy(xmalloc(value.len), value.ptr, value.len);
	pthread_mutex_lock(&state.lock);
	*vec_push(&state.secrets) = (struct str){ copy, value.len };
	pthread_mutex_unlock(&state.lock);
}

void
log_clear_secrets(void)
{
	pthread_mutex_lock(&state.lock);
	for (size_t i = 0; i < state.secrets.len; i++)
		free((char *)(uintptr_t)state.secrets.ptr[i].ptr);
	vec_release(&state.secrets);
	pthread_mutex_unlock(&state.lock);
}

/* Letters and digits alone count, so that api_key, X-Api-Key and apiKey are one name. */
static bool
ends_with_word(struct str name, const char *word)
{
	size_t at = strlen(word);

	while (at > 0 && name.len > 0) {
		char c = name.ptr[--name.len];
		if (c == '_' || c == '-')
			continue;
		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c != word[--at])
			return false;
	}
	return at == 0;
}

bool
log_name_is_secret(struct str name)
{
	static const char *const WORDS[] = {
		"authorization", "token",      "apikey",     "secret",    "password",
		"passwd",        "passphrase", "cookie",     "cookies",   "credential",
		"credentials",   "privatekey", "signingkey", "accesskey", "secretkey",
	};

	for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
		if (ends_with_word(name, WORDS[i]))
			return true;
	return false;
}

/* The length of the longest secret at the front of text, 0 when there is none: of two that begin
 * alike the longer must go whole. */
static size_t
secret_at(struct str text)
{
	size_t longest = 0;

	for (size_t i = 0; i < state.secrets.len; i++)
		if (state.secrets.ptr[i].len > longest && str_starts(text, state.secrets.ptr[i]))
			longest = state.secrets.ptr[i].len;
	return longest;
}

/* Text as it may be shown: secrets replaced first, then cut, so that no cut leaves half of one. */
static struct str
shown(struct str text)
{
	enum { ENOUGH = LOG_VALUE_MAX + 4 }; /* a character across the cut is seen whole */
	struct buf *out = &state.value;

	buf_clear(out);
	if (state.secrets.len == 0)
		buf_put_str(out, str_slice(text, 0, ENOUGH));
	for (size_t at = 0; state.secrets.len > 0 && at < text.len && out->len < ENOUGH;) {
		size_t len = secret_at(str_slice(text, at, text.len));

		if (len > 0)
			buf_puts(out, REDACTED);
		else
			buf_putc(out, text.ptr[at]);
		at += len > 0 ? len : 1;
	}
	if (out->len > LOG_VALUE_MAX) {
		out->len = utf8_floor(buf_str(out), LOG_VALUE_MAX);
		buf_printf(out, "... [cut, %zu bytes in all]", text.len);
	}
	return buf_str(out);
}

static struct str
value_of(const struct log_field *f)
{
	return log_name_is_secret(str_of(f->name)) ? str_of(REDACTED) : shown(f->text);
}

static bool
is_text(const struct log_field *f)
{
	return f->type == LOG_TYPE_STR || log_name_is_secret(str_of(f->name));
}

static void
put_json(struct jw *w, const struct log_field *f)
{
	jw_key(w, str_of(f->name));
	if (is_text(f))
		jw_str(w, value_of(f));
	else if (f->type == LOG_TYPE_INT)
		jw_int(w, f->number);
	else
		jw_bool(w, f->number != 0);
}

/* A word needs no quotes: nobody can take its end for the next field. */
static bool
is_word(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '=')
			return false;
	}
	return text.len > 0;
}

static void
put_text(struct buf *line, const struct log_field *f)
{
	struct str value;

	buf_printf(line, " %s=", f->name);
	if (!is_text(f)) {
		if (f->type == LOG_TYPE_INT)
			buf_put_int(line, f->number);
		else
			buf_puts(line, f->number != 0 ? "true" : "false");
		return;
	}
	value = value_of(f);
	if (is_word(value)) {
		buf_put_str(line, value);
		return;
	}
	buf_putc(line, '"');
	json_escape(line, value);
	buf_putc(line, '"');
}

/* Puts the field unless the line has no room for it. */
static bool
put_field(struct jw *w, const struct log_field *f)
{
	struct buf *line = &state.line;
	struct jw before_w = *w;
	size_t before = line->len;

	if (state.form == LOG_FORM_TEXT)
		put_text(line, f);
	else
		put_json(w, f);
	if (!line->overflow && line->len <= LOG_LINE_MAX - TAIL_BYTES)
		return true;
	*w = before_w;
	line->len = before;
	line->overflow = false;
	return false;
}

static void
build_line(enum log_level level, const char *event, const struct log_field *fields, size_t count)
{
	bool text = state.form == LOG_FORM_TEXT;
	struct buf *line = &state.line;
	char now[TIMESTAMP_TEXT_MAX];
	struct str ts = timestamp_format(clock_now_ms(), now);
	int64_t dropped = 0;
	struct jw w;

	buf_clear(line);
	jw_init(&w, line);
	if (text) {
		buf_printf(line, STR_FMT " %s " STR_FMT, STR_ARG(ts), LEVELS[level],
			   STR_ARG(shown(str_of(event))));
	} else {
		jw_object(&w);
		jw_field_str(&w, "ts", ts);
		jw_field_str(&w, "level", str_of(LEVELS[level]));
		jw_field_str(&w, "event", shown(str_of(event)));
	}
	for (size_t i = 0; i < count; i++)
		dropped += !put_field(&w, &fields[i]);
	if (text && dropped > 0)
		buf_printf(line, " dropped_fields=%lld", (long long)dropped);
	if (!text && dropped > 0)
		jw_field_int(&w, "dropped_fields", dropped);
	if (!text)
		jw_end_object(&w);
	buf_putc(line, '\n');
}

void
log_write_fields(enum log_level level, const char *event, const struct log_field *fields,
		 size_t count)
{
	int saved_errno = errno;
	ssize_t written;

	pthread_mutex_lock(&state.lock);
	if (level >= state.least) {
		/* The ceilings are for the worst case of escaping; the line's own is checked. */
		state.line.max = 2 * LOG_LINE_MAX;
		state.value.max = LOG_LINE_MAX;
		build_line(level, event, fields, count);
		do
			written = write(state.fd, state.line.ptr, state.line.len);
		while (written < 0 && errno == EINTR);
	}
	pthread_mutex_unlock(&state.lock);
	errno = saved_errno;
}

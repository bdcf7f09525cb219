/* config_value_text - a value as people and programs read it, and what its key expects. */
#include <stdlib.h>

#include "app/config_value.h"

enum { KIB = 1024, MICRO = 1000000, MICRO_DIGITS = 6 };

static int64_t
get_number(const struct config_key *key, const void *object)
{
	const char *from = (const char *)object + key->offset;

	switch (key->width) {
	case sizeof(bool): return *(const bool *)from;
	case sizeof(int32_t): return *(const int32_t *)from;
	case sizeof(int64_t): return *(const int64_t *)from;
	}
	abort();
}

static struct str
get_text(const struct config_key *key, const void *object)
{
	return *(const struct str *)((const char *)object + key->offset);
}

static struct str_list
get_texts(const struct config_key *key, const void *object)
{
	return *(const struct str_list *)((const char *)object + key->offset);
}

static void
format_size(int64_t bytes, struct buf *out)
{
	static const char *const UNITS[] = { "", " KiB", " MiB", " GiB" };
	size_t i = 0;

	for (; bytes > 0 && bytes % KIB == 0 && i + 1 < ARRAY_LEN(UNITS); i++)
		bytes /= KIB;
	buf_printf(out, "%lld%s", (long long)bytes, UNITS[i]);
}

static void
format_duration(int64_t ms, struct buf *out)
{
	bool seconds = ms % 1000 == 0;

	buf_printf(out, "%lld %s", (long long)(seconds ? ms / 1000 : ms), seconds ? "s" : "ms");
}

static void
format_price(int64_t micro, struct buf *out)
{
	int places = MICRO_DIGITS;
	int64_t rest = micro % MICRO;

	buf_put_int(out, micro / MICRO);
	if (rest == 0)
		return;
	for (; rest % 10 == 0; rest /= 10)
		places--;
	buf_printf(out, ".%0*lld", places, (long long)rest);
}

static void
expect_range(const struct config_key *key, const char *noun, const char *like, struct buf *out)
{
	bool size = key->type == CONFIG_SIZE;

	buf_printf(out, "%s from ", noun);
	if (size)
		format_size(key->min, out);
	else
		format_duration(key->min * key->unit_ms, out);
	buf_puts(out, " to ");
	if (size)
		format_size(key->max, out);
	else
		format_duration(key->max * key->unit_ms, out);
	buf_puts(out, like);
}

void
config_value_expected(const struct config_key *key, struct buf *out)
{
	switch (key->type) {
	case CONFIG_BOOL: buf_puts(out, "true or false"); return;
	case CONFIG_INT:
		buf_printf(out, "a whole number from %lld to %lld", (long long)key->min,
			   (long long)key->max);
		return;
	case CONFIG_SIZE: expect_range(key, "a size", " (like 64 KiB)", out); return;
	case CONFIG_DURATION: expect_range(key, "a duration", " (like 5 s)", out); return;
	case CONFIG_PRICE: buf_puts(out, "dollars per million tokens (like 0.25)"); return;
	case CONFIG_MONEY: buf_puts(out, "dollars (like 2.50)"); return;
	case CONFIG_WORD:
		for (size_t i = 0; key->words[i]; i++)
			buf_printf(out, "%s%s",
				   i == 0              ? ""
				   : key->words[i + 1] ? ", "
						       : " or ",
				   key->words[i]);
		return;
	case CONFIG_TEXT: buf_puts(out, "text"); return;
	case CONFIG_PATH: buf_puts(out, "a path"); return;
	case CONFIG_TEXTS: buf_puts(out, "a list of texts"); return;
	}
}

bool
config_value_is_absent(const struct config_key *key, const void *object)
{
	switch (key->type) {
	case CONFIG_BOOL:
	case CONFIG_WORD: return false;
	case CONFIG_INT:
	case CONFIG_SIZE:
	case CONFIG_DURATION:
	case CONFIG_MONEY:
	case CONFIG_PRICE: return get_number(key, object) < 0;
	case CONFIG_TEXT:
	case CONFIG_PATH: return get_text(key, object).len == 0;
	case CONFIG_TEXTS: return get_texts(key, object).len == 0;
	}
	abort();
}

void
config_value_format(const struct config_key *key, const void *object, struct buf *out)
{
	struct str_list texts;

	if (config_value_is_absent(key, object)) {
		buf_puts(out, "-");
		return;
	}
	switch (key->type) {
	case CONFIG_BOOL: buf_puts(out, get_number(key, object) ? "true" : "false"); return;
	case CONFIG_WORD: buf_puts(out, key->words[get_number(key, object)]); return;
	case CONFIG_INT: buf_put_int(out, get_number(key, object)); return;
	case CONFIG_SIZE: format_size(get_number(key, object), out); return;
	case CONFIG_DURATION: format_duration(get_number(key, object) * key->unit_ms, out); return;
	case CONFIG_MONEY:
	case CONFIG_PRICE: format_price(get_number(key, object), out); return;
	case CONFIG_TEXT:
	case CONFIG_PATH: buf_put_str(out, get_text(key, object)); return;
	case CONFIG_TEXTS:
		texts = get_texts(key, object);
		for (size_t i = 0; i < texts.len; i++)
			buf_printf(out, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(texts.ptr[i]));
		return;
	}
}

void
config_value_json(const struct config_key *key, const void *object, struct jw *w)
{
	struct str_list texts;

	if (config_value_is_absent(key, object) && key->type != CONFIG_TEXTS) {
		jw_null(w);
		return;
	}
	switch (key->type) {
	case CONFIG_BOOL: jw_bool(w, get_number(key, object) != 0); return;
	case CONFIG_WORD: jw_str(w, str_of(key->words[get_number(key, object)])); return;
	case CONFIG_INT:
	case CONFIG_SIZE:
	case CONFIG_DURATION: jw_int(w, get_number(key, object)); return;
	case CONFIG_MONEY:
	case CONFIG_PRICE: jw_double(w, (double)get_number(key, object) / MICRO); return;
	case CONFIG_TEXT:
	case CONFIG_PATH: jw_str(w, get_text(key, object)); return;
	case CONFIG_TEXTS:
		texts = get_texts(key, object);
		jw_array(w);
		for (size_t i = 0; i < texts.len; i++)
			jw_str(w, texts.ptr[i]);
		jw_end_array(w);
		return;
	}
}

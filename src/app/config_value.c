#include "app/config_value.h"

#include <stdio.h>
#include <stdlib.h>

enum { KIB = 1024, TEXT_MAX = 4096, MICRO = 1000000, MICRO_DIGITS = 6 };

struct unit {
	struct str name;
	int64_t factor;
};
static const struct unit SIZE_UNITS[] = {
	{ { "", 0 }, 1 },
	{ { "B", 1 }, 1 },
	{ { "KiB", 3 }, KIB },
	{ { "MiB", 3 }, KIB *KIB },
	{ { "GiB", 3 }, KIB *KIB *KIB },
};
static const struct unit TIME_UNITS[] = {
	{ { "ms", 2 }, 1 },
	{ { "s", 1 }, 1000 },
	{ { "min", 3 }, 60 * 1000 },
	{ { "h", 1 }, 3600 * 1000 },
	{ { "d", 1 }, 24 * 3600 * 1000 },
};

/* ---- members ---- */

static void *
member_of(const struct config_key *key, void *object)
{
	return (char *)object + key->offset;
}

static void
put_number(const struct config_key *key, void *object, int64_t value)
{
	void *to = member_of(key, object);

	switch (key->width) {
	case sizeof(bool): *(bool *)to = value != 0; return;
	case sizeof(int32_t): *(int32_t *)to = (int32_t)value; return;
	case sizeof(int64_t): *(int64_t *)to = value; return;
	}
	abort();
}

/* ---- text to number ---- */

static bool
parse_scaled(struct str text, const struct unit *units, size_t count, int64_t bare, int64_t *out)
{
	size_t digits = 0;
	struct str unit;
	int64_t number;

	while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
		digits++;
	unit = str_trim(str_slice(text, digits, text.len));
	if (!str_to_int(str_slice(text, 0, digits), &number))
		return false;
	if (unit.len == 0)
		return !__builtin_mul_overflow(number, bare, out);
	for (size_t i = 0; i < count; i++)
		if (str_eq(units[i].name, unit))
			return !__builtin_mul_overflow(number, units[i].factor, out);
	return false;
}

static bool
parse_duration(const struct config_key *key, struct str text, int64_t *out)
{
	int64_t ms;

	if (!parse_scaled(text, TIME_UNITS, ARRAY_LEN(TIME_UNITS), key->unit_ms, &ms) ||
	    ms % key->unit_ms != 0)
		return false;
	*out = ms / key->unit_ms;
	return true;
}

/* Dollars with up to six places to microdollars. */
static bool
parse_price(struct str text, int64_t *out)
{
	struct str whole, places;
	int64_t dollars, micro = 0;
	bool point = str_cut(text, '.', &whole, &places);

	if (whole.len == 0 || whole.ptr[0] < '0' || whole.ptr[0] > '9' ||
	    !str_to_int(whole, &dollars) || (point && places.len == 0) || places.len > MICRO_DIGITS)
		return false;
	for (size_t i = 0; i < MICRO_DIGITS; i++) {
		char c = i < places.len ? places.ptr[i] : '0';
		if (c < '0' || c > '9')
			return false;
		micro = micro * 10 + (c - '0');
	}
	return !__builtin_mul_overflow(dollars, MICRO, out) &&
	       !__builtin_add_overflow(*out, micro, out);
}

static bool
parse_word(const struct config_key *key, struct str text, int64_t *out)
{
	for (size_t i = 0; key->words[i]; i++) {
		if (!str_eq(str_of(key->words[i]), text))
			continue;
		*out = (int64_t)i;
		return true;
	}
	return false;
}

/* quoted: numbers and booleans never are. */
static bool
parse_number(const struct config_key *key, struct str text, bool quoted, int64_t *out)
{
	int64_t value;
	bool good = false;

	switch (key->type) {
	case CONFIG_BOOL:
		value = str_eq(text, STR("true"));
		good = !quoted && (value || str_eq(text, STR("false")));
		break;
	case CONFIG_WORD: good = parse_word(key, text, &value); break;
	case CONFIG_INT: good = !quoted && str_to_int(text, &value); break;
	case CONFIG_SIZE:
		good = parse_scaled(text, SIZE_UNITS, ARRAY_LEN(SIZE_UNITS), 1, &value);
		break;
	case CONFIG_DURATION: good = parse_duration(key, text, &value); break;
	case CONFIG_MONEY:
	case CONFIG_PRICE: good = !quoted && parse_price(text, &value); break;
	case CONFIG_TEXT:
	case CONFIG_PATH:
	case CONFIG_TEXTS: abort();
	}
	if (!good)
		return false;
	if (key->type != CONFIG_BOOL && key->type != CONFIG_WORD &&
	    (value < key->min || value > key->max))
		return false;
	*out = value;
	return true;
}

/* ---- refusals ---- */

static void
describe_found(const struct config_node *n, struct buf *out)
{
	char shown[CONFIG_SHOWN_MAX];

	if (n->type != CONFIG_NODE_SCALAR)
		buf_puts(out, n->type == CONFIG_NODE_LIST ? "a list" : "a map");
	else if (config_node_is_null(n))
		buf_puts(out, "nothing");
	else
		buf_printf(out, "%s'%s'", n->plain ? "" : "the quoted text ",
			   config_problem_quote(n->text, shown));
}

static bool
refuse(const struct config_value_context *c, const struct config_key *key, struct str path,
       const struct config_node *n)
{
	struct buf text;

	if (n->refused)
		return false;
	buf_init(&text, ERR_TEXT_MAX);
	buf_printf(&text, STR_FMT ": must be ", STR_ARG(path));
	config_value_expected(key, &text);
	if (!key->private || n->type != CONFIG_NODE_SCALAR || config_node_is_null(n)) {
		buf_puts(&text, ", not ");
		describe_found(n, &text);
	}
	config_problem_add(c->p, n->at, STR_FMT, STR_ARG(buf_str(&text)));
	buf_release(&text);
	return false;
}

/* ---- texts ---- */

static bool
is_text(const struct config_node *n)
{
	bool other = n->plain && (str_eq(n->text, STR("true")) || str_eq(n->text, STR("false")));

	return n->type == CONFIG_NODE_SCALAR && !n->refused && !config_node_is_null(n) && !other &&
	       n->text.len > 0;
}

/* They would end up in messages, logs and terminals. */
static bool
has_control(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
			return true;
	return false;
}

static bool
check_text(const struct config_value_context *c, const struct config_key *key, struct str path,
	   const struct config_node *n)
{
	size_t max = key->max > 0 ? (size_t)key->max : TEXT_MAX;
	struct err e;

	if (!is_text(n))
		return refuse(c, key, path, n);
	if (n->text.len > max)
		config_problem_add(c->p, n->at, STR_FMT ": at most %zu bytes long, not %zu",
				   STR_ARG(path), max, n->text.len);
	else if (has_control(n->text))
		config_problem_add(c->p, n->at, STR_FMT ": must not hold control characters",
				   STR_ARG(path));
	else if (key->check && key->check(n->text, &e) != 0)
		config_problem_add(c->p, n->at, STR_FMT ": %s", STR_ARG(path), e.text);
	else
		return true;
	return false;
}

static bool
read_texts(const struct config_value_context *c, const struct config_key *key, struct str path,
	   const struct config_node *n, void *object)
{
	const struct config_node *item = n->type == CONFIG_NODE_LIST ? n->children : n;
	size_t count = n->type == CONFIG_NODE_LIST ? n->count : 1;
	struct str *texts;
	bool good = true;

	if (n->refused || n->type == CONFIG_NODE_MAP)
		return refuse(c, key, path, n);
	if (config_node_is_null(n)) /* every item is commented out */
		count = 0;
	texts = ARENA_ARRAY(c->a, count, struct str);
	for (size_t i = 0; i < count; i++, item = item->next) {
		good &= check_text(c, key, path, item);
		texts[i] = arena_str(c->a, item->text);
	}
	if (good)
		*(struct str_list *)member_of(key, object) = (struct str_list){ texts, count };
	return good;
}

struct str
config_value_path(struct arena *a, struct str folder, struct str written)
{
	const char *home = getenv("HOME");

	if (str_starts(written, STR("~/")) && home && home[0] == '/')
		return arena_printf(a, "%s/" STR_FMT, home,
				    STR_ARG(str_slice(written, 2, written.len)));
	if (str_starts(written, STR("./")) && written.len > 2)
		written = str_slice(written, 2, written.len);
	if (written.ptr[0] == '/' || folder.len == 0)
		return arena_str(a, written);
	return arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(written));
}

bool
config_value_read(const struct config_value_context *c, const struct config_key *key,
		  struct str path, const struct config_node *n, void *object)
{
	int64_t number;

	if (key->type == CONFIG_TEXTS)
		return read_texts(c, key, path, n, object);
	if (key->type == CONFIG_TEXT || key->type == CONFIG_PATH) {
		if (!check_text(c, key, path, n))
			return false;
		*(struct str *)member_of(key, object) =
			key->type == CONFIG_TEXT ? arena_str(c->a, n->text)
						 : config_value_path(c->a, c->folder, n->text);
		return true;
	}
	if (n->refused || n->type != CONFIG_NODE_SCALAR ||
	    !parse_number(key, n->text, !n->plain, &number))
		return refuse(c, key, path, n);
	put_number(key, object, number);
	return true;
}

void
config_value_default(struct arena *a, const struct config_key *key, void *object)
{
	struct config_problems p;
	const struct config_value_context c = { .a = a, .p = &p };
	struct config_node n = { .type = CONFIG_NODE_SCALAR, .plain = true };
	bool text =
		key->type == CONFIG_TEXT || key->type == CONFIG_PATH || key->type == CONFIG_TEXTS;

	config_problem_init(&p, NULL);
	n.text = str_of(key->value);
	if (key->value && !config_value_read(&c, key, str_of(key->path), &n, object))
		abort(); /* the table contradicts itself */
	if (!key->value && !text)
		put_number(key, object,
			   key->type == CONFIG_BOOL || key->type == CONFIG_WORD ? 0 : -1);
}

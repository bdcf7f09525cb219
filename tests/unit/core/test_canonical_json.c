#include "base/rand.h"
#include "core/canonical_json.h"
#include "harness.h"

static const struct row {
	const char *name, *text, *want;
} ROWS[] = {
	{ "T8 keys are sorted", "{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}" },
	{ "T8 nested keys are sorted", "{\"x\":{\"b\":1,\"a\":[{\"d\":1,\"c\":2}]}}",
	  "{\"x\":{\"a\":[{\"c\":2,\"d\":1}],\"b\":1}}" },
	{ "T8 keys sort by bytes, not by case or length", "{\"a\":1,\"B\":2,\"aa\":3,\"\":4}",
	  "{\"\":4,\"B\":2,\"a\":1,\"aa\":3}" },
	{ "T8 keys sort by their unescaped text", "{\"b\":1,\"\\u0061\":2}", "{\"a\":2,\"b\":1}" },
	{ "T8 keys beyond ASCII sort behind", "{\"\xc3\xa9\":1,\"z\":2}",
	  "{\"z\":2,\"\xc3\xa9\":1}" },
	{ "T8 array order stays", "[3,1,2]", "[3,1,2]" },
	{ "T8 blanks go", " { \"a\" : [ 1 , true , null , false ] } ",
	  "{\"a\":[1,true,null,false]}" },
	{ "T8 numbers stay verbatim", "[1,1.0,1e2,-0,1E+2]", "[1,1.0,1e2,-0,1E+2]" },
	{ "T8 big numbers lose nothing", "12345678901234567890123", "12345678901234567890123" },
	{ "T8 needless escapes go", "\"\\u0041\\/\\u00e9\"", "\"A/\xc3\xa9\"" },
	{ "T8 needed escapes stay", "\"a\\\"b\\\\c\\nd\\u0001\"", "\"a\\\"b\\\\c\\nd\\u0001\"" },
	{ "T8 empty containers", "{\"a\":{},\"b\":[]}", "{\"a\":{},\"b\":[]}" },
};

static struct json
parse(struct arena *a, struct json_doc *doc, struct str text)
{
	struct err e = { 0 };

	if (json_parse(a, text, &JSON_LIMITS_DEFAULT, doc, &e) != 0)
		fail_msg("%s", e.text);
	return json_root(doc);
}

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct arena a;
	struct json_doc doc;

	arena_init(&a);
	check_str(r->name, canonical_json_str(parse(&a, &doc, str_of(r->text)), &a),
		  str_of(r->want));
	arena_release(&a);
}

static void
T8_absent_is_null(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	check_str("absent", canonical_json_str((struct json){ 0 }, &a), STR("null"));
	arena_release(&a);
}

/* The same value spelled in a random member order, with random blanks and escapes. */
static void
spell(struct rand *order, const struct rand *value, int depth, struct buf *out)
{
	struct rand v = *value;
	uint64_t kind = depth == 0 ? 2 : rand_below(&v, 3);
	size_t first = (size_t)rand_below(order, 4);

	if (rand_below(order, 2))
		buf_putc(out, ' ');
	if (kind == 2) {
		buf_puts(out, rand_below(order, 2) ? "\"a\\u0062\"" : "\"\\u0061b\"");
		return;
	}
	buf_putc(out, kind ? '{' : '[');
	for (size_t i = 0; i < 4; i++) {
		size_t member = kind ? (i + first) % 4 : i;
		struct rand below;

		rand_init_seed(&below, v.s[0] + member);
		if (i > 0)
			buf_putc(out, ',');
		if (kind)
			buf_printf(out,
				   rand_below(order, 2) ? "\"k%zu\":" : "\"\\u006b%zu\" :", member);
		spell(order, &below, depth - 1, out);
	}
	buf_putc(out, kind ? '}' : ']');
}

static void
T8_property_equal_values_have_equal_bytes(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(3000); seed++) {
		struct rand order, value;
		struct buf left, right;
		struct json_doc doc;
		struct arena a;
		struct str one, two;

		rand_init_seed(&order, seed);
		rand_init_seed(&value, seed + 1);
		buf_init(&left, 1 << 20);
		buf_init(&right, 1 << 20);
		arena_init(&a);
		spell(&order, &value, 3, &left);
		spell(&order, &value, 3, &right);
		one = canonical_json_str(parse(&a, &doc, buf_str(&left)), &a);
		two = canonical_json_str(parse(&a, &doc, buf_str(&right)), &a);
		if (!str_eq(one, two) || !str_eq(one, canonical_json_str(parse(&a, &doc, one), &a)))
			fail_msg("seed %llu: " STR_FMT " and " STR_FMT, (unsigned long long)seed,
				 STR_ARG(one), STR_ARG(two));
		arena_release(&a);
		buf_release(&left);
		buf_release(&right);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T8_absent_is_null);
	SUITE_TEST(&s, T8_property_equal_values_have_equal_bytes);
	return suite_run(&s, "core/canonical_json");
}

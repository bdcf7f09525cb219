#include "core/surface_key.h"

#include "base/rand.h"
#include "harness.h"

#define T(text)                           \
	{                                 \
		"" text, sizeof(text) - 1 \
	}

static const struct surface_row {
	const char *name;
	struct surface_key a, b;
	bool equal;
} rows[] = {
	{ "A8 equal in all five",
	  { T("u"), T("chat"), T("1"), T("main"), T("w") },
	  { T("u"), T("chat"), T("1"), T("main"), T("w") },
	  true },
	{ "A8 another user",
	  { T("u"), T("chat"), T("1"), T("main"), T("w") },
	  { T("v"), T("chat"), T("1"), T("main"), T("w") },
	  false },
	{ "A8 another surface",
	  { T("u"), T("chat"), T("1"), T("main"), T("w") },
	  { T("u"), T("web"), T("1"), T("main"), T("w") },
	  false },
	{ "A8 another surface id",
	  { T("u"), T("chat"), T("1"), T("main"), T("w") },
	  { T("u"), T("chat"), T("2"), T("main"), T("w") },
	  false },
	{ "A8 another agent",
	  { T("u"), T("chat"), T("1"), T("main"), T("w") },
	  { T("u"), T("chat"), T("1"), T("other"), T("w") },
	  false },
	{ "A8 another workspace",
	  { T("u"), T("chat"), T("1"), T("main"), T("w") },
	  { T("u"), T("chat"), T("1"), T("main"), T("x") },
	  false },
	{ "A8 NULL workspace matches NULL",
	  { T("u"), T("chat"), T("1"), T("main"), T("") },
	  { T("u"), T("chat"), T("1"), T("main"), { NULL, 0 } },
	  true },
	{ "A8 NULL workspace matches no other",
	  { T("u"), T("chat"), T("1"), T("main"), T("") },
	  { T("u"), T("chat"), T("1"), T("main"), T("w") },
	  false },
	{ "A8 surface group ignores the user",
	  { T("u"), T("group"), T("1"), T("main"), T("w") },
	  { T("v"), T("group"), T("1"), T("main"), T("w") },
	  true },
	{ "A8 surface group keeps the surface id",
	  { T("u"), T("group"), T("1"), T("main"), T("") },
	  { T("u"), T("group"), T("2"), T("main"), T("") },
	  false },
	{ "A8 ids with separators stay apart",
	  { T("u"), T("chat"), T("a\",\"b"), T("main"), T("") },
	  { T("b\",\"u"), T("chat"), T("a"), T("main"), T("") },
	  false },
};

static void
check_row(void **state)
{
	const struct surface_row *row = *state;
	struct buf a, b;

	buf_init(&a, 1000);
	buf_init(&b, 1000);
	surface_key_format(&row->a, &a);
	surface_key_format(&row->b, &b);
	assert_int_equal(surface_key_eq(&row->a, &row->b), row->equal);
	assert_int_equal(str_eq(buf_str(&a), buf_str(&b)), row->equal);
	buf_release(&a);
	buf_release(&b);
}

static void
A8_text_and_log_form(void **state)
{
	const struct surface_key k = { T("u"), T("chat"), T("7"), T("main"), T("") };
	const struct surface_key group = { T("u"), T("group"), T("7"), T("main"), T("w") };
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	surface_key_format(&k, &out);
	check_str("text", buf_str(&out), STR("[\"main\",null,\"chat\",\"7\",\"u\"]"));
	buf_clear(&out);
	surface_key_format(&group, &out);
	check_str("group", buf_str(&out), STR("[\"main\",\"w\",\"group\",\"7\",null]"));
	buf_clear(&out);
	surface_key_log_form(&k, &out);
	check_str("log", buf_str(&out), STR("chat:7"));
	assert_true(surface_key_is_shared(&group));
	assert_false(surface_key_is_shared(&k));
	buf_release(&out);
}

static struct surface_key
pick(struct rand *r)
{
	static const struct str WORDS[] = { T(""), T("a"), T("b"), T("a\",\"b"), T("group") };
#define WORD WORDS[rand_below(r, ARRAY_LEN(WORDS))]
	return (struct surface_key){ WORD, WORD, WORD, WORD, WORD };
#undef WORD
}

static void
A8_property_equal_keys_have_equal_text(void **state)
{
	uint64_t seeds = suite_seeds(5000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct surface_key a, b;
		struct buf x, y;
		struct rand r;

		rand_init_seed(&r, seed);
		a = pick(&r);
		b = rand_below(&r, 2) ? pick(&r) : a;
		if (rand_below(&r, 2))
			b.user_id = STR("z");
		buf_init(&x, 1000);
		buf_init(&y, 1000);
		surface_key_format(&a, &x);
		surface_key_format(&b, &y);
		if (surface_key_eq(&a, &b) != str_eq(buf_str(&x), buf_str(&y)))
			fail_msg("seed %llu", (unsigned long long)seed);
		buf_release(&x);
		buf_release(&y);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, check_row);
	SUITE_TEST(&s, A8_text_and_log_form);
	SUITE_TEST(&s, A8_property_equal_keys_have_equal_text);
	return suite_run(&s, "surface_key");
}

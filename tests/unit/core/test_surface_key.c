#include "core/surface_key.h"

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

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, check_row);
	SUITE_TEST(&s, A8_text_and_log_form);
	return suite_run(&s, "surface_key");
}

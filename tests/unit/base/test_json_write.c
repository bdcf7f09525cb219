#include <float.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/rand.h"
#include "harness.h"

static const struct escape_row {
	const char *name;
	struct str text;
	const char *want;
} escape_rows[] = {
#define TEXT(literal)                           \
	{                                       \
		"" literal, sizeof(literal) - 1 \
	}
	{ "escape nothing", TEXT(""), "" },
	{ "escape plain text as it is", TEXT("plain / text \x7f"), "plain / text \x7f" },
	{ "escape quotes and backslashes", TEXT("\"a\\b\""), "\\\"a\\\\b\\\"" },
	{ "escape the short forms", TEXT("\b\f\n\r\t"), "\\b\\f\\n\\r\\t" },
	{ "escape other controls", TEXT("\x01\x1f"), "\\u0001\\u001f" },
	{ "escape keeps utf-8", TEXT("h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
	  "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
	{ "escape NUL becomes U+FFFD", TEXT("a\0b"),
	  "a\xef\xbf\xbd"
	  "b" },
	{ "escape a lone tail byte", TEXT("a\x80z"), "a\xef\xbf\xbdz" },
	{ "escape latin-1", TEXT("caf\xe9"), "caf\xef\xbf\xbd" },
	{ "escape a cut character", TEXT("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "escape good text around bad", TEXT("\xc3\xa9\xff\xc3\xa9\n\xc3\xa9"),
	  "\xc3\xa9\xef\xbf\xbd\xc3\xa9\\n\xc3\xa9" },
	{ "escape at every place of a 16-byte step", TEXT("0123456789abcde\n0123456789abcdef\""),
	  "0123456789abcde\\n0123456789abcdef\\\"" },
};

static void
escapes(void **state)
{
	const struct escape_row *row = *state;
	struct buf out;

	buf_init(&out, 200);
	json_escape(&out, row->text);
	check_str(row->name, buf_str(&out), str_of(row->want));
	buf_release(&out);
}

static void
writes_every_kind(void **state)
{
	struct buf out;
	struct jw w;

	(void)state;
	buf_init(&out, 1000);
	jw_init(&w, &out);
	jw_object(&w);
	jw_field_str(&w, "s", STR("x\n"));
	jw_field_opt(&w, "o", (struct str){ 0 });
	jw_field_opt(&w, "p", STR(""));
	jw_field_int(&w, "i", INT64_MIN);
	jw_field_bool(&w, "t", true);
	jw_field_null(&w, "n");
	jw_field_raw(&w, "r", STR("[1, 2]"));
	jw_field_object(&w, "e");
	jw_end_object(&w);
	jw_field_array(&w, "a");
	jw_array(&w);
	jw_end_array(&w);
	jw_bool(&w, false);
	jw_null(&w);
	jw_object(&w);
	jw_key(&w, STR("k\""));
	jw_double(&w, 0.5);
	jw_end_object(&w);
	jw_raw(&w, STR("7"));
	jw_end_array(&w);
	jw_end_object(&w);
	assert_int_equal(w.depth, 0);
	check_str("all", buf_str(&out),
		  STR("{\"s\":\"x\\n\",\"o\":null,\"p\":\"\",\"i\":-9223372036854775808,\"t\":true,"
		      "\"n\":null,\"r\":[1, 2],\"e\":{},\"a\":[[],false,null,{\"k\\\"\":0.5},7]}"));
	buf_release(&out);
}

static void
nests_64_levels_of_both_kinds(void **state)
{
	struct buf out;
	struct jw w;

	(void)state;
	buf_init(&out, 1000);
	jw_init(&w, &out);
	for (int i = 0; i < 32; i++) {
		jw_array(&w);
		jw_object(&w);
		jw_key(&w, STR("k"));
	}
	jw_int(&w, 1);
	for (int i = 0; i < 32; i++) {
		jw_end_object(&w);
		jw_end_array(&w);
	}
	assert_int_equal(w.depth, 0);
	assert_true(str_starts(buf_str(&out), STR("[{\"k\":[{\"k\":")));
	buf_release(&out);
}

static void
overflow_is_left_to_the_buffer(void **state)
{
	struct buf out;
	struct jw w;

	(void)state;
	buf_init(&out, 4);
	jw_init(&w, &out);
	jw_str(&w, STR("too long"));
	assert_int_equal(w.depth, 0);
	assert_true(out.overflow);
	buf_release(&out);
}

static void
doubles_read_back_the_same(void **state)
{
	static const double values[] = { 0,    -0.0,   1,    -1,      0.1,      1.0 / 3,     1e21,
					 1e-7, 5e-324, 1e22, DBL_MAX, -DBL_MIN, 123456789.25 };
	static const char *const texts[] = { "0",  "-0",    "1",           "-1", "0.1",
					     NULL, "1e+21", "1e-07",       NULL, "1e+22",
					     NULL, NULL,    "123456789.25" };
	struct rand r;

	(void)state;
	rand_init_seed(&r, 1);
	for (uint64_t seed = 0; seed < suite_seeds(20000); seed++) {
		double value, back;
		uint64_t bits = rand_u64(&r);
		struct buf out;
		struct jw w;

		memcpy(&value, &bits, sizeof value);
		if (seed < ARRAY_LEN(values))
			value = values[seed];
		if (!__builtin_isfinite(value))
			continue;
		buf_init(&out, 100);
		jw_init(&w, &out);
		jw_double(&w, value);
		buf_putc(&out, '\0');
		back = strtod(out.ptr, NULL);
		if (memcmp(&back, &value, sizeof back) != 0)
			fail_msg("seed %llu: %a was written as %s", (unsigned long long)seed, value,
				 out.ptr);
		if (seed < ARRAY_LEN(values) && texts[seed])
			assert_string_equal(out.ptr, texts[seed]);
		buf_release(&out);
	}
}

/* Random bytes as text: what is written parses, and reads back as the text with U+FFFD for the bad. */
static void
property_any_bytes_make_valid_json(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct rand r;
		char bytes[80];
		struct str text = { bytes, 0 };
		struct json_doc doc;
		struct err e = { 0 };
		struct buf out, again;
		struct arena a;
		struct jw w;

		rand_init_seed(&r, seed);
		text.len = rand_below(&r, sizeof bytes);
		rand_bytes(&r, bytes, sizeof bytes);
		for (size_t i = 0; seed % 2 && i < sizeof bytes; i++)
			bytes[i] &= 0x7f;
		arena_init(&a);
		buf_init(&out, 1000);
		buf_init(&again, 1000);
		jw_init(&w, &out);
		jw_str(&w, text);
		if (json_parse(&a, buf_str(&out), &JSON_LIMITS_DEFAULT, &doc, &e) != 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, e.text);
		jw_init(&w, &again);
		jw_str(&w, json_str(json_root(&doc), &a));
		check_str("written twice", buf_str(&again), buf_str(&out));
		buf_release(&again);
		buf_release(&out);
		arena_release(&a);
	}
}

static void
value_without_key(struct jw *w)
{
	jw_object(w);
	jw_int(w, 1);
}

static void
key_in_array(struct jw *w)
{
	jw_array(w);
	jw_key(w, STR("k"));
}

static void
key_after_key(struct jw *w)
{
	jw_object(w);
	jw_key(w, STR("k"));
	jw_key(w, STR("l"));
}

static void
key_at_the_root(struct jw *w)
{
	jw_key(w, STR("k"));
}

static void
end_after_key(struct jw *w)
{
	jw_object(w);
	jw_key(w, STR("k"));
	jw_end_object(w);
}

static void
crossed_end(struct jw *w)
{
	jw_object(w);
	jw_end_array(w);
}

static void
end_of_nothing(struct jw *w)
{
	jw_end_array(w);
}

static void
two_roots(struct jw *w)
{
	jw_int(w, 1);
	jw_int(w, 2);
}

static void
too_deep(struct jw *w)
{
	for (int i = 0; i < 65; i++)
		jw_array(w);
}

static void
infinite_double(struct jw *w)
{
	jw_double(w, __builtin_inf());
}

static const struct misuse_row {
	const char *name;
	void (*misuse)(struct jw *w);
} misuse_rows[] = {
	{ "misuse: a value without its key", value_without_key },
	{ "misuse: a key in an array", key_in_array },
	{ "misuse: a key after a key", key_after_key },
	{ "misuse: a key at the root", key_at_the_root },
	{ "misuse: an end after a key", end_after_key },
	{ "misuse: a crossed end", crossed_end },
	{ "misuse: an end of nothing", end_of_nothing },
	{ "misuse: two roots", two_roots },
	{ "misuse: too deep", too_deep },
	{ "misuse: an infinite double", infinite_double },
};

static void
misuse_aborts(void **state)
{
	const struct misuse_row *row = *state;
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct buf out;
		struct jw w;

		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		signal(SIGABRT, SIG_DFL);
		buf_init(&out, 1000);
		jw_init(&w, &out);
		row->misuse(&w);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, escape_rows, escapes);
	SUITE_TEST(&s, writes_every_kind);
	SUITE_TEST(&s, nests_64_levels_of_both_kinds);
	SUITE_TEST(&s, overflow_is_left_to_the_buffer);
	SUITE_TEST(&s, doubles_read_back_the_same);
	SUITE_TEST(&s, property_any_bytes_make_valid_json);
	SUITE_ROWS(&s, misuse_rows, misuse_aborts);
	return suite_run(&s, "json_write");
}

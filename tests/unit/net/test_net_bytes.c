#include "net/net_bytes.h"

#include "harness.h"

static const struct row {
	const char *name;
	size_t len;
	const char *size_line;
} ROWS[] = {
	{ "one byte", 1, "1\r\n" },
	{ "fifteen", 15, "f\r\n" },
	{ "sixteen", 16, "10\r\n" },
	{ "a page", 4096, "1000\r\n" },
	{ "a million", 1000000, "f4240\r\n" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct net_bytes *b = net_bytes_new(row->len);
	struct str chunk;

	memset(net_bytes_fill(b), 'x', row->len);
	chunk = net_bytes_chunk(b);
	assert_true(str_starts(chunk, str_of(row->size_line)));
	assert_true(str_ends(chunk, STR("x\r\n")));
	assert_int_equal(chunk.len, strlen(row->size_line) + row->len + 2);
	assert_int_equal(net_bytes_data(b).len, row->len);
	assert_ptr_equal(net_bytes_data(b).ptr, chunk.ptr + strlen(row->size_line));
	net_bytes_unref(b);
}

static void
empty_bytes_do_not_end_a_body(void **state)
{
	struct net_bytes *b = net_bytes_copy(STR(""));

	(void)state;
	assert_int_equal(net_bytes_chunk(b).len, 0);
	assert_int_equal(net_bytes_data(b).len, 0);
	net_bytes_unref(b);
}

static void
last_reference_frees(void **state)
{
	struct net_bytes *b = net_bytes_copy(STR("shared"));

	(void)state;
	assert_ptr_equal(net_bytes_ref(b), b);
	net_bytes_unref(b);
	check_str("still there", net_bytes_data(b), STR("shared"));
	net_bytes_unref(b);
	net_bytes_unref(NULL);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, empty_bytes_do_not_end_a_body);
	SUITE_TEST(&s, last_reference_frees);
	return suite_run(&s, "net/net_bytes");
}

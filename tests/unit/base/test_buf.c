#include "base/buf.h"
#include "harness.h"

static void
fills_exactly_to_its_ceiling(void **state)
{
	struct buf b;
	struct err e;

	(void)state;
	buf_init(&b, 5);
	buf_puts(&b, "abc");
	buf_printf(&b, "%d", 12);
	check_str("full", buf_str(&b), STR("abc12"));
	assert_int_equal(buf_check(&b, "it", &e), 0);
	buf_putc(&b, 'x');
	assert_int_equal(buf_check(&b, "the reply", &e), ERR_TOO_LARGE);
	assert_string_equal(e.text, "the reply is larger than 5 bytes");
	buf_clear(&b);
	assert_int_equal(buf_check(&b, "it", &e), 0);
	buf_release(&b);
}

static void
overflow_is_remembered(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4);
	buf_puts(&b, "toolong");
	buf_puts(&b, "ok");
	assert_true(b.overflow);
	assert_null(buf_extend(&b, 1));
	buf_release(&b);
	buf_init(&b, 0);
	buf_puts(&b, "");
	assert_false(b.overflow);
	buf_putc(&b, 'x');
	assert_true(b.overflow);
	buf_release(&b);
}

static void
integers_are_written_exactly(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	buf_put_int(&b, 0);
	buf_putc(&b, ' ');
	buf_put_int(&b, INT64_MIN);
	buf_putc(&b, ' ');
	buf_put_int(&b, INT64_MAX);
	check_str("ints", buf_str(&b), STR("0 -9223372036854775808 9223372036854775807"));
	buf_release(&b);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, fills_exactly_to_its_ceiling);
	SUITE_TEST(&s, overflow_is_remembered);
	SUITE_TEST(&s, integers_are_written_exactly);
	return suite_run(&s, "buf");
}

#include "app/config_problem.h"

#include "harness.h"

static void
problems_stand_in_the_order_of_the_file(void **state)
{
	struct config_problems p;
	struct buf got;
	struct err e;

	(void)state;
	config_problem_init(&p, "c.yaml");
	config_problem_add(&p, (struct config_spot){ 9, 1 }, "last %d", 9);
	config_problem_add(&p, (struct config_spot){ 2, 8 }, "second");
	config_problem_add(&p, (struct config_spot){ 2, 3 }, "first");
	config_problem_add(&p, (struct config_spot){ 0 }, "of the whole");
	config_problem_add(&p, (struct config_spot){ CONFIG_ON_COMMAND_LINE, 0 }, "data: no");
	buf_init(&got, 1000);
	config_problem_format_all(&p, &got);
	check_str("all", buf_str(&got),
		  STR("--data: no\nc.yaml: of the whole\nc.yaml:2:3: first\nc.yaml:2:8: second\n"
		      "c.yaml:9:1: last 9\n"));
	assert_int_equal(config_problem_err(&p, &e), ERR_INVALID);
	assert_string_equal(e.text, "--data: no (and 4 more)");
	buf_release(&got);
}

static void
L2_ten_are_kept_and_the_others_counted(void **state)
{
	struct config_problems p;
	struct buf got;
	struct err e;

	(void)state;
	config_problem_init(&p, NULL);
	config_problem_add(&p, (struct config_spot){ 0 }, "only one");
	assert_int_equal(config_problem_err(&p, &e), ERR_INVALID);
	assert_string_equal(e.text, "only one");
	for (int i = 1; i <= 12; i++)
		config_problem_add(&p, (struct config_spot){ i, 1 }, "p");
	buf_init(&got, 1000);
	config_problem_format_all(&p, &got);
	assert_true(str_ends(buf_str(&got), STR("configuration:9:1: p\nand 3 more\n")));
	buf_release(&got);
}

static void
quotes_are_short_and_harmless(void **state)
{
	char out[CONFIG_SHOWN_MAX];
	struct buf text;

	(void)state;
	assert_string_equal(config_problem_quote(STR("a\x1b[31m\n\x7f"), out), "a?[31m??");
	assert_string_equal(config_problem_quote((struct str){ 0 }, out), "");
	buf_init(&text, 100);
	for (int i = 0; i < 60; i++)
		buf_putc(&text, 'x');
	check_str("60 fit", str_of(config_problem_quote(buf_str(&text), out)), buf_str(&text));
	buf_putc(&text, 'y');
	config_problem_quote(buf_str(&text), out);
	assert_int_equal(strlen(out), 60);
	assert_true(str_ends(str_of(out), STR("x...")));
	buf_clear(&text);
	for (int i = 0; i < 40; i++)
		buf_puts(&text, "\xc3\xa4");
	config_problem_quote(buf_str(&text), out);
	assert_true(str_ends(str_of(out), STR("\xc3\xa4...")));
	buf_release(&text);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, problems_stand_in_the_order_of_the_file);
	SUITE_TEST(&s, L2_ten_are_kept_and_the_others_counted);
	SUITE_TEST(&s, quotes_are_short_and_harmless);
	return suite_run(&s, "app/config_problem");
}

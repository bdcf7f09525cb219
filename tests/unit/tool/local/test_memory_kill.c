#include "tool/local/memory_kill.h"

#include "harness.h"
#include "work_dir.h"

static const struct row {
	const char *name, *counters;
	int64_t want;
} ROWS[] = {
	{ "T12 among others", "oom 4\noom_kill 3\noom_group_kill 0\n", 3 },
	{ "T12 the last line, not ended", "max 1\noom_kill 0", 0 },
	{ "T12 a name that begins alike", "oom_kill_x 7\n", -1 },
	{ "T12 not there", "low 0\nhigh 0\n", -1 },
	{ "T12 no number", "oom_kill\noom_kill x\noom_kill -1\n", -1 },
	{ "T12 nothing", "", -1 },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;

	assert_int_equal(memory_kill_parse(str_of(row->counters)), row->want);
}

static void
T12_a_group_says_it_in_its_file(void **state)
{
	struct work_dir d;

	(void)state;
	work_dir_init(&d);
	assert_int_equal(memory_kill_group(d.path), -1);
	work_dir_put(&d, "memory.events", "low 0\noom_kill 2\n");
	assert_int_equal(memory_kill_group(d.path), 2);
	assert_int_equal(memory_kill_group(NULL), -1);
	work_dir_release(&d);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T12_a_group_says_it_in_its_file);
	return suite_run(&s, "tool/local/memory_kill");
}

#include "app/memory.h"

#include <stdlib.h>

#include "harness.h"

enum { MB = 1024 * 1024 };

static const struct row {
	const char *name;
	size_t kept_bytes, waste_bytes;
	bool want;
} ROWS[] = {
	{ "S2 little is left alone", 0, 1 * MB, false },
	{ "S2 up to the bound", 0, MEMORY_WASTE_BYTES, false },
	{ "S2 more is given back", 0, MEMORY_WASTE_BYTES + 1, true },
	{ "S2 what could not be given back is not tried again", 9 * MB, 9 * MB, false },
	{ "S2 but what came to it is", 9 * MB, 9 * MB + MEMORY_WASTE_BYTES + 1, true },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct memory m = { row->kept_bytes };

	if (memory_is_wasted(&m, row->waste_bytes) != row->want)
		fail_msg("%s", row->name);
}

/* Of a process as it is: nothing to be seen but that it does no harm. */
static void
S2_giving_back_keeps_what_is_in_use(void **state)
{
	struct memory m = { 0 };
	char *kept[100];

	(void)state;
	memory_init();
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		memset(kept[i] = malloc(100000), (int)i, 100000);
	for (size_t i = 0; i < ARRAY_LEN(kept); i += 2)
		free(kept[i]);
	memory_give_back(&m);
	memory_give_back(&m);
	for (size_t i = 1; i < ARRAY_LEN(kept); i += 2) {
		assert_int_equal(kept[i][99999], (int)i);
		free(kept[i]);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, S2_giving_back_keeps_what_is_in_use);
	return suite_run(&s, "memory");
}

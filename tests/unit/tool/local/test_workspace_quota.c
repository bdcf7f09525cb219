#include "tool/local/workspace_quota.h"

#include "harness.h"

static const struct row {
	const char *name;
	struct workspace_quota q;
	const char *want;
} ROWS[] = {
	{ "T12 small sizes",
	  { .used = 5 * 1024, .limit = 4096 },
	  "holds 5.0 KiB, more than the 4.0 KiB that a session may use (limits.workspace_bytes)" },
	{ "T12 large ones",
	  { .used = INT64_C(3) << 30, .limit = INT64_C(5) << 19 },
	  "holds 3.0 GiB, more than the 2.5 MiB" },
	{ "T12 what cannot be measured",
	  { .problem = "a/b: Permission denied" },
	  "cannot be measured (a/b: Permission denied)" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct arena a;

	arena_init(&a);
	if (!str_contains(workspace_quota_text(&row->q, &a), str_of(row->want)))
		fail_msg("%s", workspace_quota_text(&row->q, &a).ptr);
	arena_release(&a);
}

static void
T12_without_a_limit_nothing_is_looked_at(void **state)
{
	struct workspace_quota q;

	(void)state;
	workspace_quota_init(&q, "/none/such", 0);
	workspace_quota_measure(&q, 1000);
	assert_false(q.full);
	assert_false(workspace_quota_look(&q, INT64_MAX - 1));
	assert_int_equal(q.next_ms, INT64_MAX);
	workspace_quota_release(&q);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T12_without_a_limit_nothing_is_looked_at);
	return suite_run(&s, "tool/local/workspace_quota");
}

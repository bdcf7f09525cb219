#include "tool/local/cgroup.h"

#include "harness.h"
#include "work_dir.h"

/* want: below the root where groups are mounted; NULL: nowhere. */
static const struct {
	const char *name, *self, *want;
	bool v2;
} ROWS[] = {
	{ "T12 version 1", "9:name=systemd:/\n8:pids:/a\n0::/\n", "/pids/a", false },
	{ "T12 version 1, several together", "4:cpu,pids,rdma:/a\n", "/pids/a", false },
	{ "T12 version 1 at the top", "8:pids:/\n", "/pids", false },
	{ "T12 version 2", "0::/service\n", "/service", true },
	{ "T12 version 2 that hands nothing down", "0::/bare\n", NULL, true },
	{ "T12 a group that is not there", "8:pids:/gone\n0::/gone\n", NULL, true },
	{ "T12 none has the number of processes", "3:cpuset:/a\n", NULL, false },
	{ "T12 nonsense", "8\n\nx:y\n", NULL, false },
};

static void
test_row(void **state)
{
	const __typeof__(*ROWS) *row = *state;
	const char *got;
	struct work_dir d;
	struct arena a;
	bool v2 = false;

	work_dir_init(&d);
	arena_init(&a);
	work_dir_put(&d, "pids/a/pids.max", "max\n");
	work_dir_put(&d, "service/cgroup.subtree_control", "cpu memory pids\n");
	work_dir_put(&d, "bare/cgroup.subtree_control", "cpu\n");
	got = cgroup_parent(&a, str_of(row->self), d.path, &v2);
	if (row->want) {
		assert_non_null(got);
		assert_string_equal(got + strlen(d.path), row->want);
		assert_int_equal(v2, row->v2);
	} else {
		assert_null(got);
	}
	arena_release(&a);
	work_dir_release(&d);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, test_row);
	return suite_run(&s, "tool/local/cgroup");
}

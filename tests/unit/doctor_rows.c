#include "doctor_rows.h"

void
doctor_rows_check(const char *name, struct doctor_report *r, const char *want)
{
	static const char *const VERDICTS[] = { "ok", "warn", "fail" };
	struct buf got;

	buf_init(&got, 100000);
	for (size_t i = 0; i < r->items.len; i++) {
		const struct doctor_item *item = &r->items.ptr[i];
		buf_printf(&got, "%s%s %s: " STR_FMT, i > 0 ? "\n" : "", VERDICTS[item->verdict],
			   item->check, STR_ARG(item->found));
		assert_int_equal(item->advice.len > 0, item->verdict != DOCTOR_OK);
	}
	check_str(name, buf_str(&got), str_of(want));
	buf_release(&got);
	doctor_report_release(r);
	doctor_report_init(r);
}

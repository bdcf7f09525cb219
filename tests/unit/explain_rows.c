#include "explain_rows.h"

#include "cli/explain.h"

void
explain_row_check(void **state)
{
	const struct explain_row *row = *state;
	struct str want = str_of(row->want);
	struct err e = { 0 };
	struct buf answer;
	int rc;

	buf_init(&answer, EXPLAIN_ANSWER_MAX);
	rc = explain_answer(str_of(row->what), str_of(row->facts), &answer, &e);
	if (str_starts(want, STR("error: "))) {
		want = str_slice(want, 7, want.len);
		if (rc == 0)
			fail_msg("%s: answered " STR_FMT ", wanted a refusal with '" STR_FMT "'",
				 row->name, STR_ARG(buf_str(&answer)), STR_ARG(want));
		if (!str_contains(str_of(e.text), want))
			fail_msg("%s: refused with '%s', wanted '" STR_FMT "'", row->name, e.text,
				 STR_ARG(want));
	} else {
		if (rc != 0)
			fail_msg("%s: refused: %s", row->name, e.text);
		check_str(row->name, buf_str(&answer), want);
	}
	buf_release(&answer);
}

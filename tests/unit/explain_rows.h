/* explain_rows - rows of (question, facts, answer) for `perdure explain`; an answer that begins
 * with "error: " expects a refusal whose text contains the rest. */
#pragma once
#include "harness.h"

struct explain_row {
	const char *name;
	const char *what;  /* "key", "reset", ... */
	const char *facts; /* JSON */
	const char *want;  /* the exact answer, or "error: part of the message" */
};

/* The test function for SUITE_ROWS over struct explain_row. */
void explain_row_check(void **state);

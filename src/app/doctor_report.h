/* doctor_report - what the doctor found: a verdict, what was seen, and what to do about it. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

enum doctor_verdict { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL };

struct doctor_item {
	enum doctor_verdict verdict;
	const char *check; /* one word: data, clock, ... */
	struct str found;
	struct str advice; /* empty when all is well */
};
struct doctor_report {
	struct arena a;
	VEC(struct doctor_item) items;
	size_t counts[DOCTOR_FAIL + 1]; /* by verdict */
};

void doctor_report_init(struct doctor_report *r);
void doctor_report_release(struct doctor_report *r);

/* The format is of what was found. */
void doctor_report_ok(struct doctor_report *r, const char *check, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* Not ok: advice says what to do, and is copied. */
void doctor_report_add(struct doctor_report *r, enum doctor_verdict verdict, const char *check,
		       const char *advice, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* A table for people, or {"ok":true,"warnings":0,"failures":0,"checks":[{"check":"data","verdict":"ok",
 * "found":"...","advice":null},...]}. */
void doctor_report_format(const struct doctor_report *r, bool json, struct buf *out);

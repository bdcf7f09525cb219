/* check_report - what a check found, one line per problem: for people, or as JSON for programs. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/str.h"

struct check_report {
	FILE *out;
	bool json;
	int64_t sessions, events, problems;
};

/* session empty, seq 0: the problem has none. */
void
check_report_problem(struct check_report *r, struct str session, int64_t seq, const char *what);
/* A projection that differs from what the log adds up to. */
void check_report_differs(struct check_report *r, struct str session, int64_t seq, const char *what,
			  struct str stored, struct str replayed);
/* The last line: "checked 3 sessions, 120 events: ok". */
void check_report_summary(struct check_report *r);

/* doctor_rows - what a doctor's check must have said. */
#pragma once
#include "app/doctor_private.h"
#include "config_rows.h"

/* Fails unless the report's items, one "verdict check: found" a line, are exactly want; every one that
 * is not ok has its advice. Empties the report. */
void doctor_rows_check(const char *name, struct doctor_report *r, const char *want);

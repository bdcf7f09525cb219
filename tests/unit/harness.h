/* harness - cmocka with one test per table row, so that a failure names its row and the log of a
 * run names every row that ran. Properties get their seed count from here. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/vec.h"

struct suite {
	VEC(struct CMUnitTest) tests;
};

/* Adds one test; state reaches fn as *state. */
void suite_add(struct suite *s, const char *name, CMUnitTestFunction fn, const void *state);
/* One test per row of an array whose element has a member `name`. */
#define SUITE_ROWS(s, rows, fn)                                                     \
	do {                                                                        \
		for (size_t row_ = 0; row_ < sizeof(rows) / sizeof *(rows); row_++) \
			suite_add((s), (rows)[row_].name, (fn), &(rows)[row_]);     \
	} while (0)
#define SUITE_TEST(s, fn) suite_add((s), #fn, (fn), NULL)
/* Runs them all, or those whose name matches PERDURE_TEST (* and ? as in a shell); the return value
 * of main. Frees the suite. */
int suite_run(struct suite *s, const char *name);

/* How many seeds a property runs: PERDURE_SEEDS when set (make proof), else usual. A hundred times
 * usual is the most: a property that is dear per seed says so by its usual count. */
uint64_t suite_seeds(uint64_t usual);

/* Fails with both texts when they differ. */
void check_str(const char *what, struct str got, struct str want);

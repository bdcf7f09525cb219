/* mutant - deliberate faults, one at a time, to prove that the tests would notice.
 * A build with -DPERDURE_TEST_HOOKS and -DMUTANT_<name> contains that fault; any other build
 * contains none, and a release build cannot be given one. The lists: store/sqlite/mutant.h,
 * core/turn_mutant.h. */
#pragma once

/* MUTANT(name): 1 when the build was given that fault, else 0; always a constant. */
#ifdef PERDURE_TEST_HOOKS
#define MUTANT(name)              MUTANT_EXPAND_(MUTANT_##name)
#define MUTANT_EXPAND_(value)     MUTANT_PASTE_(value) /* by now the value, no longer its name */
#define MUTANT_PASTE_(value)      MUTANT_IS_ONE_(MUTANT_WHEN_##value)
#define MUTANT_WHEN_1             0, /* a macro defined as 1 adds an argument, so 1 comes second */
#define MUTANT_IS_ONE_(maybe)     MUTANT_SECOND_(maybe 1, 0, 0)
#define MUTANT_SECOND_(a, b, ...) b
#else
#define MUTANT(name) 0
#endif

/* mutant - deliberate faults of the store, one at a time, to prove that its tests would notice.
 * A build with -DPERDURE_TEST_HOOKS and -DMUTANT_<name> contains that fault; any other build
 * contains none, and a release build cannot be given one. This is the whole list:
 *
 *   ACK_BEFORE_COMMIT     items are acknowledged when they are written, before the commit
 *   SYNC_NORMAL           synchronous=NORMAL: a commit is not synced
 *   SYNC_ERROR_IGNORED    a commit that failed with an I/O error counts as done
 *   DEDUPE_OUTSIDE        keys are stored in a transaction of their own, after the item's
 *   FENCE_UNCHECKED       an append may name any fence
 *   PROJECTION_OUTSIDE    session rows are written in a transaction of their own, afterwards */
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

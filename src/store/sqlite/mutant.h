/* mutant - the deliberate faults of this store (base/mutant.h). This is the whole list:
 *
 *   ACK_BEFORE_COMMIT     items are acknowledged when they are written, before the commit
 *   SYNC_NORMAL           synchronous=NORMAL: a commit is not synced
 *   SYNC_ERROR_IGNORED    a commit that failed with an I/O error counts as done
 *   DEDUPE_OUTSIDE        keys are stored in a transaction of their own, after the item's
 *   FENCE_UNCHECKED       an append may name any fence
 *   PROJECTION_OUTSIDE    session rows are written in a transaction of their own, afterwards */
#pragma once
#include "base/mutant.h"
